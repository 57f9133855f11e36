"""What the miner watches beside the losses' values: numbers that are none, and batches of unequal size."""

from __future__ import annotations

import warnings

import torch
from torch import Tensor, nn

RECENT = 32  # how many pairs with non-finite losses are named


class Nonfinite(nn.Module):
    """Counts NaN and infinite losses and names the last pairs that had one.

    A GPU is never asked whether there were any, which would mean to wait for it.
    """

    count: Tensor
    before: Tensor
    recent: Tensor

    def __init__(self) -> None:
        super().__init__()
        self.register_buffer("count", torch.zeros((), dtype=torch.int64))  # all epochs
        self.register_buffer("before", torch.zeros((), dtype=torch.int64))  # the epochs before this one
        self.register_buffer("recent", torch.full((RECENT + 1,), -1))  # a ring of pairs, and a bin at its end

    def note(self, bad: Tensor, index: Tensor) -> None:
        """Take notice of a batch: ``bad`` bool (B,), ``index`` int64 (B,), B at least 1."""
        nth = self.count + bad.cumsum(0)
        self.recent.scatter_(0, torch.where(bad, (nth - 1) % RECENT, RECENT), index)
        self.count.copy_(nth[-1])

    def pairs(self) -> list[int]:
        """The last pairs noticed, at most 32, in order of their numbers."""
        found: list[int] = self.recent[:RECENT].tolist()
        return sorted({pair for pair in found if pair >= 0})


class BatchSizes:
    """Warns, once, where batches of unequal size would fool the miner. It forgets at each epoch's end.

    Args:
        batch_size: the size below which batches are not remembered, or None.
    """

    def __init__(self, batch_size: int | None) -> None:
        self.batch_size = batch_size
        self.largest = 0
        self.warned = False

    def long_enough(self, size: int) -> bool:
        """Whether a batch of this size is remembered; notes the size."""
        if self.batch_size is None and 2 * size < self.largest:
            self._warn(
                f"a batch of {size} pairs came after one of {self.largest}: contrastive losses depend on the "
                "batch's size, so its pairs may look noisy; use drop_last=True in the loader, or give the "
                f"miner batch_size={self.largest} so that it does not remember shorter batches",
            )
        self.largest = max(self.largest, size)
        return self.batch_size is None or size >= self.batch_size

    def end_epoch(self) -> None:
        """Warn where a whole epoch went by unremembered."""
        if self.batch_size is not None and 0 < self.largest < self.batch_size:
            self._warn(
                f"no batch of this epoch had batch_size={self.batch_size} pairs (the largest had "
                f"{self.largest}), so no loss was remembered; give the miner the loader's batch size",
            )
        self.largest = 0

    def _warn(self, message: str) -> None:
        if not self.warned:
            warnings.warn(message, stacklevel=2)
        self.warned = True
