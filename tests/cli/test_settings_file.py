"""One TOML file for all commands: its tables, flags that win, and keys that nobody knows."""

import json
from pathlib import Path

import numpy as np
import pytest

from pairsift.data import load_dataset, load_series


@pytest.fixture
def long(tmp_path: Path) -> Path:
    """Series of 90 steps, read as windows."""
    x = np.random.default_rng(0).normal(size=(20, 2, 90)).astype(np.float32)
    np.savez(tmp_path / "long.npz", X=x, y=np.arange(20) % 2)
    return tmp_path / "long.npz"


def config(folder: Path, text: str) -> Path:
    path = folder / "settings.toml"
    path.write_text(text)
    return path


def test_info_and_corrupt_read_data_as_the_file_says(pairsift, long: Path, tmp_path: Path) -> None:
    path = config(
        tmp_path,
        "[data]\nwindow = 40\ntest = 0.0\nval = 0.0\n[corrupt]\nnoisy = 0.25\nfaulty = 0.0\nseed = 3\n",
    )
    assert "2 channels x 40 time steps" in pairsift("data", "info", long, "--config", path).out
    out = tmp_path / "bad.npz"
    shown = pairsift("corrupt", long, "--config", path, "--faulty", "0.1", "--out", out)
    assert shown.code == 0, shown.err
    assert "10 noisy and 4 faulty pairs in 40 for training" in shown.out
    assert load_dataset(out).train.facts["corrupt"]["seed"] == 3


def test_a_flag_for_lengths_replaces_the_file_s_window(pairsift, long: Path, tmp_path: Path) -> None:
    path = config(tmp_path, "[data]\nwindow = 40\n")
    shown = pairsift("data", "info", long, "--config", path, "--lengths", "refuse")
    assert "2 channels x 90 time steps" in shown.out, shown.err
    assert "x 30 time steps" in pairsift("data", "info", long, "--config", path, "--window", "30").out


def test_evaluate_and_embed_have_tables_too(pairsift, mine: Path, made: Path, tmp_path: Path) -> None:
    path = config(tmp_path, "[evaluate]\nraw = true\nseed = 7\n[embed]\npart = 'test'\n")
    out = tmp_path / "m.json"
    assert pairsift("evaluate", made, "--config", path, "--seed", "5", "--out", out).code == 0
    assert (
        json.loads(out.read_text())["probe"] | {"seed": 5, "standardised": False}
        == json.loads(out.read_text())["probe"]
    )
    words = ["embed", made, mine / "labelled.npz", "--config", path, "--out", tmp_path / "z.npy"]
    assert pairsift(*words).code == 0
    assert len(np.load(tmp_path / "z.npy")) == 12
    assert pairsift(*words, "--part", "all").code == 0
    assert len(np.load(tmp_path / "z.npy")) == 60


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("epoch = 3", "unknown key 'epoch'; did you mean 'epochs'?"),
        ("[data]\nwindw = 3", "unknown key 'windw'; did you mean 'window'?"),
        ("[corrupt]\nniosy = 0.1", "unknown key 'niosy' in [corrupt]; did you mean 'noisy'?"),
        ("[evaluate]\nrow = true", "unknown key 'row' in [evaluate]; did you mean 'raw'?"),
        ("[embed]\nparts = 'all'", "unknown key 'parts' in [embed]; did you mean 'part'?"),
        ("[options]\ntemprature = 0.1", "'temprature'; there are"),
        ("[options]\ntemprature = 0.1", "did you mean 'temperature'?"),
        ("framework = 'simcrl'", "did you mean 'simclr'?"),
        ("dataset = 'harr'", "did you mean 'har'?"),
        ("[corrupt]\nnoisy = 'much'", "noisy in [corrupt] must be a number, got 'much'"),
        ("[corrupt]\nseed = true", "seed in [corrupt] must be a whole number, got True"),
        ("[evaluate]\nraw = 1", "raw in [evaluate] must be true or false"),
        ("corrupt = 0.1", "corrupt must be a table, [corrupt]"),
    ],
)
def test_a_wrong_key_or_value_is_one_sentence(
    pairsift, mine: Path, tmp_path: Path, text: str, sentence: str
) -> None:
    run = tmp_path / "run"
    shown = pairsift("pretrain", mine / "plain.npy", "--config", config(tmp_path, text), "--out", run)
    assert shown.code == 2 and sentence in shown.err and len(shown.err.splitlines()) == 1
    assert not (run / "settings.json").exists()


def test_audit_reads_files_as_told_and_as_its_run_did(
    pairsift, mine: Path, long: Path, tmp_path: Path
) -> None:
    path = config(tmp_path, (mine / "small.toml").read_text() + "[data]\nwindow = 40\n")
    first = tmp_path / "audit"
    shown = pairsift("audit", long, "--config", path, "--mining", "dbpm", "--out", first, "--quiet")
    assert shown.code == 0, shown.err
    kept = json.loads((first / "run" / "settings.json").read_text())
    assert kept["settings"]["epochs"] == 2 and kept["source"]["window"] == 40  # the file's, not audit's own
    again = pairsift("audit", first / "run", "--out", tmp_path / "again")
    assert again.code == 0, again.err
    assert (tmp_path / "again" / "pairs.csv").read_bytes() == (first / "pairs.csv").read_bytes()
    held = load_series(long, window=40, lengths="window")
    assert len((first / "pairs.csv").read_text().splitlines()) - 1 == kept["data"]["shape"][0] == len(held)


def test_what_is_published_of_a_dataset_does_not_depend_on_how_files_are_read(pairsift) -> None:
    shown = pairsift("data", "info", "har", "--channels-last")
    assert shown.code == 2 and "channels-last says how data is read" in shown.err


def test_evaluate_says_which_classes_have_no_area(pairsift, mine: Path, tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    y = np.zeros((40, 3), np.int64)
    y[:, 0] = np.arange(40) % 2
    y[0, 1] = 1  # in the training part only
    y[:, 2] = 1 - y[:, 0]
    split = np.repeat(["train", "test"], 20)
    np.savez(
        tmp_path / "several.npz",
        X=rng.normal(size=(40, 1, 30)).astype(np.float32),
        y=y,
        split=split,
        classes=["a", "rare", "b"],
    )
    words = ["pretrain", tmp_path / "several.npz", "--config", mine / "small.toml", "--out", tmp_path / "run"]
    assert pairsift(*words).code == 0
    shown = pairsift("evaluate", tmp_path / "run")
    assert shown.code == 0, shown.err
    assert "over 2 of 3 classes; the test part has no series, or no other series, of rare" in shown.out
    assert "accuracy is the share of series where all are right" in shown.out
