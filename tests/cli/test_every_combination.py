"""`pairsift pretrain simulated` with every framework and mining: 17 finish, one refuses in a sentence."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from pairsift.frameworks import FRAMEWORKS
from pairsift.mining import MININGS

COMBINATIONS = [(name, mining) for name in FRAMEWORKS for mining in MININGS]
WORDS = ("--epochs", 2, "--warmup", 1, "--precision", "auto", "--quiet")
every_combination = pytest.mark.parametrize(("name", "mining"), COMBINATIONS)


def check(pairsift, name: str, mining: str, data: object, out: Path, *words: object) -> None:
    shown = pairsift("pretrain", data, "--framework", name, "--mining", mining, "--out", out, *WORDS, *words)
    if (name, mining) == ("simsiam", "rince"):
        assert shown.code != 0 and "needs negative pairs and SimSiam has none" in shown.err
        assert len(shown.err.strip().splitlines()) == 1, shown.err
        return
    assert shown.code == 0, shown.err
    assert f"{name} with mining {mining}: loss" in shown.out
    kept = json.loads((out / "settings.json").read_text())
    assert (kept["made"]["loss"] == "rince") == (mining == "rince")
    assert (out / "framework.safetensors").exists()
    assert (out / "miner.safetensors").exists() == (mining not in ("none", "rince"))
    rows = (out / "metrics.csv").read_text().splitlines()
    assert len(rows) == 3 and "nan" not in rows[-1]


def test_there_are_seventeen_beside_auto_and_mend() -> None:
    assert len([mining for _, mining in COMBINATIONS if mining not in ("auto", "mend")]) - 1 == 17


@every_combination
def test_on_ones_own_series(pairsift, mine: Path, tmp_path: Path, name: str, mining: str) -> None:
    check(pairsift, name, mining, mine / "labelled.npz", tmp_path / "run", "--batch-size", 16)


@pytest.mark.slow
@every_combination
def test_on_the_simulation(pairsift, tmp_path: Path, name: str, mining: str) -> None:
    check(pairsift, name, mining, "simulated", tmp_path / "run")
