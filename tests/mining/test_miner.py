"""What the miner does with a batch: warm-up, weights, gradients, dtypes, and what it says when misused."""

import math
import warnings

import numpy as np
import pytest
import torch

from pairsift.mining import BadPairMiner, ConstantWeight, GaussianWeight, Ramp, Sigma
from pairsift.mining.population import Population

PAIRS = 40
EVERYBODY = torch.arange(PAIRS)


def history(seed=0):
    """One loss a pair, pair 0 far below the others and pair 1 far above."""
    losses = torch.randn(PAIRS, generator=torch.Generator().manual_seed(seed)) * 0.5 + 5
    losses[0], losses[1] = 1.0, 9.0
    return losses


def mining(weight=None, warmup_epochs=1, **settings):
    """A miner in its first active epoch, with pair 0 noisy and pair 1 faulty."""
    miner = BadPairMiner(PAIRS, warmup_epochs, Sigma(3, 3), weight or GaussianWeight(), **settings)
    for _ in range(warmup_epochs):
        miner.start_epoch()
        miner(history(), EVERYBODY)
    miner.start_epoch()
    return miner


def test_the_warm_up_passes_losses_unchanged_and_remembers_them():
    miner = BadPairMiner(PAIRS, warmup_epochs=2, threshold=Sigma(1, 1))
    assert (miner.epoch, miner.active) == (0, False)
    for epoch in (1, 2):
        miner.start_epoch()
        assert torch.equal(miner(history(), EVERYBODY), history())
        assert (miner.epoch, miner.active) == (epoch, False)
        assert (miner.verdicts() == 0).all()
    miner.start_epoch()
    assert miner.active
    assert torch.equal(miner.statistics().mean, history())
    assert (miner(history(), EVERYBODY) != history()).any()


def test_without_a_warm_up_the_first_epoch_has_nothing_to_judge_by():
    miner = BadPairMiner(PAIRS, warmup_epochs=0, threshold=Sigma(0, 0))
    miner.start_epoch()
    assert torch.equal(miner(history(), EVERYBODY), history())
    miner.start_epoch()
    assert (miner.verdicts() > 0).all()


def test_verdicts_hold_for_the_whole_epoch_and_speak_for_all_or_for_a_batch():
    miner = mining()
    expected = torch.tensor([1, 2] + [0] * (PAIRS - 2), dtype=torch.int8)
    assert torch.equal(miner.verdicts(), expected)
    assert miner.verdicts().dtype == torch.int8
    miner(history().flip(0), EVERYBODY)  # losses of this epoch change nothing before the next
    assert torch.equal(miner.verdicts(), expected)
    some = torch.tensor([1, 7, 0, 1])
    assert miner.verdicts(some).tolist() == [2, 0, 1, 2]
    assert miner.verdicts(torch.tensor([], dtype=torch.int64)).tolist() == []


def test_a_pairs_gradient_shrinks_by_exactly_its_weight_and_by_nothing_else():
    miner = mining()
    parameter = torch.linspace(0.5, 2, PAIRS, requires_grad=True)
    losses = parameter**2 + 4
    weighted = miner(losses, EVERYBODY)
    weight = (weighted / losses).detach()
    (gradient,) = torch.autograd.grad(weighted.sum(), parameter)
    torch.testing.assert_close(gradient, weight * 2 * parameter.detach())
    assert (weight[:2] < 1).all()
    assert torch.equal(weight[2:], torch.ones(PAIRS - 2))


def test_nothing_the_miner_keeps_holds_on_to_the_graph():
    miner = mining()
    miner(history().requires_grad_(), EVERYBODY)
    miner.start_epoch()
    assert not any(buffer.requires_grad for buffer in miner.buffers())
    assert list(miner.parameters()) == []


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16, torch.float32, torch.float64])
def test_losses_come_back_in_their_own_dtype_and_are_remembered_in_float32(dtype):
    miner = mining(ConstantWeight(0.5))
    losses = history().to(dtype).requires_grad_()
    weighted = miner(losses, EVERYBODY)
    assert weighted.dtype == dtype
    assert torch.equal(weighted[:2], losses[:2] / 2)
    assert torch.equal(weighted[2:], losses[2:])
    miner.start_epoch()
    expected = (history() + losses.detach().float()) / 2
    torch.testing.assert_close(miner.statistics().mean, expected)
    assert miner.statistics().mean.dtype == torch.float32


def test_in_eval_mode_losses_pass_and_nothing_is_remembered():
    miner = mining().eval()
    before = miner.statistics()
    losses = torch.full((PAIRS,), math.nan)
    assert miner(losses, EVERYBODY) is losses
    assert torch.equal(miner.statistics().seen, before.seen)
    assert miner.nonfinite == 0


def test_recording_and_weighing_are_the_two_halves_of_forward():
    whole, halves = mining(), mining()
    losses = history(1)
    expected = whole(losses, EVERYBODY)
    halves.eval()
    assert torch.equal(halves.weigh(losses, EVERYBODY), expected)
    assert (halves.memory.visits == 0).all()
    halves.record(losses, EVERYBODY)
    for mine, theirs in zip(halves.buffers(), whole.buffers()):
        assert torch.equal(mine, theirs)


@pytest.mark.parametrize("dtype", [torch.float16, torch.float32, torch.float64])
@pytest.mark.parametrize("bad", [math.nan, math.inf, -math.inf])
@pytest.mark.parametrize("warmup_epochs", [1, 5])
def test_a_loss_that_is_no_number_is_counted_named_and_harms_nothing(warmup_epochs, bad, dtype):
    miner = BadPairMiner(PAIRS, warmup_epochs, Sigma(1, 1))
    miner.start_epoch()
    miner(history(), EVERYBODY)
    miner.start_epoch()
    losses = history(1).to(dtype)
    clean = losses.clone()
    losses[[3, 17]] = bad
    losses.requires_grad_()
    weighted = miner(losses, EVERYBODY)
    assert weighted.isfinite().all()
    assert weighted[[3, 17]].tolist() == [0, 0]
    (gradient,) = torch.autograd.grad(weighted.sum(), losses)
    assert gradient.isfinite().all()
    assert gradient[[3, 17]].tolist() == [0, 0]
    assert miner.nonfinite == 2
    assert miner.nonfinite_pairs() == [3, 17]
    mean, _, seen = miner.statistics()
    others = [i for i in range(PAIRS) if i not in (3, 17)]
    assert seen[[3, 17]].tolist() == [1, 1]
    assert torch.equal(mean[[3, 17]], history()[[3, 17]])
    torch.testing.assert_close(mean[others], ((history() + clean.float()) / 2)[others])


def test_the_last_pairs_with_bad_numbers_are_named_not_all():
    miner = BadPairMiner(1000)
    miner.start_epoch()
    nothing = torch.full((20,), math.nan)
    for start in range(0, 1000, 20):
        miner(nothing, torch.arange(start, start + 20))
    miner.start_epoch()
    assert miner.nonfinite == 1000
    assert miner.nonfinite_pairs() == list(range(968, 1000))
    assert (miner.statistics().seen == 0).all()


def test_a_whole_epoch_of_bad_numbers_judges_nobody():
    miner = BadPairMiner(PAIRS, warmup_epochs=0, threshold=Sigma(0, 0))
    for _ in range(3):
        miner.start_epoch()
        assert miner(torch.full((PAIRS,), math.nan), EVERYBODY).tolist() == [0.0] * PAIRS
        assert (miner.verdicts() == 0).all()


@pytest.mark.filterwarnings("ignore:no batch of this epoch")
def test_short_batches_are_weighed_but_not_remembered_where_a_size_is_given():
    miner = mining(ConstantWeight(0.0), batch_size=PAIRS)
    losses = history(1)[:2]
    assert miner(losses, EVERYBODY[:2]).tolist() == [0, 0]
    miner.start_epoch()
    assert (miner.statistics().seen == 1).all()
    miner(history(2), EVERYBODY)
    assert (miner.statistics().seen == 2).all()


def test_a_much_shorter_batch_is_warned_of_once_and_both_remedies_are_named():
    miner = BadPairMiner(PAIRS)
    with pytest.warns(UserWarning, match=r"batch of 9 .* 20.*drop_last=True.*batch_size=20") as caught:
        for _ in range(3):
            miner.start_epoch()
            for size in (20, 11, 9):
                miner(torch.rand(size), torch.arange(size))
    assert len(caught) == 1


def test_batches_of_like_size_and_another_epochs_size_are_no_cause_for_a_warning():
    miner = BadPairMiner(PAIRS)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for sizes in ((20, 20, 10), (4, 4)):
            miner.start_epoch()
            for size in sizes:
                miner(torch.rand(size), torch.arange(size))


def test_a_batch_size_that_no_batch_has_is_warned_of():
    miner = BadPairMiner(PAIRS, batch_size=64)
    miner.start_epoch()
    miner(history(), EVERYBODY)
    with pytest.warns(UserWarning, match="no batch of this epoch had batch_size=64 pairs .* 40"):
        miner.start_epoch()


def test_an_empty_batch_is_nothing():
    miner = mining()
    assert miner(torch.empty(0), torch.empty(0, dtype=torch.int64)).shape == (0,)
    assert miner(torch.empty(0), []).shape == (0,)


@pytest.mark.parametrize("index", [[3, 0], np.array([3, 0]), torch.tensor([3, 0], dtype=torch.int16)])
def test_an_index_may_be_any_whole_numbers(index):
    miner = mining(ConstantWeight(0.0))
    assert miner(torch.tensor([2.0, 2.0]), index).tolist() == [2.0, 0.0]


@pytest.mark.parametrize(
    ("losses", "index", "error", "message"),
    [
        (torch.tensor(1.0), [0], ValueError, r"losses must have shape \(batch,\).*do not reduce"),
        (torch.ones(2, 2), [0, 1], ValueError, r"got \(2, 2\)"),
        (torch.tensor([1, 2]), [0, 1], TypeError, "floating-point.*int64"),
        ([1.0, 2.0], [0, 1], TypeError, "floating-point.*list"),
        (torch.ones(2), [0, 1, 2], ValueError, "one length, got 2 losses and 3 indices"),
        (torch.ones(2), [[0, 1]], ValueError, r"index must have shape \(batch,\), got \(1, 2\)"),
        (torch.ones(2), [0, PAIRS], ValueError, r"index must lie in \[0, 40\), got 0 to 40; num_pairs"),
        (torch.ones(2), [-1, 1], ValueError, r"got -1 to 1"),
        (torch.ones(2), [2**40, 1], ValueError, f"got 1 to {2**40}"),
        (torch.ones(2), [0.0, 1.0], TypeError, "index must hold integers.*float32"),
        (torch.ones(2), [True, False], TypeError, "index must hold integers.*bool"),
    ],
)
def test_what_cannot_be_a_batch_is_refused_and_leaves_no_trace(losses, index, error, message):
    miner = mining()
    before = [buffer.clone() for buffer in miner.buffers()]
    with pytest.raises(error, match=message):
        miner(losses, index)
    assert all(torch.equal(a, b) for a, b in zip(before, miner.buffers()))


def test_losses_on_another_device_are_refused():
    with pytest.raises(ValueError, match=r"losses are on meta and the miner on cpu; call miner.to"):
        mining()(torch.ones(2, device="meta"), [0, 1])


@pytest.mark.parametrize("closed", [False, True])
def test_a_forgotten_start_of_an_epoch_is_said(closed):
    miner = BadPairMiner(PAIRS)
    if closed:
        miner.start_epoch()
        miner.end_epoch()
    with pytest.raises(RuntimeError, match=r"call miner.start_epoch\(\)"):
        miner(history(), EVERYBODY)


@pytest.mark.parametrize(
    ("settings", "error", "message"),
    [
        ({"num_pairs": 0}, ValueError, "num_pairs must be at least 1, got 0"),
        ({"num_pairs": 2.5}, TypeError, "num_pairs must be a whole number, got 2.5"),
        ({"num_pairs": True}, TypeError, "num_pairs must be a whole number"),
        ({"warmup_epochs": -1}, ValueError, "warmup_epochs must be at least 0, got -1"),
        ({"batch_size": 0}, ValueError, "batch_size must be at least 1, got 0"),
        ({"threshold": 2.0}, TypeError, r"threshold must be one such as Sigma\(noisy=2, faulty=3\), got 2.0"),
        ({"weight": 0.0}, TypeError, r"weight must be one such as GaussianWeight\(\), got 0.0"),
        ({"history": "median"}, ValueError, "history must be .*, got 'median'"),
        ({"history": 3}, ValueError, "history must be"),
    ],
)
def test_settings_that_make_no_sense_are_refused(settings, error, message):
    with pytest.raises(error, match=message):
        BadPairMiner(**{"num_pairs": PAIRS, **settings})


def test_ending_an_epoch_is_what_starting_the_next_does_anyway():
    ended, started = mining(), mining()
    for miner in (ended, started):
        miner(history(3), EVERYBODY)
    ended.end_epoch()
    ended.end_epoch()
    assert ended.epoch == started.epoch == 2
    torch.testing.assert_close(ended.statistics().mean, started.statistics().mean, rtol=0, atol=0)
    ended.start_epoch()
    started.start_epoch()
    assert all(torch.equal(a, b) for a, b in zip(ended.buffers(), started.buffers()))


def test_statistics_and_thresholds_know_the_running_epoch_and_change_nothing():
    miner = mining()
    miner(history() + 2, EVERYBODY)
    before = [buffer.clone() for buffer in miner.buffers()]
    mean, std, seen = miner.statistics()
    torch.testing.assert_close(mean, history() + 1)
    torch.testing.assert_close(std, torch.ones(PAIRS))
    assert (seen == 2).all()
    exact = (history().double() + 1).numpy()
    cuts = miner.thresholds
    assert cuts["noisy"] == pytest.approx(exact.mean() - 3 * exact.std(), rel=1e-6)
    assert cuts["faulty"] == pytest.approx(exact.mean() + 3 * exact.std(), rel=1e-6)
    assert all(torch.equal(a, b) for a, b in zip(before, miner.buffers()))
    miner.end_epoch()
    miner.statistics().mean.zero_()  # a copy
    torch.testing.assert_close(miner.statistics().mean, history() + 1)


@pytest.mark.parametrize("past", ["mean", "last", Ramp(4)])
def test_every_history_goes_through_the_miner(past):
    miner = mining(history=past)
    assert miner.verdicts()[:2].tolist() == [1, 2]
    assert str(past) in repr(miner)


def test_threshold_and_weight_look_at_all_pairs_once_an_epoch(monkeypatch):
    """Mu and sigma are found in one pass over the memory, not in one for each who asks."""
    passes, plain = [], Population._point_amid
    monkeypatch.setattr(Population, "_point_amid", lambda self: passes.append(1) or plain(self))
    miner = BadPairMiner(20, warmup_epochs=1)
    for _ in range(3):
        miner.start_epoch()
        for _ in range(2):
            miner(torch.arange(20.0), torch.arange(20))
    assert len(passes) == 2  # none in the warm-up
