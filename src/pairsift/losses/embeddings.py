"""What every loss does with its embeddings first: check them and bring them to one length."""

from __future__ import annotations

import torch
from torch import Tensor

from pairsift.errors import PairsiftError


def unit(z: Tensor, length: float = 1.0) -> Tensor:
    """Rows brought to ``length``; a zero row stays zero and passes no gradient.

    Args:
        z: embeddings, shape (B, D).
        length: the Euclidean length that the rows get.

    Returns:
        Rows of float32 (float64 for float64 input), shape (B, D).
    """
    return brought_to(z, length)[0]


def brought_to(z: Tensor, length: float) -> tuple[Tensor, Tensor]:
    """``unit``'s rows, and what each was divided by for it, shape (B, 1): infinity where a row is zero."""
    if z.dtype != torch.float64:
        z = z.float()
    norm = torch.linalg.vector_norm(z, dim=1, keepdim=True)
    scale = (norm / length).masked_fill(norm == 0, torch.inf)
    return z / scale, scale


def check_embeddings(zu: Tensor, zv: Tensor, negatives: Tensor | None, least: int) -> None:
    """Refuse what no loss can be computed from.

    Args:
        zu: embeddings of the first views, shape (B, D).
        zv: embeddings of the second views, shape (B, D).
        negatives: mask, shape (B,), or None.
        least: the fewest pairs that will do.
    """
    if zu.ndim != 2 or zu.shape != zv.shape:
        raise PairsiftError(
            f"embeddings must be two batches of one shape (batch, features), got {tuple(zu.shape)} and "
            f"{tuple(zv.shape)}"
        )
    if not (zu.is_floating_point() and zv.is_floating_point()):
        raise PairsiftError(f"embeddings must be floating point, got {zu.dtype} and {zv.dtype}")
    if len(zu) < least:
        raise PairsiftError(f"a batch of {len(zu)} has no negatives; give batches of at least {least} pairs")
    if negatives is not None and (negatives.shape != zu.shape[:1] or negatives.dtype != torch.bool):
        raise PairsiftError(
            f"negatives must be a boolean mask of shape ({len(zu)},), got {negatives.dtype} of shape "
            f"{tuple(negatives.shape)}"
        )
