"""Splits: random ones as the published numbers used them, and honest ones that keep a group together."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pairsift.errors import PairsiftError

Array = NDArray[Any]

PARTS = ("train", "val", "test")
PUBLISHED, GROUPED = "published", "grouped"
SEED, SHARE = 42, 0.2


@dataclass(frozen=True)
class Split:
    """Which rows are learned from, chosen by and reported on, and which rows the scaling is learned from.

    Args:
        train: rows, int64 (n,); so are val and test, either of which may be empty.
        val: see train.
        test: see train.
        scaling: ``none``; ``columns``: each channel and time step to 0..1 by its own minimum and maximum;
            ``moments``: one mean and one deviation for everything.
        learned_on: the rows that the scaling is learned from; the training rows if None.
    """

    train: Array
    val: Array
    test: Array
    scaling: str = "none"
    learned_on: Array | None = None

    def part(self, name: str) -> Array:
        """The rows of one of ``train``, ``val``, ``test``."""
        rows: Array = getattr(self, name)
        return rows


def hold_out(count: int, share: float = SHARE, seed: int = SEED) -> tuple[Array, Array]:
    """Places 0..count-1 at random in two: the kept ones and the held-out ones, both in drawn order.

    It is scikit-learn's ``train_test_split``, because the published splits are.
    """
    from sklearn.model_selection import train_test_split

    if count < 2:
        raise PairsiftError(
            f"a split needs at least 2 of what it splits, got {count}; give the whole dataset"
        )
    kept, held = train_test_split(np.arange(count), test_size=share, random_state=seed)
    return np.asarray(kept, np.int64), np.asarray(held, np.int64)


def hold_out_twice(count: int, share: float = SHARE, seed: int = SEED) -> tuple[Array, Array, Array]:
    """Places 0..count-1 in train, val and test: the test is held out first, then val from what is left."""
    rest, test = hold_out(count, share, seed)
    train, val = hold_out(len(rest), share, seed)
    return rest[train], rest[val], test


def hold_out_groups(group: Array, share: float = SHARE, seed: int = SEED) -> tuple[Array, Array]:
    """The same as ``hold_out`` with whole groups; rows stay in their order."""
    names, member = np.unique(group, return_inverse=True)
    _, held = hold_out(len(names), share, seed)
    out = np.isin(member, held)
    return np.flatnonzero(~out), np.flatnonzero(out)


def hold_out_groups_twice(group: Array, share: float = SHARE, seed: int = SEED) -> tuple[Array, Array, Array]:
    """The same as ``hold_out_twice`` with whole groups; rows stay in their order."""
    rest, test = hold_out_groups(group, share, seed)
    train, val = hold_out_groups(group[rest], share, seed)
    return rest[train], rest[val], test
