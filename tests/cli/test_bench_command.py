"""pairsift bench: run, table and figure from the command line."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from pairsift.cli import app
from pairsift.errors import PairsiftError

SPEC = """
title = "a small matrix"

[matrix]
dataset = ["simulated"]
mining = ["none", "dbpm"]

[settings]
data = { n_train = 64, n_test = 30, n_val = 30, length = 60, segment = 20 }
epochs = 2
batch_size = 16
keep = ["pairs"]
"""


def call(*words: str, code: int = 0) -> str:
    done = CliRunner().invoke(app, ["bench", *words])
    assert done.exit_code == code, (done.output, done.exception)
    return done.output


@pytest.fixture
def spec(tmp_path: Path) -> Path:
    path = tmp_path / "small.toml"
    path.write_text(SPEC)
    return path


def test_a_spec_becomes_results_a_page_and_a_figure(spec: Path, tmp_path: Path) -> None:
    out = tmp_path / "results"
    said = call("run", str(spec), "--out", str(out))
    assert "[2/2] simulated simclr dbpm seed 0" in said
    assert "2 of them there" in call("run", str(spec), "--out", str(out))
    page = tmp_path / "docs" / "page.md"
    call("table", str(out), "--out", str(page))
    assert "## a small matrix" in page.read_text() and page.read_text() in call("table", str(out)) + "\n"
    rows = json.loads((out / "tables.json").read_text())["small"]["rows"]
    assert [row["variant"] for row in rows] == ["none", "dbpm"] and len(rows[1]["cells"]) == 1
    call("figure", str(out), "--out", str(tmp_path / "figures"))
    assert (tmp_path / "figures" / "cost.png").exists()


def test_plan_lists_what_would_run(spec: Path, tmp_path: Path) -> None:
    said = call("run", str(spec), "--out", str(tmp_path / "r"), "--plan", "--only", "mining=dbpm")
    assert said.splitlines() == ["1 cells, 0 of them there; 1 left", "simulated simclr dbpm seed 0"]


def test_failures_are_named_and_the_exit_code_says_so(tmp_path: Path) -> None:
    path = tmp_path / "nodata.toml"
    path.write_text('title = "no data"\n[matrix]\ndataset = ["sleep-edf"]\n[settings]\nepochs = 1\n')
    said = call("run", str(path), "--out", str(tmp_path / "r"), "--root", str(tmp_path), code=1)
    assert "failed: sleep-edf simclr none seed 0: sleep-edf is not prepared" in said
    assert "1 cells failed" in said


@pytest.mark.parametrize("command", ["table", "figure"])
def test_a_folder_without_results_is_refused(command: str, tmp_path: Path) -> None:
    done = CliRunner().invoke(app, ["bench", command, str(tmp_path)])
    assert isinstance(done.exception, PairsiftError) and "holds no results" in str(done.exception)
