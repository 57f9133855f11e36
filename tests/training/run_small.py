"""Small runs in processes of their own, for tests that kill them; a script for torchrun: FOLDER JSON."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import sys
import time
from multiprocessing.connection import Connection
from pathlib import Path

import torch
from lightning.pytorch.callbacks import Callback

from pairsift.data.simulated import simulate
from pairsift.training import pretrain

SMALL = {
    "epochs": 6,
    "warmup": 2,
    "batch_size": 16,
    "options": {"encoder_options": {"widths": (4, 4, 8)}, "hidden": 8},
}

# Every framework, as small as it can be.
TINY = {"encoder_options": {"widths": (4, 4)}}
FRAMEWORKS = {
    "simclr": {**TINY, "hidden": 8},
    "moco": {**TINY, "hidden": 8, "queue": 32},
    "simsiam": {**TINY, "projection": 8, "bottleneck": 4},
    "tstcc": {**TINY, "steps": 2, "hidden": 8, "layers": 1, "heads": 2, "mlp": 8},
    "tfc": {**TINY, "hidden": 8},
    "btsf": {},
}


class Slow(Callback):
    """Batches and writes take a while, so that a kill finds the run at one; it says when it begins."""

    def __init__(self, pipe: Connection | None = None) -> None:
        self.pipe = pipe
        sync = os.fsync
        os.fsync = lambda handle: (time.sleep(0.01), sync(handle))[1]

    def on_train_start(self, trainer, pl_module) -> None:
        if self.pipe is not None:
            self.pipe.send("at work")

    def on_train_batch_end(self, trainer, pl_module, outputs, batch, batch_idx) -> None:
        time.sleep(0.02)


class Dies(Callback):
    """SIGKILL for this process at the end of a batch, or in the middle of writing that epoch's checkpoint.

    Args:
        ranks: which processes die.
        epoch: in which epoch, from 0.
        batch: at the end of which batch; None for while its checkpoint is written, -1 for before the first.
    """

    def __init__(self, ranks: list[int], epoch: int, batch: int | None) -> None:
        self.ranks, self.epoch, self.batch = ranks, epoch, batch

    def on_train_epoch_start(self, trainer, pl_module) -> None:
        if self.batch == -1:
            self.on_train_batch_end(trainer, pl_module, None, None, -1)

    def on_train_batch_end(self, trainer, pl_module, outputs, batch, batch_idx) -> None:
        if trainer.global_rank in self.ranks and (trainer.current_epoch, batch_idx) == (
            self.epoch,
            self.batch,
        ):
            os.kill(os.getpid(), signal.SIGKILL)

    def on_train_epoch_end(self, trainer, pl_module) -> None:
        if self.batch is None and trainer.current_epoch == self.epoch and trainer.global_rank in self.ranks:
            os.fsync = lambda handle: os.kill(os.getpid(), signal.SIGKILL)


def series():
    return simulate(n_train=64, n_test=0, n_val=0, noisy=4, faulty=4, length=60, segment=20, seed=1).train


def run(
    folder: Path,
    resume: bool = False,
    pipe: Connection | None = None,
    dies: tuple[int, int | None] | None = None,
) -> None:
    """One run; slow where somebody listens; it dies at a moment that is given, see ``Dies``."""
    torch.set_num_threads(1)
    more: list[Callback] = [] if pipe is None else [Slow(pipe)]
    if dies is not None:
        more.append(Dies([0], *dies))
    pretrain(series(), out=folder, resume=resume, progress=False, callbacks=more, **SMALL)


def command(words: list[str], said: Path) -> None:
    """A command line, what it says on standard error in a file; ends the process with its exit code."""
    torch.set_num_threads(1)
    with said.open("w") as file:
        os.dup2(file.fileno(), 2)
    from pairsift.cli import main

    sys.argv = ["pairsift", *words]
    with Path(os.devnull).open("w") as nowhere, contextlib.redirect_stdout(nowhere):
        main()


if __name__ == "__main__":
    torch.set_num_threads(1)
    given = json.loads(sys.argv[2])
    deaths = [Dies(*given["dies"])] if "dies" in given else []
    how = {"resume": given.get("resume", False), "callbacks": deaths, "progress": False}
    pretrain(series(), out=sys.argv[1], **how, **SMALL)
