"""How well scores tell classes apart: accuracy, AUROC, AUPRC and F1, for one class or several at once."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from pairsift.errors import PairsiftError
from pairsift.evaluation.arrays import Array, to_array, to_labels

Metrics = dict[str, Any]


def class_names(count: int, classes: Sequence[str] | None) -> list[str]:
    """The classes' names, "0", "1", ... where none were given."""
    if classes is None:
        return [str(k) for k in range(count)]
    if len(classes) != count:
        raise PairsiftError(f"classes names {len(classes)} classes, but the scores have {count} columns")
    return [str(name) for name in classes]


def classification_metrics(scores: Any, y: Any, classes: Sequence[str] | None = None) -> Metrics:
    """Judge scores against the truth; every value is a fraction in [0, 1] or None, ready for JSON.

    AUROC and AUPRC (average precision) are taken per class, this class against the rest, and averaged
    without weights (macro). A class that ``y`` never or always holds has neither: its entry is None, it stays
    out of the averages, and ``left_out`` names it. F1 is averaged over the classes that ``y`` holds. An
    average over no class is None.

    Args:
        scores: one score a class, higher is likelier, shape (N, K); probabilities for a table.
        y: classes, shape (N,), or a 0/1 table, shape (N, K), where several may hold at once.
        classes: the classes' names.

    Returns:
        ``accuracy`` (of the highest score; for a table the share of rows whose every entry is right with the
        cut at 0.5), ``auroc``, ``auprc``, ``f1`` (macro), ``auroc_per_class``, ``auprc_per_class`` (by name),
        ``left_out`` (names) and ``rows``.
    """
    from sklearn.metrics import average_precision_score, f1_score, roc_auc_score

    scores, y = to_array(scores), to_labels("y", y)
    if scores.ndim != 2 or len(scores) != len(y) or len(y) == 0:
        raise PairsiftError(
            f"scores must have shape (N, K) with one row a label, got {scores.shape} for {len(y)} labels"
        )
    if not np.isfinite(scores).all():
        raise PairsiftError("scores hold NaN or infinite values; look for them in the features")
    count = scores.shape[1]
    names = class_names(count, classes)
    truth = one_hot(y, count)
    if y.ndim == 2:
        guess = (scores >= 0.5).astype(np.int64)
    else:
        guess = one_hot(scores.argmax(axis=1), count)

    auroc: dict[str, float | None] = {}
    auprc: dict[str, float | None] = {}
    for k, name in enumerate(names):
        defined = 0 < truth[:, k].sum() < len(truth)
        auroc[name] = float(roc_auc_score(truth[:, k], scores[:, k])) if defined else None
        auprc[name] = float(average_precision_score(truth[:, k], scores[:, k])) if defined else None
    f1 = [float(f1_score(truth[:, k], guess[:, k])) for k in range(count) if truth[:, k].any()]
    return {
        "accuracy": float((guess == truth).all(axis=1).mean()),
        "auroc": macro(auroc.values()),
        "auprc": macro(auprc.values()),
        "f1": macro(f1),
        "auroc_per_class": auroc,
        "auprc_per_class": auprc,
        "left_out": [name for name, value in auroc.items() if value is None],
        "rows": len(y),
    }


def one_hot(y: Array, count: int) -> Array:
    """Classes as a 0/1 table, shape (N, K); a table comes back as it is."""
    if y.ndim == 2:
        if y.shape[1] != count:
            raise PairsiftError(f"y has {y.shape[1]} columns, but the scores have {count}")
        return y
    if y.max() >= count:
        raise PairsiftError(
            f"y holds class {int(y.max())}, but the scores have {count} columns, 0 to {count - 1}"
        )
    return np.eye(count, dtype=np.int64)[y]


def macro(values: Any) -> float | None:
    """The plain mean of what is defined, None if nothing is."""
    known = [value for value in values if value is not None]
    return float(np.mean(known)) if known else None
