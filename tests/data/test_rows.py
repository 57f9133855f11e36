"""Rows that are read on demand index like the array that they stand for."""

from __future__ import annotations

import pickle
from typing import Any

import numpy as np
import pytest
import torch

from pairsift.data import Series
from pairsift.data.rows import Rows, select

SOURCE = np.random.default_rng(0).normal(size=(9, 2, 5)).astype(np.float32)
PLACES = np.array([4, 0, 8, 4, 1])
SCALE = (np.full((2, 5), 0.5, np.float32), np.linspace(1, 2, 10, dtype=np.float32).reshape(2, 5))


@pytest.fixture(params=[None, SCALE], ids=["plain", "scaled"])
def pair(request: pytest.FixtureRequest) -> tuple[Rows, np.ndarray]:
    whole = SOURCE[PLACES]
    if request.param is not None:
        whole = (whole - SCALE[0]) / SCALE[1]
    return Rows(SOURCE, PLACES, request.param), whole


@pytest.mark.parametrize(
    "index",
    [
        2, -1, np.int64(3), slice(None), slice(1, 4), slice(None, None, -2), [3, 0],
        np.array([[1, 2], [0, 4]]),
        np.array([True, False, True, True, False]), np.array([], int), (2, 1), (slice(0, 2), 0, slice(1, 3)),
        ([0, 2], slice(None), 3), Ellipsis, None, (Ellipsis, 2),
    ],
    ids=repr,
)  # fmt: skip
def test_every_index_gives_what_numpy_gives(index: Any, pair: tuple[Rows, np.ndarray]) -> None:
    rows, whole = pair
    np.testing.assert_array_equal(rows[index], whole[index])
    assert rows[index].dtype == np.float32


def test_it_has_an_array_s_attributes(pair: tuple[Rows, np.ndarray]) -> None:
    rows, whole = pair
    for name in ("shape", "ndim", "dtype", "size", "nbytes"):
        assert getattr(rows, name) == getattr(whole, name)
    assert len(rows) == len(whole) and "Rows" in repr(rows)
    np.testing.assert_array_equal(np.array(rows), whole)
    np.testing.assert_array_equal(np.asarray(rows, np.float64), whole.astype(np.float64))
    np.testing.assert_array_equal(np.stack(list(rows)), whole)
    np.testing.assert_array_equal(pickle.loads(pickle.dumps(rows))[:], whole)
    with pytest.raises(ValueError, match="without a copy"):
        np.array(rows, copy=False)
    with pytest.raises(IndexError):
        rows[5]


def test_writing_into_what_was_read_harms_nothing(pair: tuple[Rows, np.ndarray]) -> None:
    rows, whole = pair
    rows[:][...] = 0
    rows[0][...] = 0
    np.testing.assert_array_equal(np.asarray(rows), whole)


def test_a_series_takes_them_for_its_x(pair: tuple[Rows, np.ndarray]) -> None:
    rows, whole = pair
    series = Series(x=rows)  # type: ignore[arg-type]
    assert torch.equal(series[[3, 1]].x, torch.from_numpy(whole[[3, 1]]))
    np.testing.assert_array_equal(series.subset(np.array([2, 2])).x, whole[[2, 2]])


def test_a_selection_is_a_view_a_copy_or_read_on_demand() -> None:
    assert np.shares_memory(select(SOURCE, np.arange(2, 6)), SOURCE)
    assert isinstance(select(SOURCE, PLACES), np.ndarray) and not np.shares_memory(
        select(SOURCE, PLACES), SOURCE
    )
    assert isinstance(select(SOURCE, PLACES, copy_below=0), Rows)
    assert isinstance(select(SOURCE, np.arange(2, 6), SCALE, copy_below=0), Rows)
    assert select(SOURCE, np.array([], int)).shape == (0, 2, 5)
