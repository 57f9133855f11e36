"""A long run holds no more memory, files or threads at its end than after its warm-up."""

from __future__ import annotations

import multiprocessing
import os
from multiprocessing.connection import Connection
from pathlib import Path

import pytest
import torch
from lightning.pytorch.callbacks import Callback
from tests.training.run_small import SMALL, series

from pairsift.errors import PairsiftError
from pairsift.training import pretrain

FORKS = multiprocessing.get_context("forkserver")
FORKS.set_forkserver_preload(["tests.training.run_small", "pairsift.cli.train"])
WARM = 0.2  # the share of the epochs that is warm-up


class Gauge(Callback):
    """After each epoch: bytes resident, open files, threads."""

    def __init__(self) -> None:
        self.read: list[tuple[int, int, int]] = []

    def on_train_epoch_end(self, trainer, pl_module) -> None:
        resident = int(Path("/proc/self/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")
        files, threads = (len(list(Path("/proc/self", kind).iterdir())) for kind in ("fd", "task"))
        self.read.append((resident, files, threads))


def long_run(folder: Path, epochs: int, said: Connection) -> None:
    torch.set_num_threads(1)
    gauge = Gauge()
    how = {**SMALL, "epochs": epochs}
    pretrain(series(), out=folder, progress=False, callbacks=[gauge], **how)
    said.send(gauge.read)


@pytest.mark.skipif(not Path("/proc/self/statm").exists(), reason="reads Linux' /proc")
@pytest.mark.parametrize("epochs", [120, pytest.param(1000, marks=pytest.mark.slow)])
def test_memory_files_and_threads_stay_flat(tmp_path: Path, epochs: int) -> None:
    ours, theirs = FORKS.Pipe()
    process = FORKS.Process(target=long_run, args=(tmp_path / "run", epochs, theirs))
    process.start()
    theirs.close()
    resident, files, threads = zip(*ours.recv())
    process.join()
    assert len(resident) == epochs
    warm = int(WARM * epochs)
    grew = max(resident[warm:]) / resident[warm] - 1
    print(f"{epochs} epochs: {resident[warm] / 2**20:.1f} MB after {warm}, {100 * grew:.2f} % more at most")
    print(f"files {min(files)} to {max(files[warm:])}, threads {min(threads)} to {max(threads[warm:])}")
    assert grew < 0.02
    assert max(files[warm:]) <= files[warm] and max(threads[warm:]) <= threads[warm]
    assert len(list((tmp_path / "run" / "checkpoints").iterdir())) == 2


def hold(folder: Path, said: Connection, until: Connection) -> None:
    torch.set_num_threads(1)

    class Wait(Callback):
        def on_train_epoch_end(self, trainer, pl_module) -> None:
            if trainer.current_epoch == 0:
                said.send("at work")
                until.recv()

    pretrain(series(), out=folder, progress=False, callbacks=[Wait()], **SMALL)


def test_a_second_process_in_one_folder_is_refused_and_the_first_goes_on(tmp_path: Path) -> None:
    ours, theirs = FORKS.Pipe()
    until, go_on = FORKS.Pipe()
    process = FORKS.Process(target=hold, args=(tmp_path / "run", theirs, until))
    process.start()
    theirs.close()  # so that a child that dies is noticed, not waited for
    assert ours.recv() == "at work"
    before = {p: p.read_bytes() for p in (tmp_path / "run").rglob("*") if p.is_file()}
    for resume in (False, True):
        with pytest.raises(PairsiftError, match=r"another run is writing to .*run; wait for it or choose"):
            pretrain(series(), out=tmp_path / "run", resume=resume, progress=False, **SMALL)
    assert {p: p.read_bytes() for p in (tmp_path / "run").rglob("*") if p.is_file()} == before
    go_on.send("go on")
    process.join()
    assert process.exitcode == 0 and (tmp_path / "run" / "framework.safetensors").is_file()
    pretrain(series(), out=tmp_path / "run", resume=True, progress=False, **SMALL)  # the lock went with it
