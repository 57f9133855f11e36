"""Negative cosine similarity: a loss without negatives, as SimSiam's."""

from __future__ import annotations

from torch import Tensor, nn

from pairsift.losses.embeddings import check_embeddings, unit


class NegativeCosine(nn.Module):
    """Minus the cosine of each pair's angle, in [-1, 1]; stopping gradients is the framework's business.

    It has no negatives: ``negatives`` is accepted, so that it can stand where a contrastive loss does, and
    has no effect. Precision and zero vectors are as in ``Contrast``.
    """

    def forward(self, zu: Tensor, zv: Tensor, negatives: Tensor | None = None) -> Tensor:
        """One loss a pair, shape (B,), from embeddings (B, D)."""
        check_embeddings(zu, zv, negatives, least=1)
        return -(unit(zu) * unit(zv)).sum(1)

    def chance_level(self, batch_size: int, *, bank: int | None = None) -> float | None:
        """None: a collapsed encoder has the best loss there is, so the loss cannot show collapse."""
        return None
