"""Numbering classes, so that several files and several reads agree."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from pairsift.data.readers.raw import Array, Raw
from pairsift.errors import PairsiftError, shown


def number_classes(
    raws: Sequence[Raw], wanted: Sequence[str] | None
) -> tuple[Array | None, tuple[str, ...] | None]:
    """Class numbers over all files, and the classes' names in that order.

    Names come in the order that ``wanted`` or a single file gives; else whole numbers in rising order, else
    text in alphabetical order. Whole numbers 0, 1, ... without a hole stay what they are.

    Returns:
        y, shape (N,) int64 or (N, K) int8 if several classes hold at once, and K names; or None and None.
    """
    labelled = [raw for raw in raws if raw.y is not None]
    if not labelled:
        return None, None
    if len(labelled) < len(raws):
        bare = next(raw.file for raw in raws if raw.y is None)
        raise PairsiftError(
            f"{bare}: has no classes, but {labelled[0].file} has; give all files a y or none of them"
        )
    if any(raw.y is not None and raw.y.ndim == 2 for raw in raws):
        return _several(raws, wanted)
    values = [_plain(raw) for raw in raws]
    names: Any
    if len({raw.classes for raw in raws}) == 1 and raws[0].classes is not None and wanted is None:
        names = raws[0].classes
        _fit(values, raws, len(names))
        return np.concatenate(values).astype(np.int64), tuple(map(str, names))
    if any(raw.classes is not None or v.dtype.kind == "U" for raw, v in zip(raws, values)):
        values = [_named(v, raw) for raw, v in zip(raws, values)]
    together = np.concatenate(values)
    names, y = np.unique(together, return_inverse=True)
    texts = [str(name) for name in names.tolist()]
    if wanted is None:
        return y.reshape(-1).astype(np.int64), tuple(texts)
    place = {str(name): code for code, name in enumerate(wanted)}
    if strange := [text for text in texts if text not in place]:
        raise PairsiftError(
            f"{raws[0].file}: has the class {shown(strange[0])!r}, but classes= lists "
            f"{shown(', '.join(map(str, wanted)))}; add it to the list"
        )
    return np.array([place[text] for text in texts], dtype=np.int64)[y.reshape(-1)], tuple(map(str, wanted))


def _plain(raw: Raw) -> Array:
    """One class a series, as whole numbers or text."""
    y = np.asarray(raw.y)
    if y.dtype.kind == "S":
        y = np.char.decode(y, "utf-8", "replace")
    if y.dtype.kind == "f":
        if not np.isfinite(y).all() or (y != np.round(y)).any():
            wrong = y[~np.isfinite(y) | (y != np.round(y))][0]
            raise PairsiftError(
                f"{raw.file}: y holds {wrong}; classes must be whole numbers or text, one a series"
            )
        y = y.astype(np.int64)
    if y.ndim != 1 or y.dtype.kind not in "iubU":
        raise PairsiftError(
            f"{raw.file}: y has shape {y.shape} and type {y.dtype}; it needs one whole number or text a "
            "series, or a table of 0 and 1 (series, classes)"
        )
    return y.astype(np.int64) if y.dtype.kind in "ub" else y


def _fit(values: list[Array], raws: Sequence[Raw], count: int) -> None:
    for v, raw in zip(values, raws):
        if v.dtype.kind == "U" or (len(v) and not 0 <= v.min() <= v.max() < count):
            raise PairsiftError(
                f"{raw.file}: names {count} classes, so y must be numbers from 0 to {count - 1}; it holds "
                f"{shown(v.min())} to {shown(v.max())}"
            )


def _named(v: Array, raw: Raw) -> Array:
    if raw.classes is None:
        return v.astype(str)
    _fit([v], [raw], len(raw.classes))
    return np.array(raw.classes)[v]


def _several(raws: Sequence[Raw], wanted: Sequence[str] | None) -> tuple[Array, tuple[str, ...]]:
    """A table of 0 and 1, one column a class."""
    tables = [np.asarray(raw.y) for raw in raws]
    for table, raw in zip(tables, raws):
        if table.ndim != 2 or table.shape[1] != tables[0].shape[-1] or raw.classes != raws[0].classes:
            raise PairsiftError(
                f"{raw.file}: its y does not have the same classes as {raws[0].file}'s; give both the same"
            )
        if table.dtype.kind not in "iubf" or not np.isin(table, (0, 1)).all():
            raise PairsiftError(
                f"{raw.file}: y is a table, which may hold 0 and 1 only; give it one column a class"
            )
    names = tuple(wanted) if wanted is not None else raws[0].classes
    names = tuple(str(k) for k in range(tables[0].shape[1])) if names is None else names
    if len(names) != tables[0].shape[1]:
        raise PairsiftError(
            f"{raws[0].file}: y has {tables[0].shape[1]} columns, but {len(names)} classes are named"
        )
    return np.concatenate(tables).astype(np.int8), names
