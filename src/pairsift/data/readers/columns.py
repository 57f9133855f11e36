"""Columns of a table as numbers, times or labels; the first cell that is none of these is named."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from pairsift.data.readers.raw import Array
from pairsift.errors import PairsiftError, shown

if TYPE_CHECKING:
    import pandas as pd


def times(column: Any, name: str, file: str) -> Array:
    """Times as numbers, whether they came as numbers or as dates."""
    import pandas as pd

    when = pd.to_numeric(column, errors="coerce")
    if when.isna().any() and not pd.api.types.is_numeric_dtype(column):
        when = pd.to_datetime(column, errors="coerce", utc=True, format="ISO8601")
    if when.isna().any():
        at = int(np.flatnonzero(when.isna())[0])
        raise PairsiftError(
            f"{file}: row {at + 1} has no time that can be read in column {shown(name)}, it has "
            f"{shown(column.iloc[at])!r}; write times as numbers or as 2024-01-31 12:00:00"
        )
    if pd.api.types.is_datetime64_any_dtype(when):
        return np.asarray(when.astype("int64"))
    return np.asarray(when)


def labels(frame: pd.DataFrame, name: str, file: str) -> Array:
    """A column that says something about the rows; it may not have gaps."""
    column = frame[name]
    if (empty := column.isna().to_numpy()).any():
        raise PairsiftError(
            f"{file}: column {shown(name)} is empty in {int(empty.sum())} rows, the first in row "
            f"{int(np.flatnonzero(empty)[0]) + 1}; fill it or leave the column out"
        )
    values = column.to_numpy()
    return values.astype(str) if values.dtype.kind not in "iufb" else values


def numbers(frame: pd.DataFrame, names: list[str], file: str) -> Array:
    """Columns as float32 (rows, columns); a cell that is neither a number nor empty is named."""
    out = np.empty((len(frame), len(names)), dtype=np.float32, order="F")
    with np.errstate(over="ignore"):  # too large becomes infinite, which is refused later
        for place, name in enumerate(names):
            out[:, place] = _number(frame[name], name, file)
    return np.ascontiguousarray(out)


def _number(column: Any, name: str, file: str) -> Array:
    """One column as float32."""
    import pandas as pd

    values = column
    if not pd.api.types.is_numeric_dtype(column) or pd.api.types.is_complex_dtype(column):
        cells = column.map(_cell, na_action="ignore") if column.dtype.kind == "O" else column.astype(object)
        values = pd.to_numeric(cells, errors="coerce")
        wrong = (values.isna() & column.notna()).to_numpy()
        if wrong.any():
            at = int(wrong.argmax())
            raise PairsiftError(
                f"{file}: row {at + 1}, column {shown(name)} holds {shown(column.iloc[at])!r}, which is "
                "no number; empty cells mark missing values, and a column can be named as time, id, y or "
                "group"
            )
    return np.asarray(values.to_numpy(dtype=np.float32, na_value=np.nan))


def _cell(value: object) -> object:
    """A cell as something that can be tried as a number."""
    return value if isinstance(value, (str, float, int)) else str(value)
