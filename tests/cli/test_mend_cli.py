"""mend from the command line: trained, resumed, its parts named, and the audit says what was done."""

import csv
import json
from pathlib import Path

import numpy as np

from pairsift.training import load_miner, read_settings

SMALL = """
epochs = 6
warmup = 3
batch_size = 32
seed = 1
mining = "mend"
[options]
hidden = 8
augmentation = "mild"
[options.encoder_options]
widths = [4, 4, 8]
"""


def make(pairsift, folder: Path) -> tuple[Path, Path]:
    """Waves, a sixth of them drowned in noise, and settings for a small run."""
    turn, rng = np.linspace(0, 20, 40), np.random.default_rng(0)
    x = np.sin(turn * rng.uniform(0.5, 2, (240, 1, 1)) + rng.uniform(0, 6, (240, 1, 1)))
    np.savez(folder / "waves.npz", X=x.astype(np.float32))
    shown = pairsift(
        "corrupt", folder / "waves.npz", "--noisy", 0.15, "--faulty", 0, "--out", folder / "bad.npz"
    )
    assert shown.code == 0, shown.err
    (folder / "small.toml").write_text(SMALL)
    return folder / "bad.npz", folder / "small.toml"


def test_mend_by_flag_and_by_file(pairsift, tmp_path: Path) -> None:
    data, how = make(pairsift, tmp_path)
    run = tmp_path / "run"
    words = ["pretrain", data, "--config", how, "--mend", "noisy,gentle", "--out", run]
    shown = pairsift(*words)
    assert shown.code == 0, shown.err
    assert "simclr with mining mend: loss" in shown.out
    assert read_settings(run)["settings"]["mend"] == ["noisy", "gentle"]
    miner = load_miner(run)
    assert miner.parts == ("gentle", "noisy")
    again = pairsift(*words, "--resume")
    assert again.code == 0, again.err
    assert pairsift(*words[:-1], tmp_path / "other", "--mend", "hope").code == 2

    shown = pairsift("audit", run, "--out", tmp_path / "audit")
    assert shown.code == 0, shown.err
    with (tmp_path / "audit" / "pairs.csv").open() as file:
        rows = list(csv.DictReader(file))
    done = {row["done"] for row in rows if row["kind"] == "noisy"}
    assert done <= {"left out"}
    summary = json.loads((tmp_path / "audit" / "summary.json").read_text())
    assert {each["done"] for each in summary["done"]} >= {"nothing"}
    assert sum(each["count"] for each in summary["done"]) == len(rows)
    assert miner.care.left_out.sum() == sum(row["done"] == "left out" for row in rows)
    page = (tmp_path / "audit" / "report.html").read_text()
    assert "What was done" in page


def test_a_part_that_there_is_none_of_is_refused_in_a_sentence(pairsift, tmp_path: Path) -> None:
    data, how = make(pairsift, tmp_path)
    shown = pairsift("pretrain", data, "--config", how, "--mend", "hope", "--out", tmp_path / "run")
    assert shown.code == 2
    assert "'negatives', 'gentle' or 'noisy'" in shown.err and len(shown.err.strip().splitlines()) == 1
