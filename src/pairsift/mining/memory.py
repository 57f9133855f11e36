"""The memory M of the paper: each pair's running mean loss, spread and count, at 16 bytes a pair."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Literal, NamedTuple

import torch
from torch import Tensor, nn

MOST_EPOCHS = torch.iinfo(torch.int16).max  # where `seen` stops counting
MOST_VISITS = 2**14  # visits of one pair within one epoch that are counted; twice this still fits int16
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
    """The tensor in float64 where the device has it, in float32 else."""
    return tensor.to(torch.float32 if tensor.device.type == "mps" else torch.float64)


class Statistics(NamedTuple):
    """What is known of some pairs' losses; a pair that was never seen has mean 0 and spread 0."""

    mean: Tensor  # (K,) mean loss over the epochs a pair was seen in: m of Eq. 3
    std: Tensor  # (K,) population standard deviation of the loss over those epochs
    seen: Tensor  # (K,) in how many epochs, int16


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
        self.register_buffer("mean", torch.zeros(num_pairs))
        self.register_buffer("squares", torch.zeros(num_pairs))  # sum of squared deviations from the mean
        self.register_buffer("seen", torch.zeros(num_pairs, dtype=torch.int16))
        self.register_buffer("total", torch.zeros(num_pairs))  # this epoch's losses, summed
        self.register_buffer("visits", torch.zeros(num_pairs, dtype=torch.int16))  # and how many they are

    def __len__(self) -> int:
        return len(self.mean)

    @torch.no_grad()
    def add(self, losses: Tensor, index: Tensor, count: Tensor) -> None:
        """Remember a batch's losses until ``merge``.

        Args:
            losses: finite, any float dtype, shape (B,).
            index: whose they are, int64, shape (B,); a pair may stand in it more than once.
            count: which of them count, bool, shape (B,).
        """
        for start in range(0, len(index), MOST_VISITS):  # one round, but for enormous batches
            part = slice(start, start + MOST_VISITS)
            where = index[part]
            counted = count[part] & (self.visits[where] < MOST_VISITS)
            value = exact(losses[part]).clamp(-LARGEST_LOSS, LARGEST_LOSS) * counted
            self.total.index_add_(0, where, value.to(self.total.dtype))
            self.visits.index_add_(0, where, counted.to(torch.int16))

    @torch.no_grad()
    def merge(self, epoch: int) -> None:
        """Fold what epoch number ``epoch`` (from 1) brought into the history, by Welford's update."""
        factor = epoch / self.history.max_epochs if isinstance(self.history, Ramp) else 1.0
        for part in self.slices(2**16):
            visits, mean, squares, seen = (t[part] for t in (self.visits, self.mean, self.squares, self.seen))
            visited = visits > 0
            loss = self.total[part].div_(visits.clamp(min=1))  # a pair's loss in this epoch: its visits' mean
            if factor != 1.0:
                loss.mul_(factor)
            if epoch > MOST_EPOCHS:  # only then can a count be full
                full = visited & (seen == MOST_EPOCHS)
                squares.mul_(torch.where(full, 1 - 1 / MOST_EPOCHS, 1.0))
                seen.sub_(full.to(torch.int16))
            seen.add_(visited)
            off = loss.sub(mean).mul_(visited)
            if self.history == "last":
                mean.add_(off)
                torch.where(visited, loss, mean, out=mean)  # exactly the loss, not old + (loss - old)
            else:
                mean.addcdiv_(off, seen.clamp(min=1))
                squares.addcmul_(off, loss.sub_(mean))
            self.total[part].zero_()
            visits.zero_()

    def merged(self, epoch: int) -> Memory:
        """A copy with this epoch's losses folded in; this memory stays as it is."""
        copy = Memory(0, self.history)
        for name, value in self.named_buffers():
            setattr(copy, name, value.clone())
        copy.merge(epoch)
        return copy

    def rows(self, index: Tensor | slice) -> Statistics:
        """The history of some pairs, without the running epoch: shapes (K,)."""
        mean, squares, seen = self.mean[index], self.squares[index], self.seen[index]
        return Statistics(mean, (squares / seen.clamp(min=1)).clamp_(min=0).sqrt_(), seen)

    def slices(self, size: int) -> Iterator[slice]:
        """Blocks that together are all pairs: ``size`` each on a CPU, more where starting work is dear."""
        size = size if self.mean.device.type == "cpu" else 2**22
        for start in range(0, len(self), size):
            yield slice(start, start + size)

    def _apply(self, fn: Callable[[Tensor], Tensor], recurse: bool = True) -> Memory:
        """Move or convert, but never below float32: a mean over epochs needs more digits than a half has."""

        def keep_digits(tensor: Tensor) -> Tensor:
            moved = fn(tensor)
            if moved.is_floating_point() and moved.element_size() < 4:
                return tensor.to(moved.device)
            return moved

        super()._apply(keep_digits, recurse)  # type: ignore[no-untyped-call]
        return self
