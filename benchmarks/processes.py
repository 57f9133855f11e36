"""Two gloo processes against one with the same losses: verdicts, memory, all-reduces, the cost of a gather.

python -m benchmarks.processes
"""

from __future__ import annotations

import argparse
import sys
import time
import warnings
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import torch
import torch.distributed as dist
import torch.multiprocessing as mp
from benchmarks._report import entry, report

from pairsift.losses import InfoNCE
from pairsift.mining import BadPairMiner, Sigma

WORLD, EPOCHS, BATCH = 2, 4, 512
EMBEDDED = (128, 128)  # pairs a process, and numbers in an embedding: SimCLR's defaults


def losses_of(epoch: int, pairs: int) -> torch.Tensor:
    """An epoch's losses: five in a hundred low, five high."""
    draw = torch.Generator().manual_seed(epoch)
    kind = torch.rand(pairs, generator=torch.Generator().manual_seed(0))
    losses = 2 + 0.3 * torch.randn(pairs, generator=draw)
    return losses + 2.0 * (kind > 0.95) - 1.8 * (kind < 0.05)


def order(epoch: int, pairs: int) -> torch.Tensor:
    """Who comes when."""
    return torch.randperm(pairs, generator=torch.Generator().manual_seed(epoch))


def run(pairs: int, ranks: list[int]) -> tuple[BadPairMiner, float]:
    """All epochs of the given processes' shares, and the seconds that ending an epoch takes."""
    warnings.filterwarnings("ignore", message="a batch of")  # the last one is short on purpose
    miner, ending = BadPairMiner(pairs, 1, Sigma(1.5, 1.5)), []
    for epoch in range(1, EPOCHS + 1):
        miner.start_epoch()
        losses = losses_of(epoch, pairs)
        for rank in ranks:
            for index in order(epoch, pairs)[rank::WORLD].split(BATCH):
                miner(losses[index], index)
        began = time.perf_counter()
        miner.end_epoch()
        ending.append(time.perf_counter() - began)
    return miner, min(ending)


def loss_seconds(gather: bool, rounds: int = 60) -> float:
    """The loss forward and backward, in seconds on the clock, since processes wait: the median of some."""
    criterion, taken = InfoNCE(gather=gather), []
    zu, zv = (torch.randn(EMBEDDED).requires_grad_() for _ in range(2))
    for _ in range(rounds):
        began = time.perf_counter()
        criterion(zu, zv).mean().backward()
        taken.append(time.perf_counter() - began)
    return sorted(taken)[rounds // 2]


def one_of_two(rank: int, folder: str, pairs: int) -> None:
    """What each process does; what it knows in the end goes to a file."""
    torch.set_num_threads(1)
    dist.init_process_group("gloo", init_method=f"file://{folder}/meet", rank=rank, world_size=WORLD)
    calls, plain = [], dist.all_reduce

    def counted(tensor: torch.Tensor, *rest: Any, **more: Any) -> Any:
        calls.append(tensor.numel())
        return plain(tensor, *rest, **more)

    dist.all_reduce = counted
    miner, ending = run(pairs, [rank])
    dist.all_reduce = plain
    kept = {
        "memory": miner.memory.state_dict(),
        "verdicts": miner.verdicts(),
        "calls": calls,
        "ending": ending,
        "apart": loss_seconds(gather=False),
        "gathered": loss_seconds(gather=True),
    }
    torch.save(kept, f"{folder}/{rank}.pt")
    dist.barrier()
    dist.destroy_process_group()


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--pairs", type=int, default=1_000_003, help="not even, so shares are not either")
    pairs = parser.parse_args().pairs
    torch.set_num_threads(1)
    with TemporaryDirectory() as folder:
        mp.spawn(one_of_two, args=(folder, pairs), nprocs=WORLD)
        two = [torch.load(Path(folder) / f"{rank}.pt", weights_only=True) for rank in range(WORLD)]
    miner, alone = run(pairs, list(range(WORLD)))
    memory, verdicts = miner.memory.state_dict(), miner.verdicts()
    same_kind = min(float((half["verdicts"] == verdicts).float().mean()) for half in two)
    same_bits = min(
        float((half["memory"][name] == memory[name]).float().mean()) for half in two for name in memory
    )
    calls = max(len(half["calls"]) for half in two) / EPOCHS
    ending = max(half["ending"] for half in two)
    apart, gathered = (max(half[name] for half in two) for name in ("apart", "gathered"))
    milliseconds = {"own negatives": round(1e3 * apart, 2), "gathered": round(1e3 * gathered, 2)}
    about = {"pairs": pairs, "processes": WORLD, "bad": round(float((verdicts > 0).float().mean()), 4)}
    return report(
        [
            entry(
                "share of pairs that two processes judge as one does", same_kind, 1.0, "at least", 0, **about
            ),
            entry("share of the memory that is the same bit for bit", same_bits, 1.0, "at least", 0),
            entry("all-reduces an epoch", calls, 1, noise=0, numbers_in_each=max(two[0]["calls"])),
            entry("ending an epoch in two processes / in one", ending / alone, seconds=round(ending, 4)),
            entry(
                "InfoNCE with gathered negatives / with a process' own, two processes",
                gathered / apart,
                milliseconds=milliseconds,
                embeddings=list(EMBEDDED),
            ),
        ]
    )


if __name__ == "__main__":
    sys.exit(main())
