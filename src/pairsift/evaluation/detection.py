"""How well the bad pairs were found, where it is known which ones are bad."""

from __future__ import annotations

from typing import Any

import numpy as np

from pairsift.errors import PairsiftError
from pairsift.evaluation.arrays import Array, to_array

KINDS = {"noisy": 1, "faulty": 2}  # as everywhere here; 0 is a normal pair


def detection_metrics(
    truth: Any, kinds: Any, mean_loss: Any = None, score: Any = None
) -> dict[str, dict[str, float | int | None]]:
    """Judge a miner's verdicts against the truth.

    Args:
        truth: what each pair is, shape (N,): 0 normal, 1 noisy, 2 faulty.
        kinds: what it was called, shape (N,), the same numbers.
        mean_loss: each pair's mean loss, shape (N,). A low one speaks for noisy, a high one for faulty.
            NaN marks a pair that was never seen; it takes no part in the AUROC.
        score: how sound the miner thinks each pair, shape (N,): low is suspect, of either kind. NaN as above.

    Returns:
        For ``"noisy"`` and ``"faulty"``: ``precision``, ``recall``, ``f1``, ``flagged`` and ``planted``
        (counts), ``auroc`` (this kind against the normal pairs by mean loss, whatever the threshold) and
        ``auroc_score`` (the same by ``score``). None, which JSON writes as null, stands for what does not
        exist: precision when nothing was flagged, recall when nothing was planted, F1 when neither was, and
        an AUROC without values or without pairs on both sides.
    """
    truth, kinds = check_kinds("truth", truth), check_kinds("kinds", kinds)
    if len(truth) != len(kinds):
        raise PairsiftError(f"kinds must have one entry a pair ({len(truth)}), got {len(kinds)}")
    found: dict[str, dict[str, float | int | None]] = {}
    for name, kind in KINDS.items():
        planted, flagged = truth == kind, kinds == kind
        hits = int((planted & flagged).sum())
        sign = -1.0 if name == "noisy" else 1.0
        found[name] = {
            "auroc": auroc_of(truth, kind, mean_loss, sign, "mean_loss"),
            "auroc_score": auroc_of(truth, kind, score, -1.0, "score"),
            "precision": share(hits, int(flagged.sum())),
            "recall": share(hits, int(planted.sum())),
            "f1": share(2 * hits, int(flagged.sum() + planted.sum())),
            "flagged": int(flagged.sum()),
            "planted": int(planted.sum()),
        }
    return found


def check_kinds(name: str, values: Any) -> Array:
    """Kinds as an array (N,) of 0, 1 and 2, or a sentence saying what is wrong with them."""
    kinds = to_array(values)
    if kinds.ndim != 1 or not np.isin(kinds, (0, 1, 2)).all():
        raise PairsiftError(
            f"{name} must be one number a pair, 0 normal, 1 noisy or 2 faulty; got shape {kinds.shape} with "
            f"values such as {np.unique(kinds)[:5].tolist()}"
        )
    return kinds


def auroc_of(truth: Array, kind: int, values: Any, sign: float, name: str) -> float | None:
    """How well ``sign * values`` tells pairs of a kind from normal ones; None where it cannot be told."""
    if values is None:
        return None
    from sklearn.metrics import roc_auc_score

    values = to_array(values).astype(np.float64)
    if values.shape != truth.shape:
        raise PairsiftError(f"{name} must have one value a pair {truth.shape}, got shape {values.shape}")
    values = np.nan_to_num(
        values, nan=np.nan, posinf=np.finfo(np.float64).max, neginf=np.finfo(np.float64).min
    )
    taken = ((truth == 0) | (truth == kind)) & ~np.isnan(values)
    is_kind = truth[taken] == kind
    if is_kind.all() or not is_kind.any():
        return None
    return float(roc_auc_score(is_kind, sign * values[taken]))


def share(part: int, whole: int) -> float | None:
    """Part of a whole, None where there is no whole."""
    return part / whole if whole else None
