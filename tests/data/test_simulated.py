"""The simulation is what the paper describes, and what the module's docstring adds."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
from tests.oracles.simulated import explain

from pairsift.data.simulated import simulate
from pairsift.errors import PairsiftError

SMALL = {
    "n_train": 30,
    "n_test": 6,
    "n_val": 3,
    "noisy": 6,
    "faulty": 9,
    "length": 48,
    "segment": 16,
    "cycles": 2,
}
SILENT = dict(SMALL, noisy=0, snr=(250,))


def test_the_published_sizes_are_the_defaults():
    splits = simulate()
    assert splits.train.x.shape == (3600, 1, 500)
    assert splits.test.x.shape == (1800, 1, 500)
    assert splits.val.x.shape == (600, 1, 500)
    assert np.bincount(splits.train.truth).tolist() == [2400, 600, 600]
    for part in (splits.train, splits.val, splits.test):
        assert len(set(np.bincount(part.y))) == 1
        assert part.classes == ("sine", "square", "sawtooth")
    for clean in (splits.val, splits.test):
        assert not clean.truth.any()
        assert clean.other is None


def test_every_series_is_two_scaled_segments_of_its_class():
    train = simulate(**SILENT).train
    for series, y in zip(train.x[:, 0].tolist(), train.y, strict=True):
        ((name, placed),) = explain(series, 16, 2, 2)
        assert name == train.classes[y]
        assert all(0.5 <= scale <= 2 for _, scale in placed)


def test_a_faulty_pair_differs_in_its_waveform_alone():
    train = simulate(**SILENT).train
    for kind, x, other in zip(train.truth, train.x[:, 0].tolist(), train.other[:, 0].tolist(), strict=True):
        if kind != 2:
            assert other == x
            continue
        ((first, where),) = explain(x, 16, 2, 2)
        ((second, there),) = explain(other, 16, 2, 2)
        assert first != second
        np.testing.assert_allclose(where, there, rtol=1e-4)


def test_a_faulty_pair_shares_its_noise():
    settings = dict(SMALL, n_train=300, noisy=0, faulty=300, snr=(0,))
    train, silent = simulate(**settings).train, simulate(**dict(settings, snr=(250,))).train
    noise, other_noise = train.x - silent.x, train.other - silent.other
    assert np.abs(noise).max() > 0.5
    np.testing.assert_allclose(noise, other_noise, atol=1e-5)


def test_faulty_waveforms_come_in_equal_shares():
    train = simulate(n_train=900, n_test=0, n_val=0, noisy=0, faulty=900, snr=(250,)).train
    square = np.isclose(np.abs(train.other), np.abs(train.other).max(axis=2, keepdims=True))
    is_square = square.sum(axis=2)[:, 0] >= 100  # one segment lies at its amplitude all along
    shares = [is_square[train.y == y].mean() for y in range(3)]
    assert shares[1] == 0
    assert shares[0] == pytest.approx(0.5, abs=0.1)
    assert shares[2] == pytest.approx(0.5, abs=0.1)


def test_noise_has_the_power_that_the_ratio_says():
    settings = {"n_train": 600, "n_test": 0, "n_val": 0, "noisy": 200, "faulty": 0}
    loud = simulate(**settings, snr=(50, 40, 30, 20, 10)).train
    silent = simulate(**settings, snr=(250,), noisy_snr=250).train
    noise = np.square((loud.x - silent.x).astype(np.float64)).mean(axis=(1, 2))
    ratio = 10 * np.log10(np.square(silent.x.astype(np.float64)).mean(axis=(1, 2)) / noise)
    assert np.median(ratio[loud.truth == 1]) == pytest.approx(-30, abs=0.2)
    clean = ratio[loud.truth == 0]
    nearest = np.round(clean, -1)
    assert set(nearest) == {10, 20, 30, 40, 50}
    assert np.abs(clean - nearest).max() < 2
    assert np.bincount((nearest / 10).astype(int))[1:].min() > 50


def test_all_placements_are_equally_likely():
    settings = {"n_train": 30_000, "n_test": 0, "n_val": 0, "noisy": 0, "faulty": 0, "snr": (250,)}
    train = simulate(**settings, length=8, segment=2, cycles=1).train
    taken = np.abs(train.x[train.y == 1, 0]) > 0.1  # square waves of two steps: nonzero all along
    patterns, counts = np.unique(taken, axis=0, return_counts=True)
    # two dominoes on eight places lie in 15 ways
    expected = Counter(
        tuple(k in (a, a + 1, b, b + 1) for k in range(8)) for a in range(7) for b in range(a + 2, 7)
    )
    assert expected.total() == 15
    assert {tuple(p) for p in patterns.tolist()} == set(expected)
    for pattern, count in zip(patterns.tolist(), counts, strict=True):
        assert count / counts.sum() == pytest.approx(expected[tuple(pattern)] / 15, rel=0.12)


def test_the_seed_decides():
    first, again, third = simulate(**SMALL, seed=4), simulate(**SMALL, seed=4), simulate(**SMALL, seed=5)
    for part in ("train", "val", "test"):
        np.testing.assert_array_equal(getattr(first, part).x, getattr(again, part).x)
        assert (getattr(first, part).x != getattr(third, part).x).any()
    np.testing.assert_array_equal(first.train.other, again.train.other)
    np.testing.assert_array_equal(first.train.truth, again.train.truth)
    assert (first.train.x[:3] != first.val.x).any()


def test_parts_do_not_lean_on_each_other():
    plain, wider = simulate(**SMALL), simulate(**dict(SMALL, n_val=0, n_test=90))
    np.testing.assert_array_equal(plain.train.x, wider.train.x)
    assert wider.val is None
    assert simulate(**dict(SMALL, n_test=0)).test is None


def test_fewer_bad_pairs_are_among_more_and_the_rest_stays():
    few, many = simulate(**SMALL).train, simulate(**dict(SMALL, noisy=12, faulty=15)).train
    for kind in (1, 2):
        assert set(np.flatnonzero(few.truth == kind)) < set(np.flatnonzero(many.truth == kind))
    same = few.truth == many.truth
    np.testing.assert_array_equal(few.x[same], many.x[same])
    np.testing.assert_array_equal(few.other[same], many.other[same])


def test_standardised_series_have_mean_0_and_deviation_1():
    train = simulate(**SMALL, standardise=True).train
    for x in (train.x, train.other):
        np.testing.assert_allclose(x.mean(axis=2), 0, atol=1e-5)
        np.testing.assert_allclose(x.std(axis=2), 1, atol=1e-5)


def test_settings_travel_with_the_series():
    facts = simulate(**SMALL, seed=3).train.facts["settings"]
    assert facts["seed"] == 3
    assert facts["noisy_snr"] == -30
    again = simulate(**{**facts, "scale": tuple(facts["scale"])})
    np.testing.assert_array_equal(again.train.x, simulate(**SMALL, seed=3).train.x)


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        ({"n_train": 1}, "n_train must be a whole number of at least 2, got 1"),
        ({"n_val": -1}, "n_val"),
        ({"noisy": 2.5}, "noisy must be a whole number"),
        ({"noisy": 2000, "faulty": 2000}, "plant fewer"),
        ({"segment": 300}, "do not fit"),
        ({"cycles": 0}, "cycles"),
        ({"scale": (2.0, 0.5)}, "scale"),
        ({"scale": (1.0,)}, "scale"),
        ({"snr": ()}, "snr"),
        ({"noisy_snr": float("nan")}, "noisy_snr"),
        ({"seed": -1}, "seed"),
    ],
)
def test_what_cannot_be_drawn_is_refused(wrong, said):
    with pytest.raises(PairsiftError, match=said):
        simulate(**wrong)
