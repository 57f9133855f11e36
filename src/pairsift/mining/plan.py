"""What is to be done with a batch, and how pairs that epochs skip keep their place among the others."""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor

from pairsift.mining.memory import Memory, exact


@dataclass(frozen=True)
class Plan:
    """What to do with the pairs of a batch; all of shape (B,).

    Args:
        gentle: how much milder their views shall be, 0 to 1, float32; for ``framework.views(x, gentle=...)``.
        negatives: who may be a negative, bool; for ``framework(u, v, negatives=...)``.
        stays: False for a series that need not be in the batch at all, bool.
        look: whether those that need not be there are looked at in this epoch, so that a loss of theirs, that
            nobody trains on, is wanted.
    """

    gentle: Tensor
    negatives: Tensor
    stays: Tensor
    look: bool


def catch_up(memory: Memory, cared: Tensor, told: Tensor, normal: Tensor, moved: Tensor) -> Tensor:
    """What is added to the means, (N,), so that skipped epochs leave a pair's place among the others.

    Losses fall as training goes on: a pair under care that an epoch told nothing of moves with the normal
    ones. One that it did tell of was seen in fewer epochs than they, so that this epoch's level has moved
    its mean by more than theirs: the difference is taken back.

    Args:
        memory: the epoch folded in.
        cared: which pairs are, or were, under care, bool (N,): the others are left as they are.
        told: whose losses the epoch folded in, bool (N,).
        normal: the pairs that others are compared with, bool (N,).
        moved: by how much their mean moved, no dimensions.
    """
    share = exact(memory.seen[normal]).mean() / exact(memory.seen.clamp(min=1))
    if memory.history == "last":
        share = torch.ones_like(share)
    return torch.where(cared, moved * (1 - told * share), 0)
