from __future__ import annotations

import base64

import numpy as np
import pytest

from pairsift.report.pack import POINTS, base64_of, packed, quantised, thin


def unpacked(channel):
    low, high, text = channel
    levels = np.frombuffer(base64.b64decode(text), np.uint8)
    return np.where(levels == 255, np.nan, low + levels / 254 * (high - low))


@pytest.mark.parametrize("length", [1, 255, 256, 257, 300, 3001, 10_000])
def test_no_extreme_is_lost_and_the_order_stays(length):
    x = np.random.default_rng(length).normal(size=(3, length)).astype(np.float32)
    thinned = thin(x)
    assert thinned.shape[-1] == min(length, POINTS)
    np.testing.assert_array_equal(thinned.min(-1), x.min(-1))
    np.testing.assert_array_equal(thinned.max(-1), x.max(-1))
    place = [np.flatnonzero(x[0] == value)[0] for value in thinned[0]]
    assert place == sorted(place)


def test_a_single_spike_survives():
    x = np.zeros(5000, np.float32)
    x[3217] = 9
    assert thin(x).max() == 9


def test_values_come_back_within_half_a_level():
    x = np.random.default_rng(0).normal(size=200).astype(np.float32)
    np.testing.assert_allclose(unpacked(quantised(x)), x, atol=np.ptp(x) / 254 / 2 + 1e-5)


def test_gaps_constants_and_nothing():
    x = np.array([1, np.nan, np.inf, 2], np.float32)
    np.testing.assert_allclose(unpacked(quantised(x)), [1, np.nan, np.nan, 2])
    np.testing.assert_allclose(unpacked(quantised(np.full(4, 7, np.float32))), 7)
    assert np.isnan(unpacked(quantised(np.full(4, np.nan, np.float32)))).all()
    long = np.full(1000, np.nan, np.float32)
    long[500] = 3
    assert np.nanmax(unpacked(quantised(thin(long)))) == 3


def test_huge_values_do_not_overflow():
    x = np.array([-3e38, 3e38], np.float32)
    np.testing.assert_allclose(unpacked(quantised(x)), x, rtol=1e-5)


def test_only_so_many_channels():
    assert [len(each) for each in packed(np.zeros((2, 9, 50), np.float32), 3)] == [3, 3]


def test_bytes_are_little_endian():
    assert base64.b64decode(base64_of(np.array([1, 256]), "u4")) == b"\x01\0\0\0\0\x01\0\0"
