"""A whole epoch of SimCLR with DBPM at HAR's size against the obvious way to write it; the gap as N grows.

Both train the same encoder and head, in turn, in CPU seconds of one thread.

    python -m benchmarks.epoch
"""

from __future__ import annotations

import argparse
import sys
import time
from typing import Any

import numpy as np
import torch
from benchmarks._report import entry, report
from benchmarks.baseline.obvious import ObviousMiner, TwoViewsDataset, train_epoch
from lightning.pytorch.callbacks import Callback
from torch import nn
from torch.utils.data import DataLoader

from pairsift.augment import STRENGTHS
from pairsift.data import Series
from pairsift.frameworks import SimCLR
from pairsift.mining import BadPairMiner, Sigma
from pairsift.training import make_framework, make_settings, pretrain
from pairsift.training.pretrain import resolve_precision

BATCH = 128


class InTurn(Callback):
    """After each of our epochs, one of the obvious way's."""

    def __init__(self, x: np.ndarray, like: SimCLR) -> None:
        har = STRENGTHS["har"]
        data = TwoViewsDataset(x, har.scale, har.jitter, har.segments)
        self.loader = DataLoader(data, batch_size=BATCH, shuffle=True, drop_last=True)
        self.network = nn.Sequential(like.encoder, like.head)
        self.adam = torch.optim.Adam(self.network.parameters(), lr=3e-4)
        self.miner = ObviousMiner(len(x), 1, 1.0, 1.0)
        self.ours: list[float] = []
        self.theirs: list[float] = []

    def on_train_epoch_start(self, trainer: Any, pl_module: Any) -> None:
        self._began = time.process_time()

    def on_train_epoch_end(self, trainer: Any, pl_module: Any) -> None:
        self.ours.append(time.process_time() - self._began)
        began = time.process_time()
        train_epoch(self.network, self.adam, self.loader, self.miner)
        self.theirs.append(time.process_time() - began)


def ratio(n: int, precision: str, epochs: int, **options: Any) -> tuple[float, dict[str, Any]]:
    """How many of our epochs fit into one of the obvious way's: median over the epochs that mine."""
    x = np.random.default_rng(0).standard_normal((n, 9, 128), dtype=np.float32)
    settings = make_settings(
        epochs=epochs, warmup=1, precision=precision, dataset="har", batch_size=BATCH, options=options
    )
    like = make_framework(settings, Series(x))
    assert isinstance(like, SimCLR)
    watch = InTurn(x, like)
    miner = BadPairMiner(n, 1, Sigma(1, 1), batch_size=BATCH)
    pretrain(Series(x), settings, miner=miner, progress=False, callbacks=[watch])
    value = float(np.median(np.array(watch.theirs[1:]) / np.array(watch.ours[1:])))
    about = {
        "pairs": n,
        "precision": resolve_precision(precision),
        "seconds": round(float(np.median(watch.ours)), 2),
    }
    return value, about


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--epochs", type=int, default=3)
    chosen = parser.parse_args()
    torch.set_num_threads(1)
    value, about = ratio(5881, "auto", chosen.epochs)
    results = [entry("obvious way / ours, an epoch at HAR's size", value, 3.0, "at least", **about)]
    value, about = ratio(5881, "32-true", chosen.epochs)
    results.append(entry("the same, both in float32", value, None, "at least", **about))
    # A small encoder, so that what surrounds it shows and large N can be had.
    small = {"encoder_options": {"widths": [4, 4, 4]}, "hidden": 8}
    gaps = [ratio(n, "32-true", chosen.epochs, **small) for n in (5_000, 20_000, 40_000)]
    grown = gaps[-1][0] / gaps[0][0]
    more = {"ratios": {str(a["pairs"]): round(v, 2) for v, a in gaps}}
    results.append(
        entry("how the ratio grows, 40,000 pairs / 5,000, small encoder", grown, 1.0, "at least", **more)
    )
    return report(results)


if __name__ == "__main__":
    sys.exit(main())
