"""What share of a training step is the network itself: forward, backward and optimiser, nothing else.

A run with mining is trained through the library; between its epochs the bare network does as many steps on
views drawn beforehand. Both are measured in CPU seconds of one thread, epoch by epoch in turn, so that what
else the machine does meets both alike.

    python -m benchmarks.step
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
from benchmarks._report import entry, median, report
from lightning.pytorch.callbacks import Callback

from pairsift.data import Series, simulate
from pairsift.frameworks import SimCLR
from pairsift.mining import BadPairMiner, Sigma
from pairsift.training import make_framework, make_settings, pretrain
from pairsift.training.pretrain import resolve_precision

BATCH = 128


class BareEpochs(Callback):
    """Times each epoch, and after each one the same number of bare steps; sums what the miner takes."""

    def __init__(self, like: SimCLR, x: torch.Tensor, miner: BadPairMiner, bf16: bool) -> None:
        self.network = like
        self.u, self.v = like.views(x)
        self.adam = torch.optim.Adam(like.parameters(), lr=3e-4, fused=True)
        self.bf16 = bf16
        self.whole: list[float] = []
        self.bare: list[float] = []
        self.mining: list[float] = []
        self._mining = 0.0
        for name in ("start_epoch", "forward"):
            setattr(miner, name, self._timed(getattr(miner, name)))

    def _timed(self, call: Any) -> Any:
        def timed(*args: Any) -> Any:
            began = time.process_time()
            result = call(*args)
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
        self._mining, self._began = 0.0, time.process_time()

    def on_train_epoch_end(self, trainer: Any, pl_module: Any) -> None:
        self.whole.append(time.process_time() - self._began)
        self.mining.append(self._mining)
        began = time.process_time()
        for _ in range(trainer.num_training_batches):
            self.bare_step()
        self.bare.append(time.process_time() - began)


def shares(
    name: str,
    series: Series,
    epochs: int,
    precision: str,
    bars: tuple[float | None, float] = (0.97, 0.005),
    folder: Path | None = None,
    **settings: Any,
) -> list[dict[str, Any]]:
    """The network's and the miner's share of an epoch, medians over epochs.

    Args:
        name: what is trained, for people.
        series: what on.
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
    watch = BareEpochs(like, torch.from_numpy(series.x[:BATCH]), miner, arithmetic == "bf16-mixed")
    pretrain(series, wanted, miner=miner, progress=False, callbacks=[watch], out=folder)
    whole, bare, mining = (np.array(part[1:]) for part in (watch.whole, watch.bare, watch.mining))
    about = {
        "shape": list(series.x.shape),
        "batch": BATCH,
        "encoder": like.config.encoder,
        "precision": arithmetic,
        "epochs": epochs,
        "ms_a_step": round(1000 * float(np.median(whole)) / (len(series) // BATCH), 2),
    }
    results = []
    for what, share, bar, direction in (
        ("network", bare / whole, bars[0], "at least"),
        ("miner", mining / whole, bars[1], "at most"),
    ):
        value, noise = median(share)
        results.append(entry(f"{name}: {what}'s share of a step", value, bar, direction, noise, **about))
    return results


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--epochs", type=int, default=8, help="measured ones")
    parser.add_argument("--precision", default="auto")
    chosen = parser.parse_args()
    torch.set_num_threads(1)
    rng = np.random.default_rng(0)

    def made(batches: int, channels: int, length: int) -> Series:
        return Series(rng.standard_normal((batches * BATCH, channels, length), dtype=np.float32))

    epochs, precision = chosen.epochs, chosen.precision
    har, ecg = made(45, 9, 128), made(15, 12, 1000)  # HAR's own size; of PTB-XL's 107 batches a few
    results = shares("HAR", har, epochs, precision, dataset="har")
    with TemporaryDirectory() as folder:
        kept = shares(
            "HAR, with its run folder", har, epochs, precision, (None, 0.005), Path(folder), dataset="har"
        )
    results.append(kept[0])
    results += shares("PTB-XL", ecg, max(2, epochs // 2), precision)  # the smaller of its encoders
    demo = simulate(seed=0).train
    small = {"widths": [8, 16, 32], "stride": 3, "dropout": 0.0, "pooling": "average"}
    results.append(
        shares("demo", demo, epochs, precision, (None, 0.01), options={"encoder_options": small})[1]
    )
    return report(results)


if __name__ == "__main__":
    sys.exit(main())
