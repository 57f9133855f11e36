"""The audit's findings in the shapes that other tools take: a drop list, weights, an issues table."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from pairsift.report.files import written_aside
from pairsift.report.table import write_pairs_csv

if TYPE_CHECKING:
    from pandas import DataFrame, Series


def places_of(table: DataFrame) -> Series[int]:
    """Where the pairs stand in what the user gave: their row if they are a part of it, else their index."""
    return table["row" if "row" in table else "index"]


def write_drop_list(table: DataFrame, folder: Path) -> None:
    """``drop.txt``: the bad pairs' places, one a line; ``drop.json``: the same by kind."""
    places = places_of(table)
    bad = places[table["is_issue"]].tolist()
    with written_aside(folder / "drop.txt") as aside:
        aside.write_text("".join(f"{index}\n" for index in bad), encoding="utf-8")
    by_kind = {kind: places[table["kind"] == kind].tolist() for kind in ("noisy", "faulty")}
    with written_aside(folder / "drop.json") as aside:
        aside.write_text(json.dumps(by_kind) + "\n", encoding="utf-8")


def write_weights(table: DataFrame, folder: Path) -> None:
    """``weights.npy``: each pair's weight in [0, 1], (N,) float32, in the series' order."""
    with written_aside(folder / "weights.npy") as aside, aside.open("wb") as file:
        np.save(file, table["weight"].to_numpy(np.float32), allow_pickle=False)


def cleanlab_table(table: DataFrame) -> DataFrame:
    """The findings in the shape of cleanlab's Datalab: a flag and a score for each kind of issue.

    Beware of the direction: here, as there, a LOW score is bad, while pairsift's own score is high for a bad
    pair. A pair's ``noisy_score`` is one minus its score, unless it was judged faulty; then it is 1, and the
    other way round. A normal pair has the same score for both. Unknown scores stay empty. The index is a
    pair's place in what the user gave, as in the drop list.
    """
    import pandas as pd

    good = 1.0 - table["score"].to_numpy(np.float64)
    columns: dict[str, Any] = {"index": places_of(table).to_numpy()}
    for kind, other in (("noisy", "faulty"), ("faulty", "noisy")):
        columns[f"is_{kind}_issue"] = (table["kind"] == kind).to_numpy()
        columns[f"{kind}_score"] = np.where((table["kind"] == other).to_numpy(), 1.0, good)
    return pd.DataFrame(columns)


def write_exports(table: DataFrame, folder: Path) -> None:
    """All of them: drop.txt, drop.json, weights.npy and cleanlab_issues.csv."""
    write_drop_list(table, folder)
    write_weights(table, folder)
    write_pairs_csv(cleanlab_table(table), folder / "cleanlab_issues.csv")
