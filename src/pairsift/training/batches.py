"""Which series meet in which batch: a fresh order every epoch, known from seed and epoch alone."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import torch
from torch import Tensor
from torch.utils.data import DataLoader, Sampler

from pairsift.data.series import Batch, Series
from pairsift.training.seeds import ORDER, derive_seed


class EpochBatches(Sampler[Tensor]):
    """Full batches only, in an order that depends on nothing but seed and epoch.

    The short batch at the end is left out: a contrastive loss depends on how many candidates a batch
    offers, so its pairs would look easier than they are. Every epoch leaves out others.

    With several processes each batch is one slice a process of the batch that one process alone would draw.

    Args:
        num_series: N.
        batch_size: series a batch and process, B; all N where there are fewer.
        seed: the run's seed.
        rank: this process's number.
        world: how many processes there are.
    """

    def __init__(self, num_series: int, batch_size: int, seed: int, rank: int = 0, world: int = 1) -> None:
        self.num_series = num_series
        self.batch_size = min(batch_size, num_series // world)
        self.seed = seed
        self.rank = rank
        self.world = world
        self.epoch = 0
        self.done = 0  # batches that the next pass leaves out, as they were trained on before

    def set_epoch(self, epoch: int) -> None:
        """Say which epoch the next pass is (from 0); Lightning calls this."""
        self.epoch = epoch

    def __len__(self) -> int:
        return self.num_series // (self.batch_size * self.world)

    def __iter__(self) -> Iterator[Tensor]:
        generator = torch.Generator().manual_seed(derive_seed(self.seed, ORDER, self.epoch))
        order = torch.randperm(self.num_series, generator=generator)
        step, done = self.batch_size * self.world, self.done
        self.done = 0
        for start in range(done * step, len(self) * step, step):
            first = start + self.rank * self.batch_size
            yield order[first : first + self.batch_size]


def _as_is(batch: Any) -> Any:
    return batch


class BatchLoader(DataLoader[Batch]):
    """A loader that knows where in the epoch a checkpoint was taken; Lightning asks and tells it."""

    sampler: EpochBatches

    def state_dict(self) -> dict[str, int]:
        """How much of the epoch is done."""
        return {"done": self.sampler.done}

    def load_state_dict(self, state: dict[str, int]) -> None:
        """Leave that out of the next pass."""
        self.sampler.done = int(state["done"])


def batch_loader(series: Series, batches: EpochBatches) -> BatchLoader:
    """Read a whole batch at a time: no per-series Python."""
    return BatchLoader(
        series,
        sampler=batches,
        batch_size=None,
        collate_fn=_as_is,
        generator=torch.Generator(),  # a loader draws a number it does not use; not from the global stream
    )
