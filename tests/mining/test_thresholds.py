"""Sigma's cuts, verdicts and scores."""

import math

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from pairsift.mining import FAULTY, KINDS, NOISY, NORMAL, Memory, Population, Sigma, Statistics


def remembered(losses):
    memory = Memory(len(losses)).double()
    memory.add(torch.tensor(losses, dtype=torch.float64), torch.arange(len(losses)))
    memory.merge(1)
    return memory


def fitted(losses, *betas):
    memory = remembered(losses)
    return Sigma(*betas).fit(Population(memory)), memory.rows(slice(None))


def test_the_cuts_are_equation_5_and_belong_to_the_bad_side():
    judge, _ = fitted([-1.0, -1.0, 1.0, 1.0, 0.0, 0.0, 0.0, 0.0], math.sqrt(2), math.sqrt(2))
    cuts = judge.describe()
    assert cuts["mu"] == 0
    assert cuts["noisy"] == pytest.approx(-1)
    assert cuts["faulty"] == pytest.approx(1)
    at = [cuts["noisy"], math.nextafter(cuts["noisy"], 0), cuts["faulty"], math.nextafter(cuts["faulty"], 0)]
    rows = Statistics(torch.tensor(at, dtype=torch.float64), torch.zeros(4), torch.ones(4, dtype=torch.int16))
    assert judge.judge(rows).tolist() == [NOISY, NORMAL, FAULTY, NORMAL]
    assert KINDS == ("normal", "noisy", "faulty")


@pytest.mark.parametrize("betas, kinds", [((1, None), {0, 1}), ((None, 1), {0, 2}), ((None, None), {0})])
def test_a_side_that_is_off_flags_nothing(betas, kinds):
    judge, pairs = fitted([-5.0, 5.0] + [0.0] * 20, *betas)
    assert set(judge.judge(pairs).tolist()) == kinds
    assert (judge.score(pairs) >= 0.5).tolist() == (judge.judge(pairs) > 0).tolist()
    assert [judge.describe()[side] is None for side in ("noisy", "faulty")] == [b is None for b in betas]


@pytest.mark.parametrize("losses", [[2.0], [0.1] * 7])
@pytest.mark.parametrize("betas", [(0.0, 0.0), (2.0, 3.0)])
def test_where_sigma_is_zero_nothing_is_bad(losses, betas):
    judge, pairs = fitted(losses, *betas)
    assert (judge.judge(pairs) == NORMAL).all()
    assert (judge.score(pairs) == 0).all()


def test_a_pair_never_seen_is_normal_wherever_zero_lies():
    memory = Memory(4)
    memory.add(torch.tensor([8.0, 9.0, 10.0]), torch.tensor([0, 1, 2]))
    memory.merge(1)
    judge = Sigma(1, 1).fit(Population(memory))
    pairs = memory.rows(slice(None))
    assert judge.judge(pairs).tolist() == [NOISY, NORMAL, FAULTY, NORMAL]
    assert judge.score(pairs)[3] == 0


@pytest.mark.parametrize("bad", [-1, -0.01, math.nan, math.inf])
@pytest.mark.parametrize("side", ["noisy", "faulty"])
def test_a_beta_that_is_no_distance_is_refused(side, bad):
    with pytest.raises(ValueError, match=f"{side} must be .* got {bad}"):
        Sigma(**{side: bad})


numbers = st.floats(-1e6, 1e6, allow_subnormal=False)
betas = st.one_of(st.none(), st.floats(0, 4))


@given(st.lists(numbers, min_size=1, max_size=40), betas, betas)
def test_a_score_lies_in_0_1_and_says_the_verdict_and_grows_with_distance(losses, noisy, faulty):
    judge, pairs = fitted(losses, noisy, faulty)
    kinds, score = judge.judge(pairs), judge.score(pairs)
    assert ((score >= 0) & (score <= 1)).all()
    assert torch.equal(score >= 0.5, kinds > 0)
    order = pairs.mean.argsort()
    right = order[pairs.mean[order] > judge.mu]
    left = order[pairs.mean[order] < judge.mu].flip(0)
    for side in (left, right):
        assert (score[side].diff() >= 0).all()
