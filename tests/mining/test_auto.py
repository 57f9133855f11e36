"""Auto: groups that stand apart are found, none is where there is none, and no unit or order matters."""

import json
import math

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from pairsift.mining import FAULTY, NOISY, NORMAL, Auto, BadPairMiner, Memory, Population, Sigma, Statistics
from pairsift.mining.sides import settled, unit


def drawn(normal=1000, noisy=0, faulty=0, *, epochs=12, apart=5.0, seed=0, first=2.0):
    """Losses (E, N): each pair has a level of its own, and an amount by which its first loss is higher."""
    generator = torch.Generator().manual_seed(seed)
    truth = torch.tensor([NORMAL] * normal + [NOISY] * noisy + [FAULTY] * faulty)
    truth = truth[torch.randperm(len(truth), generator=generator)]
    level = torch.randn(len(truth), generator=generator, dtype=torch.float64) * 0.3 + 3
    level += apart * 0.3 * ((truth == FAULTY).double() - (truth == NOISY).double())
    losses = level + 0.1 * torch.randn(epochs, len(truth), generator=generator, dtype=torch.float64)
    losses[0] += first * torch.rand(len(truth), generator=generator, dtype=torch.float64)
    return losses, truth


def remembered(losses, **options):
    memory = Memory(losses.shape[1], **options).double()
    for epoch, values in enumerate(losses, 1):
        seen = values.isfinite().nonzero()[:, 0]
        memory.add(values[seen], seen)
        memory.merge(epoch)
    return memory


def fitted(losses):
    memory = remembered(losses)
    return Auto().fit(Population(memory)), memory.rows(slice(None))


def f1(found, true):
    return 2 * int((found & true).sum()) / int(found.sum() + true.sum())


@pytest.mark.parametrize("pairs", [200, 2000])
@pytest.mark.parametrize("share", [0.05, 0.1, 0.17])
def test_both_groups_are_found_where_fixed_betas_cannot(pairs, share):
    bad = round(pairs * share)
    losses, truth = drawn(pairs - 2 * bad, bad, bad)
    judge, rows = fitted(losses)
    kinds = judge.judge(rows)
    assert f1(kinds == NOISY, truth == NOISY) > 0.94
    assert f1(kinds == FAULTY, truth == FAULTY) > 0.94
    if share == 0.17:  # a group of this size cannot lie 2 sigmas from the mean
        sigma = Sigma(2, 2).fit(Population(remembered(losses))).judge(rows)
        assert f1(sigma == NOISY, truth == NOISY) < 0.5


@pytest.mark.parametrize("side", [NOISY, FAULTY])
def test_one_group_alone_is_found_and_the_other_side_stays_empty(side):
    losses, truth = drawn(900, *((100, 0) if side == NOISY else (0, 100)))
    judge, rows = fitted(losses)
    assert f1(judge.judge(rows) == side, truth == side) > 0.96
    assert not (judge.judge(rows) == 3 - side).any()
    assert [line["kind"] for line in judge.describe()["boundaries"]] == [["noisy", "faulty"][side - 1]]


SHAPES = {
    "normal": torch.distributions.Normal(3, 0.5),
    "log-normal": torch.distributions.LogNormal(0, 0.5),
    "gamma": torch.distributions.Gamma(4, 2),
    "uniform": torch.distributions.Uniform(1, 2),
    "heavy tails": torch.distributions.StudentT(5, 3),
    "light tails": torch.distributions.Beta(2, 5),
}


@pytest.mark.parametrize("pairs", [100, 200, 1000, 20_000])
@pytest.mark.parametrize("shape", SHAPES)
def test_a_bulk_alone_is_hardly_flagged_whatever_its_shape(shape, pairs):
    with torch.random.fork_rng():
        torch.manual_seed(pairs)
        level = SHAPES[shape].sample((pairs,)).double()
        judge, rows = fitted(level + 0.1 * torch.randn(10, pairs))
    assert (judge.judge(rows) > 0).double().mean() <= 0.02


def test_the_first_epoch_by_chance_high_is_no_bad_pair():
    """Pairs seen early in the first epoch have a higher mean and spread; that is no group."""
    losses, _ = drawn(3000, first=12.0)
    judge, rows = fitted(losses)
    assert judge.describe()["boundaries"] == []
    assert (judge.judge(rows) == NORMAL).all() and (judge.score(rows) == 0).all()


def test_the_settled_loss_of_all_equal_losses_but_one_is_the_equal_ones_value():
    losses = torch.full((7, 4), 1.5, dtype=torch.float64)
    losses[torch.arange(4), torch.arange(4)] += torch.tensor([0.0, 1.0, 5.0, 100.0], dtype=torch.float64)
    rows = remembered(losses).rows(slice(None))
    assert settled(rows).tolist() == pytest.approx([1.5] * 4)
    assert (settled(rows, 0.0) == rows.mean).all()
    assert (settled(rows, 3.0) == rows.mean - 3 * unit(rows)).all()


@settings(max_examples=8, deadline=None)
@given(st.floats(1e-3, 1e3), st.floats(-50, 50), st.integers(0, 3))
def test_neither_unit_nor_zero_nor_order_of_the_losses_matters(scale, shift, seed):
    losses, _ = drawn(400, 40, 40, seed=seed)
    judge, rows = fitted(losses)
    other, changed = fitted((losses + shift) * scale)
    moved = (other.judge(changed) != judge.judge(rows)).sum()
    assert moved <= 2  # a pair that lies on the line may fall on its other side by rounding
    order = torch.randperm(losses.shape[1], generator=torch.Generator().manual_seed(seed))
    shuffled, turned = fitted(losses[:, order])
    assert (shuffled.judge(turned) != judge.judge(rows)[order]).sum() <= 2
    assert len(other.sides) == len(shuffled.sides) == len(judge.sides) == 2


def test_the_same_losses_give_the_same_verdicts_to_the_bit_also_of_a_sample():
    losses, _ = drawn(55_000, 5_000, 5_000, epochs=4)  # more than are looked at
    one, rows = fitted(losses)
    two, _ = fitted(losses)
    assert one.describe() == two.describe()
    assert torch.equal(one.score(rows), two.score(rows))


def test_the_score_is_a_half_at_the_line_rises_outwards_and_says_how_often_it_is_right():
    losses, truth = drawn(16_000, 2_000, 2_000, apart=3.5)
    judge, rows = fitted(losses)
    score, kinds = judge.score(rows), judge.judge(rows)
    assert ((score >= 0.5) == (kinds > 0)).all()
    assert ((score >= 0) & (score <= 1)).all()
    low, high = judge.sides
    for side, sign in ((low, -1.0), (high, 1.0)):
        means = torch.linspace(0, 6, 500, dtype=torch.float64)
        line = Statistics(means, torch.zeros(500).double(), torch.full((500,), 12, dtype=torch.int16))
        rising = side.chance(line) * 1.0
        assert ((rising.diff() * sign) >= 0).all()
        at = Statistics(torch.tensor([side.cut]).double(), torch.zeros(1).double(), line.seen[:1])
        assert float(side.chance(at)) == pytest.approx(0.5, abs=0.01)
    for least, most in ((0.0, 0.1), (0.6, 0.9), (0.9, 1.01)):
        chosen = (score >= least) & (score < most)
        right = ((kinds == truth) & (truth > 0))[chosen] if least else (truth > 0)[chosen]
        assert least - 0.2 <= float(right.double().mean()) <= most + 0.1


@pytest.mark.parametrize(
    "losses",
    [
        torch.full((5, 300), 2.0),
        torch.full((1, 1), 2.0),
        torch.arange(40.0).repeat(3, 1),
        torch.cat([torch.full((4, 280), 2.0), torch.full((4, 20), 9.0)], 1),
    ],
    ids=["all equal", "one pair", "too few", "no spread in the bulk"],
)
def test_where_nothing_can_be_told_nothing_is_bad(losses):
    judge, rows = fitted(losses.double())
    assert (judge.judge(rows) == NORMAL).all()
    assert (judge.score(rows) == 0).all()
    assert judge.describe()["boundaries"] == [] and judge.describe()["groups"] == {}


def test_a_pair_never_seen_is_normal_and_one_seen_less_is_judged_by_its_own_count():
    losses, truth = drawn(900, 100, 100)
    bad = int((truth == NOISY).nonzero()[0, 0])
    never = int((truth == FAULTY).nonzero()[0, 0])
    losses[1:8, bad] = math.nan
    losses[:, never] = math.nan
    judge, rows = fitted(losses)
    assert judge.judge(rows)[[bad, never]].tolist() == [NOISY, NORMAL]
    assert judge.score(rows)[never] == 0


def test_only_what_lies_well_beyond_a_line_is_beyond_doubt():
    losses, truth = drawn(noisy=150, apart=4)
    judge, pairs = fitted(losses)
    bad, sure, score = judge.judge(pairs) > 0, judge.sure(pairs), judge.score(pairs)
    assert sure[~bad].all() and torch.equal(sure[bad], score[bad] >= 0.97)
    right = (truth[bad & sure] == NOISY).float().mean()
    assert 20 < (bad & sure).sum() < bad.sum() - 5 and right > (truth[bad] == NOISY).float().mean()


def test_what_it_says_is_json_and_its_lines_are_where_it_cuts():
    losses, _ = drawn(900, 100, 100)
    judge, rows = fitted(losses)
    said = judge.describe()
    assert json.loads(json.dumps(said)) == said
    assert said["threshold"] == "auto" and said["noisy"] is None and said["faulty"] is None
    for line, kind, outwards in zip(said["boundaries"], (NOISY, FAULTY), (-1, 1), strict=True):
        mean, std = (torch.tensor(line[name], dtype=torch.float64) for name in ("mean", "std"))
        assert float(std.max()) == pytest.approx(float(rows.std.max()))
        for step, expected in ((1e-3, kind), (-1e-3, NORMAL)):
            at = Statistics(mean + step * outwards, std**2 * 12, torch.full((2,), 12, dtype=torch.int16))
            assert judge.judge(at).tolist() == [expected] * 2


def test_in_a_miner_it_weighs_down_the_bad_pairs_and_travels_in_a_checkpoint():
    losses, truth = drawn(900, 100, 100, epochs=6)
    miner = BadPairMiner(1100, warmup_epochs=5, threshold=Auto())
    index = torch.arange(1100)
    for values in losses[:5]:
        miner.start_epoch()
        assert torch.equal(miner(values, index), values)
    miner.start_epoch()
    bad = miner.verdicts() > 0
    assert f1(bad, truth > 0) > 0.97
    weighed = miner(losses[5], index)
    assert (weighed[bad] < losses[5][bad]).all() and torch.equal(weighed[~bad], losses[5][~bad])
    again = BadPairMiner(1100, warmup_epochs=5, threshold=Auto())
    again.load_state_dict(miner.state_dict())
    assert torch.equal(again.verdicts(), miner.verdicts())
    assert again.thresholds == miner.thresholds
