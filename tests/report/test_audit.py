from __future__ import annotations

import json

import numpy as np
import pytest

from pairsift.errors import PairsiftError
from pairsift.report import audit, write_audit

FILES = {
    "pairs.csv",
    "report.html",
    "drop.txt",
    "drop.json",
    "weights.npy",
    "cleanlab_issues.csv",
    "summary.json",
}


def run(made, out, **options):
    return write_audit(
        out, made.miner, made.series, made.views, made.history, made.thresholds, made.about, **options
    )


def test_everything_is_written_and_the_summary_says_so(made, tmp_path):
    summary = run(made, tmp_path / "deep" / "out")
    out = tmp_path / "deep" / "out"
    assert {p.name for p in out.iterdir()} == FILES == set(summary["files"].values())
    assert json.loads((out / "summary.json").read_text()) == summary
    kinds = made.miner["kind"].to_numpy()
    assert summary["bad"] == (kinds > 0).sum() == len((out / "drop.txt").read_text().split())
    assert {row["kind"]: row["count"] for row in summary["kinds"]} == {
        "normal": (kinds == 0).sum(),
        "noisy": (kinds == 1).sum(),
        "faulty": (kinds == 2).sum(),
    }
    assert summary["sentence"] in (out / "report.html").read_text()
    assert summary["about"]["settings"] == {"epochs": 30, "batch_size": 128}
    assert len(summary["groups"]) == 12 and len(summary["classes"]) == 4


def test_an_audit_that_fails_leaves_what_was_there(made, tmp_path, monkeypatch):
    run(made, tmp_path)
    before = {p.name: p.read_bytes() for p in tmp_path.iterdir()}

    def fail(*_, **__):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(audit, "write_report", fail)
    with pytest.raises(OSError, match="No space"):
        write_audit(tmp_path, made.miner.assign(kind=0), made.series)
    assert {p.name: p.read_bytes() for p in tmp_path.iterdir()} == before


def test_the_users_other_files_stay(made, tmp_path):
    (tmp_path / "notes.txt").write_text("mine")
    run(made, tmp_path)
    assert (tmp_path / "notes.txt").read_text() == "mine"


def test_a_file_in_place_of_the_folder_is_refused(made, tmp_path):
    (tmp_path / "out").write_text("mine")
    with pytest.raises(PairsiftError, match="is a file"):
        run(made, tmp_path / "out")


def test_the_summary_is_plain_json_whatever_is_in_it(made, hostile, tmp_path):
    hostile.about["odd"] = {
        "nan": float("nan"),
        "numpy": np.float32(0.5),
        "path": tmp_path,
        "list": (1, None),
    }
    summary = run(hostile, tmp_path)
    assert summary["about"]["odd"] == {"nan": None, "numpy": 0.5, "path": str(tmp_path), "list": [1, None]}
    text = (tmp_path / "summary.json").read_text()
    assert json.loads(text) == summary and "\x1b" not in text
    assert "\x1b" not in (tmp_path / "pairs.csv").read_text() + (tmp_path / "report.html").read_text()


def test_done_reaches_table_page_and_summary(made, tmp_path):
    done = ["drawn milder" if k == 2 else "" for k in made.miner["kind"]]
    summary = run(made, tmp_path, done=done)
    assert {"done": "drawn milder", "count": done.count("drawn milder")} in summary["done"]
    assert "drawn milder" in (tmp_path / "pairs.csv").read_text()
    assert "drawn milder" in (tmp_path / "report.html").read_text()
