"""The losses over epochs as the page shows them: bands for each kind, and single lines for drawn pairs."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np

from pairsift.data.kinds import KINDS
from pairsift.errors import PairsiftError
from pairsift.report.inputs import Array, PairHistory, as_array
from pairsift.report.pack import base64_of

QUANTILES = (0.05, 0.25, 0.5, 0.75, 0.95)
_EPOCHS = 200  # epochs on the page, at most; evenly chosen, the first and last among them


def history_for_page(history: PairHistory | None, kinds: Array, drawn: Array) -> dict[str, Any] | None:
    """Quantiles of the loss in each epoch for each kind, and the losses of the pairs whose series are drawn.

    Args:
        history: losses (E, P) of some pairs; None or without epochs gives None.
        kinds: each pair's kind by name, as judged at the end, (N,).
        drawn: indices of the pairs whose series the page carries.
    """
    if history is None or not len(history.losses):
        return None
    losses = as_array(history.losses).astype(np.float64)
    epochs = np.arange(1, len(losses) + 1) if history.epochs is None else as_array(history.epochs)
    index = np.arange(losses.shape[1]) if history.index is None else as_array(history.index)
    index = index.astype(np.int64)
    if len(index) and (index.min() < 0 or index.max() >= len(kinds)):
        raise PairsiftError(
            f"history.index must lie in 0 to {len(kinds) - 1}, got {index.min()} to {index.max()}"
        )
    kept = np.unique(np.linspace(0, len(losses) - 1, min(len(losses), _EPOCHS)).round().astype(np.int64))
    losses, epochs = losses[kept], epochs[kept]
    losses[~np.isfinite(losses)] = np.nan
    bands = {}
    for kind in KINDS:
        of_kind = losses[:, kinds[index] == kind]
        if of_kind.shape[1]:
            bands[kind] = {"pairs": of_kind.shape[1], "quantiles": _quantiles(of_kind)}
    lines = np.flatnonzero(np.isin(index, drawn))
    return {
        "epochs": [int(epoch) for epoch in epochs],
        "warmup": history.warmup,
        "pairs": len(index),
        "bands": bands,
        "lines": {str(index[at]): base64_of(losses[:, at], "f4") for at in lines},
    }


def _quantiles(losses: Array) -> list[list[float | None]]:
    """One list over epochs for each quantile; None where an epoch saw no pair."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)  # an epoch that saw none of these pairs
        values = np.nanquantile(losses, QUANTILES, axis=1)
    return [[float(f"{v:.5g}") if np.isfinite(v) else None for v in row] for row in values]
