"""Losses of pairs of views: every criterion takes (zu, zv) and gives one loss a pair, shape (B,)."""

from __future__ import annotations

from typing import Any

from pairsift.errors import PairsiftError
from pairsift.losses.collapse import collapse_message
from pairsift.losses.contrast import Contrast
from pairsift.losses.gather import gather
from pairsift.losses.infonce import InfoNCE
from pairsift.losses.negative_cosine import NegativeCosine
from pairsift.losses.rince import RINCE

LOSSES: dict[str, type[Contrast]] = {"infonce": InfoNCE, "rince": RINCE}


def build_loss(name: str, **options: Any) -> Contrast:
    """Make a contrastive loss by its name.

    Args:
        name: one of ``LOSSES``.
        options: what the loss takes, such as ``temperature``.

    Example:
        >>> build_loss("infonce", temperature=0.1)
        InfoNCE(temperature=0.1, one_sided=False)
    """
    if name not in LOSSES:
        raise PairsiftError(f"unknown loss {name!r}; there are {', '.join(LOSSES)}")
    return LOSSES[name](**options)


__all__ = [
    "LOSSES",
    "RINCE",
    "Contrast",
    "InfoNCE",
    "NegativeCosine",
    "build_loss",
    "collapse_message",
    "gather",
]
