"""Augmenting a batch at once against one series at a time, two views each, as a ratio."""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Callable
from typing import Any

import numpy as np
import torch
from benchmarks._report import entry, report

from pairsift.augment import STRENGTHS, Strengths, weak_strong

SHAPES = {"har": (128, 9, 128), "epilepsy": (128, 1, 178), "ptb-xl": (128, 12, 1000)}


def seconds(work: Callable[[], object], repeats: int) -> float:
    """Processor seconds of one call, the best of some, in one thread."""

    def once() -> float:
        start = time.process_time()
        work()
        return time.process_time() - start

    once()
    return min(once() for _ in range(repeats))


def one_series(x: np.ndarray, s: Strengths, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """Both views of one series (C, T) as a Dataset's transform makes them: a channel at a time."""
    pieces = np.array_split(np.arange(x.shape[1]), rng.integers(1, s.segments + 1))
    order = np.concatenate([pieces[place] for place in rng.permutation(len(pieces))])
    weak, strong = [], []
    for channel in x:
        weak.append(channel * rng.normal(1.0, s.scale))
        strong.append(channel[order] + rng.normal(0.0, s.jitter, len(channel)))
    return np.stack(weak), np.stack(strong)


def one_series_tuned(x: np.ndarray, s: Strengths, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """The same with all channels of the series at once, in float32: as fast as one at a time gets."""
    channels, length = x.shape
    pieces = np.array_split(np.arange(length), rng.integers(1, s.segments + 1))
    order = np.concatenate([pieces[place] for place in rng.permutation(len(pieces))])
    weak = x * (1 + np.float32(s.scale) * rng.standard_normal((channels, 1), dtype=np.float32))
    strong = x[:, order] + np.float32(s.jitter) * rng.standard_normal((channels, length), dtype=np.float32)
    return weak, strong


def compare(name: str, repeats: int) -> list[dict[str, Any]]:
    """Entries for one dataset's shape and strengths."""
    generator = torch.Generator().manual_seed(0)
    rng = np.random.default_rng(0)
    x = torch.randn(SHAPES[name], generator=generator)
    strengths = STRENGTHS[name]
    views = weak_strong(strengths)

    def a_series_at_a_time(transform: Callable[..., tuple[np.ndarray, np.ndarray]]) -> None:
        pairs = [transform(series, strengths, rng) for series in x.numpy()]
        for side in zip(*pairs):
            torch.from_numpy(np.stack(side).astype(np.float32))

    ours = seconds(lambda: views(x, generator=generator), 5 * repeats)
    noise = seconds(lambda: torch.randn(x.shape, generator=generator), 5 * repeats)
    plain = seconds(lambda: a_series_at_a_time(one_series), repeats)
    tuned = seconds(lambda: a_series_at_a_time(one_series_tuned), repeats)
    what = f"two views of a batch {SHAPES[name]}"
    milliseconds = {
        "batched": ours,
        "one at a time": plain,
        "tuned": tuned,
        "its normal numbers alone": noise,
    }
    return [
        entry(
            f"one series at a time / batched, {what}",
            plain / ours,
            # With more values to a series than HAR has, drawing normal numbers is most of the work of either.
            10 if name != "ptb-xl" else None,
            "at least",
            milliseconds={key: round(1e3 * value, 3) for key, value in milliseconds.items()},
        ),
        entry(f"one series at a time, all channels at once / batched, {what}", tuned / ours),
        entry(f"batched / drawing its normal numbers, {what}", ours / noise),
    ]


def main(argv: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="fewer repeats")
    options = parser.parse_args(argv)
    torch.set_num_threads(1)
    return report([e for name in SHAPES for e in compare(name, 3 if options.quick else 15)])


if __name__ == "__main__":
    sys.exit(main())
