"""Oddities are counted exactly, whatever the blocks."""

from __future__ import annotations

import tracemalloc

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from pairsift.data.files import load_series
from pairsift.data.survey import Survey

small = hnp.arrays(
    np.float32,
    st.tuples(st.integers(1, 8), st.integers(1, 2), st.integers(1, 3)),
    elements=st.sampled_from([0.0, 1.0, -1.0]),
)


def surveyed(x: np.ndarray, block: int) -> Survey:
    survey = Survey()
    for start in range(0, len(x), block):
        survey.add(x[start : start + block])
    return survey


@given(small, st.integers(1, 8))
def test_constant_and_duplicate_series_are_counted(x, block):
    survey = surveyed(x, block)
    assert survey.duplicates == len(x) - len({row.tobytes() for row in x})
    still = [[len(set(channel.tolist())) == 1 for channel in row] for row in x]
    assert survey.constant == sum(all(row) for row in still)
    assert survey.flat == sum(any(row) for row in still)
    assert survey.fingerprint == surveyed(x, 8).fingerprint


def test_a_negated_or_shuffled_copy_is_no_duplicate():
    x = np.random.default_rng(0).normal(size=(1, 1, 64)).astype(np.float32)
    assert surveyed(np.concatenate([x, -x, x[:, :, ::-1], np.roll(x, 2, axis=2)]), 9).duplicates == 0


@pytest.mark.parametrize("place", [(0, 0, 0), (3, 1, 4), (7, 0, 2)])
def test_the_fingerprint_sees_every_value_and_the_order(place):
    x = np.random.default_rng(0).normal(size=(8, 2, 5)).astype(np.float32)
    y = x.copy()
    y[place] = np.nextafter(y[place], np.float32(9))
    assert surveyed(x, 3).fingerprint != surveyed(y, 3).fingerprint
    assert surveyed(x, 3).fingerprint != surveyed(x[::-1], 3).fingerprint


def test_what_is_odd_is_said(tmp_path):
    x = np.random.default_rng(0).normal(size=(10, 2, 20)).astype(np.float32)
    x[3] = 1.5
    x[4, 0] = 0
    x[7] = x[8] = x[9]
    np.save(tmp_path / "x.npy", x)
    facts = load_series(tmp_path / "x.npy").facts
    assert (facts["constant"], facts["duplicates"]) == (1, 2)
    assert facts["notes"] == [
        "1 of 10 series never change: nothing can be learned from them",
        "1 of 10 series have a channel that never changes",
        "2 of 10 series are copies of an earlier one, bit for bit",
    ]


def test_swapped_axes_are_suspected(tmp_path):
    np.save(tmp_path / "x.npy", np.random.default_rng(0).normal(size=(5, 50, 3)).astype(np.float32))
    assert "channels_last=True" in load_series(tmp_path / "x.npy").facts["notes"][0]
    assert load_series(tmp_path / "x.npy", channels_last=True).facts["notes"] == []


def test_a_large_map_is_looked_at_in_little_memory(tmp_path):
    x = np.lib.format.open_memmap(tmp_path / "x.npy", mode="w+", dtype=np.float32, shape=(20_000, 1, 500))
    x[:] = np.random.default_rng(0).standard_normal((200, 1, 500), dtype=np.float32).repeat(100, axis=0)
    x.flush()
    load_series(tmp_path / "x.npy")  # imports done
    tracemalloc.start()
    series = load_series(tmp_path / "x.npy")
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert series.facts["duplicates"] == 19_800
    assert peak < x.nbytes / 5
