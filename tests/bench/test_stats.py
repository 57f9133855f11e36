"""Means and intervals over seeds."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import ttest_rel

from pairsift.bench.stats import paired, summarise


def test_the_interval_is_that_of_the_paired_t_test() -> None:
    rng = np.random.default_rng(0)
    for n in (2, 3, 5, 20):
        a, b = rng.normal(size=(2, n))
        ours = paired(dict(enumerate(a)), dict(enumerate(b)))
        theirs = ttest_rel(a, b).confidence_interval(0.95)
        assert ours is not None and ours.n == n
        assert (ours.low, ours.high) == pytest.approx((theirs.low, theirs.high))


def test_only_seeds_that_both_have_are_paired() -> None:
    ours = paired({0: 1.0, 1: 5.0, 2: 3.0}, {2: 1.0, 0: 2.0, 9: 4.0})
    assert ours is not None and dict(ours.values) == {0: -1.0, 2: 2.0}
    assert paired({0: 1.0}, {1: 1.0}) is None and summarise({}) is None


def test_one_seed_has_no_interval_and_says_so() -> None:
    ours = paired({0: 3.0}, {0: 1.0})
    assert ours is not None and ours.sd is ours.low is ours.high is None and ours.verdict == "one seed"


@pytest.mark.parametrize(
    ("differences", "verdict"),
    [((1.0, 1.1, 0.9), "better"), ((-1.0, -1.1, -0.9), "worse"), ((1.0, -1.0, 0.2), "not told apart")],
)
def test_the_verdict_is_the_interval_s(differences: tuple[float, ...], verdict: str) -> None:
    ours = paired(dict(enumerate(differences)), dict.fromkeys(range(3), 0.0))
    assert ours is not None and ours.verdict == verdict
