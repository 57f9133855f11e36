"""Joining what several files say about their series: names, groups, splits, truth, each checked."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from pairsift.data.readers.raw import Array, Ragged, Raw, channels_of, lengths_of
from pairsift.errors import PairsiftError, shown


def check_rows(raw: Raw, first: Raw) -> None:
    """Refuse a file whose parts do not fit each other or the first file."""
    count = len(lengths_of(raw.x))
    if not count or not lengths_of(raw.x).all() or not channels_of(raw.x):
        raise PairsiftError(
            f"{raw.file}: holds no series, or series without values; leave it out or write it again"
        )
    if channels_of(raw.x) != channels_of(first.x):
        raise PairsiftError(
            f"{raw.file}: has {channels_of(raw.x)} channels, but {first.file} has "
            f"{channels_of(first.x)}; read files with the same channels together"
        )
    for what in ("y", "group", "ids", "split", "truth", "other"):
        value = getattr(raw, what)
        if value is not None and (np.ndim(value) == 0 or len(value) != count):
            raise PairsiftError(
                f"{raw.file}: {what} has shape {np.shape(value)}, but there are {count} series; it needs "
                "one row a series"
            )
    shape = None if isinstance(raw.x, Ragged) else raw.x.shape
    if raw.other is not None and raw.other.shape != shape:
        raise PairsiftError(
            f"{raw.file}: other has shape {raw.other.shape}, but X has {shape}; a pair's two series have "
            "the same shape"
        )


def joined(raws: Sequence[Raw], what: str) -> Array | None:
    """One value a series (group, split, ids) over all files, which either all have it or none."""
    values = all_or_none(raws, what)
    if values is None:
        return None
    values = [np.char.decode(v, "utf-8", "replace") if v.dtype.kind == "S" else v for v in values]
    for value, raw in zip(values, raws):
        if value.ndim != 1 or value.dtype.kind not in "iufbUM":
            raise PairsiftError(
                f"{raw.file}: {what} has shape {value.shape} and type {value.dtype}; it needs one number "
                "or text a series"
            )
    texts = any(v.dtype.kind in "UM" for v in values)
    return np.concatenate([v.astype(str) if texts else v for v in values])


def own_ids(raws: Sequence[Raw]) -> Array | None:
    """The series' names: the files' own, with the file's name before them where there are several files."""
    if len(raws) == 1:
        return joined(raws, "ids")
    parts = []
    for raw in raws:
        count = len(lengths_of(raw.x))
        ids = joined([raw], "ids")
        if ids is None and count == 1:
            parts.append(np.array([raw.file]))
        else:
            own = range(count) if ids is None else ids.tolist()
            parts.append(np.array([f"{raw.file}:{name}" for name in own]))
    return np.concatenate(parts)


def joined_truth(raws: Sequence[Raw]) -> Array | None:
    """What was planted; files that do not say are taken as normal if another file says."""
    if all(raw.truth is None for raw in raws):
        return None
    parts = []
    for raw in raws:
        value = np.zeros(len(lengths_of(raw.x)), np.int8) if raw.truth is None else np.asarray(raw.truth)
        if value.ndim != 1 or value.dtype.kind not in "iu" or not np.isin(value, (0, 1, 2)).all():
            raise PairsiftError(
                f"{raw.file}: truth holds something else than 0 (normal), 1 (noisy) and 2 (faulty); give "
                "one of these for each series"
            )
        parts.append(value.astype(np.int8))
    return np.concatenate(parts)


def all_or_none(raws: Sequence[Raw], what: str) -> list[Array] | None:
    """Each file's value, or None if no file has one."""
    values = [getattr(raw, what) for raw in raws]
    if all(value is None for value in values):
        return None
    for value, raw in zip(values, raws):
        if value is None:
            owner = next(r.file for r in raws if getattr(r, what) is not None)
            raise PairsiftError(
                f"{shown(raw.file)}: has no {what}, but {owner} has; give it to all files or to none"
            )
    return [np.asarray(value) if what != "other" else value for value in values]
