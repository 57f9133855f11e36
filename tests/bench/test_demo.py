"""The demo: what it writes, and that it is the same for the same seed."""

import json
from pathlib import Path

import pytest

from pairsift.bench import demo
from pairsift.bench.demo import ARMS, demo_table, run_demo
from pairsift.data.simulated import simulate


@pytest.fixture
def tiny(monkeypatch: pytest.MonkeyPatch) -> None:
    def few(seed: int):
        return simulate(n_train=90, n_test=30, n_val=0, noisy=12, faulty=12, length=60, segment=20, seed=seed)

    monkeypatch.setattr(demo, "simulate", few)


def test_it_writes_numbers_and_a_picture_and_repeats(tiny: None, tmp_path: Path) -> None:
    said: list[str] = []
    options = {"epochs": 3, "batch_size": 16, "precision": "32-true"}
    result = run_demo(tmp_path, say=said.append, **options)
    kept = json.loads((tmp_path / "metrics.json").read_text())
    assert kept == json.loads(json.dumps(result))
    assert {"detection", "settings", "versions", "seconds", *ARMS} == set(kept)
    for arm in ARMS:
        assert 0 <= kept[arm]["accuracy"] <= 1 and 0 <= kept[arm]["auprc"] <= 1
    assert {"auroc", "precision", "recall", "f1"} <= set(kept["detection"]["noisy"])
    assert kept["detection"]["faulty"]["planted"] == 12
    assert kept["settings"]["epochs"] == 3 and kept["settings"]["simulation"]["noisy"] == 12
    assert (tmp_path / "dynamics.png").read_bytes().startswith(b"\x89PNG")
    assert said == [f"training: {arm}" for arm in ARMS]

    again = run_demo(tmp_path, say=said.append, **options)
    assert {k: again[k] for k in (*ARMS, "detection")} == {k: result[k] for k in (*ARMS, "detection")}


def test_the_table_shows_what_is_not_there_as_a_dash() -> None:
    numbers = {"accuracy": 0.9, "auprc": 0.95, "readable_raw": {"accuracy": 0.8, "auprc": 0.9}}
    found = {"auroc": 0.99, "precision": None, "recall": 0.0, "f1": 0.0}
    text = demo_table({**dict.fromkeys(ARMS, numbers), "detection": {"noisy": found, "faulty": found}})
    assert text.splitlines()[1].split() == ["no", "mining", "90.00", "95.00", "80.00"]
    assert text.splitlines()[-1].split() == ["faulty", "0.990", "-", "0.000", "0.000"]


@pytest.mark.slow
def test_bad_pairs_hurt_and_mining_helps(tmp_path: Path) -> None:
    result = run_demo(tmp_path, say=lambda _: None)
    assert result["none"]["accuracy"] < result["dbpm"]["accuracy"] < result["oracle"]["accuracy"]
    assert result["detection"]["noisy"]["auroc"] >= 0.99
    assert result["detection"]["faulty"]["auroc"] >= 0.95
