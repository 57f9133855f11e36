"""Write what this version of pairsift leaves behind, for later ones to read.

By python -m tests.versions.make FOLDER. It is run once a format: what tests/versions holds is never written
again.
"""

from __future__ import annotations

import contextlib
import os
import signal
import sys
from pathlib import Path

import numpy as np
import torch
from lightning.pytorch.callbacks import Callback
from safetensors.numpy import save_file
from tests.training.run_small import series

from pairsift.data.series import Series
from pairsift.training import TrainingStopped, export_hub, pretrain, read_settings

HOW = {
    "epochs": 4,
    "warmup": 2,
    "batch_size": 16,
    "noisy": 1.0,
    "faulty": 1.0,
    "options": {"encoder_options": {"widths": (2, 2), "pooling": "average"}, "hidden": 4, "projection": 2},
}


class Stop(Callback):
    """Stops a run in its third epoch, after the first batch."""

    def on_train_batch_end(self, trainer, pl_module, outputs, batch, batch_idx) -> None:
        if (trainer.current_epoch, batch_idx) == (2, 0):
            os.kill(os.getpid(), signal.SIGTERM)


def make(folder: Path) -> None:
    """A finished run, one that was stopped in an epoch, an export, and what they must give."""
    torch.set_num_threads(1)
    x = np.ascontiguousarray(series().x[:40])
    source = {"data": "series.npy"}
    run = pretrain(Series(x), out=folder / "finished", progress=False, source=source, **HOW)
    with contextlib.suppress(TrainingStopped):
        pretrain(Series(x), out=folder / "stopped", progress=False, source=source, callbacks=[Stop()], **HOW)
    export_hub(run.framework, read_settings(folder / "finished"), folder / "exported")
    expected = {
        "x": x,
        "features": run.framework.embed(torch.from_numpy(x)).numpy(),
        "verdicts": run.miner.verdicts().numpy(),
        "mean": run.miner.statistics().mean.numpy(),
        "loss": np.array([row["loss"] for row in run.metrics], np.float32),
    }
    save_file(expected, folder / "expected.safetensors")
    for home in ("finished", "stopped"):
        (folder / home / ".lock").unlink()
    for old in sorted((folder / "finished" / "checkpoints").iterdir())[:-1]:
        old.unlink()
    for old in sorted((folder / "stopped" / "checkpoints").glob("epoch-*2.ckpt")):
        if "batch" not in old.name:
            old.unlink()


if __name__ == "__main__":
    make(Path(sys.argv[1]))
