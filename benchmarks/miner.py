"""The miner's speed and size as ratios: to Algorithm 1 in loops, between sizes, to one pass over memory."""

from __future__ import annotations

import argparse
import sys
import time
import warnings
from collections.abc import Callable
from typing import Any

import torch
from benchmarks._report import entry, report
from tests.oracles.algorithm1 import Algorithm1

from pairsift.mining import BadPairMiner, Sigma

BATCH = 512


def seconds(work: Callable[[], object]) -> float:
    """Processor seconds of one call; torch runs in one thread, so other programs hardly count."""
    start = time.process_time()
    work()
    return time.process_time() - start


def losses_for(pairs: int) -> torch.Tensor:
    """One loss a pair: most of them normal, five in a hundred low, five high."""
    draw = torch.Generator().manual_seed(0)
    losses = 2 + 0.3 * torch.randn(pairs, generator=draw)
    kind = torch.rand(pairs, generator=draw)
    return losses + 2.0 * (kind > 0.95) - 1.8 * (kind < 0.05)


def warmed(pairs: int) -> tuple[BadPairMiner, torch.Tensor]:
    """A miner at the end of its warm-up of one epoch, every pair seen, and the pairs' losses."""
    miner = BadPairMiner(pairs, warmup_epochs=1, threshold=Sigma(2, 2))
    losses = losses_for(pairs)
    miner.start_epoch()
    record_all(miner, losses)
    return miner, losses


def record_all(miner: BadPairMiner, losses: torch.Tensor, part: int = 2**22) -> None:
    """Everybody's loss, so many at a time that an index of all need not be held."""
    for start in range(0, len(losses), part):
        chosen = losses[start : start + part]
        miner.record(chosen, torch.arange(start, start + len(chosen)))


def batches_of(losses: torch.Tensor, seed: int = 0) -> list[tuple[torch.Tensor, torch.Tensor]]:
    """An epoch's shuffled batches: losses and index."""
    order = torch.randperm(len(losses), generator=torch.Generator().manual_seed(seed))
    return [(losses[index], index) for index in order.split(BATCH)]


def epoch_seconds(pairs: int, repeats: int = 5) -> float:
    """An epoch's bookkeeping, its start and all its batches; the best of some."""
    miner, losses = warmed(pairs)
    batches = batches_of(losses)

    def epoch() -> None:
        miner.start_epoch()
        for loss, index in batches:
            miner(loss, index)

    return min(seconds(epoch) for _ in range(repeats))


def literal_seconds(pairs: int, part: int, container: type[list[int] | set[int]]) -> tuple[float, float]:
    """The same epoch in loops: its start in full, of its batches the first ``part``, these scaled up.

    Args:
        pairs: how many.
        part: batches measured.
        container: what the bad pairs are looked up in, once found.

    Returns:
        Seconds, and the share of pairs judged bad: a list of bad pairs is searched, so it matters.
    """
    literal = Algorithm1(pairs, 1, beta_np=2, beta_fp=2)
    losses = losses_for(pairs)
    literal.start_epoch()
    literal.batch(losses.tolist(), list(range(pairs)))
    begin = seconds(literal.start_epoch)
    literal.noisy_pairs = container(literal.noisy_pairs)
    literal.faulty_pairs = container(literal.faulty_pairs)
    batches = batches_of(losses)
    chosen = batches[:part]

    def work() -> None:
        for loss, index in chosen:
            literal.batch(loss.tolist(), index.tolist())

    bad = len(literal.noisy_pairs) + len(literal.faulty_pairs)
    return begin + seconds(work) * len(batches) / len(chosen), bad / pairs


def against_loops(pairs: int, part: int) -> list[dict[str, Any]]:
    """How many times faster an epoch's bookkeeping is than Algorithm 1 in loops, also with sets in them."""
    ours = epoch_seconds(pairs)
    batches = -(-pairs // BATCH)
    results = []
    for container, name, bar in ((list, "in loops", 300), (set, "in loops, with sets for lists", None)):
        loops, bad = literal_seconds(pairs, part, container)
        results.append(
            entry(
                f"Algorithm 1 {name} / miner, an epoch, {pairs:,} pairs, batch {BATCH}",
                loops / ours,
                bar,
                "at least",
                seconds={"miner": round(ours, 4), "loops": round(loops, 2)},
                how=f"loops: the start and {min(part, batches)} of {batches} batches measured, the latter "
                f"scaled up; {bad:.1%} of the pairs are bad",
            )
        )
    return results


def growth(pairs: int) -> dict[str, Any]:
    """How an epoch's time grows when the pairs become four times as many."""
    ratio = epoch_seconds(4 * pairs) / epoch_seconds(pairs)
    return entry(f"an epoch at {4 * pairs:,} pairs / at {pairs:,}", ratio, 5)


def bytes_a_pair(pairs: int) -> dict[str, Any]:
    """What the memory holds for each pair."""
    held = sum(b.numel() * b.element_size() for b in BadPairMiner(pairs).memory.buffers())
    return entry(f"bytes a pair, {pairs:,} pairs", held / pairs, 16, noise=0)


def once_an_epoch(pairs: int, repeats: int = 3) -> list[dict[str, Any]]:
    """The memory's size, and the epoch's start (merge, mu, sigma, thresholds) against reading it once."""
    miner, losses = warmed(pairs)
    memory, probe = miner.memory, torch.zeros(1, dtype=torch.int64)
    starts, reads = [], []

    def start() -> None:
        miner.start_epoch()
        miner.verdicts(probe)  # fits

    def one_pass() -> None:  # what torch reads fastest: 16 bytes a pair
        for buffer in (memory.mean, memory.squares, memory.total):
            buffer.sum()
        for buffer in (memory.seen, memory.visits):
            buffer.max()

    for _ in range(repeats):
        starts.append(seconds(start))
        reads.append(seconds(one_pass))
        record_all(miner, losses)
    held = sum(b.numel() * b.element_size() for b in memory.buffers())
    told = {"start": round(min(starts), 4), "pass": round(min(reads), 4)}
    return [
        entry(f"gigabytes of bookkeeping, {pairs:,} pairs", held / 1e9, 16e-9 * pairs, noise=0),
        entry(
            f"the epoch's start / one pass over the memory, {pairs:,} pairs",
            min(starts) / min(reads),
            5,
            seconds=told,
        ),
    ]


def batch_against_size(few: int, many: int, rounds: int = 200) -> dict[str, Any]:
    """A batch's time at two sizes: the same work, but further out of the cache."""

    def a_batch(count: int) -> float:
        miner, _ = warmed(count)
        miner.start_epoch()
        draw = torch.Generator().manual_seed(0)
        picks = [torch.randint(count, (BATCH,), generator=draw) for _ in range(rounds)]
        batches = [(losses_for(BATCH), index) for index in picks]

        def work() -> None:
            for loss, index in batches:
                miner(loss, index)

        work()
        return min(seconds(work) for _ in range(3)) / rounds

    small, large = a_batch(few), a_batch(many)
    return entry(
        f"a batch at {many:,} pairs / at {few:,}",
        large / small,
        2,
        microseconds={"few": round(small * 1e6, 1), "many": round(large * 1e6, 1)},
    )


def main(argv: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--pairs", type=int, default=100_000, help="pairs of the comparison with loops")
    parser.add_argument(
        "--large", type=int, default=100_000_000, help="pairs of the comparison with one pass"
    )
    parser.add_argument("--quick", action="store_true", help="smaller sizes, less of the loops")
    options = parser.parse_args(argv)
    large = min(options.large, 2_000_000) if options.quick else options.large
    torch.set_num_threads(1)
    warnings.filterwarnings("ignore", message="a batch of")  # the last one is short on purpose
    return report(
        [
            *against_loops(options.pairs, part=4 if options.quick else 40),
            growth(options.pairs),
            bytes_a_pair(options.pairs),
            *once_an_epoch(large),
            batch_against_size(large // 100, large),
        ]
    )


if __name__ == "__main__":
    sys.exit(main())
