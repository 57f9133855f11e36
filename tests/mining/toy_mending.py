"""A training in miniature with known truth: losses that answer to what the miner does with each pair."""

from __future__ import annotations

import copy
from functools import cache
from typing import Any

import torch
import torch.distributed as dist

from pairsift.mining import MendingMiner

KINDS = ("normal", "noisy", "fixed", "strong", "hopeless")
COUNTS = (460, 60, 50, 20, 10)
TRUTH = torch.repeat_interleave(torch.arange(5), torch.tensor(COUNTS))
PAIRS = len(TRUTH)
WARMUP = 5


def losses_of(epoch: int, index: torch.Tensor, gentle: torch.Tensor, truth: torch.Tensor) -> torch.Tensor:
    """An epoch's losses: they fall with training; bad pairs lie apart as long as they are drawn too strong.

    "fixed" are bad at full strength alone, "strong" above half strength, "hopeless" at any.
    """
    draw = torch.Generator().manual_seed(7)
    own = 0.3 * torch.randn(PAIRS, generator=draw)
    draw.manual_seed(1000 + epoch)
    losses = 3 - 0.04 * epoch + own + 0.3 * torch.randn(PAIRS, generator=draw)
    kind = truth[index]
    too_strong = ((kind == 2) & (gentle == 0)) | ((kind == 3) & (gentle < 0.5)) | (kind == 4)
    return losses[index] - 2.0 * (kind == 1) + 3.0 * too_strong


def epoch_of(
    miner: MendingMiner, epoch: int, truth: torch.Tensor = TRUTH, rank: int = 0, world: int = 1
) -> None:
    """One epoch, the pairs that are left out not passed, as the training loop does; ``epoch`` from 1.

    Of several processes each takes every so manyth batch.
    """
    miner.start_epoch()
    order = torch.randperm(PAIRS, generator=torch.Generator().manual_seed(epoch))
    for index in order.split(100)[rank::world]:
        plan = miner.plan(index)
        losses = losses_of(epoch, index, plan.gentle, truth)
        miner(losses[plan.stays], index[plan.stays], of=len(index))
        if plan.look:
            miner.record(losses[~plan.stays], index[~plan.stays], of=len(index))
    miner.end_epoch()


@cache
def _mended(epochs: int) -> MendingMiner:
    if epochs == 0:
        return MendingMiner(PAIRS, WARMUP)
    miner = copy.deepcopy(_mended(epochs - 1))
    epoch_of(miner, epochs)
    return miner


def mended(epochs: int, truth: torch.Tensor | None = None, **settings: Any) -> MendingMiner:
    """A miner after some epochs, a copy of its own."""
    if truth is None and not settings:
        return copy.deepcopy(_mended(epochs))
    miner = MendingMiner(PAIRS, WARMUP, **settings)
    for epoch in range(1, epochs + 1):
        epoch_of(miner, epoch, TRUTH if truth is None else truth)
    return miner


def in_a_process(rank: int, folder: str) -> None:
    """What each of two gloo processes does: half of each epoch's batches; its state goes to a file."""
    torch.set_num_threads(1)
    dist.init_process_group("gloo", init_method=f"file://{folder}/meet", rank=rank, world_size=2)
    miner = MendingMiner(PAIRS, WARMUP)
    for epoch in range(1, WARMUP + 9):
        epoch_of(miner, epoch, rank=rank, world=2)
    torch.save(miner.state_dict(), f"{folder}/{rank}.pt")
    dist.destroy_process_group()
