from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pairsift.report.sample import choose_points, choose_series, worst_first

KINDS = np.array(["normal", "noisy", "faulty"], dtype=object)


def table_of(kinds, mean=None, std=None, score=None, seed=0) -> pd.DataFrame:
    rng = np.random.default_rng(seed)
    n = len(kinds)
    return pd.DataFrame(
        {
            "kind": KINDS[np.asarray(kinds)],
            "score": rng.random(n) if score is None else score,
            "mean_loss": rng.normal(2, 0.5, n) if mean is None else mean,
            "std_loss": rng.random(n) if std is None else std,
        }
    )


def test_the_worst_come_first_and_equal_scores_go_by_the_loss():
    table = table_of(
        [1, 1, 1, 2, 2, 2, 0, 0], [1, 0.5, 2, 3, 4, 5, 9, 2], score=[1, 1, 0.9, 1, 1, 0.9, 0.2, 0.2]
    )
    assert worst_first(table, "noisy").tolist() == [1, 0, 2]
    assert worst_first(table, "faulty").tolist() == [4, 3, 5]


@given(
    kinds=st.lists(st.integers(0, 2), min_size=1, max_size=60),
    most=st.integers(0, 40),
    groups=st.integers(1, 8),
)
@settings(max_examples=80, deadline=None)
def test_drawn_series_are_bounded_and_right(kinds, most, groups):
    table = table_of(kinds)
    group = np.arange(len(kinds)) % groups
    drawn = choose_series(table, most, None, group)
    indices = np.concatenate(list(drawn.values()))
    assert len(indices) == len(set(indices.tolist())) == min(most, len(kinds))
    for kind, each in drawn.items():
        assert (table["kind"].to_numpy()[each] == kind).all()
        if len(each) > 1:  # the first half are the worst of all
            worst = worst_first(table, kind)
            half = (len(each) + 1) // 2
            assert set(worst[:half].tolist()) <= set(each.tolist())


def test_every_class_and_group_finds_its_worst_pair_drawn():
    n = 6000
    rng = np.random.default_rng(0)
    classes, groups = rng.choice(5, n, p=[0.9, 0.04, 0.03, 0.02, 0.01]), rng.integers(0, 20, n)
    score = np.where(classes == 0, 1.0, 0.6) - 1e-5 * rng.random(n)  # the big class has the worst
    table = table_of(rng.integers(1, 3, n), score=score)
    drawn = choose_series(table, 200, classes, groups)
    for kind in ("noisy", "faulty"):
        assert set(classes[drawn[kind]]) == set(range(5))
        assert set(groups[drawn[kind]]) == set(range(20))
        rare = worst_first(table, kind)[classes[worst_first(table, kind)] == 4][0]
        assert rare in drawn[kind]


def test_the_pairs_nearest_to_the_threshold_are_drawn():
    table = table_of(np.repeat([0, 1, 2], 2000))
    drawn = choose_series(table, 600, None, np.arange(6000) % 500)
    for kind, each in drawn.items():
        assert set(worst_first(table, kind)[-len(each) // 10 :]) <= set(each.tolist())


def test_points_are_all_bad_pairs_and_an_even_sample_of_the_rest():
    rng = np.random.default_rng(0)
    kinds = rng.choice(3, 50_000, p=[0.9, 0.06, 0.04])
    table = table_of(kinds)
    points = choose_points(table, 12_000, np.array([5, 7]))
    assert len(points) == len(set(points.tolist())) == 12_000
    assert {5, 7} <= set(points.tolist())
    assert set(np.flatnonzero(kinds > 0)) <= set(points.tolist())
    normal = points[kinds[points] == 0]
    for column in ("mean_loss", "std_loss"):
        all_of_them, sample = table[column][kinds == 0], table[column][normal]
        levels = np.linspace(0.02, 0.98, 25)
        np.testing.assert_allclose(np.quantile(sample, levels), np.quantile(all_of_them, levels), atol=0.02)


def test_where_bad_pairs_are_too_many_the_worst_stay():
    kinds = np.random.default_rng(0).choice(3, 20_000, p=[0.2, 0.5, 0.3])
    table = table_of(kinds)
    points = choose_points(table, 2000, np.array([], dtype=np.int64))
    assert 1990 <= len(points) <= 2000
    for kind in ("noisy", "faulty"):
        assert set(worst_first(table, kind)[:200]) <= set(points.tolist())
    assert (kinds[points] == 0).sum() >= 500


def test_pairs_without_a_loss_are_not_shown():
    table = table_of([0, 0, 1], mean=[np.nan, 1.0, 2.0])
    assert choose_points(table, 10, np.array([], dtype=np.int64)).tolist() == [1, 2]
    assert choose_points(table, 10, np.array([0])).tolist() == [0, 1, 2]


@pytest.mark.parametrize("most", [1, 2, 3, 7])
def test_points_never_exceed_their_bound(most):
    assert len(choose_points(table_of([0, 1, 2] * 5), most, np.array([3]))) <= most
