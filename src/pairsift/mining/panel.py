"""Who judges whom: all pairs together; where some are set apart, the others also among themselves."""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor

from pairsift.mining.memory import Memory, Statistics
from pairsift.mining.population import Population
from pairsift.mining.thresholds import Judge, Threshold, decided


@dataclass(frozen=True)
class Panel:
    """A threshold fitted to a memory.

    Args:
        judge: fitted to all pairs.
        population: those pairs, for a weight to be fitted to: its statistics are there already.
        among: fitted to those that are not apart; None where none is.
        apart: whom ``judge`` alone judges, bool (N,); the others are bad where ``among`` says the same. None:
            all.
    """

    judge: Judge
    population: Population
    among: Judge | None = None
    apart: Tensor | None = None

    @classmethod
    def convene(cls, threshold: Threshold, memory: Memory, apart: Tensor | None = None) -> Panel:
        """Fit a threshold to a memory with nothing pending.

        Args:
            threshold: what is bad.
            memory: the history.
            apart: pairs that are judged against all, bool (N,); the others are bad only where they are so
                against all and among themselves. A copy is kept.
        """
        population = Population(memory)
        judge = threshold.fit(population)
        if apart is None or not bool(apart.any()):
            return cls(judge, population)
        return cls(judge, population, threshold.fit(Population(memory.without(apart))), apart.clone())

    def kinds(self, memory: Memory, which: Tensor | slice) -> Tensor:
        """Kinds of some pairs, int8 (K,)."""
        return self._kinds(memory.rows(which), which)

    def sure(self, memory: Memory) -> Tensor:
        """Whose verdict is beyond doubt, see ``Judge.sure``: bool (N,)."""
        pairs = memory.rows(slice(None))
        sure = self.judge.sure(pairs)
        if self.among is not None and self.apart is not None:
            sure &= self.apart | self.among.sure(pairs)
        return sure

    def score(self, memory: Memory, which: Tensor | slice) -> Tensor:
        """How bad some pairs are, float32 (K,), see ``Judge.score``."""
        pairs = memory.rows(which)
        score = self.judge.score(pairs)
        if self.among is None or self.apart is None:
            return score
        least = torch.where(self.apart[which], score, torch.minimum(score, self.among.score(pairs)))
        return decided(least, self._kinds(pairs, which) > 0)

    def _kinds(self, pairs: Statistics, which: Tensor | slice) -> Tensor:
        kinds = self.judge.judge(pairs)
        if self.among is None or self.apart is None:
            return kinds
        agreed = self.apart[which] | (self.among.judge(pairs) == kinds)
        return kinds.masked_fill_(~agreed, 0)
