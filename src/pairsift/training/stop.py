"""Ctrl-C and SIGTERM: a training saves after the batch it is at, ends, and how to go on is said."""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NoReturn

from lightning import LightningModule, Trainer
from lightning.pytorch.callbacks import Callback

from pairsift.errors import PairsiftError
from pairsift.training.batches import EpochBatches
from pairsift.training.checkpoint import CannotWrite, checkpoints, done_by, drop_old, name_of


class TrainingStopped(KeyboardInterrupt):
    """A training was stopped from outside; the message says what is kept and how to go on.

    Args:
        sentence: that message.
        signum: the signal that came.
    """

    def __init__(self, sentence: str, signum: int) -> None:
        super().__init__(sentence)
        self.signum = signum


class _Terminated(KeyboardInterrupt):
    """SIGTERM came."""


class _Ear:
    """Hears both signals. While batches are trained the first is only noted; a second one ends at once."""

    def __init__(self) -> None:
        self.heard: int | None = None
        self.patient = False

    def __call__(self, signum: int, frame: Any) -> None:
        if not self.patient or self.heard is not None:
            self.end(signum)
        self.heard = signum

    def end(self, signum: int) -> NoReturn:
        """End the training, here."""
        raise _Terminated if signum == signal.SIGTERM else KeyboardInterrupt


class _SaveAndStop(Callback):
    """Writes a checkpoint after the batch in which a signal came, and ends the training.

    Args:
        ear: what hears the signals.
        folder: where checkpoints go; None where there is nothing to save to, and no signal waits.
        batches: told how much of the epoch is done, so that a resumed run skips it.
    """

    def __init__(self, ear: _Ear, folder: Path | None, batches: EpochBatches) -> None:
        self.ear = ear
        self.folder = folder
        self.batches = batches

    def on_train_start(self, trainer: Trainer, pl_module: LightningModule) -> None:
        """Take SIGTERM back from Lightning, which ends the process at a batch's end without saving.

        Several processes do not hear a signal at the same batch, and each has seen its own share of the epoch
        only: these end at once, and go on from the epoch's beginning.
        """
        signal.signal(signal.SIGTERM, self.ear)
        self.ear.patient = self.folder is not None and trainer.world_size == 1

    def on_train_epoch_start(self, trainer: Trainer, pl_module: LightningModule) -> None:
        """End where the signal came in the last batch of the epoch before: its checkpoint is written."""
        if self.ear.heard is not None:
            self.ear.end(self.ear.heard)

    def on_train_batch_end(
        self, trainer: Trainer, pl_module: LightningModule, outputs: Any, batch: Any, batch_idx: int
    ) -> None:
        """Save and end."""
        if self.ear.heard is None or self.folder is None or trainer.is_last_batch:
            return
        self.batches.done = batch_idx + 1
        trainer.save_checkpoint(self.folder / name_of(trainer.current_epoch, batch_idx + 1))
        drop_old(self.folder)
        self.ear.end(self.ear.heard)

    def on_train_end(self, trainer: Trainer, pl_module: LightningModule) -> None:
        """Wait no longer: there is no further batch."""
        self.ear.patient = False


@contextmanager
def stoppable(home: Path | None, batches: EpochBatches) -> Iterator[list[Callback]]:
    """Turn Ctrl-C and SIGTERM into ``TrainingStopped``, and say what is kept where the disk is full.

    Args:
        home: the run folder, if any.
        batches: what the training is fed with.

    Yields:
        Callbacks that the trainer needs for it.
    """
    if threading.current_thread() is not threading.main_thread():
        with _saying_what_is_kept(home):
            yield []  # signals are the main thread's
        return
    ear, before = _Ear(), {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)}
    for number in before:
        signal.signal(number, ear)
    try:
        with _saying_what_is_kept(home):
            yield [_SaveAndStop(ear, home / "checkpoints" if home else None, batches)]
        if ear.heard is not None:  # in the very last batch
            ear.end(ear.heard)
    except KeyboardInterrupt as stopped:
        raise _stopped(home, stopped) from None
    except SystemExit as ended:  # Lightning's answer to Ctrl-C
        if not isinstance(ended.__context__, KeyboardInterrupt):
            raise
        raise _stopped(home, ended.__context__) from None
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


@contextmanager
def _saying_what_is_kept(home: Path | None) -> Iterator[None]:
    try:
        yield
    except CannotWrite as error:
        if home is None:
            raise
        raise PairsiftError(f"{error}: make room; {_kept(home)}") from error


def _stopped(home: Path | None, cause: KeyboardInterrupt) -> TrainingStopped:
    signum = signal.SIGTERM if isinstance(cause, _Terminated) else signal.SIGINT
    kept = "nothing is kept, as no folder was given" if home is None else _kept(home)
    return TrainingStopped(f"stopped; {kept}", signum)


def _kept(home: Path) -> str:
    """What a folder holds of a run that ended early, and how to go on."""
    kept = checkpoints(home / "checkpoints")
    if not kept:
        return f"{home} holds no checkpoint yet; --resume begins anew"
    return f"{home} holds all up to {done_by(kept[-1])}; go on from there with --resume"
