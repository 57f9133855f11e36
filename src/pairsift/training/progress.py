"""What a person sees while it trains: a bar on a terminal, else a line an epoch; metrics.csv beside it."""

from __future__ import annotations

import csv
import io
import sys
import time
from pathlib import Path
from typing import Any

from lightning import LightningModule, Trainer
from lightning.pytorch.callbacks import Callback
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from pairsift.training.checkpoint import write_whole


class EpochLog(Callback):
    """Collects a row of metrics an epoch; the rows travel in the checkpoint.

    Args:
        path: a CSV file that is rewritten whole after every epoch; None to keep the rows in memory only.
    """

    def __init__(self, path: Path | None = None) -> None:
        self.path = path
        self.rows: list[dict[str, float]] = []
        self._began = 0.0

    def on_train_epoch_start(self, trainer: Trainer, pl_module: LightningModule) -> None:
        """Start the clock."""
        self._began = time.perf_counter()

    def on_train_epoch_end(self, trainer: Trainer, pl_module: LightningModule) -> None:
        """Add this epoch's row."""
        row: dict[str, float] = {"epoch": trainer.current_epoch + 1, **pl_module.epoch_metrics()}  # type: ignore[operator]
        row["seconds"] = round(time.perf_counter() - self._began, 3)
        self.rows.append(row)
        if self.path is not None and trainer.is_global_zero:
            write_whole(self.path, _as_csv(self.rows))

    def state_dict(self) -> dict[str, Any]:
        """The rows so far, and how long the running epoch has taken."""
        return {"rows": self.rows, "spent": time.perf_counter() - self._began}

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        """Go on from the rows of a checkpoint."""
        self.rows = list(state_dict["rows"])
        self._began = time.perf_counter() - state_dict.get("spent", 0.0)


def _as_csv(rows: list[dict[str, float]]) -> bytes:
    text = io.StringIO()
    writer = csv.DictWriter(text, list(rows[0]), lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    return text.getvalue().encode()


class ProgressLines(Callback):
    """Shows how far the training is, on standard error."""

    def __init__(self, kept: EpochLog) -> None:
        self.kept = kept
        self.console = Console(stderr=True)
        self._bar: Progress | None = None
        self._drawn = 0.0

    def on_train_start(self, trainer: Trainer, pl_module: LightningModule) -> None:
        """Put up the bar where there is a terminal."""
        if trainer.is_global_zero and self.console.is_terminal:
            columns = ("[progress.description]{task.description}", BarColumn(), MofNCompleteColumn())
            self._bar = Progress(
                *columns, TimeRemainingColumn(), TextColumn("{task.fields[loss]}"), console=self.console
            )
            batches, epochs = int(trainer.num_training_batches), int(trainer.max_epochs or 0)
            self._bar.add_task("pretraining", total=batches * epochs, completed=trainer.global_step, loss="")
            self._bar.start()

    def on_train_batch_end(
        self, trainer: Trainer, pl_module: LightningModule, outputs: Any, batch: Any, batch_idx: int
    ) -> None:
        """Move the bar, at most five times a second."""
        if self._bar is not None and time.monotonic() - self._drawn > 0.2:
            self._drawn = time.monotonic()
            self._bar.update(self._bar.task_ids[0], completed=trainer.global_step)

    def on_train_epoch_end(self, trainer: Trainer, pl_module: LightningModule) -> None:
        """Say this epoch's loss."""
        if not trainer.is_global_zero or not self.kept.rows:
            return
        row = self.kept.rows[-1]
        if self._bar is not None:
            self._bar.update(
                self._bar.task_ids[0], completed=trainer.global_step, loss=f"loss {row['loss']:.3f}"
            )
            return
        bad = f", noisy {row['noisy']:.0f}, faulty {row['faulty']:.0f}" if "noisy" in row else ""
        epoch, epochs = int(row["epoch"]), trainer.max_epochs
        print(
            f"epoch {epoch}/{epochs}: loss {row['loss']:.4f}{bad}, {row['seconds']:.1f} s",
            file=sys.stderr,
            flush=True,
        )

    def _take_down(self) -> None:
        if self._bar is not None:
            self._bar.stop()
            self._bar = None

    def on_train_end(self, trainer: Trainer, pl_module: LightningModule) -> None:
        """Take the bar down."""
        self._take_down()

    def on_exception(self, trainer: Trainer, pl_module: LightningModule, exception: BaseException) -> None:
        """Take the bar down."""
        self._take_down()
