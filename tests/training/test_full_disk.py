"""A disk that fills up stops a run with a sentence; what was saved stays whole, and the run goes on."""

from __future__ import annotations

import contextlib
import os
import resource
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
import torch
from lightning.pytorch.callbacks import Callback
from tests.training.run_small import SMALL, series

from pairsift.errors import PairsiftError
from pairsift.training import pretrain
from pairsift.training.checkpoint import checkpoints, load_checkpoint

Fill = Callable[[], None]


class FillsUp(Callback):
    """Fills the disk when the fourth epoch begins."""

    def __init__(self, fill: Fill) -> None:
        self.fill = fill

    def on_train_epoch_start(self, trainer, pl_module) -> None:
        if trainer.current_epoch == 3:
            self.fill()


def check(home: Path, fill: Fill, make_room: Fill, reason: str) -> None:
    """Run, fill, look at what is left, make room, go on, and compare."""
    whole = pretrain(series(), progress=False, **SMALL)
    with pytest.raises(PairsiftError) as refused:
        pretrain(series(), out=home, progress=False, callbacks=[FillsUp(fill)], **SMALL)
    said = str(refused.value)
    make_room()
    assert reason in said and "cannot be written" in said and said.count("\n") == 0, said
    assert said.endswith(
        f"make room; {home} holds all up to the end of epoch 3; go on from there with --resume"
    )
    kept = checkpoints(home / "checkpoints")
    assert [path.name for path in kept] == ["epoch-000002.ckpt", "epoch-000003.ckpt"]
    for path in kept:
        load_checkpoint(path)
    assert not list(home.rglob(".*.part"))
    run = pretrain(series(), out=home, resume=True, progress=False, **SMALL)
    for name, value in whole.framework.state_dict().items():
        assert torch.equal(value, run.framework.state_dict()[name]), name
    assert torch.equal(whole.miner.verdicts(), run.miner.verdicts())


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A file system of four megabytes."""
    disk = tmp_path / "disk"
    disk.mkdir()
    order = ["mount", "-t", "tmpfs", "-o", "size=4m", "pairsift-test", str(disk)]
    try:
        done = subprocess.run(order, capture_output=True, text=True, check=False)
    except OSError as error:
        pytest.skip(f"no small disk can be made here: {error}")
    if done.returncode:
        pytest.skip(f"no small disk can be made here: {done.stderr.strip()}")
    yield disk
    subprocess.run(["umount", "--lazy", str(disk)], check=True)


def test_a_disk_without_room(small_disk: Path) -> None:
    filler = small_disk / "filler"

    def fill() -> None:
        with contextlib.suppress(OSError), filler.open("wb", buffering=0) as file:
            while True:
                file.write(bytes(1 << 12))

    check(small_disk / "run", fill, filler.unlink, "No space left on device")


def test_a_file_larger_than_allowed(tmp_path: Path) -> None:
    """The same where no small disk can be made: the system cuts the write off in the middle."""
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    home = tmp_path / "run"

    def fill() -> None:
        size = min(path.stat().st_size for path in checkpoints(home / "checkpoints"))
        resource.setrlimit(resource.RLIMIT_FSIZE, (size // 2, hard))

    def make_room() -> None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))

    try:
        check(home, fill, make_room, os.strerror(27))
    finally:
        make_room()
