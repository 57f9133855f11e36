"""The memory M of the paper: each pair's running mean loss, spread and count, at 16 bytes a pair."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Literal

import torch
from torch import Tensor, nn

from pairsift.mining.pages import zeros

MOST_EPOCHS = torch.iinfo(torch.int16).max  # where `seen` stops counting
MOST_VISITS = 2**14  # visits of one pair within one epoch that are counted; twice this still fits int16
BLOCK = 2**17  # pairs worked on at once: their numbers stay in a CPU's cache
ONCE = torch.ones(1, dtype=torch.int16)
LARGEST_LOSS = 1e15  # losses are remembered as at most this, so that squares stay finite in float32


@dataclass(frozen=True)
class Ramp:
    """The released code's history: epoch e's loss counts e / max_epochs, undivided by the weights' sum.

    It is here for comparison: the paper's Eq. 3 is the plain mean. Spreads are of the ramped losses too.

    Args:
        max_epochs: how many epochs the run has.
    """

    max_epochs: int

    def __post_init__(self) -> None:
        if self.max_epochs < 1:
            raise ValueError(f"max_epochs must be at least 1, got {self.max_epochs}")


History = Literal["mean", "last"] | Ramp


def exact(tensor: Tensor) -> Tensor:
    """A copy in float64 where the device has it, in float32 else."""
    return tensor.to(torch.float32 if tensor.device.type == "mps" else torch.float64, copy=True)


@dataclass(frozen=True)
class Statistics:
    """What is known of some pairs' losses; a pair that was never seen has mean 0 and spread 0.

    Unpacks as ``mean, std, seen``.

    Args:
        mean: mean loss over the epochs a pair was seen in, m of Eq. 3, shape (K,).
        squares: sum over those epochs of the squared deviations from it, shape (K,).
        seen: in how many epochs, int16, shape (K,).
    """

    mean: Tensor
    squares: Tensor
    seen: Tensor

    @property
    def std(self) -> Tensor:
        """Population standard deviation of a pair's losses over the epochs, shape (K,)."""
        return self.squares.div(self.seen.clamp(min=1)).sqrt_()

    def __iter__(self) -> Iterator[Tensor]:
        return iter((self.mean, self.std, self.seen))

    def __getitem__(self, which: Tensor | slice) -> Statistics:
        """Some of the pairs: places or a mask."""
        return Statistics(self.mean[which], self.squares[which], self.seen[which])


class Memory(nn.Module):
    """Mean, spread and count of each pair's loss over the epochs, and what this epoch has brought so far.

    A batch only adds to ``total`` and ``visits`` (O(B)); ``merge`` folds these into ``mean``, ``squares``
    and ``seen`` once an epoch (O(N), in place and in blocks). A pair visited several times in an epoch
    counts as the mean of its visits, a pair not visited keeps its own count.

    Limits: ``seen`` stops at 32,767 epochs, from where on the mean forgets exponentially; a pair's visits
    within one epoch stop counting at 16,384; a loss beyond 1e15 in size is remembered as 1e15.

    Args:
        num_pairs: how many pairs there are, N.
        history: "mean" (Eq. 3), "last" (the last epoch's loss alone), or a Ramp.
    """

    mean: Tensor
    squares: Tensor
    seen: Tensor
    total: Tensor
    visits: Tensor

    def __init__(self, num_pairs: int, history: History = "mean") -> None:
        super().__init__()
        self.history = history
        self.register_buffer("mean", zeros(num_pairs))
        self.register_buffer("squares", zeros(num_pairs))  # sum of squared deviations from the mean
        self.register_buffer("seen", zeros(num_pairs, torch.int16))
        self.register_buffer("total", zeros(num_pairs))  # this epoch's losses, summed
        self.register_buffer("visits", zeros(num_pairs, torch.int16))  # and how many they are

    def __len__(self) -> int:
        return len(self.mean)

    def add(self, losses: Tensor, index: Tensor, count: Tensor | None = None) -> None:
        """Remember a batch's losses until ``merge``.

        Args:
            losses: finite and detached, any float dtype, shape (B,).
            index: whose they are, int64, shape (B,); a pair may stand in it more than once.
            count: which of them count, bool, shape (B,); all if None.
        """
        if len(index) > MOST_VISITS:
            for start in range(0, len(index), MOST_VISITS):
                part = slice(start, start + MOST_VISITS)
                self.add(losses[part], index[part], None if count is None else count[part])
            return
        total, visits = self.total, self.visits
        if count is None and losses.device.type == "cpu" and _most(visits, index) < MOST_VISITS:
            total.index_add_(0, index, losses.to(total.dtype).clamp(-LARGEST_LOSS, LARGEST_LOSS))
            visits.index_add_(0, index, ONCE.expand(len(index)))
            return
        counted = visits.index_select(0, index) < MOST_VISITS
        if count is not None:
            counted &= count
        value = losses.to(total.dtype).clamp(-LARGEST_LOSS, LARGEST_LOSS)
        total.index_add_(0, index, value.mul_(counted))
        visits.index_add_(0, index, counted.to(torch.int16))

    def merge(self, epoch: int) -> None:
        """Fold what epoch number ``epoch`` (from 1) brought into the history, by Welford's update."""
        factor = epoch / self.history.max_epochs if isinstance(self.history, Ramp) else 1.0
        buffers = self.mean, self.squares, self.seen, self.total, self.visits
        scratch = torch.empty_like(self.mean[:BLOCK]), torch.empty_like(self.mean[:BLOCK])
        for mean, squares, seen, loss, visits in in_blocks(BLOCK, *buffers):
            off, number = (space[: len(mean)] for space in scratch)
            visited = visits
            least, most = _least_and_most(visits)
            if most > 1:
                visited = visits.clamp(max=1)
                loss.div_(number.copy_(visits).clamp_(min=1))  # the mean of its visits
            if factor != 1.0:
                loss.mul_(factor)
            if epoch > MOST_EPOCHS:  # only then can a count be full
                full = visited.bool() & (seen == MOST_EPOCHS)
                squares.mul_(torch.where(full, 1 - 1 / MOST_EPOCHS, 1.0))
                seen.sub_(full.to(torch.int16))
            seen.add_(visited)
            if self.history == "last":
                torch.where(visited.bool(), loss, mean, out=mean)
            else:
                torch.sub(loss, mean, out=off)
                if least == 0:  # some pairs were skipped: they stay as they are
                    off.mul_(number.copy_(visited))
                    number.copy_(seen).clamp_(min=1)
                else:
                    number.copy_(seen)
                mean.addcdiv_(off, number)
                squares.addcmul_(off, loss.sub_(mean))
            loss.zero_()
            visits.zero_()

    def copied(self) -> Memory:
        """A copy, the running epoch's losses included; what is done to it leaves this memory as it is."""
        copy = Memory(0, self.history)
        for name, value in self.named_buffers():
            setattr(copy, name, value.clone())
        return copy

    def without(self, which: Tensor) -> Memory:
        """The same memory, its history not copied, as if some pairs, bool (N,), had never been seen."""
        part = Memory(0, self.history)
        for name, value in self.named_buffers():
            setattr(part, name, value)
        part.seen = self.seen.masked_fill(which, 0)
        return part

    def rows(self, which: Tensor | slice) -> Statistics:
        """The history of some pairs, without the running epoch; of a slice a view, not a copy."""
        if isinstance(which, slice):
            mean, squares, seen = (t[which] for t in (self.mean, self.squares, self.seen))
        else:  # several times faster than t[which]
            mean, squares, seen = (t.index_select(0, which) for t in (self.mean, self.squares, self.seen))
        return Statistics(mean, squares, seen)

    def blocks(self, size: int) -> Iterator[Statistics]:
        """All pairs' histories, block after block, as views."""
        for mean, squares, seen in in_blocks(size, self.mean, self.squares, self.seen):
            yield Statistics(mean, squares, seen)

    def _apply(self, fn: Callable[[Tensor], Tensor], recurse: bool = True) -> Memory:
        """Move or convert, but never below float32: a mean over epochs needs more digits than a half has."""

        def keep_digits(tensor: Tensor) -> Tensor:
            moved = fn(tensor)
            if moved.is_floating_point() and moved.element_size() < 4:
                return tensor.to(moved.device)
            return moved

        super()._apply(keep_digits, recurse)  # type: ignore[no-untyped-call]
        return self


def in_blocks(size: int, *buffers: Tensor) -> Iterator[tuple[Tensor, ...]]:
    """Views of at most ``size`` pairs that together are all of the buffers."""
    return zip(*(torch.split(buffer, size) for buffer in buffers))


def _most(visits: Tensor, index: Tensor) -> int:
    """The most visits that one of some pairs had so far."""
    return int(visits.index_select(0, index).max()) if len(index) else 0


def _least_and_most(visits: Tensor) -> tuple[int, int]:
    """The range of a block's visits, to skip work by; on a GPU the widest, not to wait for it."""
    if visits.device.type != "cpu":
        return 0, MOST_VISITS
    least, most = visits.aminmax()
    return int(least), int(most)
