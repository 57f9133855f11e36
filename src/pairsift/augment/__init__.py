"""Augmentations of batches of series, and the two views that a framework learns from."""

from __future__ import annotations

from pairsift.augment.functional import jitter, jitter_permute, permute, scale, scale_permute
from pairsift.augment.views import STRENGTHS, Augmentation, Strengths, TwoViews, plain, weak_strong

__all__ = [
    "STRENGTHS",
    "Augmentation",
    "Strengths",
    "TwoViews",
    "jitter",
    "jitter_permute",
    "permute",
    "plain",
    "scale",
    "scale_permute",
    "weak_strong",
]
