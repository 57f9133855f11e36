"""Writing series to one .npz that `load_series` reads back as it was."""

from __future__ import annotations

import json
import os
import tempfile
from pathlib import Path

import numpy as np

from pairsift.data.series import Array, Series
from pairsift.errors import PairsiftError, shown


def save_series(series: Series, path: str | Path, split: Array | None = None) -> Path:
    """Write X, y, other, truth, group, id, classes, the name and the facts (as JSON) to an .npz.

    Nothing half-written is left behind: the file appears when it is whole. It is not compressed, so that
    large arrays can be mapped where they lie.

    Args:
        series: what is written.
        path: where to; it must end in .npz.
        split: each series' part, "train", "val" or "test", (N,); `load_splits` keeps to it.

    Returns:
        The path.
    """
    path = Path(path)
    if path.suffix.lower() != ".npz":
        raise PairsiftError(f"{shown(path.name)}: series are written as .npz; give a file name that ends so")
    arrays = {
        "X": series.x,
        "y": series.y,
        "other": series.other,
        "truth": series.truth,
        "group": _plain(series.group),
        "id": _plain(series.ids),
        "split": _plain(split),
        "classes": None if series.classes is None else np.array(series.classes, dtype=np.str_),
        "facts": np.array(json.dumps({**series.facts, "name": series.name})),
    }
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        handle, partial = tempfile.mkstemp(prefix=f".{path.stem}-", suffix=".npz", dir=path.parent)
        try:
            with os.fdopen(handle, "wb") as stream:
                np.savez(stream, allow_pickle=False, **{k: v for k, v in arrays.items() if v is not None})
            Path(partial).replace(path)
        finally:
            Path(partial).unlink(missing_ok=True)
    except OSError as error:
        raise PairsiftError(
            f"{shown(path, 120)}: cannot be written ({error.strerror or error}); choose another place"
        ) from error
    return path


def _plain(values: Array | None) -> Array | None:
    """Names as text where they are Python objects, which would have to be pickled."""
    return values.astype(str) if values is not None and values.dtype.hasobject else values
