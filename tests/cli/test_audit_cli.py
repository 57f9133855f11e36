"""audit from the command line: whose rows it speaks of, what it trains with, what it refuses."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

SMALL = """
epochs = 3
warmup = 1
batch_size = 16
[options]
hidden = 8
encoder_options = {widths = [4, 4]}
"""


@pytest.fixture
def few(tmp_path: Path) -> Path:
    (tmp_path / "small.toml").write_text(SMALL)
    return tmp_path / "small.toml"


def test_of_ones_own_files_every_series_is_looked_at_in_its_own_order(pairsift, mine, few, tmp_path) -> None:
    """Labels would hold out two fifths for a probe; who asks what to throw away asks for all."""
    out = tmp_path / "audit"
    words = ["audit", mine / "labelled.npz", "--config", few, "--out", out, "--quiet"]
    shown = pairsift(*words)
    assert shown.code == 0, shown.err
    table = pd.read_csv(out / "pairs.csv")
    kept = np.load(mine / "labelled.npz")
    assert table["index"].tolist() == list(range(60)) and "row" not in table
    assert table["class"].tolist() == kept["y"].tolist()
    assert table["group"].tolist() == kept["group"].tolist()
    settings = json.loads((out / "run" / "settings.json").read_text())["settings"]
    assert settings["mining"] == "auto"
    page = (out / "report.html").read_text()
    assert "No bad pair was found among 60.\nNothing could be: among fewer than 100 pairs" in shown.out
    assert "among fewer than 100 pairs" in page and "settings.mining" in page
    assert "settings.faulty" not in page  # a beta that Auto does not look at

    before = {p.name: p.read_bytes() for p in out.iterdir() if p.is_file()}
    again = pairsift(*words)  # what is trained is not trained again
    assert again.code == 0 and "epoch" not in again.out
    assert {p.name: p.read_bytes() for p in out.iterdir() if p.is_file()} == before
    other = pairsift(*words, "--mining", "dbpm")
    assert other.code == 2 and "mining differ" in other.err and "choose another folder" in other.err


def test_an_audit_only_watches_unless_told(pairsift, mine, few, tmp_path) -> None:
    """Weighing pairs down before the last epoch would change the losses by which they are told."""
    few.write_text(SMALL.replace("warmup = 1\n", ""))
    warmup = {}
    for mining in ("auto", "dbpm"):
        out = tmp_path / mining
        words = ["audit", mine / "plain.npy", "--config", few, "--mining", mining, "--out", out, "--quiet"]
        assert pairsift(*words).code == 0
        warmup[mining] = json.loads((out / "run" / "settings.json").read_text())["settings"]["warmup"]
    assert warmup == {"auto": 2, "dbpm": None}


def test_a_runs_pairs_know_their_rows_in_the_files(pairsift, mine, made, tmp_path) -> None:
    """The run held series out, so a pair's index is not its row; what is dropped is said in rows."""
    shown = pairsift("audit", made, "--out", tmp_path / "audit")
    assert shown.code == 0, shown.err
    table = pd.read_csv(tmp_path / "audit" / "pairs.csv")
    kept = np.load(mine / "labelled.npz")
    assert len(table) < 60 and (table["row"] != table["index"]).any()
    assert table["class"].tolist() == kept["y"][table["row"]].tolist()
    assert table["group"].tolist() == kept["group"][table["row"]].tolist()
    drop = np.loadtxt(tmp_path / "audit" / "drop.txt", int, ndmin=1)
    assert drop.tolist() == table.loc[table["is_issue"], "row"].tolist()
    issues = pd.read_csv(tmp_path / "audit" / "cleanlab_issues.csv")
    assert issues["index"].tolist() == table["row"].tolist()
    assert "counts all" in (tmp_path / "audit" / "report.html").read_text()


def test_what_a_file_says_is_for_training_is_audited_and_the_planted_are_counted(
    pairsift, mine, few, tmp_path
) -> None:
    bad = tmp_path / "bad.npz"
    assert pairsift("corrupt", mine / "labelled.npz", "--noisy", 0.2, "--faulty", 0.1, "--out", bad).code == 0
    words = ["audit", bad, "--config", few, "--mining", "dbpm", "--out", tmp_path / "audit", "--quiet"]
    shown = pairsift(*words)
    assert shown.code == 0, shown.err
    table = pd.read_csv(tmp_path / "audit" / "pairs.csv")
    split = np.load(bad)["split"]
    assert table["row"].tolist() == np.flatnonzero(split == "train").tolist()
    for kind in ("noisy", "faulty"):
        assert f"{kind}: {(table['planted'] == kind).sum()} were planted" in shown.out


def test_a_run_without_mining_is_refused_with_what_to_do(pairsift, mine, few, tmp_path) -> None:
    words = ["pretrain", mine / "plain.npy", "--config", few, "--mining", "none", "--out", tmp_path / "run"]
    assert pairsift(*words, "--quiet").code == 0
    shown = pairsift("audit", tmp_path / "run", "--out", tmp_path / "audit")
    assert shown.code == 2 and len(shown.err.strip().splitlines()) == 1
    assert "audit the data instead" in shown.err and not (tmp_path / "audit").exists()


@pytest.mark.parametrize("words", [("--epochs", 3), ("--mining", "auto"), ("--set", "temperature=0.1")])
def test_settings_of_a_training_that_has_been_are_refused(pairsift, made, tmp_path, words) -> None:
    shown = pairsift("audit", made, *words, "--out", tmp_path / "audit")
    assert shown.code == 2 and f"{words[0][2:]} is of a training" in shown.err


def test_a_mining_that_tells_no_bad_pairs_is_refused_before_it_trains(pairsift, mine, few, tmp_path) -> None:
    words = ["audit", mine / "plain.npy", "--config", few, "--mining", "none", "--out", tmp_path / "audit"]
    shown = pairsift(*words)
    assert shown.code == 2 and "tells no bad pairs" in shown.err
    assert not (tmp_path / "audit").exists()
