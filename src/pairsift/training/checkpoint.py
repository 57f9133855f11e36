"""Checkpoints that are whole or not there: written aside, checked when read, the last two kept."""

from __future__ import annotations

import hashlib
import io
import os
import re
from pathlib import Path
from typing import Any

import torch
from lightning import LightningModule, Trainer
from lightning.fabric.plugins.io import CheckpointIO
from lightning.pytorch.callbacks import Checkpoint

from pairsift.errors import PairsiftError, shown

FORMAT = 1
_START = b"pairsift checkpoint "
_MAGIC = b"%s%d sha256 " % (_START, FORMAT)
_NAME = re.compile(r"epoch-(\d+)(?:-batch-(\d+))?\.ckpt")  # epochs done, and batches of the next one
_HEADER = len(_MAGIC) + 64 + 1


class DamagedCheckpoint(PairsiftError):
    """A checkpoint that is not what was written."""


class CannotWrite(PairsiftError):
    """A file that could not be written: a full disk, a folder that went away. What stood there stands."""


def write_whole(path: Path, payload: bytes) -> None:
    """Write a file so that whoever looks sees the old one or the new one, never a part."""
    aside = path.with_name(f".{path.name}.{os.getpid()}.part")
    try:
        _write(path, aside, payload)
    except OSError as error:
        raise CannotWrite(f"{path} cannot be written ({error.strerror or error})") from error


def _write(path: Path, aside: Path, payload: bytes) -> None:
    try:
        with aside.open("wb") as file:
            file.write(payload)
            file.flush()
            os.fsync(file.fileno())
        aside.replace(path)
        _keep_name(path.parent)
    finally:
        aside.unlink(missing_ok=True)


def _keep_name(folder: Path) -> None:
    """Have the disk know a new name in a folder, for a power cut."""
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def clear_parts(folder: Path) -> None:
    """Delete what writers that were killed have left aside; nobody else may be writing."""
    for part in folder.glob(".*.part"):
        part.unlink(missing_ok=True)


def save_checkpoint(state: dict[str, Any], path: Path) -> None:
    """Write ``state`` with its checksum in the first line."""
    buffer = io.BytesIO()
    torch.save(state, buffer)
    payload = buffer.getbuffer()
    digest = hashlib.sha256(payload).hexdigest().encode()
    write_whole(path, b"".join([_MAGIC, digest, b"\n", payload]))


def load_checkpoint(path: Path) -> dict[str, Any]:
    """Read what ``save_checkpoint`` wrote; tensors and plain values only, nothing is executed."""
    data = memoryview(path.read_bytes())
    later = re.match(rb"%s(\d{1,9}) " % _START, bytes(data[:64]))
    if later and int(later[1]) > FORMAT:
        raise PairsiftError(
            f"{path} is of format {int(later[1])}, this pairsift reads up to {FORMAT}; install a newer one"
        )
    if bytes(data[: len(_MAGIC)]) != _MAGIC or len(data) <= _HEADER:
        raise DamagedCheckpoint(f"{path} is not a pairsift checkpoint, or was cut short")
    payload = data[_HEADER:]
    if hashlib.sha256(payload).hexdigest().encode() + b"\n" != bytes(data[len(_MAGIC) : _HEADER]):
        raise DamagedCheckpoint(f"{path} is damaged: its checksum does not fit")
    try:
        state = torch.load(io.BytesIO(payload), map_location="cpu", weights_only=True)
    except MemoryError:
        raise
    except Exception as error:  # torch and its unpickler raise many kinds
        raise PairsiftError(
            f"{path} holds something else than tensors and plain values ({shown(error, 120)}), which "
            "pairsift never writes; do not trust this folder"
        ) from None
    if not isinstance(state, dict):
        raise PairsiftError(f"{path} holds no training state; it was not written by pairsift")
    return state


def name_of(epochs: int, batches: int = 0) -> str:
    """A checkpoint's name: how many epochs are done, and how many batches of the next one."""
    return f"epoch-{epochs:06d}{f'-batch-{batches:06d}' if batches else ''}.ckpt"


def _moment(path: Path) -> tuple[int, int]:
    found = _NAME.fullmatch(path.name)
    return (int(found[1]), int(found[2] or 0)) if found else (0, 0)


def done_by(path: Path) -> str:
    """How far a run had come when it wrote this checkpoint, in words."""
    epochs, batches = _moment(path)
    return f"batch {batches} of epoch {epochs + 1}" if batches else f"the end of epoch {epochs}"


def checkpoints(folder: Path) -> list[Path]:
    """The checkpoints in a folder, oldest first."""
    return sorted((p for p in folder.glob("epoch-*.ckpt") if _NAME.fullmatch(p.name)), key=_moment)


def drop_old(folder: Path) -> None:
    """Delete all but the last two checkpoints."""
    for old in checkpoints(folder)[:-2]:
        old.unlink()


def newest_checkpoint(folder: Path) -> tuple[Path | None, list[str]]:
    """The newest checkpoint that is whole, and a sentence for each damaged one that was passed over.

    Where there are checkpoints and none is whole, that is said instead of silently starting anew.
    """
    passed: list[str] = []
    for path in reversed(checkpoints(folder)):
        try:
            load_checkpoint(path)
        except DamagedCheckpoint as error:
            passed.append(f"{error}; using the one before it")
        else:
            return path, passed
    if passed:
        raise PairsiftError(
            f"resume: none of the checkpoints in {folder} is whole, so the run cannot go on; copy them "
            "again, or start again in another folder"
        )
    return None, passed


class SafeCheckpointIO(CheckpointIO):
    """Lets Lightning write and read its checkpoints our way."""

    def save_checkpoint(self, checkpoint: dict[str, Any], path: Any, storage_options: Any = None) -> None:
        """Write it whole or not at all."""
        save_checkpoint(checkpoint, Path(path))

    def load_checkpoint(
        self, path: Any, map_location: Any = None, weights_only: bool | None = None
    ) -> dict[str, Any]:
        """Read it, checksum first."""
        return load_checkpoint(Path(path))

    def remove_checkpoint(self, path: Any) -> None:
        """Delete it."""
        Path(path).unlink(missing_ok=True)


class EpochCheckpoints(Checkpoint):
    """Writes a checkpoint after every epoch and keeps the last two.

    Args:
        folder: where they go.
        every: epochs between two checkpoints; the last epoch always gets one.
    """

    def __init__(self, folder: Path, every: int = 1) -> None:
        self.folder = folder
        self.every = every

    def on_train_epoch_end(self, trainer: Trainer, pl_module: LightningModule) -> None:
        """Write this epoch's, then drop all but the last two."""
        done = trainer.current_epoch + 1
        if done % self.every and done != trainer.max_epochs:
            return
        trainer.save_checkpoint(self.folder / name_of(done))
        if trainer.is_global_zero:
            drop_old(self.folder)
