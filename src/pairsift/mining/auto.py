"""Thresholds that need no beta: two lines in the mean-spread plane, or none where no group stands apart."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import torch
from torch import Tensor

from pairsift.mining.groups import HIGH, LOW, Groups, Histogram, Line, fit_groups
from pairsift.mining.memory import Statistics, exact
from pairsift.mining.population import Population
from pairsift.mining.thresholds import FAULTY, NOISY, Judge, Threshold

SAMPLE = 50_000  # pairs looked at
FEWEST = 64  # of fewer pairs no group can be told: the promise would have to be above 1
LEANS = {LOW: (1.0, 1.5, 2.0), HIGH: (1.0, 1.5, 2.0, 2.5, 3.0)}  # slopes tried, the first one decides
SURE, DOUBT = 0.75, 2.0  # the F1 that a cut must promise by the mixture itself: SURE + DOUBT / sqrt(pairs)
APART = 2.5  # how far out a group's centre must be, in the bulk's spreads
MOST = 0.3  # a larger part is no group of exceptions
TABLE = 4097  # steps of the lookup from place to score
KIND = {LOW: NOISY, HIGH: FAULTY}
NAMES = {LOW: "noisy", HIGH: "faulty"}


def settled(pairs: Statistics, lean: float = 1.0) -> Tensor:
    """A pair's mean loss less ``lean`` times its spread over sqrt(seen - 1): float64, shape (K,).

    A pair's spread over the epochs comes mostly from one epoch, the first that saw it, in which the loss
    is high by chance: the earlier in that epoch, the higher. With ``lean`` 1 that epoch is taken out: of
    ``seen`` losses that are equal but for one higher one, it is the value of the equal ones.
    """
    mean, seen = exact(pairs.mean), pairs.seen
    spread = (exact(pairs.squares) / seen.clamp(min=1)).sqrt_()
    return mean - lean * spread / (seen - 1).clamp(min=1).sqrt()


@dataclass(frozen=True)
class Auto(Threshold):
    """Finds the noisy and the faulty pairs as groups that stand apart from the bulk of all pairs; no knob.

    The pairs' settled losses (``settled``) are taken for a mixture of three: a bulk in the middle, a group
    below and a group above. A group counts if its centre lies well outside of the bulk, if it is a minority,
    and if the cut between the two would be good were the mixture the truth (an F1 of at least 0.75); else
    there is none on that side. How far a group's line leans in the mean-spread plane is chosen likewise.

    It looks at 50,000 pairs at most, always the same ones.
    """

    def fit(self, population: Population) -> AutoJudge:
        """Fit the mixture at each lean and keep, on each side, the cut that promises most."""
        pairs = population.sample(SAMPLE)
        if len(pairs.mean) < FEWEST:
            return AutoJudge(())
        sure = SURE + DOUBT / math.sqrt(len(pairs.mean))
        fits: dict[float, tuple[Line, Groups]] = {}
        sides = []
        for side, leans in LEANS.items():
            for lean in leans:
                if lean not in fits:
                    values = settled(pairs, lean).cpu()
                    line = Line.through(values)
                    if line is None:
                        return AutoJudge(())
                    fits[lean] = line, fit_groups(Histogram.of(line.to(values)))
                if not stands_apart(fits[leans[0]][1], side, sure):
                    break
            else:
                good = [lean for lean in leans if stands_apart(fits[lean][1], side, sure)]
                best = max(good, key=lambda lean: fits[lean][1].quality(side))
                sides.append(Side(side, best, *fits[best]))
        seen = int(pairs.seen.max())
        heights = exact(pairs.squares).div(pairs.seen.clamp(min=1)).sqrt()
        reach = float(heights.min()), float(heights.max())
        return AutoJudge(tuple(sides), seen, reach)


def stands_apart(groups: Groups, side: int, sure: float) -> bool:
    """Whether the group on a side is one."""
    return (
        groups.distance(side) >= APART
        and float(groups.shares[1 + side]) <= MOST
        and groups.quality(side) >= sure
    )


@dataclass(frozen=True)
class Side:
    """A group that was found on one side of the bulk.

    Args:
        side: which one.
        lean: of its line in the mean-spread plane, see ``settled``.
        line: the scale the mixture was fitted on.
        groups: the mixture.
    """

    side: int
    lean: float
    line: Line
    groups: Groups

    @cached_property
    def place(self) -> float:
        """Where the cut is on the line."""
        cut = self.groups.cut(self.side)
        assert cut is not None  # else the group would not stand apart
        return cut

    @cached_property
    def cut(self) -> float:
        """The settled loss at which a pair becomes bad."""
        return self.line.back(self.place)

    @cached_property
    def table(self) -> tuple[float, float, Tensor]:
        """The group's posterior on even steps outwards from the bulk's mode: start, step, values; rising."""
        mode, sign = self.groups.mode, 1.0 if self.side == HIGH else -1.0
        reach = abs(float(self.groups.centres[self.side]) - mode) + 4 * float(self.groups.spreads[self.side])
        step = sign * reach / (TABLE - 1)
        parts = self.groups.densities(mode + step * torch.arange(TABLE, dtype=torch.float64))
        share = parts[1 + self.side] / (parts[0] + parts[1 + self.side]).clamp(min=1e-300)
        return mode, step, share.cummax(0).values

    def beyond(self, pairs: Statistics) -> Tensor:
        """Which pairs are in the group, bool (K,)."""
        values = settled(pairs, self.lean)
        return (values >= self.cut if self.side == HIGH else values <= self.cut) & (pairs.seen > 0)

    def chance(self, pairs: Statistics) -> Tensor:
        """How likely each pair is in the group rather than in the bulk, (K,)."""
        start, step, share = self.table
        places = self.line.to(settled(pairs, self.lean))
        where = ((places - start) / step).clamp(0, TABLE - 1)
        return share.to(places)[where.long()]


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
        below = torch.nextafter(torch.tensor(0.5), torch.tensor(0.0)).item()
        bad = self.judge(pairs) > 0
        score = torch.where(bad, score.clamp(min=0.5), score.clamp(max=below))  # the table has steps
        return (score * (pairs.seen > 0)).to(torch.float32)

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
                    "share": float(side.groups.shares[1 + side.side]),
                    "distance": side.groups.distance(side.side),
                    "expected_f1": side.groups.quality(side.side),
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
