"""RINCE, a symmetric, noise-robust relative of InfoNCE: what the paper compares against."""

from __future__ import annotations

import math

import torch
from torch import Tensor

from pairsift.errors import PairsiftError
from pairsift.losses.contrast import Contrast

LARGEST_EXPONENT = 80.0  # exp of this still fits into float32, with room for the sum over candidates


class RINCE(Contrast):
    """-exp(q pos) / q + (lam (exp(pos) + sum exp(neg)))^q / q, computed in log space.

    q towards 0 is InfoNCE (up to a constant), q = 1 a symmetric loss that is robust to label noise. Its
    values, unlike InfoNCE's, have no natural scale: they grow as exp(q / temperature), so q / temperature is
    limited to 80. Where an anchor has no negative, the denominator is its positive alone.

    Args:
        temperature: what similarities are divided by.
        q: robustness, in (0, 1].
        lam: weight of the denominator, in (0, 1].
        one_sided: as in ``Contrast``.
        gather: as in ``Contrast``.
    """

    def __init__(
        self,
        temperature: float = 0.2,
        q: float = 0.1,
        lam: float = 0.01,
        *,
        one_sided: bool = False,
        gather: bool = False,
    ) -> None:
        super().__init__(temperature, one_sided=one_sided, gather=gather)
        if not 0 < q <= 1 or not 0 < lam <= 1:
            raise PairsiftError(f"q and lam must lie in (0, 1], got q={q} and lam={lam}")
        if q / temperature > LARGEST_EXPONENT:
            raise PairsiftError(
                f"RINCE grows as exp(q / temperature) and overflows at q={q}, temperature={temperature}; "
                f"keep q / temperature at or below {LARGEST_EXPONENT:.0f}"
            )
        self.q = q
        self.lam = lam

    def combine(self, positive: Tensor, negative: Tensor) -> Tensor:
        """The pull to the positive, and the push from the denominator."""
        denominator = torch.logaddexp(positive, negative) + math.log(self.lam)
        return ((self.q * denominator).exp() - (self.q * positive).exp()) / self.q

    def chance_level(self, batch_size: int, *, bank: int | None = None) -> float | None:
        """None: RINCE's value at collapse depends on where the similarities end up."""
        return None

    def extra_repr(self) -> str:
        """What ``print`` shows between the parentheses."""
        return f"temperature={self.temperature}, q={self.q}, lam={self.lam}, one_sided={self.one_sided}"
