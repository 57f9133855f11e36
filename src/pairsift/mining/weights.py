"""How much a bad pair still counts: the paper's transformation module T, from loss to weight."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass

import torch
from torch import Tensor

from pairsift.mining.memory import exact
from pairsift.mining.population import Population

Weigher = Callable[[Tensor], Tensor]  # losses (B,), finite -> weights (B,) in [0, 1]


class Weight(ABC):
    """A rule for the weight of a bad pair. It holds settings only."""

    @abstractmethod
    def fit(self, population: Population) -> Weigher:
        """Look at all pairs, at most O(N); return the function from losses (B,) to weights in [0, 1]."""


def bell(losses: Tensor, mu: float, sigma: float) -> Tensor:
    """The Gaussian density of Eq. 7 divided by its peak, in float64: shape as ``losses``."""
    return exact(losses).sub_(mu).div_(sigma).square_().mul_(-0.5).exp_()


def density(losses: Tensor, mu: float, sigma: float) -> Tensor:
    """The Gaussian density of Eq. 7, unclipped, in float64: shape as ``losses``."""
    return bell(losses, mu, sigma).div_(sigma * math.sqrt(2 * math.pi))


@dataclass(frozen=True)
class GaussianWeight(Weight):
    """Eq. 7: the density of N(mu, sigma^2) at the pair's current loss, clipped to [0, 1].

    A density's peak is 1 / (sigma sqrt(2 pi)): above 1 where sigma < 0.4, and then clipping leaves bad pairs
    near mu their whole weight. Where sigma is 0 the weight is 1.

    Args:
        peak_one: divide by the peak, so that a weight says how far from mu a loss is, on any scale.
    """

    peak_one: bool = False

    def fit(self, population: Population) -> Weigher:
        """Take mu and sigma of Eq. 4."""
        mu, sigma = population.mu, population.sigma
        if sigma == 0:
            return torch.ones_like
        peak = 1.0 if self.peak_one else 1 / (sigma * math.sqrt(2 * math.pi))
        if peak > 1:
            return lambda losses: bell(losses, mu, sigma).mul_(peak).clamp_(max=1)
        return lambda losses: bell(losses, mu, sigma).mul_(peak)


@dataclass(frozen=True)
class ConstantWeight(Weight):
    """One weight for every bad pair; 0 drops them (the paper's ablation "without T").

    Args:
        weight: from 0 to 1.
    """

    weight: float

    def __post_init__(self) -> None:
        if not 0 <= self.weight <= 1:
            raise ValueError(f"weight must lie in [0, 1], got {self.weight}")

    def fit(self, population: Population) -> Weigher:
        """Nothing to learn."""
        return lambda losses: torch.full_like(losses, self.weight)


@dataclass(frozen=True)
class MixtureWeight(Weight):
    """The density of a Gaussian mixture of the mean losses at the pair's current loss, clipped to [0, 1].

    One component is Eq. 7. The mixture is fitted once an epoch, on standardised means, with scikit-learn.

    Args:
        components: P.
        max_sample: fit on about this many pairs at most, drawn with ``seed``.
        seed: for the sample and the mixture's start.
    """

    components: int
    max_sample: int = 100_000
    seed: int = 0

    def __post_init__(self) -> None:
        for name in ("components", "max_sample"):
            if getattr(self, name) < 1:
                raise ValueError(f"{name} must be at least 1, got {getattr(self, name)}")

    def fit(self, population: Population) -> Weigher:
        """Fit the mixture; where sigma is 0 the weight is 1."""
        mu, sigma = population.mu, population.sigma
        if sigma == 0:
            return torch.ones_like
        from sklearn.mixture import GaussianMixture

        means = exact(population.sample(self.max_sample, self.seed).mean).sub(mu).div(sigma).cpu()
        parts = min(self.components, len(torch.unique(means)))
        found = GaussianMixture(parts, random_state=self.seed, max_iter=500).fit(means[:, None].numpy())
        shares = [float(w) for w in found.weights_]
        centres = [mu + sigma * float(m) for m in found.means_[:, 0]]
        spreads = [sigma * math.sqrt(float(v)) for v in found.covariances_[:, 0, 0]]

        def weigh(losses: Tensor) -> Tensor:
            total = torch.zeros_like(exact(losses))
            for share, centre, spread in zip(shares, centres, spreads):
                total += share * density(losses, centre, spread)
            return total.clamp_(0, 1)

        return weigh
