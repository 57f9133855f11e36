"""The best cut that a person who knew the truth could draw through the mean-spread plane."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[Any]
DIRECTIONS = 180  # of the lines, over half a turn


def f1(found: Array, true: Array) -> float | None:
    """F1 of a flag against the truth, bool (N,) both; None where nothing is true."""
    return 2 * int((found & true).sum()) / int(found.sum() + true.sum()) if true.any() else None


def best_line(mean: Array, spread: Array, true: Array) -> float:
    """The highest F1 of any half-plane: a straight line, everything on its one side flagged.

    Lines of 180 directions, each at every place, both sides; once in the plane of mean and spread, once in
    that of mean and logarithm of the spread.

    Args:
        mean: mean losses (N,).
        spread: standard deviations of the losses (N,).
        true: which pairs are of the kind that is looked for, bool (N,), at least one.
    """
    across = (mean - np.median(mean)) / max(mean.std(), 1e-12)
    best = 0.0
    for up in (spread, np.log(np.maximum(spread, 1e-12))):
        up = (up - np.median(up)) / max(up.std(), 1e-12)
        for turn in math.pi * np.arange(DIRECTIONS) / DIRECTIONS:
            best = max(best, best_place(math.cos(turn) * across + math.sin(turn) * up, true))
    return best


def best_place(values: Array, true: Array) -> float:
    """The highest F1 of any single threshold on some values (N,), flagging above or below it."""
    order = np.argsort(values)
    hits = np.cumsum(true[order])  # of the flags on the first k
    flagged = np.arange(1, len(values) + 1)
    planted = hits[-1]
    here = np.diff(values[order], append=np.inf) > 0  # between equal values no line passes
    below = 2 * hits / (flagged + planted)
    above = 2 * (planted - hits) / (len(values) - flagged + planted)
    return float(max(below[here].max(), above[here].max(), 2 * planted / (len(values) + planted)))
