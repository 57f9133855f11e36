"""What share of a training step is the network itself: forward, backward and optimiser, nothing else.

A run with mining is trained through the library; after each of its steps the bare network does one on views
drawn beforehand. Both are measured in CPU seconds of one thread, so that what else the machine does meets
both alike. What an epoch does once counts as in an epoch of the dataset's own size.

    python -m benchmarks.step

PTB-XL's shape is benchmarks/deep.py.
"""

from __future__ import annotations

import argparse
import sys
import time
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
import torch
from benchmarks._loads import BATCH, HAR, HAR_BATCHES, noise
from benchmarks._report import entry, median, report
from lightning.pytorch.callbacks import Callback

from pairsift.data import Series, simulate
from pairsift.frameworks import SimCLR
from pairsift.mining import BadPairMiner, Sigma
from pairsift.training import make_framework, make_settings, pretrain
from pairsift.training.pretrain import resolve_precision


class BareSteps(Callback):
    """Times each step, and after it a bare one; sums what the miner takes."""

    def __init__(self, like: SimCLR, x: torch.Tensor, miner: BadPairMiner, bf16: bool) -> None:
        self.network = like
        self.u, self.v = like.views(x)
        self.adam = torch.optim.Adam(like.parameters(), lr=3e-4, fused=True)
        self.bf16 = bf16
        self.steps: list[float] = []
        self.once: list[float] = []  # what an epoch does after its last step
        self.bare: list[float] = []
        self.mining: list[float] = []
        self._mining = 0.0
        for name in ("start_epoch", "forward"):
            setattr(miner, name, self._timed(getattr(miner, name)))

    def _timed(self, call: Any) -> Any:
        def timed(*args: Any, **options: Any) -> Any:
            began = time.process_time()
            result = call(*args, **options)
            self._mining += time.process_time() - began
            return result

        return timed

    def bare_step(self) -> None:
        with torch.autocast("cpu", torch.bfloat16, enabled=self.bf16):
            z = self.network.head(self.network.encoder(torch.cat([self.u, self.v])))
        z.backward(torch.ones_like(z))
        self.adam.step()
        self.adam.zero_grad()

    def on_train_epoch_start(self, trainer: Any, pl_module: Any) -> None:
        self._mining, self._steps, self._bare, self._began = 0.0, 0.0, 0.0, time.process_time()

    def on_train_batch_end(self, trainer: Any, *rest: Any) -> None:
        stepped = time.process_time()
        self._steps += stepped - self._began
        self.bare_step()
        self._began = time.process_time()
        self._bare += self._began - stepped

    def on_train_epoch_end(self, trainer: Any, pl_module: Any) -> None:
        batches = trainer.num_training_batches
        self.once.append(time.process_time() - self._began)
        self.steps.append(self._steps / batches)
        self.bare.append(self._bare / batches)
        self.mining.append(self._mining / batches)


def shares(
    name: str,
    series: Series,
    batches: int,
    epochs: int,
    precision: str,
    bars: tuple[float | None, float | None] = (0.97, 0.005),
    folder: Path | None = None,
    **settings: Any,
) -> list[dict[str, Any]]:
    """The network's and the miner's share of an epoch, medians over epochs.

    Args:
        name: what is trained, for people.
        series: what on.
        batches: how many batches an epoch of the dataset has.
        epochs: how many are measured; one more warms up.
        precision: as the settings have it.
        bars: what the network's share should be at least, and the miner's at most.
        folder: where the run keeps its metrics and checkpoints, which then count too.
        settings: what else the run's settings say.
    """
    wanted = make_settings(epochs=epochs + 1, warmup=1, precision=precision, batch_size=BATCH, **settings)
    miner = BadPairMiner(len(series), 1, Sigma(1, 1), batch_size=BATCH)
    like = make_framework(wanted, series)
    assert isinstance(like, SimCLR)
    arithmetic = resolve_precision(precision)
    watch = BareSteps(like, torch.from_numpy(series.x[:BATCH]), miner, arithmetic == "bf16-mixed")
    pretrain(series, wanted, miner=miner, progress=False, callbacks=[watch], out=folder)
    steps, once, bare, mining = (
        np.array(part[1:]) for part in (watch.steps, watch.once, watch.bare, watch.mining)
    )
    whole = steps + once / batches
    about = {
        "shape": list(series.x.shape[1:]),
        "batch": BATCH,
        "batches": batches,
        "encoder": like.config.encoder,
        "precision": arithmetic,
        "epochs": epochs,
        "milliseconds": {
            "step": round(1e3 * float(np.median(whole)), 2),
            "bare": round(1e3 * float(np.median(bare)), 2),
        },
    }
    results = []
    for what, share, bar, direction in (
        ("network", bare / whole, bars[0], "at least"),
        ("miner", mining / whole, bars[1], "at most"),
    ):
        value, spread = median(share)
        results.append(
            entry(f"{name}, {arithmetic}: {what}'s share of a step", value, bar, direction, spread, **about)
        )
    return results


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--epochs", type=int, default=6, help="measured ones")
    epochs = parser.parse_args().epochs
    torch.set_num_threads(1)
    har = noise(HAR_BATCHES * BATCH, HAR)
    results = []
    for precision in ("32-true", "auto"):
        results += shares("HAR", har, HAR_BATCHES, epochs, precision, dataset="har")
    with TemporaryDirectory() as folder:
        kept = shares(
            "HAR with its run folder",
            har,
            HAR_BATCHES,
            epochs,
            "auto",
            (None, None),
            Path(folder),
            dataset="har",
        )
    results.append(kept[0])
    demo, small = (
        simulate(seed=0).train,
        {"widths": [8, 16, 32], "stride": 3, "dropout": 0.0, "pooling": "average"},
    )
    options = {"encoder_options": small}
    results.append(shares("demo", demo, len(demo) // BATCH, epochs, "auto", (None, 0.01), options=options)[1])
    return report(results)


if __name__ == "__main__":
    sys.exit(main())
