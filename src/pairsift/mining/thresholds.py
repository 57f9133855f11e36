"""Which pairs are bad: thresholds on the memory's statistics, fitted once an epoch."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor

from pairsift.mining.memory import Statistics, exact
from pairsift.mining.population import Population

NORMAL, NOISY, FAULTY = 0, 1, 2
KINDS = ("normal", "noisy", "faulty")


class Judge(ABC):
    """A threshold fitted to one epoch's memory; it judges each pair by that pair's own statistics."""

    @abstractmethod
    def judge(self, pairs: Statistics) -> Tensor:
        """Kinds, int8 (K,): 0 normal, 1 noisy, 2 faulty; a pair with ``seen`` 0 is normal."""

    def sure(self, pairs: Statistics) -> Tensor:
        """Whose verdict is beyond doubt, normal ones not asked: bool (K,); everybody's unless a rule says."""
        return torch.ones_like(pairs.mean, dtype=torch.bool)

    @abstractmethod
    def score(self, pairs: Statistics) -> Tensor:
        """How bad, float32 (K,) in [0, 1]: at least 0.5 exactly where ``judge`` says noisy or faulty."""

    @abstractmethod
    def describe(self) -> dict[str, Any]:
        """What was found, for drawing and for logs: JSON types only."""


class Threshold(ABC):
    """A rule for what is bad. It holds settings only; what it learns from a memory is in its Judge."""

    @abstractmethod
    def fit(self, population: Population) -> Judge:
        """Look at all pairs, at most O(N), and return how to judge them."""


def decided(score: Tensor, bad: Tensor) -> Tensor:
    """Scores that say what was decided: at least 0.5 where ``bad``, below it elsewhere; shapes (K,)."""
    below = torch.nextafter(torch.tensor(0.5), torch.tensor(0.0)).item()
    return torch.where(bad, score.clamp(min=0.5), score.clamp(max=below))


@dataclass(frozen=True)
class Sigma(Threshold):
    """Eq. 5: noisy at or below mu - noisy * sigma, faulty at or above mu + faulty * sigma, by mean loss.

    Where sigma is 0 (one pair, or all equal) nothing is bad.

    Args:
        noisy: beta_np; None switches this side off.
        faulty: beta_fp; None switches this side off.
    """

    noisy: float | None = 2.0
    faulty: float | None = 3.0

    def __post_init__(self) -> None:
        for name in ("noisy", "faulty"):
            beta = getattr(self, name)
            if beta is not None and not (math.isfinite(beta) and beta >= 0):
                raise ValueError(
                    f"{name} must be a number of standard deviations, 0 or more, or None to switch this side "
                    f"off; got {beta}"
                )

    def fit(self, population: Population) -> SigmaJudge:
        """Eq. 4 and 5."""
        mu, sigma = population.mu, population.sigma
        return SigmaJudge(
            mu=mu,
            sigma=sigma,
            noisy=None if self.noisy is None or sigma == 0 else mu - self.noisy * sigma,
            faulty=None if self.faulty is None or sigma == 0 else mu + self.faulty * sigma,
        )


@dataclass(frozen=True)
class SigmaJudge(Judge):
    """Two cuts on the mean loss.

    Args:
        mu: mean of the mean losses.
        sigma: their standard deviation.
        noisy: t_np, or None.
        faulty: t_fp, or None.
    """

    mu: float
    sigma: float
    noisy: float | None
    faulty: float | None

    def judge(self, pairs: Statistics) -> Tensor:
        """Algorithm 1's comparison, bounds included."""
        value = exact(pairs.mean)
        kinds = torch.zeros_like(pairs.mean, dtype=torch.int8)
        if self.faulty is not None:
            kinds.masked_fill_(value >= self.faulty, FAULTY)
        if self.noisy is not None:
            kinds.masked_fill_(value <= self.noisy, NOISY)
        return kinds.mul_(pairs.seen > 0)

    def score(self, pairs: Statistics) -> Tensor:
        """A ratio, r / (1 + r), r being the distance from mu as a multiple of the threshold's."""
        value = exact(pairs.mean)
        score = torch.zeros_like(value)
        for cut, side in ((self.noisy, -1.0), (self.faulty, 1.0)):
            if cut is not None:
                far = ((value - self.mu) * side).clamp_(min=0)
                score = torch.maximum(score, (far / (far + abs(cut - self.mu))).nan_to_num_(0.0))
        bad = self.judge(pairs) > 0
        below = torch.nextafter(torch.tensor(0.5), torch.tensor(0.0)).item()
        score = torch.where(bad, score.clamp(min=0.5), score.clamp(max=below))  # rounding must not contradict
        return (score * (pairs.seen > 0)).to(torch.float32)

    def describe(self) -> dict[str, Any]:
        """The cuts and what they come from; a side that is off, or has no meaning, is None."""
        return {
            "threshold": "sigma",
            "mu": self.mu,
            "sigma": self.sigma,
            "noisy": self.noisy,
            "faulty": self.faulty,
        }
