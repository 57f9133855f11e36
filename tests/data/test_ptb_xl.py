"""PTB-XL: signals as wfdb reads them, statements as the tables say, the publisher's folds."""

from __future__ import annotations

import csv
import re
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import wfdb
from tests.data import publisher

from pairsift.data import load_dataset, prepare
from pairsift.data.ptb_xl import read_record, scan
from pairsift.errors import PairsiftError

PLACE = {"diagnostic": 0, "form": 1, "rhythm": 2}


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, dict[str, Any]]:
    folder = tmp_path_factory.mktemp("ptb") / "ptb-xl"
    return folder, publisher.write_ptb_xl(folder, np.random.default_rng(8))


def test_signals_are_what_was_written_in_millivolts(made: tuple[Path, dict[str, Any]]) -> None:
    folder, written = made
    x = np.concatenate(list(scan(folder).checked_blocks()))
    np.testing.assert_allclose(x, written["samples"] / 1000, rtol=1e-6)


@pytest.mark.parametrize("task", PLACE)
def test_labels_are_the_task_s_statements_whatever_their_likelihood(
    task: str, made: tuple[Path, dict[str, Any]]
) -> None:
    folder, written = made
    held = scan(folder).tasks[task]
    assert held.classes == tuple(
        sorted(name for name, kinds in written["names"].items() if kinds[PLACE[task]])
    )
    for row, codes in zip(held.y, written["codes"]):
        said = {name for name, flag in zip(held.classes, row) if flag}
        assert said == {code for code in codes if written["names"][code][PLACE[task]]}


@pytest.mark.parametrize("task", PLACE)
def test_records_without_a_statement_of_the_task_are_left_out(
    task: str, made: tuple[Path, dict[str, Any]]
) -> None:
    folder, written = made
    with_one = [
        row
        for row, codes in enumerate(written["codes"])
        if any(written["names"][code][PLACE[task]] for code in codes)
    ]
    assert len(with_one) > 0 and (task != "diagnostic" or len(with_one) < 60)
    for kind in ("published", "grouped"):
        split = scan(folder).tasks[task].splits[kind]
        assert sorted(np.concatenate([split.train, split.val, split.test]).tolist()) == with_one


def test_the_grouped_split_is_the_publisher_s_folds(made: tuple[Path, dict[str, Any]]) -> None:
    folder, written = made
    split = scan(folder).tasks["rhythm"].splits["grouped"]
    assert set(written["fold"][split.train]) <= set(range(1, 9))
    assert set(written["fold"][split.val]) == {9} and set(written["fold"][split.test]) == {10}


def test_the_folder_above_is_understood(made: tuple[Path, dict[str, Any]]) -> None:
    assert scan(made[0].parent).shape == scan(made[0]).shape


def test_a_handful_of_records_has_no_split_of_a_task_it_lacks(tmp_path: Path) -> None:
    publisher.write_ptb_xl(tmp_path / "few", np.random.default_rng(0), records=1)
    task = scan(tmp_path / "few").tasks["form"]
    assert not task.splits and "too few to split" in task.missing["published"]


def test_without_wfdb_the_sentence_says_what_to_install(
    made: tuple[Path, dict[str, Any]], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "wfdb", None)
    with pytest.raises(PairsiftError, match=r'pip install "pairsift\[physio\]"'):
        scan(made[0])


@pytest.mark.data
def test_real_records_are_read_as_wfdb_reads_them() -> None:
    top = publisher.real("ptb-xl", "records100")
    for path in sorted(top.rglob("*.hea"))[::50]:
        expected = wfdb.rdrecord(str(path.with_suffix(""))).p_signal
        np.testing.assert_allclose(read_record(path.with_suffix("")), expected.T, rtol=1e-6)


@pytest.mark.data
def test_the_real_records_are_prepared_with_every_task(tmp_path: Path) -> None:
    source = publisher.real("ptb-xl", "ptbxl_database.csv").parent
    done = prepare("ptb-xl", source, tmp_path)
    assert done.card["shape"] == [500, 12, 1000] and len(done.notes) == 3
    with (source / "scp_statements.csv").open(newline="") as file:
        kinds = {row[""]: row for row in csv.DictReader(file)}
    with (source / "ptbxl_database.csv").open(newline="") as file:
        records = list(csv.DictReader(file))
    for task, count in (("diagnostic", 44), ("form", 19), ("rhythm", 12)):
        splits = load_dataset("ptb-xl", root=tmp_path, task=task, split="grouped")
        assert len(splits.train.classes) == count
        expected = {"train": 0, "val": 0, "test": 0}
        for record in records:
            codes = re.findall(r"'([^']+)':", record["scp_codes"])
            fold = int(record["strat_fold"])
            part = "train" if fold <= 8 else "val" if fold == 9 else "test"
            expected[part] += any(kinds[code][task] == "1.0" for code in codes)
        assert {part: len(getattr(splits, part)) for part in expected} == expected
