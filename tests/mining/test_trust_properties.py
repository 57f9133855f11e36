"""What must hold of every threshold and of the mending miner, whatever losses come: by drawn examples."""

import math

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.mining.saved import through_a_file

from pairsift.mining import Auto, BadPairMiner, GaussianWeight, MendingMiner, Sigma
from pairsift.mining.checks import checked_index
from pairsift.mining.watch import Nonfinite

pytestmark = pytest.mark.filterwarnings("ignore:a batch of")
seeds = st.integers(0, 2**32)
PAIRS, EPOCHS = 128, 6
THRESHOLDS = [Sigma(1, 1), Auto()]


def run_losses(seed):
    """Losses (EPOCHS, PAIRS) in whole 1/64ths, twelve pairs far below the others and twelve far above."""
    draw = torch.Generator().manual_seed(seed)
    level = 0.5 * torch.randn(PAIRS, generator=draw) + 8
    level[:12] -= 5
    level[12:24] += 5
    losses = level + 0.2 * torch.randn(EPOCHS, PAIRS, generator=draw)
    return (losses.double() * 64).round() / 64


def fed(losses, threshold, size=PAIRS, shuffle=None):
    miner = BadPairMiner(PAIRS, 1, threshold).double()
    for epoch, row in enumerate(losses):
        miner.start_epoch()
        order = torch.arange(PAIRS)
        if shuffle is not None:
            order = torch.randperm(PAIRS, generator=torch.Generator().manual_seed(shuffle + epoch))
        for index in order.split(size):
            miner(row[index], index)
    miner.start_epoch()
    return miner


@pytest.mark.parametrize("threshold", THRESHOLDS)
@given(seeds, st.integers(1, PAIRS), st.integers(-1000, 1000), st.floats(1e-4, 1e4))
@settings(max_examples=10, deadline=None)
def test_order_cutting_a_constant_and_a_factor_leave_the_verdicts(threshold, seed, size, shift, factor):
    losses = run_losses(seed)
    kinds = fed(losses, threshold).verdicts()
    assert (kinds[:12] == 1).all() and (kinds[12:24] == 2).all()  # there is something to change
    for other in (
        fed(losses, threshold, size, shuffle=seed),
        fed(losses + shift, threshold),
        fed(losses * factor, threshold),
    ):
        assert torch.equal(other.verdicts(), kinds)


# what no loss should be, beside what losses are
strange = st.sampled_from([math.nan, math.inf, -math.inf, 0.0, -0.0, 1e-45, -1e-30, 3e38, -3e38, 1e15, 1.0])


@pytest.mark.parametrize("kind", [BadPairMiner, MendingMiner])
@pytest.mark.parametrize("threshold", [Sigma(0, 0), *THRESHOLDS])
@given(
    rows=st.lists(st.lists(strange | st.floats(-20, 20, width=32), min_size=70, max_size=70), max_size=4),
    pairs=st.integers(1, 70),
    seed=seeds,
)
@settings(max_examples=10, deadline=None)
def test_whatever_losses_come_weights_lie_in_0_1_and_nothing_that_is_kept_is_wrong(
    kind, threshold, rows, pairs, seed
):
    miner = kind(pairs, 0, threshold)
    draw = torch.Generator().manual_seed(seed)
    for row in rows:
        miner.start_epoch()
        losses = torch.tensor(row)[:pairs]
        for index in torch.randperm(pairs, generator=draw)[: pairs - pairs // 5].split(32):
            if kind is MendingMiner:
                plan = miner.plan(index)
                assert ((plan.gentle >= 0) & (plan.gentle <= 1)).all()
            weighted = miner(losses[index], index)
            assert weighted.isfinite().all()
            assert (weighted.abs() <= losses[index].abs().nan_to_num(0, math.inf) * (1 + 1e-6)).all()
    table = miner.table()
    assert table["weight"].between(0, 1).all() and table["score"].between(0, 1).all()
    assert set(miner.verdicts().tolist()) <= {0, 1, 2}
    for name, value in miner.state_dict().items():
        assert not value.is_floating_point() or value.isfinite().all(), name


@given(seeds, st.integers(0, EPOCHS * 4 - 1))
@settings(max_examples=10, deadline=None)
def test_a_mending_run_that_is_saved_and_resumed_at_any_batch_goes_on_bit_for_bit(seed, moment):
    losses = run_losses(seed).float()
    losses[2, 3] = math.nan

    def new():
        return MendingMiner(PAIRS, 1, Sigma(1, 1), GaussianWeight())

    whole, parted, step = new(), new(), 0
    for row in losses:
        whole.start_epoch()
        parted.start_epoch()
        for index in torch.arange(PAIRS).split(32):
            if step == moment:
                parted = through_a_file(parted, new())
            mine, theirs = whole.plan(index), parted.plan(index)
            assert torch.equal(mine.gentle, theirs.gentle) and torch.equal(mine.stays, theirs.stays)
            assert torch.equal(mine.negatives, theirs.negatives) and mine.look == theirs.look
            assert torch.equal(whole(row[index], index), parted(row[index], index))
            step += 1
    for name, value in whole.state_dict().items():
        assert torch.equal(value, parted.state_dict()[name]), name


def test_more_pairs_than_32_bits_can_count():
    """On torch's meta device, where tensors have no memory: what an index goes through keeps its 64 bits."""
    count, cpu = 2**31 + 10, torch.device("cpu")
    with torch.device("meta"):
        miner = BadPairMiner(count)
    assert len(miner.memory) == count and miner.memory.rows(slice(count - 3, None)).mean.shape == (3,)
    far = torch.tensor([count - 1, 3, 2**31])
    assert torch.equal(checked_index(far, count, cpu), far)
    assert checked_index(far.tolist(), count, cpu).dtype == torch.int64
    with pytest.raises(ValueError, match=f"got 3 to {count}"):
        checked_index([3, count], count, cpu)
    noted = Nonfinite()
    noted.note(torch.tensor([True, False, True]), far)
    assert noted.pairs() == [2**31, count - 1] and noted.count == 2
