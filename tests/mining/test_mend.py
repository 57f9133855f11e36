"""On losses whose causes are known, each pair gets what helps it; what is cured gets its strength back."""

import copy

import pytest
import torch
import torch.multiprocessing as mp
from tests.mining.saved import through_a_file
from tests.mining.toy_mending import KINDS, PAIRS, TRUTH, WARMUP, epoch_of, in_a_process, losses_of, mended

from pairsift.mining import FAULTY, NOISY, BadPairMiner, MendingMiner, Sigma
from pairsift.mining.care import STEPS

everybody = torch.arange(PAIRS)
is_a = {name: k == TRUTH for k, name in enumerate(KINDS)}


def test_nothing_is_done_in_the_warm_up():
    miner = mended(WARMUP - 1)
    miner.start_epoch()
    plan = miner.plan(everybody)
    assert not plan.gentle.any() and plan.negatives.all() and plan.stays.all() and not plan.look
    losses = torch.rand(PAIRS)
    assert torch.equal(miner(losses, everybody), losses)
    assert not miner.care.kind.any()


def test_each_pair_gets_what_helps_it():
    """After ten epochs: noisy ones out, faulty ones at the strength that they stand, the rest as ever."""
    miner = mended(WARMUP + 10)
    miner.start_epoch()
    plan = miner.plan(everybody)
    assert (~plan.stays)[is_a["noisy"]].float().mean() > 0.95
    assert plan.stays[is_a["normal"]].float().mean() > 0.99
    assert (plan.gentle[is_a["fixed"]] == 1 / STEPS).float().mean() > 0.9
    assert (plan.gentle[is_a["strong"]] == 2 / STEPS).float().mean() > 0.9
    assert not plan.stays[is_a["hopeless"]].any()
    assert (plan.gentle[is_a["normal"]] == 0).float().mean() > 0.98
    cured = is_a["fixed"] | is_a["strong"]
    assert plan.negatives[cured].float().mean() > 0.9
    assert not plan.negatives[~plan.stays].any()


def test_what_is_mended_weighs_1_and_what_is_not_0():
    miner = mended(WARMUP + 10)
    miner.start_epoch()
    plan, losses = miner.plan(everybody), torch.full((PAIRS,), 2.5)
    weight = miner(losses, everybody) / losses
    assert (weight[is_a["fixed"]] == 1).float().mean() > 0.9
    assert not weight[is_a["hopeless"]].any() and not weight[~plan.stays].any()
    assert (weight[is_a["normal"]] == 1).float().mean() > 0.99


def test_a_pair_is_not_learned_from_while_it_is_tried():
    """Damage comes back on trial alone, and then weighs nothing and is nobody's negative."""
    miner, weights = mended(WARMUP), []
    for epoch in range(WARMUP + 1, WARMUP + 25):
        miner.start_epoch()
        plan, weight = miner.plan(everybody), miner.weigh(torch.ones(PAIRS), everybody)
        damaged = is_a["fixed"] & (plan.gentle == 0)
        assert not weight[damaged].any() and not plan.negatives[damaged].any()
        weights.append(float(weight[is_a["fixed"]].mean()))
        miner(losses_of(epoch, everybody, plan.gentle, TRUTH), everybody)
    assert sum(weights) / len(weights) > 0.75  # trials become rare


def test_trials_at_full_strength_become_rarer():
    miner = mended(WARMUP)
    trials = []
    for epoch in range(WARMUP + 1, WARMUP + 60):
        epoch_of(miner, epoch)
        if miner.care.rising[is_a["fixed"]].float().mean() > 0.5:
            trials.append(epoch)
    waits = torch.tensor(trials).diff()
    assert len(trials) >= 4
    assert (waits[1:] >= 1.6 * waits[:-1]).all()


def test_a_pair_that_recovers_gets_its_strength_back():
    miner = mended(WARMUP + 8)
    healthy = torch.where((TRUTH == 2) | (TRUTH == 3), 0, TRUTH)
    back, trusted = [], []
    for epoch in range(WARMUP + 9, WARMUP + 40):
        epoch_of(miner, epoch, healthy)
        plan = miner.plan(everybody)
        back.append(float((plan.gentle[is_a["fixed"] | is_a["strong"]] == 0).float().mean()))
        trusted.append(float(plan.negatives[is_a["fixed"] | is_a["strong"]].float().mean()))
    assert back[0] < 0.1
    assert sum(back[-8:]) / 8 > 0.85 and sum(trusted[-8:]) / 8 > 0.85


def test_a_hopeless_pair_is_tried_again_where_it_becomes_good():
    miner = mended(WARMUP + 10)
    assert (miner.care.step[is_a["hopeless"]] == STEPS + 1).all()
    for epoch in range(WARMUP + 11, WARMUP + 40):
        epoch_of(miner, epoch, torch.where(TRUTH == 4, 0, TRUTH))
    assert (miner.care.step[is_a["hopeless"]] < STEPS).all()


def test_a_wrong_verdict_is_undone():
    """Pairs whose first losses were low by chance are left out, and come back; true noisy ones do not."""
    lucky = torch.zeros(PAIRS, dtype=torch.bool)
    lucky[:20] = True
    miner = mended(WARMUP, torch.where(lucky, 1, TRUTH), interval=2)
    epoch_of(miner, WARMUP + 1)
    assert miner.care.left_out[lucky].all()
    for epoch in range(WARMUP + 2, WARMUP + 60):
        epoch_of(miner, epoch)
    assert not miner.care.left_out[lucky].any()
    assert miner.care.left_out[is_a["noisy"]].float().mean() > 0.9


def test_who_is_left_out_is_looked_at_at_the_interval_alone():
    miner = mended(WARMUP + 12, interval=4)
    seen = miner.memory.seen[is_a["noisy"] & miner.care.left_out]
    assert set(seen.tolist()) == {WARMUP + 12 // 4}
    assert (miner.memory.seen[is_a["normal"]] == WARMUP + 12).float().mean() > 0.99


@pytest.mark.parametrize("kind", ["noisy", "fixed"])
def test_means_stay_comparable_though_only_some_epochs_are_seen(kind):
    """A bad pair lies as far from the normal ones as if every epoch had drawn it at full strength."""
    miner = mended(WARMUP + 35)
    plain = BadPairMiner(PAIRS)
    for epoch in range(1, WARMUP + 36):
        plain.start_epoch()
        plain(losses_of(epoch, everybody, torch.zeros(PAIRS), TRUTH), everybody)
    plain.end_epoch()

    def distance(m):
        return m.memory.mean[is_a[kind]].mean() - m.memory.mean[is_a["normal"]].mean()

    assert distance(miner) == pytest.approx(float(distance(plain)), abs=0.1)
    never = miner.care.kind == 0
    assert torch.equal(miner.memory.mean[never], plain.memory.mean[never])


def test_a_gentle_loss_is_not_taken_for_one_at_full_strength():
    """The verdict stays faulty however long milder views keep the loss low."""
    miner = mended(WARMUP + 40)
    assert (miner.verdicts()[is_a["fixed"]] == FAULTY).float().mean() > 0.9


@pytest.mark.parametrize("parts", [(), ("negatives",), ("gentle",), ("noisy",), ("gentle", "noisy")])
def test_each_part_works_alone(parts):
    miner = mended(WARMUP + 6, parts=parts)
    plain = BadPairMiner(PAIRS, WARMUP, miner.threshold, miner.weight)
    plain.load_state_dict({k: v for k, v in miner.state_dict().items() if not k.startswith("care")})
    for m in (miner, plain):
        m.start_epoch()
    plan, kinds = miner.plan(everybody), miner.verdicts()
    losses = losses_of(1, everybody, torch.zeros(PAIRS), TRUTH)
    weighed, plainly = miner(losses, everybody), plain(losses, everybody)
    assert bool(plan.gentle.any()) == ("gentle" in parts)
    assert torch.equal(plan.stays, ~miner.care.left_out)
    if "negatives" in parts:
        assert torch.equal(plan.negatives, kinds == 0)
    elif "gentle" not in parts:
        assert torch.equal(plan.negatives, plan.stays)
    cared = miner.care.kind > 0
    assert set(miner.care.kind[cared].tolist()) == {
        k for p, k in (("noisy", NOISY), ("gentle", FAULTY)) if p in parts
    }
    assert torch.equal(weighed[~cared], plainly[~cared])
    assert (kinds[~cared] > 0).any() or parts == ("gentle", "noisy")


def test_unknown_parts_are_refused():
    with pytest.raises(ValueError, match="parts must be of negatives, gentle, noisy, got 'hope'"):
        MendingMiner(5, parts=["gentle", "hope"])
    with pytest.raises(ValueError, match="interval must be at least 1"):
        MendingMiner(5, interval=0)


def test_a_resumed_run_goes_on_bit_for_bit():
    straight = mended(WARMUP + 20)
    broken = mended(WARMUP + 9)
    resumed = through_a_file(broken, MendingMiner(PAIRS, WARMUP))
    for epoch in range(WARMUP + 10, WARMUP + 21):
        epoch_of(resumed, epoch)
    for (name, mine), theirs in zip(resumed.named_buffers(), straight.buffers(), strict=True):
        assert torch.equal(mine, theirs), name


def test_a_run_goes_on_from_the_middle_of_an_epoch():
    straight, broken = mended(WARMUP + 9), mended(WARMUP + 9)
    resumed = MendingMiner(PAIRS, WARMUP)
    for miner in (straight, broken):
        miner.start_epoch()
        miner(torch.linspace(1, 3, 50), everybody[:50])
    resumed.load_state_dict(copy.deepcopy(broken.state_dict()))
    for miner in (straight, resumed):
        miner(torch.linspace(2, 4, 550), everybody[50:])
        miner.end_epoch()
        miner.start_epoch()
    for a, b in zip(straight.buffers(), resumed.buffers(), strict=True):
        assert torch.equal(a, b)


def test_two_processes_care_as_one_does(tmp_path):
    mp.spawn(in_a_process, args=(str(tmp_path),), nprocs=2)
    one = mended(WARMUP + 8).state_dict()
    assert one["care.step"].any()
    for rank in range(2):
        state = torch.load(tmp_path / f"{rank}.pt", weights_only=True)
        assert all(torch.equal(value, one[name]) for name, value in state.items() if not name.startswith("_"))


def test_the_table_says_what_was_done():
    miner = mended(WARMUP + 10)
    table = miner.table()
    assert list(table.columns[:7]) == ["index", "kind", "score", "mean_loss", "std_loss", "weight", "seen"]
    done = table["done"]
    assert set(done) >= {"", "left out", "views with 75% strength", "views with 50% strength", "dropped"}
    left = (done == "left out").to_numpy()
    assert torch.equal(torch.tensor(left), miner.care.left_out & (miner.care.kind == NOISY))
    assert (done[is_a["hopeless"].numpy()] == "dropped").all()
    assert set(table["weight"][done == ""]) == {1.0}
    assert set(table["weight"][left]) == {0.0}


def test_the_table_changes_nothing_and_is_the_same_in_the_middle_of_an_epoch():
    miner = mended(WARMUP + 10)
    miner.start_epoch()
    miner(torch.linspace(1, 3, 50), everybody[:50])
    before = copy.deepcopy(miner.state_dict())
    miner.table()
    assert all(torch.equal(value, before[name]) for name, value in miner.state_dict().items())


def test_pairs_that_nobody_cares_for_are_weighed_down_in_words_too():
    done = mended(WARMUP + 6, parts=["negatives"]).table()
    assert (done["done"][done["kind"] != "normal"] == "weighed down").all()
    assert (done["done"][done["kind"] == "normal"] == "").all()


def test_short_batches_count_by_what_they_were_before_some_were_left_out():
    miner = mended(WARMUP + 6, batch_size=100)
    assert miner.care.left_out.any()
    assert (miner.memory.seen[is_a["normal"]] == WARMUP + 6).float().mean() > 0.99


def test_few_or_no_normal_pairs_are_no_disaster():
    miner = MendingMiner(6, 1, Sigma(0.5, 0.5), interval=1)
    for _ in range(6):
        miner.start_epoch()
        plan = miner.plan(torch.arange(6))
        miner(torch.tensor([1.0, 1, 1, 9, 9, 9])[plan.stays], torch.arange(6)[plan.stays], of=6)
        miner.record(torch.ones(int((~plan.stays).sum())), torch.arange(6)[~plan.stays], of=6)
    miner.end_epoch()
    assert miner.memory.mean.isfinite().all()
    assert miner.care.left_out[:3].all()


def test_losses_that_are_no_numbers_are_no_look():
    miner = mended(WARMUP + 10)
    before = copy.deepcopy(miner.care.state_dict())
    miner.start_epoch()
    miner(torch.full((PAIRS,), torch.nan), everybody)
    miner.end_epoch()
    assert all(torch.equal(value, before[name]) for name, value in miner.care.state_dict().items())


def test_it_costs_10_bytes_a_pair_more():
    def size(miner):
        return sum(b.numel() * b.element_size() for b in miner.buffers())

    assert size(MendingMiner(1000)) - size(BadPairMiner(1000)) == 10 * 1000


class Doubting(Sigma):
    """Sigma, sure only of every other pair's kind: those whose mean loss has an even hundredth."""

    def fit(self, population):
        judge = super().fit(population)
        object.__setattr__(judge, "sure", lambda pairs: even(pairs.mean))
        return judge


def even(means):
    return (means * 100).round().long() % 2 == 0


def test_a_bad_pair_that_is_not_surely_bad_is_used_as_it_is():
    losses = torch.cat([torch.full((80,), 5.0), torch.tensor([1.0, 1.01, 9.0, 9.01])])
    miner = MendingMiner(84, 1, Doubting(1, 1))
    for _ in range(2):
        miner.start_epoch()
        miner(losses, torch.arange(84))
    assert miner.verdicts()[80:].tolist() == [NOISY, NOISY, FAULTY, FAULTY]
    assert miner.care.kind[80:].tolist() == [NOISY, 0, FAULTY, 0]
    plan = miner.plan(torch.arange(84))
    assert plan.negatives[80:].tolist() == [False, True, False, True] and plan.stays[81:].all()
    assert miner.weigh(losses, torch.arange(84))[80:].tolist() == pytest.approx([0, 1.01, 0, 9.01])
    last = miner.table().iloc[80:]
    assert last["done"].tolist()[1::2] == ["doubtful, used as it is"] * 2 and last["weight"].tolist()[
        1::2
    ] == [1, 1]


def test_doubt_is_no_matter_where_no_part_would_care():
    losses = torch.cat([torch.full((80,), 5.0), torch.tensor([1.0, 1.01, 9.0, 9.01])])
    miner = MendingMiner(84, 1, Doubting(1, 1), parts=["negatives"])
    for _ in range(2):
        miner.start_epoch()
        miner(losses, torch.arange(84))
    assert not miner.plan(torch.arange(84)).negatives[80:].any()
    assert miner.weigh(losses, torch.arange(84))[80:].tolist() == [0, 0, 0, 0]
