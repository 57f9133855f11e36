"""The three weights of the paper, one loss at a time, with math alone."""

from __future__ import annotations

import math


def gaussian_density(loss, mu, sigma):
    """Eq. 7."""
    return math.exp(-((loss - mu) ** 2) / (2 * sigma**2)) / (sigma * math.sqrt(2 * math.pi))


def mixture_density(loss, shares, mus, sigmas):
    """The appendix's mixture: the components' densities, weighed by their shares."""
    total = 0.0
    for share, mu, sigma in zip(shares, mus, sigmas):
        total += share * gaussian_density(loss, mu, sigma)
    return total
