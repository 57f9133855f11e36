"""What the whole way reaches on real data, from publishers' files to a probe: minutes, so by request only."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from tests.data import publisher

from pairsift import ContrastiveEncoder
from pairsift.data import load_dataset

pytestmark = [pytest.mark.slow, pytest.mark.data]
LEAST = 0.915


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("root")


@pytest.fixture
def har(pairsift, root: Path, tmp_path: Path) -> Path:
    """UCI HAR prepared from its published folder; the root it lies below."""
    held = dict(np.load(publisher.real("har", "uci_har.npz")))
    if not (root / "prepared" / "har").exists():
        source = publisher.write_har(tmp_path, held)
        shown = pairsift("data", "prepare", "har", "--source", source, "--root", root)
        assert shown.code == 0 and "note" not in shown.err  # the counts are the published ones
    return root


def test_har_from_its_publisher_s_files_at_the_command_line(pairsift, har: Path, tmp_path: Path) -> None:
    run = tmp_path / "run"
    words = ["pretrain", "har", "--framework", "simclr", "--mining", "dbpm", "--epochs", "40"]
    assert pairsift(*words, "--root", har, "--out", run).code == 0
    assert pairsift("evaluate", run).code == 0
    assert json.loads((run / "metrics.json").read_text())["metrics"]["accuracy"] >= LEAST


def test_har_in_three_lines_of_python(har: Path) -> None:
    splits = load_dataset("har", root=har)
    encoder = ContrastiveEncoder("simclr", mining="dbpm", epochs=40, dataset="har", random_state=0)
    model = make_pipeline(encoder, StandardScaler(), LogisticRegression(max_iter=1000))
    assert model.fit(splits.train.x, splits.train.y).score(splits.test.x, splits.test.y) >= LEAST


@pytest.mark.parametrize("task", ["diagnostic", "form", "rhythm"])
def test_ptb_xl_s_first_records_give_a_macro_auroc(pairsift, root: Path, tmp_path: Path, task: str) -> None:
    if not (root / "prepared" / "ptb-xl").exists():
        source = publisher.real("ptb-xl")
        assert pairsift("data", "prepare", "ptb-xl", "--source", source, "--root", root).code == 0
    run = tmp_path / "run"
    words = ["pretrain", "ptb-xl", "--task", task, "--mining", "dbpm", "--epochs", "2", "--root", root]
    assert pairsift(*words, "--out", run).code == 0
    assert pairsift("evaluate", run).code == 0
    found = json.loads((run / "metrics.json").read_text())
    assert found["source"]["task"] == task and found["settings"]["epochs"] == 2
    assert 0.5 < found["metrics"]["auroc"] <= 1
