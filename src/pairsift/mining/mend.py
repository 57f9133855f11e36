"""A miner that mends: besides weighing it says whose views to make milder and which series to leave out."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING

import numpy as np
import torch
from torch import Tensor

from pairsift.mining.auto import Auto
from pairsift.mining.care import STEPS, Care, left_out, trusted, words
from pairsift.mining.checks import checked_index, whole_number
from pairsift.mining.memory import History, Memory, exact
from pairsift.mining.miner import BadPairMiner
from pairsift.mining.panel import Panel
from pairsift.mining.plan import Plan, catch_up
from pairsift.mining.thresholds import FAULTY, KINDS, Threshold
from pairsift.mining.weights import ConstantWeight, Weight

if TYPE_CHECKING:
    from pandas import DataFrame

PARTS = ("negatives", "gentle", "noisy")
CARES = {"gentle": "faulty", "noisy": "noisy"}  # which part cares for which kind
FEWEST = 20  # normal pairs that an epoch must have seen to say what is usual


class MendingMiner(BadPairMiner):
    """Finds bad pairs as ``BadPairMiner`` does, and does more with them than weigh them down.

        plan = miner.plan(index)                               # before the views are drawn
        u, v = framework.views(x, gentle=plan.gentle)
        losses = framework(u, v, negatives=plan.negatives)     # (B,)
        loss = miner(losses, index).mean()

    Its parts, each of which can be left out:

    - "negatives": a bad pair is nobody's negative, as long as it is bad as it is drawn now.
    - "gentle": a faulty pair has milder views, see ``Care``. It weighs 1 where its losses are such as normal
      pairs have, 0 else.
    - "noisy": a noisy series is left out, as an anchor and as a negative. Every ``interval`` epochs it is
      looked at; it comes back when it is judged normal after each of two looks in a row.

    A bad pair of a kind that no part cares for is weighed down as in ``BadPairMiner``. One that a part would
    care for, but that is not bad beyond doubt (``Judge.sure``), is learned from as it is: what lies just
    beyond a line is often the easiest of the normal pairs, and to leave those out costs more.

    What a pair is judged by is its losses at full strength alone. In an epoch that brings none, because
    the pair is left out or its views are milder, its mean loss moves as that of the normal pairs does, so
    that it stays comparable with theirs.

    Args:
        num_pairs: N.
        warmup_epochs: epochs in which losses are only remembered.
        threshold: what is bad; ``Auto()`` if None.
        weight: of bad pairs that no part cares for; ``ConstantWeight(0)`` if None, see ``usual_weight``.
        history: see ``BadPairMiner``.
        batch_size: see ``BadPairMiner``; it is the size of a batch from which nobody was left out.
        parts: which of "negatives", "gentle", "noisy" are on.
        interval: epochs from one look at the pairs left out to the next.
    """

    def __init__(
        self,
        num_pairs: int,
        warmup_epochs: int = 10,
        threshold: Threshold | None = None,
        weight: Weight | None = None,
        history: History = "mean",
        batch_size: int | None = None,
        *,
        parts: Iterable[str] = PARTS,
        interval: int = 5,
    ) -> None:
        threshold = Auto() if threshold is None else threshold
        weight = ConstantWeight(0.0) if weight is None else weight
        super().__init__(num_pairs, warmup_epochs, threshold, weight, history, batch_size)
        wanted = [parts] if isinstance(parts, str) else list(parts)
        unknown = [part for part in wanted if part not in PARTS]
        if unknown:
            raise ValueError(f"parts must be of {', '.join(PARTS)}, got {unknown[0]!r}")
        self.parts = tuple(part for part in PARTS if part in wanted)
        self.interval = whole_number("interval", interval, 1)
        self.care = Care(self.num_pairs)
        self._anybody: tuple[int, bool] | None = None  # an epoch, and whether it leaves somebody out
        self.register_load_state_dict_post_hook(_forget)  # type: ignore[no-untyped-call]
        self._looked: Tensor | None = None  # which pairs the epoch that ends brought a loss of

    @property
    def looking(self) -> bool:
        """Whether the running epoch looks at the pairs that are left out, and there are any."""
        if not self.active or (self._epoch - self.warmup_epochs) % self.interval:
            return False
        if self._anybody is None or self._anybody[0] != self._epoch:
            self._anybody = self._epoch, bool(self.care.left_out.any())  # it does not change within an epoch
        return self._anybody[1]

    def start_epoch(self) -> None:
        """Begin an epoch; from the warm-up's end on, care for what the epochs so far show to be bad."""
        super().start_epoch()
        if self.active:
            kinds = self.verdicts().masked_fill(~self._fit()[0].sure(self.memory), 0)
            kinds = kinds.masked_fill(self._uncared(kinds), 0)
            self._with_care(lambda: self.care.take_in(kinds))

    def end_epoch(self) -> None:
        """Fold the epoch into the memory, and see how the pairs under care did."""
        super().end_epoch()
        if self._looked is not None:
            kinds, looked = self.verdicts(), self._looked
            self._with_care(lambda: self.care.let_go(kinds, looked))
            self._looked = None

    def table(self) -> DataFrame:
        """Every pair as a row, as of ``BadPairMiner``, and in ``done`` what is done with it, in words.

        ``weight`` is 0 or 1 for a pair that is cared for.
        """
        found = super().table()
        cared = self.care.kind.cpu(), self.care.step.cpu(), self.care.state.cpu()
        weights, kinds = found["weight"].to_numpy(), found["kind"]
        doubtful = kinds.isin([kind for part, kind in CARES.items() if part in self.parts]).to_numpy()
        plainly = np.where(doubtful, 1, weights)
        found["weight"] = np.where(cared[0] > 0, trusted(*cared), plainly).astype(weights.dtype)
        found["done"] = words(*cared, (kinds != "normal").to_numpy(), doubtful)
        return found

    def plan(self, index: Tensor) -> Plan:
        """How to draw the pairs of a batch and whom to leave out.

        Args:
            index: the pairs' places in the dataset, integers in [0, num_pairs), shape (B,).
        """
        index = checked_index(index, self.num_pairs, self.memory.mean.device)
        kind, step, state = self._cared(index)
        stays = ~left_out(kind, step)
        negatives = stays
        if "negatives" in self.parts:
            bad = torch.where(kind > 0, ~trusted(kind, step, state), self._uncared(self.verdicts(index)))
            negatives = stays & ~bad
        gentle = torch.where(kind == FAULTY, step, 0).clamp(max=STEPS) / STEPS
        return Plan(gentle, negatives, stays, self.looking)

    def forward(self, losses: Tensor, index: Tensor, of: int | None = None) -> Tensor:
        """Remember a batch's losses and weigh them; see ``BadPairMiner.forward``.

        Args:
            losses: one loss a pair, shape (B,).
            index: the pairs' places, shape (B,).
            of: how many the batch had before some were left out of it; B if None.
        """
        if not self.training:
            return losses
        losses, index, finite = self._checked(losses, index)
        self._record(losses, index, finite, of)
        return self._weigh(losses, index)

    def record(self, losses: Tensor, index: Tensor, of: int | None = None) -> None:
        """Only remember, as when looking at pairs that were left out."""
        self._record(*self._checked(losses, index), of)

    def _convene(self, memory: Memory) -> Panel:
        """Pairs under care are judged against all, the others against all and among themselves.

        What is left when bad pairs are taken care of is a population of its own. Measured by a group that
        is gone, ever more of it would seem to belong to that group; measured by itself alone, its easiest
        class may seem to be a group of its own.
        """
        return Panel.convene(self.threshold, memory, self.care.busy)

    def _with_care(self, change: Callable[[], None]) -> None:
        """Change who is under care; who is judged among whom follows."""
        before = self.care.busy
        change()
        if not torch.equal(before, self.care.busy):
            self._fitted = None

    def _weigh(self, losses: Tensor, index: Tensor) -> Tensor:
        weighed = super()._weigh(losses, index)
        if not self.active:
            return weighed
        cared = self._cared(index)
        plainly = torch.where(self._uncared(self.verdicts(index)), weighed, losses)
        return torch.where(cared[0] > 0, losses * trusted(*cared), plainly)

    def _uncared(self, kinds: Tensor) -> Tensor:
        """Which verdicts are of a kind that no part cares for, bool, shape as ``kinds``."""
        off = [KINDS.index(kind) for part, kind in CARES.items() if part not in self.parts]
        return sum((kinds == kind for kind in off), torch.zeros_like(kinds, dtype=torch.bool))

    def _cared(self, index: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        care = self.care
        kind, step, state = (t.index_select(0, index) for t in (care.kind, care.step, care.state))
        return kind, step, state

    def _fold(self, memory: Memory) -> None:
        """Fold the epoch in; pairs under care follow the normal ones where an epoch says nothing of them."""
        if not self.active:
            super()._fold(memory)
            return
        visited = memory.visits > 0
        losses = memory.total / memory.visits.clamp(min=1)
        normal = (self.care.kind == 0) & (self.verdicts() == 0) & visited
        milder = self.care.milder
        for pending in (memory.total, memory.visits):  # only losses at full strength are remembered
            pending.masked_fill_(milder, 0)
        before = exact(memory.mean[normal])
        super()._fold(memory)
        if len(before) > 0:
            moved = (exact(memory.mean[normal]) - before).mean()
            memory.mean.add_(
                catch_up(memory, self.care.kind > 0, visited & ~milder, normal, moved).to(memory.mean.dtype)
            )
        if memory is self.memory:
            self._after(losses, visited, normal)

    def _after(self, losses: Tensor, visited: Tensor, normal: Tensor) -> None:
        """Go by the epoch's losses: how the faulty pairs did with the views that they had."""
        self._looked = visited
        if int(normal.sum()) >= FEWEST:
            means, level = self.memory.mean[normal], losses[normal].mean()
            height = ((self.memory.mean - means.mean()) / 2).clamp(min=means.std())
            noise = (losses[normal] - means).std()
            self.care.judge_faulty(losses - level, visited, height, noise)


def _forget(miner: MendingMiner, _: object) -> None:
    """Ask a loaded state anew who is left out."""
    miner._anybody = None
