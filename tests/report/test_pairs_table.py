from __future__ import annotations

import csv
from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pairsift.data.series import Series
from pairsift.errors import PairsiftError
from pairsift.report import pairs_table, write_pairs_csv
from pairsift.report.text import as_text, csv_cell, json_for_page


def some(n: int = 3, **known) -> Series:
    return Series(np.zeros((n, 1, 8), np.float32), **known)


def miner_table(n: int = 3, **columns) -> pd.DataFrame:
    base = {
        "index": np.arange(n),
        "kind": [0, 1, 2][:n],
        "score": [0.1, 0.8, 0.9][:n],
        "mean_loss": [2.0, 1.0, 3.0][:n],
        "std_loss": [0.3, 0.1, 0.4][:n],
        "weight": [1.0, 0.2, 0.1][:n],
        "seen": [5, 5, 4][:n],
    }
    return pd.DataFrame(base | columns)


def test_columns_and_values():
    table = pairs_table(miner_table(), some())
    assert list(table) == ["index", "kind", "score", "is_issue", "mean_loss", "std_loss", "weight", "seen"]
    assert table["kind"].tolist() == ["normal", "noisy", "faulty"]
    assert table["is_issue"].tolist() == [False, True, True]
    assert table["score"].tolist() == [0.1, 0.8, 0.9]


def test_what_the_user_knows_stands_beside_it():
    series = some(
        ids=np.array(["a", "b", "c"]),
        y=np.array([1, 0, 1]),
        classes=("up", "down"),
        group=np.array([7, 7, 9]),
    )
    table = pairs_table(
        miner_table(), replace(series, truth=np.array([0, 1, 0])), done=["", None, "drawn milder"]
    )
    assert table["id"].tolist() == ["a", "b", "c"]
    assert table["class"].tolist() == ["down", "up", "down"]
    assert table["group"].tolist() == [7, 7, 9]
    assert table["planted"].tolist() == ["normal", "noisy", "normal"]
    assert table["done"].tolist() == ["", "", "drawn milder"]


def test_classes_without_names_several_at_once_and_unknown():
    assert pairs_table(miner_table(), some(y=np.array([4, 2, -1])))["class"].tolist() == [4, 2, None]
    several = np.array([[1, 0, 1], [0, 0, 0], [0, 1, 0]])
    with_names = some(y=several, classes=("x", "y", "z"))
    assert pairs_table(miner_table(), with_names)["class"].tolist() == ["x|z", None, "y"]
    assert pairs_table(miner_table(), some(y=several))["class"].tolist() == ["0|2", None, "1"]


def test_order_of_the_miners_rows_and_names_of_kinds_do_not_matter():
    shuffled = miner_table(kind=pd.Categorical(["normal", "noisy", "faulty"])).iloc[[2, 0, 1]]
    pd.testing.assert_frame_equal(pairs_table(shuffled, some()), pairs_table(miner_table(), some()))


def test_without_a_score_the_verdict_is_the_score():
    assert pairs_table(miner_table().drop(columns="score"), some())["score"].tolist() == [0.0, 1.0, 1.0]


@pytest.mark.parametrize(
    ("table", "words"),
    [
        (miner_table().drop(columns=["weight"]), "lacks the columns.*weight"),
        (miner_table(2), "one row for each of the 3 series"),
        (miner_table(index=[0, 1, 1]), "each once"),
        (miner_table(index=[0, 1, 3]), "each once"),
        (miner_table(kind=[0, 1, 3]), "kind must be one of"),
        (miner_table(kind=["normal", "noisy", "odd"]), "kind must be one of"),
    ],
)
def test_a_table_that_does_not_fit_is_refused(table, words):
    with pytest.raises(PairsiftError, match=words):
        pairs_table(table, some())


def test_done_of_another_length_is_refused():
    with pytest.raises(PairsiftError, match="one entry a series"):
        pairs_table(miner_table(), some(), done=["x"])


def written(tmp_path: Path, series: Series, **columns) -> list[dict[str, str]]:
    write_pairs_csv(pairs_table(miner_table(**columns), series), tmp_path / "pairs.csv")
    with (tmp_path / "pairs.csv").open(newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


@pytest.mark.parametrize("start", ["=", "+", "-", "@", "\t", "\n", "＝"])
def test_text_that_a_spreadsheet_would_run_is_quoted_everywhere(tmp_path, start):
    evil = start + "cmd|' /C calc'!A0"
    series = some(ids=np.array([evil, "b", "c"], object), group=np.array([evil, "b", "c"], object))
    series = replace(series, y=np.array([0, 0, 0]), classes=(evil,))
    rows = written(tmp_path, series, done=[evil, "", ""])
    for column in ("id", "group", "class", "done"):
        assert rows[0][column] == "'" + evil


@pytest.mark.parametrize("dtype", [object, "str", "category"])
def test_text_of_any_dtype_is_made_safe(tmp_path, dtype):
    write_pairs_csv(pd.DataFrame({"=name": pd.Series(["=1", "b"], dtype=dtype)}), tmp_path / "any.csv")
    assert (tmp_path / "any.csv").read_text() == "'=name\n'=1\nb\n"


def test_a_carriage_return_ends_no_row(tmp_path):
    rows = written(tmp_path, some(ids=np.array(["a\r=1+1", "\r=1+1", "c"], object)))
    assert [row["id"] for row in rows] == ["a\\x0d=1+1", "\\x0d=1+1", "c"]
    assert csv_cell("\r=1+1") == "'\\x0d=1+1"


def test_numbers_stay_numbers(tmp_path):
    rows = written(tmp_path, some(ids=np.array([-5, 2, 3])), mean_loss=[-1.5, 1e-9, np.nan])
    assert [row["id"] for row in rows] == ["-5", "2", "3"]
    assert [row["mean_loss"] for row in rows] == ["-1.5", "1e-09", ""]


def test_ids_of_any_kind_can_be_written(tmp_path):
    ids = np.array([b"caf\xc3\xa9", "lone \udcff half", "\x1b[31mred"], object)
    assert [row["id"] for row in written(tmp_path, some(ids=ids))] == [
        "café",
        "lone \ufffd half",
        "\\x1b[31mred",
    ]
    assert [r["id"] for r in written(tmp_path, some(ids=np.array([1.5, None, np.nan], object)))] == [
        "1.5",
        "",
        "",
    ]


def test_commas_quotes_and_line_ends_come_back_as_they_were(tmp_path):
    ids = np.array(['a,"b"', "two\nlines", "plain"], object)
    assert [row["id"] for row in written(tmp_path, some(ids=ids))] == ids.tolist()


def test_a_write_that_fails_leaves_the_old_file(tmp_path, monkeypatch):
    path = tmp_path / "pairs.csv"
    path.write_text("old")

    def half(self, target, **_):
        Path(target).write_text("ha")
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(pd.DataFrame, "to_csv", half)
    with pytest.raises(OSError, match="No space"):
        write_pairs_csv(pairs_table(miner_table(), some()), path)
    assert [(p.name, p.read_text()) for p in tmp_path.iterdir()] == [("pairs.csv", "old")]


def test_a_folder_in_place_of_the_file_is_refused(tmp_path):
    with pytest.raises(PairsiftError, match="is a folder"):
        write_pairs_csv(pairs_table(miner_table(), some()), tmp_path)


@given(st.text())
def test_no_text_is_left_that_a_spreadsheet_runs_or_a_terminal_obeys(text):
    cell = csv_cell(as_text(text))
    assert not cell.startswith(("=", "+", "-", "@", "\t", "\r", "\n"))
    assert not any((ord(c) < 32 and c not in "\t\n") or 127 <= ord(c) < 160 for c in cell)
    cell.encode("utf-8")


@given(st.recursive(st.text() | st.integers() | st.none(), st.lists))
def test_json_cannot_leave_its_element(value):
    import json

    text = json_for_page(value)
    assert not set("<>&") & set(text)
    assert json.loads(text) == value
