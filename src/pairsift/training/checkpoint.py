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

_MAGIC = b"pairsift checkpoint 1 sha256 "
_NAME = re.compile(r"epoch-(\d+)\.ckpt")
_HEADER = len(_MAGIC) + 64 + 1


class DamagedCheckpoint(PairsiftError):
    """A checkpoint that is not what was written."""


def write_whole(path: Path, payload: bytes) -> None:
    """Write a file so that whoever looks sees the old one or the new one, never a part."""
    aside = path.with_name(f".{path.name}.{os.getpid()}.part")
    try:
        with aside.open("wb") as file:
            file.write(payload)
            file.flush()
            os.fsync(file.fileno())
        aside.replace(path)
    finally:
        aside.unlink(missing_ok=True)


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


def checkpoints(folder: Path) -> list[Path]:
    """The checkpoints in a folder, oldest first."""
    return sorted(p for p in folder.glob("epoch-*.ckpt") if _NAME.fullmatch(p.name))


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
        trainer.save_checkpoint(self.folder / f"epoch-{done:06d}.ckpt")
        if trainer.is_global_zero:
            for old in checkpoints(self.folder)[:-2]:
                old.unlink()
