"""Mending in the training loop: views and negatives as planned, the left-out not passed, parts, resume."""

import os
from pathlib import Path

import numpy as np
import pytest
import torch
import torch.multiprocessing as mp
from lightning.pytorch.callbacks import Callback
from tests.training.meeting import meeting_place
from tests.training.test_pretrain import SMALL, StopAfter, same, series, weights

from pairsift.data import corrupt
from pairsift.data.series import Batch, Series
from pairsift.data.strikes import RandomStrikes
from pairsift.errors import PairsiftError
from pairsift.estimator import ContrastiveEncoder
from pairsift.frameworks import build_framework
from pairsift.mining import FAULTY, NOISY, MendingMiner, Sigma
from pairsift.mining.care import GOOD, STEPS
from pairsift.training import load_miner, pretrain
from pairsift.training.drawn import take_step

PAIRS = 12
everybody = torch.arange(PAIRS)


def framework(name: str = "simclr"):
    with torch.random.fork_rng():
        torch.manual_seed(0)
        small = {"encoder_options": {"widths": (4, 4, 8), "dropout": 0.0}, "hidden": 8}
        if name == "moco":
            small |= {"queue": 16, "projection": 8}
        return build_framework(name, 1, 32, augmentation="default", **small).train()


def told(noisy: list[int], faulty: dict[int, int], parts: tuple[str, ...] = ("negatives", "gentle", "noisy")):
    """A miner in its third epoch that cares for these: noisy left out, faulty at a step, good there."""
    miner = MendingMiner(PAIRS, 1, Sigma(None, None), parts=parts, interval=2)
    for _ in range(2):
        miner.start_epoch()
        miner(torch.rand(PAIRS), everybody)
    miner.start_epoch()
    care = miner.care
    care.kind[noisy], care.step[noisy] = NOISY, 1
    for pair, step in faulty.items():
        care.kind[pair], care.step[pair], care.state[pair] = FAULTY, step, GOOD
    return miner


def batch() -> Batch:
    return Batch(torch.randn(PAIRS, 1, 32, generator=torch.Generator().manual_seed(1)), everybody)


def seeded() -> torch.Generator:
    return torch.Generator().manual_seed(3)


@pytest.mark.parametrize("name", ["simclr", "moco"])
def test_who_is_left_out_leaves_no_trace_in_the_step(name: str) -> None:
    """Whatever the noisy series are, losses, gradients and batch statistics are those of the others alone."""
    found = []
    for scale in (1.0, 100.0):
        one, data = framework(name), batch()
        data.x[[2, 5]] *= scale
        miner = told([2, 5], {})
        miner._progress[0], miner._epoch = 2, 2  # no look in this epoch
        step = take_step(one, miner, data, seeded())
        step.loss.backward()
        assert step.index.tolist() == [i for i in range(PAIRS) if i not in (2, 5)]
        assert step.loss.item() == pytest.approx(step.losses.sum().item() / PAIRS)
        found.append([step.losses, *(p.grad for p in one.parameters() if p.grad is not None), *one.buffers()])
    assert all(torch.equal(a, b) for a, b in zip(*found))


def test_who_is_left_out_is_looked_at_without_a_trace() -> None:
    """In an epoch of the interval a loss of theirs is remembered; the step is what it would be without."""
    found = []
    for look in (False, True):
        one, miner = framework(), told([2, 5], {})
        miner.interval = 2 if look else 100
        assert miner.looking == look
        step = take_step(one, miner, batch(), seeded())
        step.loss.backward()
        assert miner.memory.visits[[2, 5]].tolist() == [int(look)] * 2
        found.append([step.losses, *(p.grad for p in one.parameters() if p.grad is not None), *one.buffers()])
    assert miner.memory.total[[2, 5]].min() > 0
    assert all(torch.equal(a, b) for a, b in zip(*found))


def test_a_faulty_pairs_second_view_is_drawn_anew_and_milder() -> None:
    seen = {}

    def spy(u, v, index, strength, generator):
        seen["v"], seen["strength"] = v, strength
        return u, v

    data = batch()
    data = Batch(data.x, data.index, data.x + 1000)
    take_step(framework(), told([], {3: 1, 4: STEPS}), data, seeded(), spy)
    drawn_from_other = seen["v"].mean((1, 2)) > 500
    assert (~drawn_from_other).nonzero().flatten().tolist() == [3, 4]
    assert seen["strength"].tolist() == [1, 1, 1, 1 - 1 / STEPS, 0, *[1] * 7]
    assert torch.equal(seen["v"][4], data.x[4])


def test_where_hardly_anybody_is_left_all_pass_and_weigh_nothing() -> None:
    miner = told(list(range(1, PAIRS)), {})
    step = take_step(framework(), miner, batch(), seeded())
    assert len(step.losses) == PAIRS
    assert step.loss.isfinite()
    assert miner.weigh(torch.ones(PAIRS), everybody).tolist() == [1] + [0] * (PAIRS - 1)


def planted(view: str = "second", n: int = 40) -> Series:
    return corrupt(series(n), 0.1, 0.1, seed=0, view=view)


MEND = {**SMALL, "mining": "mend"}


class Told(Callback):
    """Lets the run's own miner judge as planted: so few pairs hold no group that could be found."""

    def __init__(self, truth: np.ndarray) -> None:
        self.truth = torch.from_numpy(truth)

    def on_train_start(self, trainer, pl_module) -> None:
        pl_module.miner.verdicts = lambda i=None: self.truth if i is None else self.truth[i]


def test_mend_trains_repeats_and_does_something() -> None:
    data = planted()
    first, again = (pretrain(data, progress=False, callbacks=[Told(data.truth)], **MEND) for _ in range(2))
    plain = pretrain(data, progress=False, **{**MEND, "mining": "auto"})
    assert isinstance(first.miner, MendingMiner)
    assert same(weights(first), weights(again)) and not same(weights(first), weights(plain))
    assert first.miner.care.left_out.any()
    assert all(torch.isfinite(value).all() for value in weights(first).values())


@pytest.mark.parametrize(("epoch", "batch_of"), [(1, 0), (3, 1)])
def test_a_resumed_mending_run_equals_one_never_interrupted(
    tmp_path: Path, epoch: int, batch_of: int
) -> None:
    data, more = planted(), [Told(planted().truth)]
    whole = pretrain(data, out=tmp_path / "whole", progress=False, callbacks=more, **MEND)
    with pytest.raises(RuntimeError, match="power cut"):
        cut = [*more, StopAfter(epoch, batch_of)]
        pretrain(data, out=tmp_path / "cut", progress=False, callbacks=cut, **MEND)
    resumed = pretrain(data, out=tmp_path / "cut", resume=True, progress=False, callbacks=more, **MEND)
    assert same(weights(whole), weights(resumed))
    assert same(whole.miner.state_dict(), resumed.miner.state_dict())
    read = load_miner(tmp_path / "cut")
    assert isinstance(read, MendingMiner) and same(read.state_dict(), whole.miner.state_dict())
    assert "done" in read.table()


def in_a_process(rank: int, where: dict[str, str], folder: str) -> None:
    """What each of two gloo processes does; MoCo, whose keys everybody gets, however many each has."""
    torch.set_num_threads(1)
    os.environ |= {"RANK": str(rank), "LOCAL_RANK": str(rank), "WORLD_SIZE": "2", "LOCAL_WORLD_SIZE": "2"}
    os.environ |= where
    data = planted(n=80)
    how = {**MEND, "framework": "moco", "epochs": 7, "options": {**SMALL["options"], "queue": 32}}
    run = pretrain(data, progress=False, callbacks=[Told(data.truth)], **how)
    torch.save([run.miner.state_dict(), weights(run), run.metrics], f"{folder}/{rank}.pt")


def test_two_processes_mend_together(tmp_path: Path) -> None:
    with meeting_place() as where:
        mp.spawn(in_a_process, args=(where, str(tmp_path)), nprocs=2)
    (miner, framework, rows), (other, others, _) = (
        torch.load(tmp_path / f"{rank}.pt", weights_only=True) for rank in range(2)
    )
    assert same(miner, other)
    assert miner["care.step"].sum() >= 8  # the noisy ones left out, the faulty ones milder
    trained = [name for name, _ in build_framework("moco", 1, 60, **SMALL["options"]).named_parameters()]
    assert all(torch.equal(framework[name], others[name]) for name in trained)
    assert np.isfinite([row["loss"] for row in rows]).all()


def test_parts_are_settings(tmp_path: Path) -> None:
    run = pretrain(series(), out=tmp_path, progress=False, mend=["noisy", "gentle"], **MEND)
    assert run.miner.parts == ("gentle", "noisy")
    assert load_miner(tmp_path).parts == ("gentle", "noisy")
    with pytest.raises(PairsiftError, match=r"mend.*'negatives', 'gentle' or 'noisy', got 'hope'"):
        pretrain(series(), progress=False, mend=["hope"], **MEND)


def test_clean_pairs_that_nobody_judges_bad_train_as_without_mining() -> None:
    """Where no group stands apart mending changes nothing at all."""
    mending = pretrain(series(), progress=False, **MEND)
    plain = pretrain(series(), progress=False, **{**MEND, "mining": "none"})
    assert not mending.miner.care.kind.any()
    assert same(weights(mending), weights(plain))


def test_the_estimator_mends() -> None:
    encoder = ContrastiveEncoder(
        mining="mend",
        mend=["gentle"],
        epochs=2,
        warmup=1,
        batch_size=16,
        options=SMALL["options"],
        random_state=0,
    )
    encoder.fit(series().x)
    assert "done" in encoder.bad_pairs_


def test_strikes_hit_planted_pairs_alone_and_repeat_with_the_run() -> None:
    data = planted("random")
    seen = []

    class Spy(RandomStrikes):
        def __call__(self, u, v, index, strength, generator):
            struck = super().__call__(u, v, index, strength, generator)
            hit = (struck[0] != u).flatten(1).any(1) | (struck[1] != v).flatten(1).any(1)
            assert torch.equal(hit, torch.from_numpy(data.truth)[index] == FAULTY)
            seen.append(struck[0].sum())
            return struck

    how = {**SMALL, "epochs": 2, "mining": "none"}
    first = pretrain(data, progress=False, strike=Spy(data.truth), **how)
    again = pretrain(data, progress=False, strike=Spy(data.truth), **how)
    plain = pretrain(data, progress=False, **how)
    assert seen[: len(seen) // 2] == seen[len(seen) // 2 :]
    assert same(weights(first), weights(again)) and not same(weights(first), weights(plain))


def test_strikes_need_to_know_whom() -> None:
    with pytest.raises(PairsiftError, match="truth must say which pairs are faulty"):
        RandomStrikes(None)
