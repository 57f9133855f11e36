"""Whether the files of a prepared folder speak of the same series; where not, a sentence says which."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from numpy.typing import NDArray

from pairsift.data.holdout import PARTS, Split
from pairsift.data.rows import Scale
from pairsift.errors import PairsiftError

Array = NDArray[Any]


def check_rows(count: int, files: dict[Path, Array | None]) -> None:
    """Refuse an array that has no row for each series.

    Args:
        count: how many series there are.
        files: the arrays, by the file that each was read from; None where there is no such file.
    """
    for path, found in files.items():
        if found is not None and found.shape[:1] != (count,):
            raise PairsiftError(
                f"{path} has shape {found.shape} where there are {count} series; prepare the dataset again"
            )


def check_labels(y: Array, classes: int, path: Path) -> None:
    """Refuse labels that name no class of the card.

    Args:
        y: a class a series (N,), or a 0/1 table (N, K).
        classes: how many classes there are, K.
        path: where they were read from.
    """
    table = y.ndim == 2 and y.shape[1] == classes
    if y.dtype.kind not in "iu" or not (table or y.ndim == 1) or not _within(y, 2 if table else classes):
        raise PairsiftError(
            f"{path} does not say which of the card's {classes} classes each series has; "
            "prepare the dataset again"
        )


def check_split(path: Path, split: Split, scale: Scale | None, shape: tuple[int, ...]) -> None:
    """Refuse rows that are not there, and a scaling of other series.

    Args:
        path: where they were read from.
        split: which rows go where.
        scale: what is taken off and divided by, if anything.
        shape: of the series, (N, C, T).
    """
    for name in PARTS:
        rows = split.part(name)
        if rows.ndim != 1 or (rows.size and rows.dtype.kind not in "iu") or not _within(rows, shape[0]):
            raise PairsiftError(
                f"{path}: {name} does not name rows of {shape[0]} series; prepare the dataset again"
            )
    for values in scale or ():
        if values.dtype.kind != "f" or values.shape not in ((1, 1), shape[1:]):
            raise PairsiftError(
                f"{path} scales by {values.dtype} {values.shape} where series are {shape[1:]}; "
                "prepare the dataset again"
            )


def _within(values: Array, count: int) -> bool:
    """Whether all are places in something of this length."""
    return not values.size or bool((values >= 0).all() and (values < count).all())
