from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from pairsift.data.series import Series
from pairsift.report.labels import Coded, coded_classes, coded_groups
from pairsift.report.shares import (
    against_planted,
    by_label,
    overall,
    sentence,
    share_text,
    what_was_done,
)

KINDS = np.array(["normal", "noisy", "faulty"], dtype=object)


def table_of(kinds, **columns) -> pd.DataFrame:
    kind = KINDS[np.asarray(kinds, dtype=int)]
    return pd.DataFrame({"kind": kind, "mean_loss": np.arange(len(kind), dtype=float)} | columns)


def test_counts_by_class_are_those_of_a_loop():
    rng = np.random.default_rng(0)
    kinds, y = rng.integers(0, 3, 200), rng.integers(0, 2, (200, 4))
    series = Series(np.zeros((200, 1, 2), np.float32), y=y, classes=("a", "b", "c", "d"))
    rows = by_label(table_of(kinds), coded_classes(series))
    assert {row["name"] for row in rows} == set("abcd")
    for row in rows:
        member = y[:, "abcd".index(row["name"])] == 1
        assert row["pairs"] == member.sum()
        assert row["noisy"] == sum(1 for k, m in zip(kinds, member) if m and k == 1)
        assert row["faulty"] == sum(1 for k, m in zip(kinds, member) if m and k == 2)
        assert row["bad_share"] == pytest.approx((row["noisy"] + row["faulty"]) / row["pairs"])


def test_a_tiny_group_does_not_lead_by_chance():
    group = np.array(["tiny"] + ["big"] * 100)
    series = Series(np.zeros((101, 1, 2), np.float32), group=group)
    rows = by_label(table_of([1] + [1] * 50 + [0] * 50), coded_groups(series))
    assert [row["name"] for row in rows] == ["big", "tiny"]


def test_unknown_labels_count_nowhere():
    series = Series(
        np.zeros((4, 1, 2), np.float32),
        y=np.array([0, -1, 0, 1]),
        group=np.array(["g", None, np.nan, "h"], object),
    )
    assert sum(row["pairs"] for row in by_label(table_of([0] * 4), coded_classes(series))) == 3
    assert sum(row["pairs"] for row in by_label(table_of([0] * 4), coded_groups(series))) == 2
    assert by_label(table_of([0] * 4), None) == []


def test_overall_adds_up():
    rows = overall(table_of([0, 0, 1, 2]))
    assert [(row["kind"], row["count"], row["share"]) for row in rows] == [
        ("noisy", 1, 0.25),
        ("faulty", 1, 0.25),
        ("normal", 2, 0.5),
    ]
    assert overall(table_of([0]))[0]["median_loss"] is None


def test_as_many_groups_as_pairs():
    """A table of groups by groups would not fit into any memory."""
    n = 100_000
    rng = np.random.default_rng(0)
    kinds, groups = rng.integers(0, 3, n), rng.permutation(n)
    rows = by_label(table_of(kinds), Coded([str(k) for k in range(n)], [[k] for k in range(n)], groups))
    kind_of = dict(zip(groups.tolist(), kinds.tolist()))
    assert len(rows) == n and all(row["pairs"] == 1 for row in rows)
    for row in rows[:100]:
        kind = kind_of[row["label"]]
        assert (row["noisy"], row["faulty"]) == (kind == 1, kind == 2)


def test_against_what_was_planted():
    rows = against_planted(table_of([1, 1, 0, 2], planted=KINDS[[1, 0, 1, 0]]))
    assert [(row["kind"], row["precision"], row["recall"]) for row in rows] == [
        ("noisy", 0.5, 0.5),
        ("faulty", 0.0, None),
    ]
    assert against_planted(table_of([1, 2])) == against_planted(table_of([1], planted=["normal"])) == []


def test_what_was_done_is_counted():
    rows = what_was_done(table_of([0] * 4, done=["", "dropped", "", "milder"]), most=2)
    assert rows[0] == {"done": "nothing", "count": 2}
    assert rows[-1] == {"done": "something else", "count": 1}


@pytest.mark.parametrize(
    ("kinds", "words"),
    [
        ([0] * 1200, "No bad pair was found among 1,200."),
        ([0, 0, 0, 1], "Of 4 pairs, 1 is noisy (25.0%); none is faulty."),
        ([0, 2], "Of 2 pairs, 1 is faulty (50.0%); none is noisy."),
        ([0, 2, 2, 1], "Of 4 pairs, 1 is noisy (25.0%) and 2 are faulty (50.0%)."),
    ],
)
def test_one_sentence(kinds, words):
    assert sentence(table_of(kinds)) == words


def test_a_share_is_never_rounded_to_nothing_or_everything():
    assert [share_text(s) for s in (0, 0.0001, 0.5, 0.99999, 1, None)] == [
        "0.0%",
        "< 0.1%",
        "50.0%",
        "> 99.9%",
        "100.0%",
        "–",
    ]
