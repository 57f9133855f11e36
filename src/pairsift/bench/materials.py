"""The data of a cell: as it is, and with bad pairs planted in what is learned from."""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

import numpy as np

from pairsift.bench.cell import Cell
from pairsift.data import CATALOG, Series, Splits, corrupt, load_dataset, simulate
from pairsift.errors import PairsiftError


class NoData(PairsiftError):
    """A dataset that is not here, or not all of it: no cell that needs it can run."""

    kind = "no data"


@dataclass(frozen=True)
class Materials:
    """What a cell works with.

    Args:
        splits: the dataset as it is: what probes learn from and are judged by.
        learned: what is pretrained on: the same training series, the planted ones damaged; for the oracle
            without these.
        planted: the training series with the planted ones damaged, None where nothing is planted.
    """

    splits: Splits
    learned: Series
    planted: Series | None


def materials(cell: Cell, root: str | None = None) -> Materials:
    """Load a cell's data (kept for the next cell of this process) and plant what is to be planted."""
    noisy = cell.planted * {"both": 0.5, "noisy": 1.0, "faulty": 0.0}[cell.kind]
    faulty = cell.planted - noisy
    if cell.dataset == "simulated":
        splits, planted = _simulated(cell, noisy, faulty)
    else:
        if cell.data:
            raise PairsiftError(f"spec: data holds options of the simulation, {cell.dataset} takes none")
        splits = _loaded(cell.dataset, cell.split, cell.task, root)
        _check_size(cell, splits)
        view: Literal["second", "random"] = "random" if cell.damage == "random" else "second"
        planted = corrupt(splits.train, noisy, faulty, seed=cell.seed, view=view) if cell.planted else None
    learned = planted or splits.train
    if cell.mining == "oracle":
        assert learned.truth is not None  # a cell without planting is never an oracle's
        learned = learned.subset(np.flatnonzero(learned.truth == 0))
    return Materials(splits, learned, planted)


def _simulated(cell: Cell, noisy: float, faulty: float) -> tuple[Splits, Series | None]:
    """The simulation without and with bad pairs: all other series are the same in both."""
    if cell.split != "published" or cell.task is not None or cell.sample is not None:
        raise PairsiftError("spec: simulated has one split, one task and any size; leave these out")
    if cell.damage == "random":
        raise PairsiftError("spec: the simulation's faulty pairs are damaged for good; leave damage out")
    size = int(cell.data.get("n_train", 3600))
    options = json.dumps(cell.data, sort_keys=True)
    splits = _drawn(options, 0, 0, cell.seed)
    if not cell.planted:
        return splits, None
    return splits, _drawn(options, round(noisy * size), round(faulty * size), cell.seed).train


@lru_cache(maxsize=4)
def _drawn(options: str, noisy: int, faulty: int, seed: int) -> Splits:
    return simulate(noisy=noisy, faulty=faulty, seed=seed, **json.loads(options))


@lru_cache(maxsize=2)
def _loaded(dataset: str, split: str, task: str | None, root: str | None) -> Splits:
    try:
        return load_dataset(dataset, root=root, split=split, task=task)
    except PairsiftError as error:
        raise NoData(str(error)) from None


def _check_size(cell: Cell, splits: Splits) -> None:
    """Refuse data of another size than the cell says: its result would stand for something else."""
    counts = tuple(0 if part is None else len(part) for part in (splits.train, splits.val, splits.test))
    tasks = CATALOG[cell.dataset].tasks
    wanted = cell.sample or sum(next(f.counts for name, f in tasks.items() if cell.task in (None, name)))
    if sum(counts) != wanted:
        raise NoData(
            f"{cell.dataset} has {sum(counts)} series here, the spec says {wanted}; give the whole "
            f"dataset, or say sample = {sum(counts)} in a spec of its own"
        )
