"""Missing values: refused with their place, filled on request, never across two series."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from pairsift.data.files import load_series
from pairsift.data.gaps import fill
from pairsift.errors import PairsiftError

cells = st.one_of(st.floats(-100, 100, width=32), st.just(float("nan")))


@given(st.lists(st.integers(1, 6), min_size=1, max_size=5), st.data())
def test_filling_is_numpy_interp_series_by_series(lengths, data):
    values = data.draw(hnp.arrays(np.float32, (2, sum(lengths)), elements=cells))
    expected, empty, filled, start = values.copy(), np.zeros((2, len(lengths)), bool), 0, 0
    for series, length in enumerate(lengths):
        for channel in range(2):
            part = expected[channel, start : start + length]
            known = np.flatnonzero(~np.isnan(part))
            if len(known) == 0:
                empty[channel, series] = True
                continue
            filled += length - len(known)
            part[:] = np.where(np.isnan(part), np.interp(np.arange(length), known, part[known]), part)
        start += length
    count, found = fill(values, np.array(lengths))
    np.testing.assert_allclose(values, expected, rtol=1e-5, atol=1e-5)
    np.testing.assert_array_equal(found, empty)
    assert count == filled


def holed() -> np.ndarray:
    x = np.arange(40, dtype=np.float32).reshape(4, 2, 5)
    x[1, 0, 2] = x[2, 1, 0] = x[2, 1, 4] = np.nan
    return x


@pytest.mark.parametrize("dtype", ["f4", "f8"])
def test_a_gap_is_refused_with_its_place(tmp_path, dtype):
    np.save(tmp_path / "x.npy", holed().astype(dtype))
    with pytest.raises(PairsiftError) as refused:
        load_series(tmp_path / "x.npy")
    assert str(refused.value) == (
        "x.npy: 3 values are missing (NaN) in 2 series, the first in series 1, channel 0, step 2; "
        "choose as gaps interpolate to fill them from their neighbours, or leave those series out"
    )


@pytest.mark.parametrize("dtype", ["f4", "f8"])
def test_gaps_are_filled_on_request(tmp_path, dtype):
    np.save(tmp_path / "x.npy", holed().astype(dtype))
    series = load_series(tmp_path / "x.npy", gaps="interpolate")
    expected = np.arange(40, dtype=np.float32).reshape(4, 2, 5)
    expected[2, 1, [0, 4]] = [26, 28]  # held at the ends
    np.testing.assert_array_equal(series.x, expected)
    assert series.facts["filled"] == 3
    assert "3 missing values were filled from their neighbours" in series.facts["notes"]


def test_the_place_is_named_in_the_users_own_words(tmp_path):
    frame = pd.DataFrame({"id": ["ann"] * 4 + ["bob"] * 4, "time": [0, 1, 2, 3] * 2, "v": np.arange(8.0)})
    frame.loc[6, "v"] = np.nan
    frame.to_csv(tmp_path / "x.csv", index=False)
    with pytest.raises(PairsiftError, match=r"x\.csv: 1 values .* in series bob, channel 0, step 2"):
        load_series(tmp_path / "x.csv")
    with pytest.raises(PairsiftError, match="in series bob, channel 0, step 2"):
        load_series(tmp_path / "x.csv", lengths="window", window=2)
    np.testing.assert_array_equal(load_series(tmp_path / "x.csv", gaps="interpolate").x.ravel(), np.arange(8))


def test_in_a_folder_the_file_is_named(tmp_path):
    np.save(tmp_path / "a.npy", np.zeros((3, 5), np.float32))
    np.save(tmp_path / "b.npy", holed()[:, 0])
    with pytest.raises(PairsiftError, match=r"b\.npy: 1 values .* series 1, channel 0"):
        load_series(tmp_path)


def test_question_marks_in_ts_are_gaps(tmp_path):
    (tmp_path / "x.ts").write_text("@classLabel true 0 1\n@data\n1,?,3:0\n4,5,NaN:1\n")
    with pytest.raises(PairsiftError, match="2 values are missing"):
        load_series(tmp_path / "x.ts")
    filled = load_series(tmp_path / "x.ts", gaps="interpolate").x
    np.testing.assert_array_equal(filled[:, 0], [[1, 2, 3], [4, 5, 5]])


def test_a_channel_without_any_value_cannot_be_filled(tmp_path):
    x = holed()
    x[3, 1] = np.nan
    np.save(tmp_path / "x.npy", x)
    with pytest.raises(PairsiftError, match=r"x\.npy: series 3 has no value at all in channel 1"):
        load_series(tmp_path / "x.npy", gaps="interpolate")


def test_padding_comes_after_filling(tmp_path):
    rows = [(0, 0, 1.0), (0, 1, np.nan), (1, 0, 5.0), (1, 1, 6.0), (1, 2, 7.0)]
    pd.DataFrame(rows, columns=["id", "time", "v"]).to_csv(tmp_path / "x.csv", index=False)
    series = load_series(tmp_path / "x.csv", gaps="interpolate", lengths="pad")
    np.testing.assert_array_equal(series.x[:, 0], [[1, 1, 0], [5, 6, 7]])


@pytest.mark.parametrize("gaps", ["refuse", "interpolate"])
@pytest.mark.parametrize("dtype", ["f4", "f8"])
def test_infinite_values_are_always_refused(tmp_path, gaps, dtype):
    x = holed().astype(dtype)
    x[3, 1, 1] = np.inf if dtype == "f4" else 1e300
    np.save(tmp_path / "x.npy", x)
    with pytest.raises(PairsiftError, match="series 3, channel 1, step 1 is infinite or too large"):
        load_series(tmp_path / "x.npy", gaps=gaps)


def test_missing_values_in_other_are_seen(tmp_path):
    np.savez(tmp_path / "x.npz", X=np.ones((4, 2, 5), np.float32), other=holed())
    with pytest.raises(PairsiftError, match="3 values are missing"):
        load_series(tmp_path / "x.npz")


def test_an_unknown_wish_is_refused(tmp_path):
    np.save(tmp_path / "x.npy", holed())
    with pytest.raises(PairsiftError, match='gaps must be "refuse" or "interpolate"'):
        load_series(tmp_path / "x.npy", gaps="ignore")
