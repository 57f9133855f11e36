"""InfoNCE, the paper's contrastive loss (Eq. 1) and its two-sided form."""

from __future__ import annotations

import math

from torch import Tensor
from torch.nn.functional import softplus

from pairsift.losses.contrast import Contrast


class InfoNCE(Contrast):
    """-log of the softmax weight of the positive among all candidates.

    Two-sided by default, as SimCLR and the paper's experiments; ``one_sided=True`` is Eq. 1 as written.

    Example:
        >>> losses = InfoNCE(temperature=0.2)(torch.randn(8, 64), torch.randn(8, 64))  # (8,)
    """

    def combine(self, positive: Tensor, negative: Tensor) -> Tensor:
        """-log(exp(pos) / (exp(pos) + sum exp(neg))): 0 where there is no negative."""
        return softplus(negative - positive, threshold=50)  # Eq. 1: log(exp(pos) + sum exp(neg)) - pos

    def chance_level(self, batch_size: int, *, bank: int | None = None) -> float | None:
        """Log of the number of candidates: every one of them is as likely."""
        return math.log(self.candidates(batch_size, bank=bank))
