"""What is done with pairs that were judged bad: left out, or given milder views; and the way back."""

from __future__ import annotations

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from pairsift.mining.thresholds import FAULTY, NOISY

STEPS = 4  # from full strength to no augmentation at all
# What is known of a pair at its step. TRIAL: it was good one step milder. FREE: judged normal again.
UNTRIED, GOOD, TRIAL, FREE = 0, 1, 2, 3
CLEARED = 2  # looks in a row by which a noisy pair must be normal before it is taken back
PATIENCE = 2  # good looks in a row before a faulty pair is tried one step stronger
MOST_PATIENCE = 32


class Care(nn.Module):
    """The pairs under care: as what, at which step, and how each does there. 5 bytes a pair, in buffers.

    A pair comes under care when it is judged bad. What is then done with it has its own way back, at the
    end of which it is free, until it is judged bad again.

    *Noisy*: it is left out (step 1), until it is judged normal after each of two looks in a row.

    *Faulty*: its views have the strength ``1 - step / STEPS``. A loss that is too high costs a step; one step
    beyond the mildest it is dropped (``STEPS + 1``), until a look finds it good at the mildest. After some
    good losses in a row it is tried one step stronger. It is trusted, as something to learn from and as a
    negative, where its last loss at its step was good: so not in its first epoch at a step, and not on
    trial. A trial that fails leads back to the step where it was good and doubles the patience until the
    next: damage that comes back with full strength is met ever more seldom. It is free when it is judged
    normal at full strength.

    Args:
        num_pairs: N.
    """

    kind: Tensor
    step: Tensor
    state: Tensor
    streak: Tensor
    patience: Tensor

    def __init__(self, num_pairs: int) -> None:
        super().__init__()
        for name in ("kind", "step", "state", "streak", "patience"):
            self.register_buffer(name, torch.zeros(num_pairs, dtype=torch.int8))

    @property
    def busy(self) -> Tensor:
        """Which pairs are under care and not free, bool (N,)."""
        return (self.kind > 0) & (self.state != FREE)

    @property
    def left_out(self) -> Tensor:
        """Which pairs need not be in a batch: noisy ones not taken back, and the dropped; bool (N,)."""
        return left_out(self.kind, self.step)

    @property
    def milder(self) -> Tensor:
        """Which pairs have views of less than full strength, bool (N,)."""
        return (self.kind == FAULTY) & (self.step > 0)

    def take_in(self, kinds: Tensor) -> None:
        """Begin to care for pairs that are judged bad; those cared for already stay as they are.

        Args:
            kinds: the verdict on each pair, int8 (N,); 0 for those that are not to be cared for.
        """
        new = ((self.kind == 0) | (self.state == FREE)) & (kinds > 0)
        self.kind.copy_(torch.where(new, kinds, self.kind))
        self.patience.masked_fill_(new, PATIENCE)
        self._move(new, 1, UNTRIED)

    def let_go(self, kinds: Tensor, looked: Tensor) -> None:
        """After an epoch: free the pairs that are judged normal again.

        Where no pair at all is judged noisy, the threshold has lost sight of the group: that clears nobody.

        Args:
            kinds: the verdict on each pair, the epoch included, int8 (N,).
            looked: which pairs the epoch brought a loss of, bool (N,).
        """
        noisy = (self.kind == NOISY) & (self.state != FREE) & looked
        cleared = noisy & (kinds != NOISY) & (kinds == NOISY).any()
        self.streak.add_(cleared.to(torch.int8)).masked_fill_(noisy & (kinds == NOISY), 0)
        faulty = (self.kind == FAULTY) & (self.step == 0) & (self.state == GOOD) & (kinds != FAULTY)
        self._move(cleared & (self.streak >= CLEARED) | faulty, 0, FREE)

    def judge_faulty(self, losses: Tensor, looked: Tensor, high: Tensor) -> None:
        """After an epoch: one step milder where the loss is too high, one stronger after some good ones.

        Args:
            losses: the epoch's, of all pairs, (N,).
            looked: which pairs have one, bool (N,).
            high: from which loss on a pair is still faulty, (N,).
        """
        seen = (self.kind == FAULTY) & (self.state != FREE) & looked
        bad = seen & (losses >= high)
        good = seen & ~bad
        failed = bad & (self.state == TRIAL)
        self.patience.copy_(torch.where(failed, self.patience * 2, self.patience).clamp_(max=MOST_PATIENCE))
        self.patience.masked_fill_(good & (self.state == TRIAL), PATIENCE)
        self._move(bad, (self.step + 1).clamp_(max=STEPS + 1), torch.where(failed, GOOD, UNTRIED))
        back = good & (self.step > STEPS)
        self.streak.add_(good.to(torch.int8)).clamp_(max=MOST_PATIENCE)
        self.state.masked_fill_(good, GOOD)
        stronger = good & (self.step > 0) & (self.streak >= self.patience)
        self._move(back, STEPS, GOOD)
        self._move(stronger & ~back, self.step - 1, TRIAL)

    def _move(self, which: Tensor, step: Tensor | int, state: Tensor | int) -> None:
        """Bring some pairs to a step, where nothing is counted yet."""
        for buffer, value in ((self.step, step), (self.state, state), (self.streak, 0)):
            buffer.copy_(
                torch.where(which, torch.as_tensor(value, dtype=torch.int8, device=buffer.device), buffer)
            )


def left_out(kind: Tensor, step: Tensor) -> Tensor:
    """Which pairs need not be in a batch, bool, shape as ``kind``."""
    return ((kind == NOISY) & (step > 0)) | (step > STEPS)


def trusted(kind: Tensor, step: Tensor, state: Tensor) -> Tensor:
    """Which pairs under care are learned from and may be negatives, bool, shape as ``kind``."""
    return ((state == GOOD) | (state == FREE)) & ~left_out(kind, step)


def words(kind: Tensor, step: Tensor, state: Tensor, bad: NDArray[np.bool_]) -> list[str]:
    """What is done with each pair, in words; "" for nothing.

    Args:
        kind: what it is cared for as, (N,).
        step: its step, (N,).
        state: how it does there, (N,).
        bad: whether it is judged bad, (N,).
    """
    names = {(NOISY, 0): "was left out, taken back", (NOISY, 1): "left out", (FAULTY, STEPS + 1): "dropped"}
    for steps in range(STEPS + 1):
        strength = f"{100 * (STEPS - steps) // STEPS}% strength" if steps < STEPS else "no augmentation"
        names[FAULTY, steps] = f"views with {strength}"
    names[FAULTY, 0] = "had milder views, has full strength again"
    said = np.where(bad, "weighed down", "").astype(object)
    for (which, at), name in names.items():
        here = (kind == which) & (step == at)
        said[here.numpy()] = name
        if which == FAULTY and at <= STEPS:
            said[(here & ((state == UNTRIED) | (state == TRIAL))).numpy()] = f"{name}, on trial"
    return [str(each) for each in said]
