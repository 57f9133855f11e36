"""Losses of every pair in every epoch of plain trainings, kept in a folder: what thresholds are tried on."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch

from pairsift.data.corrupt import corrupt
from pairsift.data.load import load_dataset
from pairsift.data.series import Series
from pairsift.data.simulated import simulate
from pairsift.mining import BadPairMiner
from pairsift.mining.memory import Memory
from pairsift.training import Settings, pretrain

SHARES = (0, 5, 10, 17)  # per cent of all pairs, of each kind
SEEDS = (0, 1, 2)
SMALL = {"widths": [8, 16, 32], "stride": 3, "dropout": 0.0, "pooling": "average"}  # the demo's encoder
PAIRS = 3600


@dataclass(frozen=True)
class Condition:
    """One training.

    Args:
        data: "raw" or "z-scored", the simulation; "har" or "epilepsy".
        views: an augmentation's name.
        share: per cent of the pairs that were planted, of each kind.
        seed: of data, weights, order and views.
    """

    data: str
    views: str
    share: int
    seed: int

    @property
    def name(self) -> str:
        """As a file's name."""
        return f"{self.data}-{self.views}-{self.share:02d}-seed{self.seed}"

    def series(self) -> Series:
        """What is learned from."""
        if self.data in ("raw", "z-scored"):
            planted = round(PAIRS * self.share / 100)
            return simulate(
                PAIRS, 0, planted, planted, n_val=0, standardise=self.data == "z-scored", seed=self.seed
            ).train
        share = self.share / 100
        return corrupt(load_dataset(self.data).train, share, share, seed=self.seed)

    def settings(self) -> Settings:
        """How: the demo's small encoder on the simulation; else the published one, for fewer epochs."""
        options: dict[str, Any] = {"augmentation": self.views}
        simulated = self.data in ("raw", "z-scored")
        if simulated:
            options["encoder_options"] = SMALL
        return Settings(
            dataset="simulated" if simulated else self.data,
            options=options,
            epochs=24 if simulated else 15,
            seed=self.seed,
        )


def conditions(seeds: tuple[int, ...] = SEEDS) -> list[Condition]:
    """All of them, a seed after the other."""
    simulated = [(data, views) for data in ("raw", "z-scored") for views in ("none", "mild")]
    real = [("har", "har"), ("epilepsy", "epilepsy")]
    return [Condition(*kind, share, seed) for seed in seeds for kind in simulated + real for share in SHARES]


class Recorder(BadPairMiner):
    """A miner that never acts and keeps each epoch's losses, NaN where a pair was not visited."""

    def __init__(self, num_pairs: int, batch_size: int) -> None:
        super().__init__(num_pairs, warmup_epochs=10**6, batch_size=batch_size)
        self.losses: list[np.ndarray[Any, Any]] = []

    def end_epoch(self) -> None:
        """Keep what the memory is about to fold in."""
        if self._running:
            self.losses.append((self.memory.total / self.memory.visits).numpy().copy())
        super().end_epoch()


def collect(wanted: list[Condition], folder: Path, say: Callable[[str], None] = print) -> None:
    """Train what the folder lacks."""
    folder.mkdir(parents=True, exist_ok=True)
    for condition in wanted:
        path = folder / f"{condition.name}.npz"
        if path.exists():
            continue
        began = time.perf_counter()
        series, settings = condition.series(), condition.settings()
        miner = Recorder(len(series), settings.batch_size)
        pretrain(series, settings, miner=miner, progress=False)
        truth = np.zeros(len(series), np.int8) if series.truth is None else series.truth
        part = path.with_suffix(".part")
        with part.open("wb") as file:
            np.savez(file, losses=np.stack(miner.losses), truth=truth, y=series.y)
        part.replace(path)
        say(f"{condition.name}: {time.perf_counter() - began:.1f} s")


def remembered(losses: np.ndarray[Any, Any]) -> Memory:
    """The memory after these epochs' losses (E, N), NaN where a pair was skipped."""
    memory = Memory(losses.shape[1])
    for epoch, values in enumerate(losses, 1):
        seen = np.flatnonzero(np.isfinite(values))
        memory.add(torch.from_numpy(values[seen]), torch.from_numpy(seen))
        memory.merge(epoch)
    return memory
