"""What a step at HAR's shape spends beside the network, part by part, as shares of a bare step.

Each part is run once after each bare step, so that it finds the caches as a network leaves them.

    python -m benchmarks parts
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable
from typing import Any

import torch
from benchmarks._loads import BATCH, HAR, HAR_PAIRS, noise
from benchmarks._report import entry, report
from benchmarks.precision import in_turn
from torch import Tensor

from pairsift.mining import BadPairMiner, Sigma
from pairsift.training import make_framework, make_settings
from pairsift.training.guard import Guard
from pairsift.training.heap import keep_freed_memory


def parts(half: bool) -> tuple[Callable[[], object], dict[str, Callable[[], object]]]:
    """A bare step, and what else a step does; ``half`` for bfloat16."""
    series = noise(HAR_PAIRS, HAR)
    framework: Any = make_framework(make_settings(dataset="har", epochs=2, warmup=1), series)
    adam = torch.optim.Adam(framework.parameters(), fused=True)
    generator, guard = torch.Generator().manual_seed(0), Guard()
    order = torch.randperm(len(series), generator=generator)
    batch = series[order[:BATCH]]
    u, v = framework.views(batch.x, generator=generator)
    z = torch.randn(2 * BATCH, 128).to(torch.bfloat16 if half else torch.float32)
    miner, losses = BadPairMiner(len(series), 1, Sigma(1, 1)), 3 + torch.randn(len(series))
    miner.start_epoch()
    miner.record(losses, torch.arange(len(series)))
    miner.start_epoch()
    leaf = losses[:BATCH].clone().requires_grad_()
    weights = list(framework.parameters())

    def bare() -> None:
        with torch.autocast("cpu", torch.bfloat16, enabled=half):
            out: Tensor = framework.head(framework.encoder(torch.cat([u, v])))
        out.backward(torch.ones_like(out))
        adam.step()
        adam.zero_grad()

    def loss() -> None:
        zu, zv = z.detach().requires_grad_().chunk(2)
        framework.criterion(zu, zv).mean().backward()

    return bare, {
        "reading the batch": lambda: series[order[BATCH : 2 * BATCH]],
        "both views": lambda: framework.views(batch.x, generator=generator),
        "of these, the normal numbers": lambda: torch.empty(batch.x.shape).normal_(generator=generator),
        "the loss, forward and backward": loss,
        "of these, its two products": lambda: (z.float() @ z.float().T) @ z.float(),
        "the miner": lambda: miner(leaf, batch.index),
        "looking for gradients that are no number": lambda: guard.judge(weights, losses, batch.index),
    }


def measured(half: bool, rounds: int) -> list[dict[str, Any]]:
    """Entries of one type."""
    bare, others = parts(half)
    arms: dict[str, Callable[[], object]] = {}
    for name, work in others.items():
        arms |= {f"bare before {name}": bare, name: work}
    seconds = in_turn(arms, rounds)
    whole = min(taken for name, taken in seconds.items() if name.startswith("bare before "))
    alone = in_turn({"miner": others["the miner"]}, 50 * rounds)["miner"]
    told = {name: seconds[name] for name in others} | {"the miner, in a loop of nothing else": alone}
    kind = "bfloat16" if half else "float32"
    return [
        entry(f"{kind}: {name} / a bare step", taken / whole, milliseconds={"it": round(1e3 * taken, 3)})
        for name, taken in told.items()
    ]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=30)
    rounds = parser.parse_args().rounds
    torch.set_num_threads(1)
    keep_freed_memory()
    return report([found for half in (False, True) for found in measured(half, rounds)])


if __name__ == "__main__":
    sys.exit(main())
