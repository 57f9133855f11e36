"""What is done with pairs that were judged bad: left out, or given milder views; and the way back."""

from __future__ import annotations

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from pairsift.mining.thresholds import FAULTY, NOISY

STEPS = 4  # from full strength to no augmentation at all
# What is known of a pair at its step: nothing yet; that its losses there are usual; that they are too high;
# or that it needs no care any more, being judged normal again.
UNTRIED, GOOD, POOR, FREE = 0, 1, 2, 3
CLEARED = 2  # looks in a row by which a noisy pair must be normal before it is taken back
PATIENCE, MOST_PATIENCE = 2, 32  # looks at a step before a faulty pair is tried one step stronger
RECENT = 16  # looks at a step after which those before count half


class Care(nn.Module):
    """The pairs under care: as what, at which step, and how each does there. 10 bytes a pair, in buffers.

    A pair comes under care when it is judged bad. What is then done with it has its own way back, at the
    end of which it is free, until it is judged bad again.

    *Noisy*: it is left out (step 1), until it is judged normal after each of two looks in a row.

    *Faulty*: its views have the strength ``1 - step / STEPS``. Its losses at a step, by how much they are
    above those of normal pairs in the same epoch, are averaged until the mean is surely good or surely
    bad, by one standard error: where single losses tell much, after one epoch; where they tell little,
    later.

    - Surely bad: one step milder. One step beyond the mildest (``STEPS + 1``) it is dropped, until looks
      find it good at the mildest.
    - Surely good, after ``patience`` looks: it is tried one step stronger. A trial that fails leads back to
      where it was good and doubles the patience: damage that comes back with full strength is met ever
      more seldom.
    - It is learned from, and may be a negative, where its mean so far is good: so not in its first epoch at a
      step.
    - It is free when it is good at full strength and judged normal.

    Args:
        num_pairs: N.
    """

    kind: Tensor
    step: Tensor
    state: Tensor
    rising: Tensor
    looks: Tensor
    patience: Tensor
    total: Tensor

    def __init__(self, num_pairs: int) -> None:
        super().__init__()
        for name in ("kind", "step", "state", "rising", "looks", "patience"):
            self.register_buffer(name, torch.zeros(num_pairs, dtype=torch.int8))
        self.register_buffer("total", torch.zeros(num_pairs))

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
        new = ~self.busy & (kinds > 0)
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
        noisy = (self.kind == NOISY) & self.busy & looked
        cleared = noisy & (kinds != NOISY) & (kinds == NOISY).any()
        self.looks.add_(cleared.to(torch.int8)).masked_fill_(noisy & (kinds == NOISY), 0)
        faulty = (self.kind == FAULTY) & (self.step == 0) & (self.state == GOOD) & (kinds != FAULTY)
        self._move(cleared & (self.looks >= CLEARED) | faulty, 0, FREE)

    def judge_faulty(self, excess: Tensor, looked: Tensor, height: Tensor, noise: Tensor) -> None:
        """After an epoch: how the faulty pairs do at their steps, and what comes next.

        Args:
            excess: by how much each pair's loss is above the normal ones' mean, (N,).
            looked: which pairs have a loss, bool (N,).
            height: from which mean excess on a pair is still faulty, (N,).
            noise: the standard deviation of single losses about their pair's own mean, no dimensions.
        """
        seen = (self.kind == FAULTY) & self.busy & looked
        old = seen & (self.looks >= RECENT)
        self.looks.copy_(torch.where(old, self.looks // 2, self.looks).add_(seen.to(torch.int8)))
        self.total.copy_(torch.where(old, self.total / 2, self.total).add_(torch.where(seen, excess, 0)))
        count = self.looks.clamp(min=1)
        mean, margin = self.total / count, noise / count.sqrt()
        surely_bad = seen & (mean - margin >= height)
        surely_good = seen & (mean + margin < height)
        self.state.copy_(torch.where(seen, torch.where(mean < height, GOOD, POOR).to(torch.int8), self.state))

        rising = self.rising > 0
        failed = surely_bad & rising
        self.patience.copy_(torch.where(failed, self.patience * 2, self.patience).clamp_(max=MOST_PATIENCE))
        self.patience.masked_fill_(surely_good & rising, PATIENCE)
        self.rising.masked_fill_(surely_bad | surely_good, 0)
        self._move(surely_bad, (self.step + 1).clamp_(max=STEPS + 1), torch.where(failed, GOOD, UNTRIED))
        self._move(surely_good & (self.step > STEPS), STEPS, GOOD)
        stronger = surely_good & (self.step > 0) & (self.looks >= self.patience)
        self.rising.masked_fill_(stronger, 1)
        self._move(stronger, self.step - 1, UNTRIED)

    def _move(self, which: Tensor, step: Tensor | int, state: Tensor | int) -> None:
        """Bring some pairs to a step, where nothing is counted yet."""
        for buffer, value in ((self.step, step), (self.state, state), (self.looks, 0)):
            new = torch.as_tensor(value, dtype=torch.int8, device=buffer.device)
            buffer.copy_(torch.where(which, new, buffer))
        self.total.masked_fill_(which, 0)


def left_out(kind: Tensor, step: Tensor) -> Tensor:
    """Which pairs need not be in a batch, bool, shape as ``kind``."""
    return ((kind == NOISY) & (step > 0)) | (step > STEPS)


def trusted(kind: Tensor, step: Tensor, state: Tensor) -> Tensor:
    """Which pairs under care are learned from and may be negatives, bool, shape as ``kind``."""
    return ((state == GOOD) | (state == FREE)) & ~left_out(kind, step)


def words(
    kind: Tensor, step: Tensor, state: Tensor, bad: NDArray[np.bool_], doubtful: NDArray[np.bool_]
) -> list[str]:
    """What is done with each pair, in words; "" for nothing.

    Args:
        kind: what it is cared for as, (N,).
        step: its step, (N,).
        state: how it does there, (N,).
        bad: whether it is judged bad, (N,).
        doubtful: whether it is of a kind that is cared for, (N,): without care it is not surely bad.
    """
    names = {(NOISY, 0): "was left out, taken back", (NOISY, 1): "left out", (FAULTY, STEPS + 1): "dropped"}
    for steps in range(STEPS + 1):
        strength = f"{100 * (STEPS - steps) // STEPS}% strength" if steps < STEPS else "no augmentation"
        names[FAULTY, steps] = f"views with {strength}"
    names[FAULTY, 0] = "had milder views, has full strength again"
    said = np.where(bad, np.where(doubtful, "doubtful, used as it is", "weighed down"), "").astype(object)
    for (which, at), name in names.items():
        here = (kind == which) & (step == at)
        said[here.numpy()] = name
        if which == FAULTY and at <= STEPS:
            said[(here & ((state == UNTRIED) | (state == POOR))).numpy()] = f"{name}, on trial"
    return [str(each) for each in said]
