"""Splits: every series once, whole groups on one side, classes in their shares."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pairsift.data.series import Series
from pairsift.data.split import split_series
from pairsift.errors import PairsiftError


def numbered(count: int, **known) -> Series:
    """Series whose only value is their place."""
    x = np.arange(count, dtype=np.float32)[:, None, None].repeat(2, axis=2)
    return Series(x, name="numbered", **known)


def places(part: Series | None) -> list[int]:
    return [] if part is None else part.x[:, 0, 0].astype(int).tolist()


@given(st.integers(5, 200), st.floats(0, 0.4), st.floats(0, 0.4), st.integers(0, 9))
def test_every_series_is_in_one_part(count, val, test, seed):
    splits = split_series(numbered(count), val=val, test=test, seed=seed)
    parts = [places(p) for p in (splits.train, splits.val, splits.test)]
    assert sorted(parts[0] + parts[1] + parts[2]) == list(range(count))
    assert len(parts[2]) == pytest.approx(count * test, abs=0.51)
    assert len(parts[1]) == pytest.approx(count * val, abs=1.01)
    assert all(p == sorted(p) for p in parts)


def test_a_part_knows_where_its_series_stood_and_a_whole_needs_not_to():
    whole = numbered(50)
    splits = split_series(whole, val=0.2, test=0.2, seed=1)
    for part in (splits.train, splits.val, splits.test):
        assert part.rows.tolist() == places(part)
        assert part.subset(np.array([2, 0])).rows.tolist() == [places(part)[2], places(part)[0]]
    again = split_series(splits.train, val=0.5, test=0)  # rows stay those of the whole
    assert again.val.rows.tolist() == places(again.val)
    assert split_series(whole, val=0, test=0).train.rows is None


def test_classes_keep_their_shares():
    y = np.repeat([0, 1, 2], [100, 60, 40])
    splits = split_series(numbered(200, y=y), val=0.2, test=0.3)
    assert np.bincount(splits.test.y).tolist() == [30, 18, 12]
    assert np.bincount(splits.val.y).tolist() == [20, 12, 8]


@given(st.lists(st.integers(0, 12), min_size=30, max_size=80), st.integers(0, 5))
def test_groups_are_never_torn(group, seed):
    if len(set(group)) < 3:
        group = [*group[:-3], 0, 1, 2]
    splits = split_series(numbered(len(group), group=np.array(group)), seed=seed)
    parts = [set(p.group.tolist()) for p in (splits.train, splits.val, splits.test)]
    assert all(parts)
    assert not (parts[0] & parts[1] or parts[0] & parts[2] or parts[1] & parts[2])
    assert set().union(*parts) == set(group)


def test_groups_come_close_to_the_shares():
    group = np.random.default_rng(0).integers(0, 100, 2000).astype(str)
    splits = split_series(numbered(2000, group=group), val=0.2, test=0.3)
    assert len(splits.test) == pytest.approx(600, abs=20)
    assert len(splits.val) == pytest.approx(400, abs=20)


def test_the_seed_decides():
    first, again, other = (split_series(numbered(50), seed=s) for s in (1, 1, 2))
    assert places(first.test) == places(again.test) != places(other.test)


def test_marks_are_kept_and_validation_is_taken_from_train():
    marks = np.array(["train"] * 40 + ["TEST"] * 10)
    splits = split_series(numbered(50), val=0.25, marks=marks)
    assert places(splits.test) == list(range(40, 50))
    assert len(splits.val) == 10
    assert max(places(splits.val)) < 40
    marks[:5] = "val"
    assert places(split_series(numbered(50), marks=marks).val) == list(range(5))


@pytest.mark.parametrize(
    ("how", "said"),
    [
        ({"val": 0.5, "test": 0.5}, "leave something"),
        ({"val": -0.1}, "shares"),
        ({"seed": -1}, "seed"),
        ({"marks": np.array(["train"] * 9 + ["later"])}, "split holds 'later'"),
        ({"marks": np.array(["test"] * 10)}, "no series is left"),
    ],
)
def test_what_cannot_be_split_is_refused(how, said):
    with pytest.raises(PairsiftError, match=said):
        split_series(numbered(10), **how)


def test_too_few_groups_are_refused():
    with pytest.raises(PairsiftError, match="has 2 groups, too few for 3 parts"):
        split_series(numbered(10, group=np.arange(10) % 2))
    splits = split_series(numbered(10, group=np.arange(10) % 2), val=0, test=0.5)
    assert len(splits.train) == len(splits.test) == 5
