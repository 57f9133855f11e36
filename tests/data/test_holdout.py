"""Random and grouped hold-outs, and the arithmetic that published splits rest on."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pairsift.data.holdout import hold_out, hold_out_groups, hold_out_groups_twice, hold_out_twice
from pairsift.errors import PairsiftError


def literal(count: int) -> tuple[list[int], list[int]]:
    """What train_test_split(test_size=0.2, random_state=42) does: permute, hold out the first fifth."""
    order = np.random.RandomState(42).permutation(count)
    held = -(-count // 5)
    return order[held:].tolist(), order[:held].tolist()


@given(st.integers(2, 3000))
def test_a_hold_out_is_the_first_fifth_of_the_seeded_permutation(count: int) -> None:
    kept, held = hold_out(count)
    assert (kept.tolist(), held.tolist()) == literal(count)


def test_ten_places_fall_as_they_always_have() -> None:
    kept, held = hold_out(10)
    assert kept.tolist() == [5, 0, 7, 2, 9, 4, 3, 6] and held.tolist() == [8, 1]


@pytest.mark.parametrize(
    ("count", "sizes"),
    [
        (11500, [7360, 1840, 2300]),
        (21430, [13715, 3429, 4286]),
        (8988, [5752, 1438, 1798]),
        (21066, [13481, 3371, 4214]),
    ],
)
def test_two_fifths_in_turn_give_the_paper_s_counts(count: int, sizes: list[int]) -> None:
    parts = hold_out_twice(count)
    assert [len(part) for part in parts] == sizes
    assert len(np.unique(np.concatenate(parts))) == count


def test_the_rest_of_har_gives_the_paper_s_counts() -> None:
    assert [len(part) for part in hold_out(7352)] == [5881, 1471]


@given(st.lists(st.integers(0, 9), min_size=4, max_size=80).filter(lambda group: len(set(group)) > 2))
def test_groups_stay_whole(group: list[int]) -> None:
    names = np.array(group)
    for parts in (hold_out_groups(names), hold_out_groups_twice(names)):
        assert sorted(np.concatenate(parts).tolist()) == list(range(len(group)))
        members = [set(names[part].tolist()) for part in parts]
        assert all(members) and sum(map(len, members)) == len(set(group))
        assert all((np.diff(part) > 0).all() for part in parts)


def test_one_thing_cannot_be_split() -> None:
    with pytest.raises(PairsiftError, match="at least 2"):
        hold_out(1)
