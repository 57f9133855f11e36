"""The rival of a group: a bulk alone whose tails explain as much."""

from __future__ import annotations

import math

import torch
from torch import Tensor

from pairsift.mining.groups import NARROWEST, Groups
from pairsift.mining.places import Histogram

BENDS = torch.arange(
    -0.3, 0.41, 0.05, dtype=torch.float64
)  # how skew a bulk may be: to the left, to the right
POWERS = 2.0, 1.4  # of the distance in its density: normal tails, and heavy ones as of a t with few degrees
ITERATIONS, TOLERANCE = 150, 1e-2
STEPS = 3  # towards the centre of a bulk that is not normal


def evidence(seen: Histogram, found: Groups, side: int) -> float:
    """By how much the likeliest bulk without the group on ``side`` is less likely than ``found``, in nats."""
    return found.likelihood(seen) - max(_without(seen, found, 1 - side, power) for power in POWERS)


def _without(seen: Histogram, found: Groups, other: int, power: float) -> float:
    """The log-likelihood of a bulk of one shape after bending, and of the group on the other side.

    Places x become y = (1 - exp(-bend x)) / bend, in which the bulk is even; bend 0 is no bending.
    """
    x, n = seen.x, float(seen.count.sum())
    bend = BENDS[:, None]
    places = torch.where(bend.abs() < 1e-9, x, -torch.expm1(-bend * x) / torch.where(bend == 0, 1.0, bend))
    share, centre, spread = (float(part[other]) for part in (found.shares[1:], found.centres, found.spreads))
    best, middle, width = int(BENDS.abs().argmin()), found.mode, sum(found.sides) / 2
    whole = 2 * math.gamma(1 + 1 / power) * 2 ** (1 / power)
    before = -math.inf
    for _ in range(ITERATIONS):
        away = ((places[best] - middle).abs() / width) ** power
        bulk = torch.exp(-0.5 * away - BENDS[best] * x) * ((1 - share) / (width * whole))
        group = torch.exp(-0.5 * ((x - centre) / spread) ** 2) * (share / (spread * math.sqrt(2 * math.pi)))
        total = (bulk + group).clamp_(min=1e-300)
        now = float((seen.count * total.log()).sum())
        if abs(now - before) < TOLERANCE:
            break
        before = now
        theirs = group / total * seen.count
        mass = float(theirs.sum())
        share = mass / n
        if mass > 1e-6:
            centre = float((theirs * x).sum()) / mass
            spread = math.sqrt(float((theirs * (x - centre) ** 2).sum()) / mass)
            spread = max(spread, NARROWEST * width, seen.width)
        best, middle, width = _bulk(places, seen.count - theirs, x, power)
    return before


def _bulk(places: Tensor, weight: Tensor, x: Tensor, power: float) -> tuple[int, float, float]:
    """The likeliest bend, centre and width for weighted cells; ``places`` (bends, cells)."""
    n = float(weight.sum())
    middles = (places * weight).sum(1) / n
    for _ in range(STEPS if power != 2 else 0):
        pull = (places - middles[:, None]).abs().clamp(min=1e-3) ** (power - 2) * weight
        middles = (pull * places).sum(1) / pull.sum(1)
    widths = (power / 2 / n * ((places - middles[:, None]).abs() ** power * weight).sum(1)) ** (1 / power)
    best = int((-n * widths.log() - BENDS * (weight * x).sum()).argmax())
    return best, float(middles[best]), float(widths[best])
