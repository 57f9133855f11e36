"""A group on one side of the bulk, in the mean-spread plane: whether there is one, and along which line."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from functools import cached_property

import torch
from torch import Tensor

from pairsift.mining.groups import HIGH, LOW, Cut, Groups, fit_groups
from pairsift.mining.memory import Statistics, exact
from pairsift.mining.places import Line
from pairsift.mining.tails import evidence

SURE, DOUBT = 0.65, 2.0  # the F1 that a cut must promise by the mixture itself: SURE + DOUBT / sqrt(pairs)
APART = 2.5  # how far out a group's centre must be, in the bulk's spreads
MOST = 0.3  # a larger part of all pairs is no group of exceptions
FAINT = 0.55, 1.8  # what of both a group must have at lean 1 to be looked at more closely
TURNS, STEEPEST, STEADY = 4, 5.0, 0.05  # of a line: how often, how far, and from which change on no more
EVIDENCE = 8.0  # nats by which a group must be likelier than a bulk with other tails
GROWTH = 1.25  # a turn that makes the group larger than this has found another one
TABLE = 4097  # steps of the lookup from place to score


def spread(pairs: Statistics) -> Tensor:
    """A pair's spread over the epochs: float64, shape (K,)."""
    return (exact(pairs.squares) / pairs.seen.clamp(min=1)).sqrt_()


def unit(pairs: Statistics) -> Tensor:
    """A pair's spread over sqrt(seen - 1), how far one high loss lifts its mean: float64, shape (K,)."""
    return spread(pairs) / (pairs.seen - 1).clamp(min=1).sqrt()


def settled(pairs: Statistics, lean: float = 1.0) -> Tensor:
    """A pair's mean loss less ``lean`` times its ``unit``: float64, shape (K,).

    A pair's spread over the epochs comes mostly from one epoch, the first that saw it, in which the loss
    is high by chance: the earlier in that epoch, the higher. With ``lean`` 1 that epoch is taken out: of
    ``seen`` losses that are equal but for one higher one, it is the value of the equal ones.
    """
    return exact(pairs.mean) - lean * unit(pairs)


@dataclass(frozen=True)
class Side:
    """A group on one side of the bulk, or what would be one.

    Args:
        side: which one, LOW or HIGH.
        lean: of its line in the mean-spread plane, see ``settled``.
        line: the scale the mixture was fitted on.
        groups: the mixture.
    """

    side: int
    lean: float
    line: Line
    groups: Groups

    @property
    def share(self) -> float:
        """The group's share of all pairs."""
        return float(self.groups.shares[1 + self.side])

    @property
    def distance(self) -> float:
        """From the bulk's mode to the group's centre, in the bulk's spreads."""
        return self.groups.distance(self.side)

    @cached_property
    def best(self) -> Cut:
        """The cut on the line."""
        return self.groups.best_cut(self.side)

    @cached_property
    def cut(self) -> float:
        """The settled loss at which a pair becomes bad."""
        return self.line.back(self.best.place)

    def stands(self, promise: float, distance: float) -> bool:
        """Whether it promises such an F1 and lies so far out, and would flag a minority."""
        return self.best.f1 >= promise and self.distance >= distance and self.best.flagged <= MOST

    @cached_property
    def table(self) -> tuple[float, float, Tensor]:
        """The score on even steps outwards from the bulk's mode: start, step, values; rising, 0.5 at the cut.

        It is the group's posterior, its odds divided by those at the cut.
        """
        mode, sign = self.groups.mode, 1.0 if self.side == HIGH else -1.0
        reach = abs(float(self.groups.centres[self.side]) - mode) + 4 * float(self.groups.spreads[self.side])
        step = sign * reach / (TABLE - 1)
        places = mode + step * torch.arange(TABLE, dtype=torch.float64)
        bulk, group = self.groups.densities(places)[[0, 1 + self.side]]
        at = self.groups.densities(torch.tensor([self.best.place], dtype=torch.float64))[:, 0]
        bulk = bulk * float(at[1 + self.side] / at[0].clamp(min=1e-300))
        return mode, step, (group / (bulk + group).clamp(min=1e-300)).cummax(0).values

    def beyond(self, pairs: Statistics) -> Tensor:
        """Which pairs are in the group, bool (K,)."""
        values = settled(pairs, self.lean)
        return (values >= self.cut if self.side == HIGH else values <= self.cut) & (pairs.seen > 0)

    def chance(self, pairs: Statistics) -> Tensor:
        """How likely each pair is in the group rather than in the bulk, (K,)."""
        start, step, score = self.table
        places = self.line.to(settled(pairs, self.lean))
        where = ((places - start) / step).clamp(0, TABLE - 1)
        return score.to(places)[where.long()]


def fit_side(plane: Tensor, lean: float, side: int = LOW) -> Side | None:
    """The mixture along one lean, of ``plane`` (2, K): means and units; None where all is much the same."""
    line = Line.through(plane[0] - lean * plane[1])
    return None if line is None else Side(side, lean, line, fit_groups(line.histogram(plane, lean)))


def find_sides(plane: Tensor) -> list[Side]:
    """The groups that stand apart: none, one or two."""
    first = fit_side(plane, 1.0)
    sure = SURE + DOUBT / math.sqrt(plane.shape[1])
    sides = [] if first is None else [replace(first, side=side) for side in (LOW, HIGH)]
    found = [turned(plane, side) for side in sides if side.stands(*FAINT)]
    found = [side for side in found if side.stands(sure, APART)]
    return [
        side
        for side in found
        if evidence(side.line.histogram(plane, side.lean), side.groups, side.side) >= EVIDENCE
    ]


def turned(plane: Tensor, first: Side) -> Side:
    """The same group along the line that Fisher's direction gives, as long as each turn promises more."""
    now = first
    for _ in range(TURNS):
        lean = fisher_lean(plane, now)
        if lean is None or abs(lean - now.lean) < STEADY:
            break
        found = fit_side(plane, lean, first.side)
        if found is None or not found.stands(*FAINT):
            break
        if found.best.f1 <= now.best.f1 or found.share > GROWTH * first.share:
            break
        now = found
    return now


def fisher_lean(plane: Tensor, found: Side) -> float | None:
    """The lean along which bulk and group are farthest apart, in spreads of the bulk; None if no such is.

    Every pair belongs to each of them as the mixture says. That a group would lie on the other side along
    the new line, or that the line lies nearly level, is no such lean.
    """
    parts = found.groups.densities(found.line.to(plane[0] - found.lean * plane[1]))
    share = parts / parts.sum(0).clamp(min=1e-300)
    bulk, group = share[0], share[1 + found.side]
    centre = (plane * bulk).sum(1) / bulk.sum()
    away = (plane * group).sum(1) / group.sum().clamp(min=1e-9) - centre
    off = plane - centre[:, None]
    (aa, ab), (_, bb) = ((off * bulk) @ off.T / bulk.sum()).tolist()
    x, y = away.tolist()
    across, up = bb * x - ab * y, aa * y - ab * x  # the inverse of the spreads, times their determinant
    outwards = across if found.side == HIGH else -across
    return -up / across if outwards > 0 and abs(up) <= STEEPEST * abs(across) else None
