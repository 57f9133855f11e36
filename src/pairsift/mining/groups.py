"""One bulk and a group on each side of it: a three-part mixture on the line, fitted to a histogram."""

from __future__ import annotations

import math
from dataclasses import dataclass

import torch
from torch import Tensor

from pairsift.mining.places import BINS, Histogram

ITERATIONS = 600
TOLERANCE = 1e-3  # of the log-likelihood, from one iteration to the next
NARROWEST, WIDEST = 0.2, 1.7  # a group's spread over the bulk's; the bulk's one side over its other
AWAY = 2.0  # a group's centre is so many of its own spreads from the bulk's mode, or more
RECALL = 1.5  # how much more than precision it counts where a cut is placed
STEPS = 2001  # places between which a cut is chosen
LOW, HIGH = 0, 1  # the sides


@dataclass(frozen=True)
class Cut:
    """Where a bulk ends and a group begins; without a group it flags nothing.

    Args:
        place: on the line.
        f1: expected.
        flagged: the share of all pairs beyond it that is expected.
    """

    place: float = 0.0
    f1: float = 0.0
    flagged: float = 0.0


@dataclass(frozen=True)
class Groups:
    """Shares and shapes: the bulk a two-piece normal, the group below and the group above it normal.

    Args:
        mode: where the bulk peaks.
        sides: the bulk's spread below and above the mode.
        shares: of the bulk, the group below and the group above, (3,).
        centres: of the two groups, (2,).
        spreads: of the two groups, (2,).
    """

    mode: float
    sides: tuple[float, float]
    shares: Tensor
    centres: Tensor
    spreads: Tensor

    def densities(self, x: Tensor) -> Tensor:
        """What each of the three adds to the density at ``x`` (K,): float64 (3, K)."""
        low, high = self.sides
        below = torch.where(x < self.mode, low, high)
        bulk = torch.exp(-0.5 * ((x - self.mode) / below) ** 2) * (2 / (low + high))
        off = (x - self.centres[:, None]) / self.spreads[:, None]
        groups = torch.exp(-0.5 * off**2) / self.spreads[:, None]
        return torch.cat([bulk[None], groups]) * (self.shares[:, None] / math.sqrt(2 * math.pi))

    def likelihood(self, seen: Histogram) -> float:
        """The logarithm of the counts' likelihood."""
        return float((seen.count * self.densities(seen.x).clamp_(min=1e-300).sum(0).log()).sum())

    def distance(self, side: int) -> float:
        """How far a group's centre is from the bulk's mode, in the bulk's spreads on that side."""
        away = float(self.centres[side]) - self.mode
        return (away if side == HIGH else -away) / self.sides[side]

    def best_cut(self, side: int) -> Cut:
        """The cut between mode and a group's centre that has the highest F1 were this the truth."""
        if self.distance(side) <= 0:
            return Cut()
        x = torch.linspace(self.mode, float(self.centres[side]), STEPS, dtype=torch.float64)
        away = (x - self.mode).abs() / (self.sides[side] * math.sqrt(2))
        short = (self.centres[side] - x).abs() / (self.spreads[side] * math.sqrt(2))
        group, tail = self.shares[1 + side], self.shares[0] * self.sides[side] / sum(self.sides)
        hits = group * 0.5 * (1 + torch.erf(short))
        false = tail * torch.erfc(away)
        f1 = 2 * hits / (hits + false + group)
        best = int(((1 + RECALL) * hits / (hits + false + RECALL * group)).argmax())
        if not 0 < best < STEPS - 1:
            return Cut()
        return Cut(float(x[best]), float(f1[best]), float((hits + false)[best]))


def fit_groups(seen: Histogram) -> Groups:
    """The most likely groups (expectation-maximisation from the density's peak and its flanks)."""
    found = _start(seen)
    before = -math.inf
    for _ in range(ITERATIONS):
        parts = found.densities(seen.x).clamp_(min=1e-300)
        total = parts.sum(0)
        now = float((seen.count * total.log()).sum())
        if abs(now - before) < TOLERANCE:
            break
        before = now
        found = _improved(seen, found, parts / total * seen.count)
    return found


def _improved(seen: Histogram, old: Groups, weight: Tensor) -> Groups:
    """The maximisation step: ``weight`` (3, M) says how much of each cell belongs to each part."""
    mode, low, high = _two_piece(seen, weight[0])
    mass = weight[1:].sum(1).clamp(min=1e-9)
    centres = (weight[1:] * seen.x).sum(1) / mass
    spreads = ((weight[1:] * (seen.x - centres[:, None]) ** 2).sum(1) / mass).sqrt()
    spreads = torch.minimum(spreads, (centres - mode).abs() / AWAY)
    spreads = spreads.clamp(min=max(NARROWEST * min(low, high), seen.width))
    return Groups(mode, (low, high), weight.sum(1) / weight.sum(), centres, spreads)


def _two_piece(seen: Histogram, weight: Tensor) -> tuple[float, float, float]:
    """The most likely two-piece normal of weighted cells, its mode one of them: mode and both spreads.

    With A and B the sums of squares below and above a mode, the likelihood falls with a + b for a, b their
    cube roots, and the spreads are a and b times sqrt((a + b) / n).
    """
    x, n = seen.x, float(weight.sum())
    sums = torch.stack([weight, weight * x, weight * x * x]).cumsum(1)
    below = sums[2] - 2 * x * sums[1] + x * x * sums[0]
    rest = sums[:, -1:] - sums
    above = rest[2] - 2 * x * rest[1] + x * x * rest[0]
    a, b = (part.clamp(min=0) ** (1 / 3) for part in (below, above))
    even = (a <= WIDEST * b) & (b <= WIDEST * a)
    best = int(torch.where(even, a + b, torch.inf).argmin()) if even.any() else int((a - b).abs().argmin())
    scale = math.sqrt(float(a[best] + b[best]) / max(n, 1e-9))
    low, high = (max(float(part[best]) * scale, seen.width / 2) for part in (a, b))
    return float(x[best]), low, high


def _start(seen: Histogram) -> Groups:
    """The bulk from the smoothed density's peak and how fast it falls; the groups from what lies far out."""
    smooth, bandwidth = _smoothed(seen)
    peak = int(smooth.argmax())
    mode = float(seen.x[peak])
    lower = (smooth <= math.exp(-0.5) * smooth[peak]).nonzero()[:, 0]
    left, right = lower[lower < peak], lower[lower > peak]
    ends = (
        mode - float(seen.x[left[-1]]) if len(left) else seen.width,
        float(seen.x[right[0]]) - mode if len(right) else seen.width,
    )
    low, high = (
        math.sqrt(max(end**2 - bandwidth**2, (0.3 * end) ** 2, (seen.width / 2) ** 2)) for end in ends
    )
    n, shares, centres, spreads = float(seen.count.sum()), [], [], []
    for sign, spread in ((-1.0, low), (1.0, high)):
        out = sign * (seen.x - mode) / spread
        far = seen.count * (out > 2.5)
        mass = float(far.sum())
        centre = float((far * seen.x).sum()) / mass if mass else mode + 3 * sign * spread
        wide = math.sqrt(float((far * (seen.x - centre) ** 2).sum()) / mass) if mass else spread
        shares.append(max(mass / n, 0.01))
        centres.append(centre)
        spreads.append(max(wide, NARROWEST * spread, seen.width))
    return Groups(
        mode,
        (low, high),
        torch.tensor([1 - min(sum(shares), 0.9), *shares], dtype=torch.float64),
        torch.tensor(centres, dtype=torch.float64),
        torch.tensor(spreads, dtype=torch.float64),
    )


def _smoothed(seen: Histogram) -> tuple[Tensor, float]:
    """The histogram under a Gaussian kernel, and the kernel's width: Silverman's, from the shortest half."""
    n = float(seen.count.sum())
    cumulative = seen.count.cumsum(0) / n
    marks = torch.linspace(0, 0.5, 51, dtype=torch.float64)
    first, last = (torch.searchsorted(cumulative, m.clamp(max=1 - 1e-12)) for m in (marks, marks + 0.5))
    half = float((seen.x[last] - seen.x[first]).min())
    bandwidth = max(0.9 * half / 1.349 * n**-0.2, seen.width)
    reach = min(int(4 * bandwidth / seen.width) + 1, BINS)
    kernel = torch.exp(
        -0.5 * (torch.arange(-reach, reach + 1, dtype=torch.float64) * seen.width / bandwidth) ** 2
    )
    smooth = torch.nn.functional.conv1d(
        seen.count[None, None], (kernel / kernel.sum())[None, None], padding=reach
    )
    return smooth[0, 0], bandwidth
