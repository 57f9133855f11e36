"""Ctrl-C and SIGTERM: a training ends at once, whole epochs are kept, and how to go on is said."""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from lightning import LightningModule, Trainer
from lightning.pytorch.callbacks import Callback

from pairsift.training.checkpoint import checkpoints


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


def _terminate(signum: int, frame: Any) -> None:
    raise _Terminated


class _HearSigterm(Callback):
    """Lightning puts a handler of its own in place, which waits for a batch's end and ends the process."""

    def on_train_start(self, trainer: Trainer, pl_module: LightningModule) -> None:
        """Put ours back."""
        signal.signal(signal.SIGTERM, _terminate)


@contextmanager
def stoppable(home: Path | None) -> Iterator[list[Callback]]:
    """Turn Ctrl-C and SIGTERM into ``TrainingStopped``, whatever Lightning makes of them.

    Args:
        home: the run folder, if any.

    Yields:
        Callbacks that the trainer needs for it.
    """
    if threading.current_thread() is not threading.main_thread():
        yield []  # signals are the main thread's
        return
    handlers = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)}
    signal.signal(signal.SIGTERM, _terminate)
    try:
        yield [_HearSigterm()]
    except KeyboardInterrupt as stopped:
        raise _stopped(home, stopped) from None
    except SystemExit as ended:  # Lightning's answer to Ctrl-C
        if not isinstance(ended.__context__, KeyboardInterrupt):
            raise
        raise _stopped(home, ended.__context__) from None
    finally:
        for number, handler in handlers.items():
            signal.signal(number, handler)


def _stopped(home: Path | None, cause: KeyboardInterrupt) -> TrainingStopped:
    signum = signal.SIGTERM if isinstance(cause, _Terminated) else signal.SIGINT
    kept = checkpoints(home / "checkpoints") if home else []
    if home is None:
        sentence = "stopped; nothing is kept, as no folder was given"
    elif kept:
        epoch = int(kept[-1].stem.rpartition("-")[2])
        sentence = f"stopped; {home} holds all up to the end of epoch {epoch}; go on from there with --resume"
    else:
        sentence = f"stopped before the end of epoch 1; --resume begins {home} anew"
    return TrainingStopped(sentence, signum)
