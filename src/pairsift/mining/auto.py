"""Thresholds that need no beta: two lines in the mean-spread plane, or none where no group stands apart."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor

from pairsift.mining.groups import HIGH, LOW
from pairsift.mining.memory import Statistics, exact
from pairsift.mining.population import Population
from pairsift.mining.sides import Side, find_sides, spread, unit
from pairsift.mining.thresholds import FAULTY, NOISY, Judge, Threshold, decided

SAMPLE = 50_000  # pairs looked at
SURE = 0.97  # the score from which on a pair is bad beyond doubt
FEWEST = 100  # of fewer pairs no group can be told
KIND = {LOW: NOISY, HIGH: FAULTY}
NAMES = {LOW: "noisy", HIGH: "faulty"}


@dataclass(frozen=True)
class Auto(Threshold):
    """Finds the noisy and the faulty pairs as groups that stand apart from the bulk of all pairs; no knob.

    The pairs' settled losses (``settled``) are taken for a mixture of three: a bulk in the middle, a group
    below and a group above. A group counts if its centre lies well outside of the bulk, if it is a minority,
    and if the cut between the two would be good were the mixture the truth; else there is none on that
    side. Before that is asked its line is turned in the mean-spread plane to where group and bulk are
    farthest apart (Fisher's direction), and the mixture is fitted again, a few times.

    It looks at 50,000 pairs at most, always the same ones. Losses tell that a pair stands apart, and on
    which side; docs/auto.md says where that side's name is wrong.
    """

    def fit(self, population: Population) -> AutoJudge:
        """Find the groups."""
        pairs = population.sample(SAMPLE)
        if len(pairs.mean) < FEWEST:
            return AutoJudge(())
        plane = torch.stack([exact(pairs.mean), unit(pairs)]).cpu().to(torch.float64)
        heights = spread(pairs)
        reach = float(heights.min()), float(heights.max())
        return AutoJudge(tuple(find_sides(plane)), int(pairs.seen.max()), reach)


@dataclass(frozen=True)
class AutoJudge(Judge):
    """The groups that were found: none, one or two.

    Args:
        sides: the found ones.
        seen: in how many epochs most a pair was seen; the drawn lines are those of such pairs.
        spreads: the least and the largest spread, between which the lines are drawn.
    """

    sides: tuple[Side, ...]
    seen: int = 0
    spreads: tuple[float, float] = (0.0, 0.0)

    def judge(self, pairs: Statistics) -> Tensor:
        """A pair beyond both lines is of the kind that is likelier."""
        kinds = torch.zeros_like(pairs.mean, dtype=torch.int8)
        for side in self.sides:
            kinds.masked_fill_(side.beyond(pairs), KIND[side.side])
        if len(self.sides) == 2:
            low, high = self.sides
            both = low.beyond(pairs) & high.beyond(pairs)
            kinds.masked_fill_(both & (low.chance(pairs) >= high.chance(pairs)), KIND[LOW])
        return kinds

    def score(self, pairs: Statistics) -> Tensor:
        """How likely a pair is bad, by the mixture; 0 where no group was found."""
        score = torch.zeros_like(exact(pairs.mean))
        for side in self.sides:
            score = torch.maximum(score, side.chance(pairs))
        score = decided(score, self.judge(pairs) > 0)  # the table has steps
        return (score * (pairs.seen > 0)).to(torch.float32)

    def sure(self, pairs: Statistics) -> Tensor:
        """Bad ones need a high score: what lies just beyond a line is often the easiest of the normal."""
        score = self.score(pairs)  # at least 0.5 exactly where bad
        return (score < 0.5) | (score >= SURE)

    def describe(self) -> dict[str, Any]:
        """The lines, and what each group is; ``noisy`` and ``faulty`` are None, being no cuts on the mean."""
        return {
            "threshold": "auto",
            "noisy": None,
            "faulty": None,
            "boundaries": [self._boundary(side) for side in self.sides],
            "groups": {
                NAMES[side.side]: {
                    "cut": side.cut,
                    "lean": side.lean,
                    "share": side.share,
                    "distance": side.distance,
                    "expected_f1": side.best.f1,
                }
                for side in self.sides
            },
        }

    def _boundary(self, side: Side) -> dict[str, Any]:
        slope = side.lean / math.sqrt(max(self.seen - 1, 1))
        return {
            "kind": NAMES[side.side],
            "mean": [side.cut + slope * spread for spread in self.spreads],
            "std": list(self.spreads),
        }
