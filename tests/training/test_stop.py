"""Ctrl-C and SIGTERM in the middle of an epoch: what is done is saved, and the run goes on bit for bit."""

from __future__ import annotations

import os
import signal
from pathlib import Path

import pytest
import torch
from lightning.pytorch.callbacks import Callback
from tests.training.run_small import FRAMEWORKS, SMALL, series

from pairsift.mining import MendingMiner, Sigma
from pairsift.training import TrainingStopped, load_miner, pretrain
from pairsift.training.checkpoint import checkpoints, newest_checkpoint


class Send(Callback):
    """Sends this process a signal at the end of a batch, before anything else happens there."""

    def __init__(self, epoch: int, batch: int, sent: int = signal.SIGTERM, times: int = 1) -> None:
        self.epoch, self.batch, self.sent, self.times = epoch, batch, sent, times

    def on_train_batch_end(self, trainer, pl_module, outputs, batch, batch_idx) -> None:
        if (trainer.current_epoch, batch_idx) == (self.epoch, self.batch):
            for _ in range(self.times):
                os.kill(os.getpid(), self.sent)


def same(a: dict[str, torch.Tensor], b: dict[str, torch.Tensor]) -> bool:
    return a.keys() == b.keys() and all(torch.equal(a[k], b[k]) for k in a)


def rows(run) -> list[dict]:
    return [{k: v for k, v in row.items() if k != "seconds"} for row in run.metrics]


def mending() -> MendingMiner:
    """One that finds bad pairs among so few, and leaves them out or draws milder views of them."""
    return MendingMiner(64, 1, Sigma(1, 1), batch_size=16)


@pytest.mark.parametrize(
    ("name", "mining"), [*((name, "dbpm") for name in FRAMEWORKS), ("simclr", "mend"), ("simclr", "rince")]
)
def test_a_stop_in_the_middle_of_an_epoch_loses_nothing(tmp_path: Path, name: str, mining: str) -> None:
    own = mending if mining == "mend" else lambda: None
    how = {**SMALL, "epochs": 5, "options": FRAMEWORKS[name], "framework": name, "mining": mining}
    how |= {"noisy": 1.0, "faulty": 1.0, "warmup": 1, "progress": False}
    whole = pretrain(series(), miner=own(), **how)
    home = tmp_path / "run"
    for stop in (Send(0, 1), Send(3, 0), Send(4, 2, signal.SIGINT)):  # each of them in the run that goes on
        with pytest.raises(TrainingStopped, match=r"holds all up to batch \d of epoch \d; go on from there"):
            pretrain(series(), out=home, resume=stop.epoch > 0, callbacks=[stop], miner=own(), **how)
    run = pretrain(series(), out=home, resume=True, miner=own(), **how)
    assert same(whole.framework.state_dict(), run.framework.state_dict())
    assert rows(run) == rows(whole)
    if whole.miner is None:
        return
    assert same(whole.miner.state_dict(), run.miner.state_dict())
    ours, theirs = run.history.table(), whole.history.table()
    assert torch.equal(ours.isnan(), theirs.isnan()) and torch.equal(ours.nan_to_num(), theirs.nan_to_num())
    assert torch.equal(load_miner(home, own()).verdicts(), whole.miner.verdicts())
    assert (whole.miner.verdicts() > 0).any()  # there is something to lose
    if mining == "mend":
        assert whole.metrics[-1]["left_out"] + whole.metrics[-1]["milder"] > 0


@pytest.mark.parametrize(
    ("moment", "kept"),
    [((0, 0), "batch 1 of epoch 1"), ((1, 3), "the end of epoch 2"), ((5, 3), "the end of epoch 6")],
)
def test_what_is_said_is_what_is_there(tmp_path: Path, moment: tuple[int, int], kept: str) -> None:
    with pytest.raises(
        TrainingStopped, match=f"holds all up to {kept}; go on from there with --resume"
    ) as said:
        pretrain(series(), out=tmp_path / "run", progress=False, callbacks=[Send(*moment)], **SMALL)
    assert said.value.signum == signal.SIGTERM
    assert len(checkpoints(tmp_path / "run" / "checkpoints")) == min(2, moment[0] + 1)
    run = pretrain(series(), out=tmp_path / "run", resume=True, progress=False, **SMALL)
    assert rows(run) == rows(pretrain(series(), progress=False, **SMALL))
    assert (tmp_path / "run" / "framework.safetensors").is_file()


def test_a_second_signal_ends_at_once(tmp_path: Path) -> None:
    with pytest.raises(TrainingStopped, match="holds all up to the end of epoch 2;"):
        stop = Send(2, 1, times=2)
        pretrain(series(), out=tmp_path / "run", progress=False, callbacks=[stop], **SMALL)


def test_without_a_folder_there_is_nothing_to_wait_for() -> None:
    before = signal.getsignal(signal.SIGTERM), signal.getsignal(signal.SIGINT)
    with pytest.raises(TrainingStopped, match="nothing is kept, as no folder was given"):
        pretrain(series(), progress=False, callbacks=[Send(0, 0)], **SMALL)
    assert (signal.getsignal(signal.SIGTERM), signal.getsignal(signal.SIGINT)) == before


def test_a_damaged_checkpoint_in_the_middle_of_an_epoch_gives_way_to_the_epoch_before(tmp_path: Path) -> None:
    with pytest.raises(TrainingStopped):
        pretrain(series(), out=tmp_path / "run", progress=False, callbacks=[Send(2, 1)], **SMALL)
    kept = checkpoints(tmp_path / "run" / "checkpoints")
    assert [path.name for path in kept] == ["epoch-000002.ckpt", "epoch-000002-batch-000002.ckpt"]
    kept[-1].write_bytes(kept[-1].read_bytes()[:-1])
    assert newest_checkpoint(tmp_path / "run" / "checkpoints")[0] == kept[0]
    with pytest.warns(UserWarning, match=r"batch-000002\.ckpt is damaged.*using the one before"):
        run = pretrain(series(), out=tmp_path / "run", resume=True, progress=False, **SMALL)
    assert rows(run) == rows(pretrain(series(), progress=False, **SMALL))
