"""Whole runs: order and cutting of batches, shifts, scales and interruptions change nothing."""

import copy
import io

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.mining.saved import through_a_file

from pairsift.mining import BadPairMiner, ConstantWeight, GaussianWeight, MixtureWeight, Ramp, Sigma

pytestmark = pytest.mark.filterwarnings("ignore:a batch of")
seeds = st.integers(0, 2**32)
sizes = st.integers(1, 40)
betas = st.sampled_from([0.0, 0.5, 1.0, 1.5, 2.0])


def run_losses(seed, pairs=40, epochs=5):
    """Losses (epochs, pairs) in whole 1/64ths: sums of a few are exact, whatever their order."""
    draw = torch.Generator().manual_seed(seed)
    level = torch.randn(pairs, generator=draw) * 2 + 3
    level[: pairs // 8] -= 6
    losses = level + 0.3 * torch.randn(epochs, pairs, generator=draw)
    return (losses.double() * 64).round() / 64


def fed(losses, batches_of, beta=1.0, **settings):
    """A miner in double that has seen all of ``losses`` and begun the next epoch."""
    miner = BadPairMiner(losses.shape[1], 1, Sigma(beta, beta), **settings).double()
    weighted = []
    for epoch, row in enumerate(losses):
        miner.start_epoch()
        out = torch.empty_like(row)
        for index in batches_of(epoch):
            out[index] = miner(row[index], index)
        weighted.append(out)
    miner.start_epoch()
    return miner, torch.stack(weighted)


def in_order(size, pairs=40):
    return lambda epoch: torch.arange(pairs).split(size)


def shuffled(size, seed, pairs=40):
    def batches_of(epoch):
        draw = torch.Generator().manual_seed(seed + epoch)
        return torch.randperm(pairs, generator=draw).split(size)

    return batches_of


@given(seeds, sizes, sizes, betas)
@settings(max_examples=30, deadline=None)
def test_order_and_cutting_of_batches_change_nothing(seed, one, other, beta):
    losses = run_losses(seed)
    first, weighted = fed(losses, in_order(one), beta)
    second, again = fed(losses, shuffled(other, seed), beta)
    assert torch.equal(weighted, again)
    assert torch.equal(first.verdicts(), second.verdicts())
    for mine, theirs in zip(first.memory.buffers(), second.memory.buffers()):
        assert torch.equal(mine, theirs)


@given(seeds, st.integers(-100, 100), betas)
@settings(max_examples=30, deadline=None)
def test_a_constant_added_to_all_losses_leaves_the_verdicts(seed, shift, beta):
    losses = run_losses(seed)
    plain, _ = fed(losses, in_order(40), beta)
    shifted, _ = fed(losses + shift, in_order(40), beta)
    away = clear_of_cuts(plain)
    assert torch.equal(plain.verdicts()[away], shifted.verdicts()[away])


@given(seeds, st.floats(1e-6, 1e6), betas)
@settings(max_examples=30, deadline=None)
def test_a_positive_factor_on_all_losses_leaves_the_verdicts(seed, factor, beta):
    losses = run_losses(seed)
    plain, _ = fed(losses, in_order(40), beta)
    scaled, _ = fed(losses * factor, in_order(40), beta)
    away = clear_of_cuts(plain)
    assert torch.equal(plain.verdicts()[away], scaled.verdicts()[away])


def clear_of_cuts(miner):
    """Pairs whose mean is not within rounding of a threshold: nearly always all."""
    mean, cuts = miner.statistics().mean, miner.thresholds
    distance = torch.minimum((mean - cuts["noisy"]).abs(), (mean - cuts["faulty"]).abs())
    clear = distance > 1e-9 * (1 + mean.abs())
    assert clear.sum() >= len(mean) - 2
    return clear


WEIGHTS = [GaussianWeight(), GaussianWeight(peak_one=True), ConstantWeight(0.3), MixtureWeight(2)]


@given(seeds, betas, st.sampled_from(WEIGHTS), st.sampled_from(["mean", "last", Ramp(5)]), st.floats(-3, 6))
@settings(max_examples=40, deadline=None)
def test_weights_lie_in_0_1_and_normal_pairs_have_weight_one(seed, beta, weight, history, magnitude):
    losses = run_losses(seed).abs().add(1).mul(10**magnitude).float()
    miner, _ = fed(losses, in_order(40), beta, weight=weight, history=history)
    now, everybody = losses[0].double(), torch.arange(40)
    weights = miner(now, everybody) / now
    assert ((weights >= 0) & (weights <= 1 + 1e-15)).all()
    assert (weights[miner.verdicts() == 0] == 1).all()


@given(seeds, st.integers(0, 24), st.sampled_from([GaussianWeight(), MixtureWeight(2)]))
@settings(max_examples=30, deadline=None)
def test_a_run_that_is_saved_and_resumed_at_any_batch_goes_on_bit_for_bit(seed, moment, weight):
    losses = run_losses(seed).float()
    losses[2, 3] = float("nan")

    def new():
        return BadPairMiner(40, 1, Sigma(1, 1), weight)

    whole, parted = new(), new()
    step = 0
    for row in losses:
        whole.start_epoch()
        parted.start_epoch()
        for index in torch.arange(40).split(8):
            if step == moment:
                parted = through_a_file(parted, new())
                assert (parted.epoch, parted.active) == (whole.epoch, whole.active)
            assert torch.equal(whole(row[index], index), parted(row[index], index))
            assert torch.equal(whole.verdicts(), parted.verdicts())
            step += 1
    for name, value in whole.state_dict().items():
        assert torch.equal(value, parted.state_dict()[name]), name
    assert whole.nonfinite_pairs() == parted.nonfinite_pairs()
    assert whole.table().equals(parted.table())


@pytest.mark.parametrize("how", ["load into a running one", "copy", "pickle", "inside another module"])
def test_a_miner_that_has_judged_already_takes_up_another_state_whole(how):
    losses = run_losses(0).float()
    miner, _ = fed(losses, in_order(40))
    miner.verdicts()
    if how == "load into a running one":
        other, _ = fed(run_losses(1).float()[:3], in_order(40))
        other.verdicts()
        other.float().load_state_dict(miner.float().state_dict())
    elif how == "copy":
        other = copy.deepcopy(miner)
    elif how == "pickle":
        saved = io.BytesIO()
        torch.save(miner, saved)
        saved.seek(0)
        other = torch.load(saved, weights_only=False)
    else:
        outer = torch.nn.ModuleDict({"miner": BadPairMiner(40, 1, Sigma(1, 1))}).double()
        outer.load_state_dict({f"miner.{k}": v for k, v in miner.state_dict().items()})
        other = outer["miner"]
    now, everybody = losses[0].to(miner.memory.mean.dtype), torch.arange(40)
    assert other.epoch == miner.epoch
    assert torch.equal(other.verdicts(), miner.verdicts())
    assert torch.equal(other(now, everybody), miner(now, everybody))
    assert torch.equal(other.statistics().mean, miner.statistics().mean)
