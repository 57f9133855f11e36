"""What a framework is: two views of a batch in, one loss per pair out."""

from __future__ import annotations

from abc import ABC, abstractmethod

import torch
from torch import Generator, Tensor, nn

from pairsift.augment.views import TwoViews
from pairsift.errors import PairsiftError


class Framework(nn.Module, ABC):
    """A contrastive method. It knows nothing of mining: masks come in, per-pair losses go out.

    Subclasses set ``two_views`` and ``out_features`` and write ``forward`` and ``represent``.
    """

    two_views: TwoViews
    out_features: int

    def views(
        self,
        x: Tensor,
        other: Tensor | None = None,
        *,
        gentle: Tensor | None = None,
        generator: Generator | None = None,
    ) -> tuple[Tensor, Tensor]:
        """Draw two views of every series.

        Args:
            x: series, shape (B, C, T).
            other: where the second view is drawn from if not from ``x``, shape (B, C, T).
            gentle: how much milder each series' views shall be, shape (B,): a mask, or 0 (full strength)
                to 1 (mildest). Where it is above 0 the second view is drawn from ``x`` too.
            generator: where the randomness comes from; torch's own if None.

        Returns:
            Two batches of views, each (B, C, T).
        """
        return self.two_views(x, other, gentle=gentle, generator=generator)

    @abstractmethod
    def forward(self, u: Tensor, v: Tensor, negatives: Tensor | None = None) -> Tensor:
        """One loss a pair.

        Args:
            u: first views, shape (B, C, T).
            v: second views, shape (B, C, T).
            negatives: mask, shape (B,): False keeps a series out of everybody's negatives.

        Returns:
            Losses, shape (B,).
        """

    @abstractmethod
    def represent(self, x: Tensor) -> Tensor:
        """The encoder's features, shape (B, D), in whatever mode the framework is in."""

    @torch.no_grad()
    def embed(self, x: Tensor) -> Tensor:
        """Features for users and probes, shape (B, D): no gradient, and as in eval mode.

        Args:
            x: series, shape (B, C, T).
        """
        was_training = self.training
        self.eval()
        try:
            return self.represent(x)
        finally:
            self.train(was_training)


def check_pair(u: Tensor, v: Tensor) -> None:
    """Refuse two views that no contrastive loss can be computed from."""
    if u.ndim != 3 or u.shape != v.shape:
        raise PairsiftError(
            f"views must be two batches of one shape (batch, channels, time), got {tuple(u.shape)} "
            f"and {tuple(v.shape)}"
        )
    if len(u) < 2:
        raise PairsiftError("a batch of one series has no negatives; give batches of at least two")
