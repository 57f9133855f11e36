"""Planted pairs: exactly as many as asked for, where the truth says, and nothing else touched."""

from __future__ import annotations

import json

import numpy as np
import pytest

from pairsift.data.corrupt import corrupt
from pairsift.data.series import Series
from pairsift.data.simulated import simulate
from pairsift.errors import PairsiftError


def clean(count: int = 400, channels: int = 2, length: int = 64) -> Series:
    rng = np.random.default_rng(0)
    turn = np.linspace(0, 8 * np.pi, length) + rng.uniform(0, 6, (count, 1, 1))
    x = (np.sin(turn) * np.array([1.0, 100.0])[None, :channels, None]).astype(np.float32)
    return Series(x, y=np.arange(count) % 3, ids=np.arange(count), name="waves")


def planted(series: Series, kind: int) -> set[int]:
    return set(np.flatnonzero(series.truth == kind).tolist())


def power_ratio(before: Series, after: Series) -> np.ndarray:
    noise = np.square(after.x - before.x).mean(axis=2)
    return 10 * np.log10(np.square(before.x).mean(axis=2) / np.maximum(noise, 1e-20))


@pytest.mark.parametrize(
    ("noisy", "faulty"), [(0.1, 0.1), (0.25, 0), (0, 0.3), (0, 0), (0.5, 0.5), (0.013, 0.027)]
)
def test_counts_are_exact_and_the_two_kinds_never_meet(noisy, faulty):
    before = clean()
    after = corrupt(before, noisy, faulty)
    assert np.bincount(after.truth, minlength=3).tolist()[1:] == [round(400 * noisy), round(400 * faulty)]
    changed = (after.x != before.x).any(axis=(1, 2))
    np.testing.assert_array_equal(changed, after.truth == 1)
    if faulty:
        differs = (after.other != after.x).any(axis=(1, 2))
        np.testing.assert_array_equal(differs, after.truth == 2)
    else:
        assert after.other is None
    np.testing.assert_array_equal(after.y, before.y)
    np.testing.assert_array_equal(after.ids, before.ids)


def test_the_input_stays_as_it_was():
    before = clean()
    corrupt(before, 0.5, 0.5)
    np.testing.assert_array_equal(before.x, clean().x)
    assert before.truth is None


def test_noise_has_the_power_asked_for_in_every_channel():
    before = clean()
    after = corrupt(before, 0.5, 0, snr=-20)
    ratio = power_ratio(before, after)[after.truth == 1]  # (R, C)
    np.testing.assert_allclose(ratio.mean(axis=0), -20, atol=0.5)


def test_keeping_the_power_hides_the_noise_from_the_amplitude():
    before = clean()
    after = corrupt(before, 0.5, 0, keep_power=True)
    np.testing.assert_allclose(np.square(after.x).mean(axis=2), np.square(before.x).mean(axis=2), rtol=1e-4)
    assert (after.x != before.x).any()


def test_a_flat_channel_drowns_too():
    before = clean()
    before.x[:, 0] = 0
    before.x[7] = 0
    after = corrupt(before, 1.0, 0)
    assert (after.x.std(axis=2) > 0.1).all()
    assert np.isfinite(after.x).all()


def test_the_other_series_has_lost_its_pattern():
    before = clean()
    after = corrupt(before, 0, 0.5)
    rows = after.truth == 2
    pairs = zip(after.x[rows, 0], after.other[rows, 0], strict=True)
    assert abs(np.mean([np.corrcoef(a, b)[0, 1] for a, b in pairs])) < 0.1


def test_a_larger_share_holds_the_smaller_one_damaged_alike():
    before = clean()
    few, many = corrupt(before, 0.1, 0.13), corrupt(before, 0.3, 0.4)
    for kind in (1, 2):
        assert planted(few, kind) < planted(many, kind)
    noisy, faulty = few.truth == 1, few.truth == 2
    np.testing.assert_array_equal(few.x[noisy], many.x[noisy])
    np.testing.assert_array_equal(few.other[faulty], many.other[faulty])


def test_the_seed_decides():
    before = clean()
    first, again, other = corrupt(before, seed=1), corrupt(before, seed=1), corrupt(before, seed=2)
    np.testing.assert_array_equal(first.x, again.x)
    np.testing.assert_array_equal(first.other, again.other)
    assert planted(first, 1) != planted(other, 1)


def test_what_was_bad_before_stays_what_it_was():
    before = simulate(n_train=120, n_test=0, n_val=0, noisy=20, faulty=20).train
    after = corrupt(before, 0.1, 0.1)
    assert np.bincount(after.truth).tolist() == [56, 32, 32]
    for kind in (1, 2):
        assert planted(before, kind) < planted(after, kind)
    old = before.truth == 2
    np.testing.assert_array_equal(after.other[old], before.other[old])
    noisy = after.truth == 1
    np.testing.assert_array_equal(after.other[noisy], after.x[noisy])


def test_random_view_marks_without_damage():
    before = clean()
    after = corrupt(before, 0.1, 0.2, view="random")
    assert np.bincount(after.truth).tolist() == [280, 40, 80]
    assert after.other is None
    fixed = corrupt(before, 0.1, 0.2)
    np.testing.assert_array_equal(after.truth, fixed.truth)


def test_settings_are_kept_as_json():
    facts = json.loads(json.dumps(corrupt(clean(), 0.1, 0.2, seed=3).facts))["corrupt"]
    assert facts["planted"] == {"noisy": 40, "faulty": 80}
    assert (facts["seed"], facts["snr"], facts["view"]) == (3, -20.0, "second")


def test_a_read_only_memory_map_can_be_damaged(tmp_path):
    np.save(tmp_path / "x.npy", clean().x)
    x = np.load(tmp_path / "x.npy", mmap_mode="r")
    after = corrupt(Series(x, name="map"), 0.5, 0.5)
    np.testing.assert_array_equal(after.x, corrupt(Series(np.array(x)), 0.5, 0.5).x)


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        ({"noisy": -0.1}, "noisy is a share"),
        ({"faulty": 10}, "faulty is a share"),
        ({"noisy": float("nan")}, "noisy is a share"),
        ({"noisy": 0.6, "faulty": 0.6}, "together"),
        ({"snr": float("inf")}, "snr"),
        ({"segments": 1}, "segments"),
        ({"sd": 0.0}, "sd"),
        ({"seed": -1}, "seed"),
        ({"view": "both"}, "view"),
    ],
)
def test_what_cannot_be_planted_is_refused(wrong, said):
    with pytest.raises(PairsiftError, match=said):
        corrupt(clean(10), **wrong)


def test_more_than_are_free_is_refused_with_the_datasets_name():
    before = corrupt(clean(10), 0.5, 0.3)
    with pytest.raises(PairsiftError, match=r"waves: .* only 2 of 10"):
        corrupt(before, 0.3, 0)
