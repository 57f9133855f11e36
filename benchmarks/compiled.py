"""What `torch.compile` would bring: a step of encoder and head as it is over a compiled one, in both types.

A ratio above 1 is a win. It needs a C++ compiler and takes its time, so `make bench` leaves it out.

    python -m benchmarks compiled
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable
from typing import Any

import numpy as np
import torch
from benchmarks._loads import BATCH, HAR, noise
from benchmarks._report import entry, report
from benchmarks.precision import in_turn
from torch import nn

from pairsift.data import Series
from pairsift.training import make_framework, make_settings


def compiled(series: Series, rounds: int) -> list[dict[str, Any]]:
    """Both types; the first step, which compiles, is left out."""
    x = torch.from_numpy(np.concatenate([series.x[:BATCH], series.x[BATCH : 2 * BATCH]]))
    arms: dict[str, Callable[[], object]] = {}
    for kind in ("float32", "bfloat16"):
        for how in ("as it is", "compiled"):
            framework = make_framework(make_settings(dataset="har", epochs=2, warmup=1), series)
            network: Any = nn.Sequential(framework.encoder, framework.head)
            adam = torch.optim.Adam(network.parameters(), fused=True)
            run = torch.compile(network) if how == "compiled" else network

            def step(run: Any = run, adam: Any = adam, half: bool = kind == "bfloat16") -> None:
                with torch.autocast("cpu", torch.bfloat16, enabled=half):
                    z = run(x)
                z.backward(torch.ones_like(z))
                adam.step()
                adam.zero_grad()

            arms[f"{kind} {how}"] = step
    seconds = in_turn(arms, rounds)
    return [
        entry(
            f"HAR, {kind}: a step as it is / compiled",
            seconds[f"{kind} as it is"] / seconds[f"{kind} compiled"],
            milliseconds={how: round(1e3 * seconds[f"{kind} {how}"], 1) for how in ("as it is", "compiled")},
        )
        for kind in ("float32", "bfloat16")
    ]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=25)
    rounds = parser.parse_args().rounds
    torch.set_num_threads(1)
    return report(compiled(noise(2 * BATCH, HAR), rounds))


if __name__ == "__main__":
    sys.exit(main())
