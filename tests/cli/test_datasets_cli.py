"""data list, info, prepare, and corrupt."""

import json
from pathlib import Path

import numpy as np
import pytest
from tests.data import publisher

from pairsift.data import load_dataset, load_series
from pairsift.data.catalog import CATALOG


@pytest.fixture
def har(tmp_path: Path) -> Path:
    """Made-up HAR as UCI ships it."""
    return publisher.write_har(tmp_path / "source", publisher.har_arrays(np.random.default_rng(0)))


def test_list_names_every_dataset_and_what_is_here(pairsift, tmp_path: Path, har: Path) -> None:
    root = tmp_path / "root"
    (root / "epilepsy").mkdir(parents=True)
    before = pairsift("data", "list", "--root", root)
    assert before.code == 0
    states = {line[:11].strip(): line[22:35].strip() for line in before.out.splitlines()[:-1]}
    expected = dict.fromkeys(CATALOG, "absent") | {"simulated": "generated", "epilepsy": "raw copy"}
    assert states == expected
    assert str(root) in before.out
    assert pairsift("data", "prepare", "har", "--source", har, "--root", root).code == 0
    assert "har        9 x 128    prepared" in pairsift("data", "list", "--root", root).out


def test_prepare_writes_below_the_root_and_says_where_counts_differ(
    pairsift, tmp_path: Path, har: Path
) -> None:
    root = tmp_path / "root"
    shown = pairsift("data", "prepare", "har", "--source", har, "--root", root)
    assert shown.code == 0, shown.err
    assert "har: 80 series, 9 channels x 128 time steps" in shown.out
    assert "note: " in shown.err and "published" in shown.err
    assert json.loads((root / "prepared" / "har" / "card.json").read_text())["shape"] == [80, 9, 128]


@pytest.mark.parametrize("name", CATALOG)
def test_info_says_where_to_get_it(pairsift, name: str, tmp_path: Path) -> None:
    shown = pairsift("data", "info", name, "--root", tmp_path)
    assert shown.code == 0 and "licence" in shown.out and "cite" in shown.out
    assert "here      generated" in shown.out if name == "simulated" else "here      absent" in shown.out


def test_info_of_ones_own_files(pairsift, mine: Path, tmp_path: Path) -> None:
    shown = pairsift("data", "info", mine / "labelled.npz")
    assert "2 channels x 40 time steps" in shown.out and "slow 30" in shown.out and "15 groups" in shown.out
    np.save(tmp_path / "odd.npy", np.concatenate([np.ones((2, 30)), np.eye(30)]).astype(np.float32))
    odd = pairsift("data", "info", tmp_path / "odd.npy").out
    assert "2 of 32 series never change" in odd and "1 of 32 series are copies" in odd


@pytest.mark.parametrize(
    ("what", "sentence"),
    [
        ("./none.csv", "there is no file or folder none.csv"),
        ("none/there", "there is no file or folder none/there"),
        ("harr", "did you mean 'har'?"),
    ],
)
def test_info_of_what_is_not_there_is_one_sentence(pairsift, what: str, sentence: str) -> None:
    shown = pairsift("data", "info", what)
    assert shown.code == 2 and sentence in shown.err and len(shown.err.splitlines()) == 1


def test_a_folder_of_many_odd_files_does_not_flood_the_terminal(pairsift, tmp_path: Path) -> None:
    for k in range(30):
        (tmp_path / f"{k:02d}.csv").write_text("time,v\n0,1\n1,2\n9,3\n")  # uneven steps in each
    shown = pairsift("data", "info", tmp_path)
    assert shown.code == 0
    lines = [line for line in shown.out.splitlines() if "note" in line]
    assert len(lines) == 9 and "29 of 30 series are copies" in lines[0] and "and 23 more" in lines[-1]


def test_corrupt_plants_in_the_training_part_only_and_keeps_the_truth(
    pairsift, mine: Path, tmp_path: Path
) -> None:
    out = tmp_path / "bad.npz"
    words = [
        "corrupt",
        mine / "labelled.npz",
        "--noisy",
        "0.25",
        "--faulty",
        "0.25",
        "--seed",
        "3",
        "--out",
        out,
    ]
    shown = pairsift(*words)
    assert shown.code == 0, shown.err
    assert "9 noisy and 9 faulty pairs in 36 for training" in shown.out
    clean, bad = load_dataset(mine / "labelled.npz"), load_dataset(out)
    assert np.bincount(bad.train.truth).tolist() == [18, 9, 9]
    for part in ("val", "test"):
        assert np.array_equal(getattr(clean, part).x, getattr(bad, part).x)
        assert not getattr(bad, part).truth.any()
    normal = bad.train.truth == 0
    assert np.array_equal(clean.train.x[normal], bad.train.x[normal])
    assert (clean.train.x != bad.train.x).any(axis=(1, 2)).tolist() == (bad.train.truth == 1).tolist()
    assert (bad.train.other != bad.train.x).any(axis=(1, 2)).tolist() == (bad.train.truth == 2).tolist()
    assert np.array_equal(clean.train.y, bad.train.y) and clean.train.classes == bad.train.classes
    assert "torch" in bad.train.facts["versions"]
    assert bad.train.facts["corrupt"]["seed"] == 3 and bad.train.facts["source"]["data"].endswith(
        "labelled.npz"
    )
    first = out.read_bytes()
    assert pairsift(*words).code == 0
    assert load_series(out).facts["fingerprint"] == bad.train.facts["fingerprint"] and len(
        out.read_bytes()
    ) == len(first)


def test_a_corrupted_dataset_keeps_its_published_settings(
    pairsift, mine: Path, tmp_path: Path, har: Path
) -> None:
    root, out, run = tmp_path / "root", tmp_path / "bad.npz", tmp_path / "run"
    assert pairsift("data", "prepare", "har", "--source", har, "--root", root).code == 0
    assert pairsift("corrupt", "har", "--root", root, "--out", out).code == 0
    assert pairsift("pretrain", out, "--config", mine / "small.toml", "--out", run).code == 0
    kept = json.loads((run / "settings.json").read_text())
    assert kept["settings"]["dataset"] == "har" and kept["made"]["augmentation"] == "har"
    assert pairsift("evaluate", run).code == 0
