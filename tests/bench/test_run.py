"""One cell: what it says, that it says it again, and what it learns and is judged from."""

from __future__ import annotations

import json

import numpy as np
import pytest
import torch
from tests.oracles.bench_results import tiny_cell

from pairsift.bench import run as run_module
from pairsift.bench.clock import MinerClock
from pairsift.bench.materials import materials
from pairsift.bench.mined import by_class
from pairsift.bench.run import make_miner, run_cell, training_settings
from pairsift.data import Series
from pairsift.errors import PairsiftError
from pairsift.mining import ConstantWeight, GaussianWeight, MixtureWeight, Sigma, build_miner

ALIKE = ("settings", "made", "data", "probes", "loss", "mined", "pairs", "tsne")


def test_a_cell_says_all_and_repeats() -> None:
    cell = tiny_cell(mining="dbpm", planted=0.3, keep=["pairs", "tsne"])
    first, second = (run_cell(cell.model_dump(mode="json")) for _ in range(2))
    assert json.loads(json.dumps(first)) == first
    assert {name: first[name] for name in ALIKE} == {name: second[name] for name in ALIKE}
    assert set(first["probes"]) == {"raw", "standardised", "raw_planted", "standardised_planted"}
    for judged in first["probes"].values():
        assert judged["test"]["rows"] == 30 and judged["validation"]["rows"] == 30
        assert set(judged["test"]["auroc_per_class"]) == {"sine", "square", "sawtooth"}
    mined = first["mined"]
    assert sum(mined["counts"].values()) == 64 == sum(map(sum, mined["by_class"].values()))
    assert mined["detection"]["noisy"]["planted"] == mined["detection"]["faulty"]["planted"] == 10
    for kind, (name, row) in enumerate(mined["truth_by_kind"].items()):
        assert sum(row) == {"normal": 44, "noisy": 10, "faulty": 10}[name]
        if kind:
            assert row[kind] == round((mined["detection"][name]["recall"] or 0) * 10)
    assert len(first["pairs"]["mean"]) == len(first["tsne"]["x"]) == 64
    assert 0 < first["seconds"]["miner"] < first["seconds"]["train"] < first["seconds"]["total"]
    assert first["memory"]["miner_bytes"] >= 64 * 12
    assert torch.get_num_threads() == 1


def test_the_base_neither_mines_nor_knows_of_planting() -> None:
    result = run_cell(tiny_cell(epochs=1).model_dump(mode="json"))
    assert "mined" not in result and result["memory"]["miner_bytes"] == 0 and result["seconds"]["miner"] == 0
    assert set(result["probes"]) == {"raw", "standardised"}


def test_the_oracle_learns_from_exactly_what_was_not_planted() -> None:
    plain, oracle = (materials(tiny_cell(planted=0.25, mining=m)) for m in ("none", "oracle"))
    truth = plain.learned.truth
    assert (truth == 1).sum() == (truth == 2).sum() == 8
    np.testing.assert_array_equal(oracle.learned.x, plain.learned.x[truth == 0])
    assert (oracle.learned.truth == 0).all()


@pytest.mark.parametrize(("kind", "counts"), [("both", (8, 8)), ("noisy", (16, 0)), ("faulty", (0, 16))])
def test_what_is_planted_is_of_the_kind_that_was_asked_for(kind: str, counts: tuple[int, int]) -> None:
    held = materials(tiny_cell(planted=0.25, kind=kind))
    assert tuple(int((held.learned.truth == k).sum()) for k in (1, 2)) == counts
    normal = held.learned.truth == 0
    np.testing.assert_array_equal(held.learned.x[normal], held.splits.train.x[normal])
    assert (held.splits.train.truth == 0).all() and held.planted is held.learned


def test_another_seed_plants_other_pairs_and_no_part_is_judged_on_damaged_series() -> None:
    one, other = (materials(tiny_cell(planted=0.25, seed=seed)) for seed in (0, 1))
    assert (one.learned.truth != other.learned.truth).any()
    for part in (one.splits.val, one.splits.test):
        assert part is not None and (part.truth == 0).all()


def test_options_of_the_simulation_are_refused_elsewhere() -> None:
    with pytest.raises(PairsiftError, match="data holds options of the simulation, har takes none"):
        materials(tiny_cell(dataset="har"))


def test_a_cell_s_miner_is_the_one_that_its_settings_name() -> None:
    def miner(**settings: object):
        cell = tiny_cell(mining="dbpm", **settings)
        wanted = training_settings(cell)
        return make_miner(cell, wanted, run_module.make_framework(wanted, materials(cell).learned), 64)

    assert miner().threshold == Sigma(1.0, 1.0) and miner().weight == GaussianWeight()
    assert miner(noisy="off").threshold == Sigma(None, 1.0)
    assert miner(weight="0").weight == ConstantWeight(0.0)
    assert miner(weight="0.25").weight == ConstantWeight(0.25)
    assert miner(weight="mixture-4").weight == MixtureWeight(4)
    assert miner(framework="simsiam").weight == GaussianWeight(peak_one=True)
    assert miner().warmup_epochs == 1 and miner(warmup=2).warmup_epochs == 2
    assert make_miner(tiny_cell(), training_settings(tiny_cell()), None, 64) is None  # type: ignore[arg-type]


def test_the_clock_counts_the_miner_and_nothing_else(monkeypatch: pytest.MonkeyPatch) -> None:
    now = 0.0  # seconds, on a clock that moves only when it is told to

    def passes(seconds: float) -> None:
        nonlocal now
        now += seconds

    monkeypatch.setattr("pairsift.bench.clock.time.perf_counter", lambda: now)
    plain, timed = (build_miner("dbpm", 8, warmup_epochs=1) for _ in range(2))
    assert plain is not None and timed is not None
    begin, forward = timed.start_epoch, timed.forward
    timed.start_epoch = lambda: (passes(1), begin())[1]  # type: ignore[method-assign]
    timed.forward = lambda *given: (passes(10), forward(*given))[1]  # type: ignore[method-assign]
    clock = MinerClock(timed)
    losses = torch.linspace(0, 3, 8)
    for _ in range(3):
        plain.start_epoch(), timed.start_epoch()
        passes(100)
        assert torch.equal(timed(losses, torch.arange(8)), plain(losses, torch.arange(8)))
    assert clock.seconds == 33


def test_verdicts_are_counted_by_class_also_where_several_hold() -> None:
    x = np.zeros((4, 1, 8), np.float32)
    kinds = np.array([0, 1, 2, 1])
    single = Series(x, y=np.array([0, 0, 2, 1]), classes=("a", "b", "c"))
    assert by_class(kinds, single) == {"a": [1, 1, 0], "b": [0, 1, 0], "c": [0, 0, 1]}
    several = Series(x, y=np.array([[1, 1], [0, 1], [1, 0], [0, 0]]), classes=("a", "b"))
    assert by_class(kinds, several) == {"a": [1, 0, 1], "b": [1, 1, 0]}
    assert by_class(kinds, Series(x)) is None
