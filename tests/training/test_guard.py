"""Numbers that go wrong: a bad batch harms nothing, is counted and named; too many in a row end a run."""

from __future__ import annotations

import math
import warnings
from pathlib import Path

import numpy as np
import pytest
import torch
from lightning.pytorch.callbacks import Callback
from tests.training.run_small import FRAMEWORKS, SMALL, series

from pairsift.data.series import Series
from pairsift.errors import PairsiftError
from pairsift.frameworks import SimCLR
from pairsift.mining import BadPairMiner, ConstantWeight, Sigma
from pairsift.training import PairModule, pretrain
from pairsift.training.batches import EpochBatches
from pairsift.training.checkpoint import checkpoints
from pairsift.training.guard import IN_A_ROW

OPTIONS = SMALL["options"]


class Wrong(SimCLR):
    """Gives chosen pairs a chosen loss in chosen steps; the pairs are known by their first value."""

    def __init__(self, steps, pairs, value: float, only_gradient: bool = False) -> None:
        config = self.Config(augmentation="none", **OPTIONS)
        super().__init__(1, 60, "infonce", config)
        self.steps, self.value, self.only_gradient = set(steps), value, only_gradient
        self.marks = torch.from_numpy(series().x[pairs, 0, 0])
        self.step = -1

    def forward(self, u, v, negatives=None):
        losses = super().forward(u, v, negatives)
        self.step += self.training
        if self.training and self.step in self.steps:
            hit = torch.isin(u[:, 0, 0], self.marks)
            wrong = losses * self.value
            if self.only_gradient:
                wrong = losses + (losses - losses.detach()) * 1e38 * 1e38
            losses = torch.where(hit, wrong, losses)
        return losses


def train(framework, epochs: int = 4, out: Path | None = None, **more):
    torch.manual_seed(0)
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        how = {**SMALL, "epochs": epochs, "warmup": 1, "options": {}, **more}
        run = pretrain(series(), framework=framework, out=out, progress=False, **how)
    return run, [str(one.message) for one in said]


@pytest.mark.parametrize("value", [math.nan, math.inf, -math.inf])
def test_a_bad_batch_poisons_neither_weights_nor_memory_and_is_counted_and_named(value: float) -> None:
    batches = EpochBatches(64, SMALL["batch_size"], seed=0)
    batches.set_epoch(1)
    wrong = sorted(list(batches)[1].tolist()[:3])
    run, said = train(Wrong([5], wrong, value))  # the second batch of the second epoch
    state = run.framework.state_dict()
    assert all(v.isfinite().all() for v in state.values() if v.is_floating_point())
    assert all(math.isfinite(row["loss"]) for row in run.metrics)
    assert [row["skipped_batches"] for row in run.metrics] == [0, 1, 0, 0]
    mean, std, seen = run.miner.statistics()
    assert mean.isfinite().all() and std.isfinite().all()
    assert run.miner.nonfinite_pairs() == wrong and run.miner.nonfinite == 3
    assert (seen[wrong] == 3).all() and (seen == 4).sum() == 61
    told = [sentence for sentence in said if "left out" in sentence]
    named = ", ".join(map(str, wrong))
    assert len(told) == 1 and told[0].startswith("epoch 2: 1 batches were left out") and named in told[0]


def test_weights_and_norms_are_those_of_a_run_without_the_bad_step() -> None:
    """The step is not taken at all: momentum, weight decay and batch norm stay as they were before it."""
    states = []
    for steps in ([3], []):
        torch.manual_seed(0)
        seen: list[dict[str, torch.Tensor]] = []

        class Look(Callback):
            def on_train_batch_end(self, trainer, pl_module, outputs, batch, batch_idx, seen=seen) -> None:
                whole = {k: v.clone() for k, v in pl_module.framework.state_dict().items()}
                moments = trainer.optimizers[0].state
                seen.append({**whole, "adam": torch.cat([s["exp_avg"].flatten() for s in moments.values()])})

        train(Wrong(steps, range(64), math.nan), callbacks=[Look()])
        states.append(seen)
    bad, good = states
    for name in good[2]:
        assert torch.equal(bad[2][name], good[2][name])
        if name.endswith("num_batches_tracked"):  # which nothing here goes by
            continue
        assert torch.equal(bad[3][name], bad[2][name]), name  # nothing moved
    assert any(not torch.equal(good[3][name], good[2][name]) for name in good[3])


def test_a_finite_loss_with_an_infinite_gradient_is_a_bad_batch_too() -> None:
    run, said = train(Wrong([5], range(64), 1.0, only_gradient=True))
    assert [row["skipped_batches"] for row in run.metrics] == [0, 1, 0, 0]
    assert all(v.isfinite().all() for v in run.framework.state_dict().values() if v.is_floating_point())
    assert run.miner.nonfinite == 0 and any("left out" in sentence for sentence in said)


@pytest.mark.parametrize("precision", ["32-true", "bf16-mixed"])
def test_ten_in_a_row_stop_the_run_with_advice_and_names(tmp_path: Path, precision: str) -> None:
    framework = Wrong(range(6, 99), range(64), math.nan)
    with pytest.raises(PairsiftError) as stopped:
        train(framework, epochs=9, out=tmp_path / "run", precision=precision)
    said = str(stopped.value)
    assert f"{IN_A_ROW} batches in a row" in said and "lower lr (it was 0.0003)" in said
    assert "series of pairs " in said and said.endswith(" and others") and "\n" not in said
    assert framework.step == 6 + IN_A_ROW - 1
    # what was learned before stands, and can be looked at
    assert [path.name for path in checkpoints(tmp_path / "run" / "checkpoints")][-1] == "epoch-000003.ckpt"


def test_nine_in_a_row_do_not() -> None:
    run, _ = train(Wrong(range(4, 4 + IN_A_ROW - 1), range(64), math.inf), epochs=6)
    assert sum(row["skipped_batches"] for row in run.metrics) == IN_A_ROW - 1


def test_an_epoch_of_bad_batches_has_no_loss_and_judges_nobody() -> None:
    run, _ = train(Wrong(range(4), range(64), math.nan), epochs=3, warmup=0)
    assert math.isnan(run.metrics[0]["loss"]) and math.isfinite(run.metrics[1]["loss"])
    assert run.metrics[0]["noisy"] == run.metrics[0]["faulty"] == 0


def test_all_pairs_bad_or_the_same_or_a_side_empty() -> None:
    for threshold in (Sigma(0, 0), Sigma(None, None), Sigma(None, 0), Sigma(0, None), Sigma(9, 9)):
        miner = BadPairMiner(64, 1, threshold, ConstantWeight(0))
        run, _ = train(None, miner=miner, options=OPTIONS)
        assert all(v.isfinite().all() for v in run.framework.state_dict().values() if v.is_floating_point())
        assert all(math.isfinite(row["loss"]) for row in run.metrics)
    same = Series(np.repeat(series().x[:1], 32, axis=0))  # every series the same: sigma is next to nothing
    run = pretrain(same, progress=False, **SMALL)
    assert all(math.isfinite(row["loss"]) for row in run.metrics)


@pytest.mark.parametrize("name", FRAMEWORKS)
def test_one_series_of_huge_values_costs_its_batches_and_no_others(name: str) -> None:
    """Also where a network keeps more than weights: batch norms' statistics, MoCo's slow copy and queue."""
    x = series().x.copy()
    x[5] = 3e38
    with pytest.warns(UserWarning, match="epoch 1: 1 batches were left out"):
        how = {**SMALL, "options": FRAMEWORKS[name], "framework": name}
        run = pretrain(Series(x), progress=False, **how)
    assert [row["skipped_batches"] for row in run.metrics] == [1] * SMALL["epochs"]
    assert all(math.isfinite(row["loss"]) for row in run.metrics)
    assert all(v.isfinite().all() for v in run.framework.state_dict().values())
    assert 5 in run.miner.nonfinite_pairs() and run.miner.statistics().seen[5] == 0


def test_values_as_large_as_float32_has_them_stop_with_the_same_advice() -> None:
    x = series().x.copy()
    x[:] = 3e38
    with pytest.raises(PairsiftError, match="huge values in the series of pairs"):
        pretrain(Series(x), progress=False, **{**SMALL, "epochs": 9})


def test_the_guard_is_in_the_module_that_others_may_use() -> None:
    module = PairModule(Wrong([], [0], 1.0))
    assert {"guard.skipped", "guard.streak", "guard.longest"} <= set(module.state_dict())
