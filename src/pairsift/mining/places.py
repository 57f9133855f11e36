"""A robust line for losses, and a histogram on it: what mixtures are fitted to."""

from __future__ import annotations

import math
from dataclasses import dataclass

import torch
from torch import Tensor

BINS = 512  # cells of a histogram: what a fit costs does not depend on how many pairs there are
REACH = 10.0  # within so many spreads of the median the line is not bent


@dataclass(frozen=True)
class Line:
    """A robust scale: values as spreads from the median, logarithmic beyond ``REACH`` of them.

    Args:
        centre: the median.
        spread: the interquartile range over that of a normal distribution.
    """

    centre: float
    spread: float

    @classmethod
    def through(cls, values: Tensor) -> Line | None:
        """The scale for some values (K,); None where they are too much the same to have one."""
        ordered = values.sort().values
        quarter = len(ordered) // 4
        middle = float(ordered[len(ordered) // 2])
        spread = float(ordered[-1 - quarter] - ordered[quarter]) / 1.349
        least = 64 * torch.finfo(torch.float32).eps * abs(middle)
        return cls(middle, spread) if math.isfinite(spread) and spread > least else None

    def to(self, values: Tensor) -> Tensor:
        """From losses to places on the line; shape as ``values``."""
        z = (values - self.centre) / self.spread
        size = z.abs()
        bent = REACH * (1 + torch.log(size.clamp(min=REACH) / REACH))
        return torch.where(size > REACH, bent * z.sign(), z)

    def histogram(self, plane: Tensor, lean: float) -> Histogram:
        """How many pairs of ``plane`` (2, K), means and units, lie where along a lean."""
        return Histogram.of(self.to(plane[0] - lean * plane[1]))

    def back(self, place: float) -> float:
        """From a place on the line to a loss."""
        size = abs(place)
        if size > REACH:
            place = math.copysign(REACH * math.exp(size / REACH - 1), place)
        return self.centre + self.spread * place


@dataclass(frozen=True)
class Histogram:
    """How many values fall into each of some equal cells.

    Args:
        x: the cells' middles, float64 (M,).
        count: values a cell, float64 (M,).
        width: of a cell.
    """

    x: Tensor
    count: Tensor
    width: float

    @classmethod
    def of(cls, places: Tensor) -> Histogram:
        """Count places on a line, float64 (K,), K at least 1."""
        low, high = (float(end) for end in places.aminmax())
        width = max((high - low) / BINS, 1e-6)
        cells = ((places - low) / width).long().clamp_(0, BINS - 1)
        count = torch.bincount(cells, minlength=BINS).to(torch.float64)
        return cls(low + width * (torch.arange(BINS, dtype=torch.float64) + 0.5), count, width)
