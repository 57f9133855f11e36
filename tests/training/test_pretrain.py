"""The loop: repeatable, resumable, kind about mistakes, and the one equation to the letter."""

import csv
import json
import shutil
from pathlib import Path

import numpy as np
import pytest
import torch
from lightning.pytorch.callbacks import Callback

from pairsift.data.series import Series
from pairsift.data.simulated import simulate
from pairsift.errors import PairsiftError
from pairsift.mining import BadPairMiner, ConstantWeight, Sigma
from pairsift.training import load_framework, pretrain, read_settings
from pairsift.training.folder import prepare_folder

SMALL = {
    "epochs": 4,
    "warmup": 1,
    "batch_size": 16,
    "options": {"encoder_options": {"widths": (4, 4, 8)}, "hidden": 8},
}


def series(n: int = 40) -> Series:
    return simulate(n_train=n, n_test=0, n_val=0, noisy=4, faulty=4, length=60, segment=20, seed=1).train


def weights(run) -> dict[str, torch.Tensor]:
    return run.framework.state_dict()


def same(a: dict[str, torch.Tensor], b: dict[str, torch.Tensor]) -> bool:
    return a.keys() == b.keys() and all(torch.equal(a[k], b[k]) for k in a)


def test_the_same_seed_gives_the_same_run_and_another_seed_another() -> None:
    torch.manual_seed(0)
    first = pretrain(series(), progress=False, **SMALL)
    torch.manual_seed(1)  # the world's random state plays no part
    state = torch.get_rng_state()
    again = pretrain(series(), progress=False, **SMALL)
    assert torch.equal(torch.get_rng_state(), state)  # and is left alone
    other = pretrain(series(), progress=False, seed=1, **SMALL)
    assert same(weights(first), weights(again))
    assert same(first.miner.state_dict(), again.miner.state_dict())
    assert not same(weights(first), weights(other))


class StopAfter(Callback):
    def __init__(self, epoch: int, batch: int) -> None:
        self.epoch, self.batch = epoch, batch

    def on_train_batch_end(self, trainer, pl_module, outputs, batch, batch_idx) -> None:
        if trainer.current_epoch == self.epoch and batch_idx == self.batch:
            raise RuntimeError("power cut")


@pytest.mark.parametrize(("epoch", "batch"), [(1, 0), (2, 1), (3, 1)])
def test_a_resumed_run_equals_one_that_was_never_interrupted(tmp_path: Path, epoch: int, batch: int) -> None:
    whole = pretrain(series(), out=tmp_path / "whole", progress=False, **SMALL)
    with pytest.raises(RuntimeError, match="power cut"):
        pretrain(series(), out=tmp_path / "cut", progress=False, callbacks=[StopAfter(epoch, batch)], **SMALL)
    resumed = pretrain(series(), out=tmp_path / "cut", resume=True, progress=False, **SMALL)
    assert same(weights(whole), weights(resumed))
    assert same(whole.miner.state_dict(), resumed.miner.state_dict())
    assert torch.allclose(whole.history.table(), resumed.history.table(), rtol=0, atol=0, equal_nan=True)
    kept = [{k: v for k, v in row.items() if k != "seconds"} for row in resumed.metrics]
    assert kept == [{k: v for k, v in row.items() if k != "seconds"} for row in whole.metrics]


def test_the_folder_tells_how_to_repeat_the_run(tmp_path: Path) -> None:
    run = pretrain(series(), out=tmp_path / "run", progress=False, source={"data": "simulated"}, **SMALL)
    kept = read_settings(tmp_path / "run")
    assert kept["settings"]["epochs"] == 4 and kept["source"] == {"data": "simulated"}
    assert kept["data"]["shape"] == [40, 1, 60] and kept["versions"]["torch"].startswith("2")
    assert same(load_framework(tmp_path / "run").state_dict(), weights(run))
    with (tmp_path / "run" / "metrics.csv").open() as file:
        rows = list(csv.DictReader(file))
    assert [int(r["epoch"]) for r in rows] == [1, 2, 3, 4]
    assert len(list((tmp_path / "run" / "checkpoints").iterdir())) == 2  # the last two
    x = torch.from_numpy(series().x)
    assert torch.equal(load_framework(tmp_path / "run").embed(x), run.framework.embed(x))


def test_training_is_the_one_equation(monkeypatch: pytest.MonkeyPatch) -> None:
    """Two epochs by Lightning equal two epochs of the loop that the README shows."""
    from pairsift.training.batches import EpochBatches
    from pairsift.training.pretrain import make_framework, make_settings
    from pairsift.training.seeds import DROPOUT, VIEWS, derive_seed

    data = series()
    settings = make_settings(
        **{**SMALL, "epochs": 2, "options": {**SMALL["options"], "augmentation": "default"}}
    )
    run = pretrain(data, settings, progress=False)

    framework = make_framework(settings, data)
    miner = BadPairMiner(len(data), warmup_epochs=1)
    adam = torch.optim.Adam(framework.parameters(), lr=3e-4, betas=(0.9, 0.99), weight_decay=3e-4, fused=True)
    batches = EpochBatches(len(data), 16, seed=0)
    for epoch in range(2):
        generator = torch.Generator().manual_seed(derive_seed(0, VIEWS, epoch, 0))
        torch.manual_seed(derive_seed(0, DROPOUT, epoch, 0))
        miner.start_epoch()
        batches.set_epoch(epoch)
        for index in batches:
            batch = data[index]
            u, v = framework.views(batch.x, batch.other, generator=generator)
            loss = miner(framework(u, v), batch.index).mean()
            adam.zero_grad()
            loss.backward()
            adam.step()
    assert same(weights(run), framework.state_dict())
    assert torch.equal(run.miner.statistics().mean, miner.statistics().mean)


def test_dropping_all_bad_pairs_leaves_their_series_unlearned() -> None:
    """With weight 0 for everybody beyond the warm-up, nothing moves any more but by weight decay."""
    data = series()
    everything_is_bad = BadPairMiner(len(data), 1, Sigma(noisy=0, faulty=0), ConstantWeight(0))
    run = pretrain(
        data, miner=everything_is_bad, progress=False, **{**SMALL, "batch_size": 20}
    )  # all are seen
    assert run.metrics[0]["weighted_loss"] == pytest.approx(run.metrics[0]["loss"])
    assert run.metrics[2]["weighted_loss"] == 0 < run.metrics[2]["loss"]


def test_resume_refuses_another_run(tmp_path: Path) -> None:
    pretrain(series(), out=tmp_path / "run", progress=False, **SMALL)
    with pytest.raises(PairsiftError, match="holds a run already; go on with --resume"):
        pretrain(series(), out=tmp_path / "run", progress=False, **SMALL)
    with pytest.raises(PairsiftError, match="lr differ"):
        pretrain(series(), out=tmp_path / "run", resume=True, progress=False, lr=1.0, **SMALL)
    with pytest.raises(PairsiftError, match="other data"):
        pretrain(series(42), out=tmp_path / "run", resume=True, progress=False, **SMALL)


def test_a_damaged_checkpoint_is_passed_over_and_said(tmp_path: Path) -> None:
    whole = pretrain(series(), out=tmp_path / "run", progress=False, **SMALL)
    newest = sorted((tmp_path / "run" / "checkpoints").iterdir())[-1]
    newest.write_bytes(newest.read_bytes()[:-100])
    with pytest.warns(UserWarning, match=r"epoch-000004\.ckpt is damaged.*using the one before"):
        again = pretrain(series(), out=tmp_path / "run", resume=True, progress=False, **SMALL)
    assert same(weights(whole), weights(again))


def test_two_runs_do_not_share_a_folder(tmp_path: Path) -> None:
    class Second(Callback):
        def on_train_epoch_end(self, trainer, pl_module) -> None:
            with pytest.raises(PairsiftError, match="another run is writing"):
                pretrain(series(), out=tmp_path / "run", resume=True, progress=False, **SMALL)

    pretrain(series(), out=tmp_path / "run", progress=False, callbacks=[Second()], **SMALL)


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ({"epochs": 3, "warmup": 3}, r"epochs \(3\) must be more than warmup \(3\)"),
        ({"epochs": 0}, "epochs: .*greater than or equal to 1, got 0"),
        ({"framework": "simclir"}, "unknown framework 'simclir'; there are simclr"),
        ({"mining": "gold"}, "mining must be one of .*got 'gold'"),
        ({"options": {"temprature": 1}}, "unknown framework option 'temprature'"),
        ({"options": {"augmentation": "wild"}}, "unknown augmentation 'wild'"),
        ({"batch_size": 1}, "batch_size: .*greater than or equal to 2, got 1"),
        ({"colour": "red"}, "colour: Extra inputs are not permitted"),
    ],
)
def test_mistakes_get_one_sentence(options: dict, sentence: str) -> None:
    with pytest.raises(ValueError, match=sentence):
        pretrain(series(), progress=False, **{**SMALL, **options})


def test_one_series_is_too_few() -> None:
    with pytest.raises(PairsiftError, match="at least two series, got 1"):
        pretrain(Series(np.zeros((1, 1, 50), np.float32)), progress=False)


def test_a_folder_that_cannot_be_written_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(PairsiftError, match=r"out: cannot write to .*file"):
        pretrain(series(), out=tmp_path / "file" / "run", progress=False, **SMALL)


def test_processes_that_prepare_one_folder_do_not_trip_over_each_other(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    touch = Path.touch

    def taken_by_another(path: Path) -> None:
        touch(path)
        path.unlink()

    monkeypatch.setattr(Path, "touch", taken_by_another)
    assert prepare_folder(tmp_path / "run").is_dir()


def test_folders_from_elsewhere_are_refused(tmp_path: Path) -> None:
    pretrain(series(), out=tmp_path / "run", progress=False, **SMALL)
    with pytest.raises(PairsiftError, match="is not a run folder"):
        read_settings(tmp_path)
    content = read_settings(tmp_path / "run")
    newer = shutil.copytree(tmp_path / "run", tmp_path / "newer")
    (newer / "settings.json").write_text(json.dumps({**content, "format": 99}))
    with pytest.raises(PairsiftError, match=r"format 99.*install a newer"):
        load_framework(newer)
    (newer / "settings.json").write_text("[" * 20000)
    with pytest.raises(PairsiftError, match="not what pairsift writes"):
        load_framework(newer)
    (tmp_path / "run" / "framework.safetensors").write_bytes(b"\xff" * 64)
    with pytest.raises(PairsiftError, match="cannot be read"):
        load_framework(tmp_path / "run")


def test_lines_elsewhere_than_on_a_terminal(capfd: pytest.CaptureFixture[str]) -> None:
    pretrain(series(), **SMALL)
    shown = capfd.readouterr()
    assert shown.out == ""
    assert [line.split(":")[0] for line in shown.err.splitlines()] == [f"epoch {e}/4" for e in (1, 2, 3, 4)]


def test_a_bar_on_a_terminal(capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FORCE_COLOR", "1")  # what makes rich take anything for a terminal
    run = pretrain(series(), **SMALL)
    shown = capfd.readouterr()
    assert shown.out == ""
    assert "pretraining" in shown.err and "epoch 1/4" not in shown.err
    assert "8/8" in shown.err  # two batches in each of four epochs
    assert f"loss {run.metrics[-1]['loss']:.3f}" in shown.err.splitlines()[-2]  # the bar as it stays
