"""Miners by name."""

import pytest

from pairsift.mining import (
    ConstantWeight,
    GaussianWeight,
    MixtureWeight,
    Ramp,
    Sigma,
    build_miner,
    usual_weight,
)


@pytest.mark.parametrize("mining", ["none", "rince"])
def test_what_mines_nothing_gives_no_miner(mining):
    assert build_miner(mining, 10, epochs=1) is None


def test_dbpm_is_the_papers_algorithm():
    miner = build_miner("dbpm", 10)
    assert (miner.threshold, miner.weight) == (Sigma(2, 3), GaussianWeight())
    assert (miner.memory.history, miner.warmup_epochs, miner.batch_size) == ("mean", 10, None)


@pytest.mark.parametrize("mining", ["auto", "mend"])
def test_what_auto_finds_weighs_nothing_unless_asked_otherwise(mining):
    assert build_miner(mining, 10).weight == ConstantWeight(0)
    assert build_miner(mining, 10, weight="gaussian").weight == GaussianWeight()
    assert usual_weight(mining, "peak-one") == "zero" and usual_weight("dbpm", "peak-one") == "peak-one"


def test_settings_go_through():
    settings = {"noisy": 1, "faulty": None, "weight": 0.5, "history": Ramp(9), "batch_size": 4}
    miner = build_miner("dbpm", 10, epochs=9, warmup_epochs=2, **settings)
    assert (miner.threshold, miner.weight) == (Sigma(1, None), ConstantWeight(0.5))
    assert (miner.memory.history, miner.warmup_epochs, miner.batch_size) == (Ramp(9), 2, 4)
    assert build_miner("dbpm", 10, threshold=Sigma(4, 4), noisy=1).threshold == Sigma(4, 4)


@pytest.mark.parametrize(("epochs", "warmup"), [(1, 0), (2, 0), (3, 1), (40, 13), (80, 26)])
def test_a_third_of_the_epochs_is_warm_up(epochs, warmup):
    assert build_miner("dbpm", 10, epochs=epochs).warmup_epochs == warmup


@pytest.mark.parametrize(
    ("name", "weight"),
    [
        ("gaussian", GaussianWeight()),
        ("peak-one", GaussianWeight(peak_one=True)),
        ("zero", ConstantWeight(0)),
        ("mixture", MixtureWeight(3)),
        (MixtureWeight(2), MixtureWeight(2)),
        (1, ConstantWeight(1)),
    ],
)
def test_weights_have_names(name, weight):
    assert build_miner("dbpm", 10, weight=name).weight == weight


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"mining": "dpbm"}, "mining must be one of none, rince, dbpm, auto, mend, got 'dpbm'"),
        (
            {"weight": "gauss"},
            "weight must be .* one of gaussian, peak-one, zero, mixture, got 'gauss'",
        ),
        ({"epochs": 5, "warmup_epochs": 5}, "warmup_epochs must be less than epochs.* got 5 of 5"),
    ],
)
def test_what_cannot_be_built_is_said(settings, message):
    with pytest.raises(ValueError, match=message):
        build_miner(**{"mining": "dbpm", "num_pairs": 10, **settings})
