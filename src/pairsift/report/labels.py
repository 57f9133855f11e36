"""What the user calls the series: ids, classes and groups as clean values, whatever their dtype."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from pairsift.data.series import Series
from pairsift.report.text import as_text, as_value


@dataclass(frozen=True)
class Coded:
    """A label for each pair, said by its place among the labels' names.

    A pair may have none, one or several: ``sets`` are the label sets that occur, ``of`` (N,) a pair's set.
    """

    names: list[str]
    sets: list[list[int]]
    of: np.ndarray[Any, np.dtype[np.int64]]


def id_values(series: Series) -> list[Any] | None:
    """The user's ids: numbers stay numbers, the rest is text; None without ids."""
    return None if series.ids is None else [as_value(value) for value in series.ids]


def _name(series: Series, label: int) -> str:
    names = series.classes or ()
    return as_text(names[label]) if 0 <= label < len(names) else str(label)


def coded_classes(series: Series) -> Coded | None:
    """Each pair's class, or classes where several hold at once; a negative class means unknown."""
    if series.y is None:
        return None
    y = np.asarray(series.y)
    if y.ndim == 2:
        rows, of = np.unique(y > 0, axis=0, return_inverse=True)
        used = np.flatnonzero(rows.any(axis=0))
        place = {int(label): at for at, label in enumerate(used)}
        sets = [[place[int(label)] for label in np.flatnonzero(row)] for row in rows]
        return Coded([_name(series, int(label)) for label in used], sets, of.reshape(-1).astype(np.int64))
    values, of = np.unique(y, return_inverse=True)
    known = [int(value) for value in values if value >= 0]
    sets = [[known.index(int(value))] if value >= 0 else [] for value in values]
    return Coded([_name(series, label) for label in known], sets, of.reshape(-1).astype(np.int64))


def coded_groups(series: Series) -> Coded | None:
    """Each pair's group, in the groups' own order; a missing one means unknown."""
    if series.group is None:
        return None
    values = [as_value(value) for value in series.group]
    known = sorted({v for v in values if v is not None}, key=lambda v: (isinstance(v, str), v))
    place: dict[Any, int] = {value: at for at, value in enumerate(known)}
    place[None] = len(known)
    sets: list[list[int]] = [*([at] for at in range(len(known))), []]
    return Coded([str(value) for value in known], sets, np.array([place[v] for v in values], dtype=np.int64))


def class_values(series: Series) -> list[Any] | None:
    """Each pair's class for a table: its name, or its number if it has none; several are joined by |."""
    coded = coded_classes(series)
    if coded is None:
        return None
    plain = series.classes is None and not series.multilabel
    joined: list[Any] = ["|".join(coded.names[label] for label in each) for each in coded.sets]
    cells = [(int(text) if plain else text) if text else None for text in joined]
    return [cells[at] for at in coded.of]


def group_values(series: Series) -> list[Any] | None:
    """Each pair's group for a table: numbers stay numbers."""
    return None if series.group is None else [as_value(value) for value in series.group]
