"""The table of pairs: what the miner knows of each, beside what the user calls it."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from pairsift.data.kinds import KINDS
from pairsift.data.series import Series
from pairsift.errors import PairsiftError
from pairsift.report.files import written_aside
from pairsift.report.labels import class_values, group_values, id_values
from pairsift.report.text import as_text, csv_cell

if TYPE_CHECKING:
    from pandas import DataFrame

_NEEDED = ("index", "kind", "mean_loss", "std_loss", "weight", "seen")


def pairs_table(miner_table: DataFrame, series: Series, done: Sequence[Any] | None = None) -> DataFrame:
    """One row a pair, in the series' order.

    Args:
        miner_table: the miner's, one row a pair: index, kind (a name or its number), mean_loss, std_loss,
            weight, seen, and if there is one a score in [0, 1], 0.5 the decision and 1 surely bad.
            Without a score it is 1 for bad pairs and 0 for the others. A column ``done`` is taken over.
        series: the series that were trained on, N of them.
        done: what was done to each pair, in free words, (N,); None or "" for nothing.

    Returns:
        Columns index, kind, score, is_issue, mean_loss, std_loss, weight, seen; then, where known, row (where
        the series stood in the user's files, of which these are a part), id, class, group (the user's own),
        planted (the kind that was planted) and done.

    Raises:
        PairsiftError: if a column is missing, or the rows are not one for each series.
    """
    import pandas as pd

    missing = [name for name in _NEEDED if name not in miner_table.columns]
    if missing:
        raise PairsiftError(
            f"miner_table lacks the columns {missing}; give what miner.table() returns "
            f"(it has {list(miner_table.columns)})"
        )
    index = miner_table["index"].to_numpy()
    if len(index) != len(series) or not np.array_equal(np.sort(index), np.arange(len(series))):
        raise PairsiftError(
            f"miner_table must have one row for each of the {len(series)} series (index 0 to "
            f"{len(series) - 1}, each once), got {len(index)} rows; was the miner made for other series?"
        )
    rows = miner_table.iloc[np.argsort(index)].reset_index(drop=True)
    kind = _kind_numbers(rows["kind"].to_numpy())
    score = rows["score"].to_numpy(np.float64) if "score" in rows else (kind > 0).astype(np.float64)
    columns: dict[str, Any] = {
        "index": np.arange(len(series)),
        "kind": np.array(KINDS, dtype=object)[kind],
        "score": score,
        "is_issue": kind > 0,
        "mean_loss": rows["mean_loss"].to_numpy(np.float64),
        "std_loss": rows["std_loss"].to_numpy(np.float64),
        "weight": rows["weight"].to_numpy(np.float64),
        "seen": rows["seen"].to_numpy(np.int64),
    }
    if series.rows is not None:
        columns["row"] = np.asarray(series.rows, dtype=np.int64)
    for name, values in (
        ("id", id_values(series)),
        ("class", class_values(series)),
        ("group", group_values(series)),
    ):
        if values is not None:
            columns[name] = pd.Series(values, dtype=object)
    if series.truth is not None:
        columns["planted"] = np.array(KINDS, dtype=object)[np.asarray(series.truth, dtype=np.int64)]
    if done is None and "done" in rows:
        done = rows["done"].tolist()
    if done is not None:
        if len(done) != len(series):
            raise PairsiftError(f"done must have one entry a series ({len(series)}), got {len(done)}")
        columns["done"] = pd.Series(["" if pd.isna(each) else as_text(each) for each in done], dtype=object)
    return pd.DataFrame(columns)


def write_pairs_csv(table: DataFrame, path: str | os.PathLike[str]) -> None:
    """Write the table so that a spreadsheet shows the user's text and never runs it.

    Text that begins like a formula gets a leading apostrophe; numbers stay numbers; the file appears whole.
    """
    from pandas.api.types import is_numeric_dtype

    safe = table.rename(columns=csv_cell)
    for name in safe.columns:
        if not is_numeric_dtype(safe[name]):
            safe[name] = safe[name].map(csv_cell)
    with written_aside(path) as aside:
        safe.to_csv(aside, index=False, lineterminator="\n", encoding="utf-8")


def _kind_numbers(kind: Any) -> np.ndarray[Any, np.dtype[np.int64]]:
    """Kinds as numbers, from numbers or names, (N,)."""
    if np.issubdtype(np.asarray(kind).dtype, np.number):
        numbers = np.asarray(kind, dtype=np.int64)
    else:
        place = {name: at for at, name in enumerate(KINDS)}
        numbers = np.array([place.get(str(each), -1) for each in kind], dtype=np.int64)
    if len(numbers) and (numbers.min() < 0 or numbers.max() >= len(KINDS)):
        raise PairsiftError(f"miner_table's kind must be one of {KINDS} or 0, 1, 2; got others too")
    return numbers
