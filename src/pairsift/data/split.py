"""Cutting series into train, validation and test, whole groups on one side."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from pairsift.data.readers.raw import Array
from pairsift.data.rows import select
from pairsift.data.series import Series, Splits
from pairsift.errors import PairsiftError, shown

PARTS = {"train": 0, "training": 0, "val": 1, "valid": 1, "validation": 1, "test": 2, "testing": 2}


def split_series(
    series: Series, *, val: float = 0.2, test: float = 0.2, seed: int = 0, marks: Array | None = None
) -> Splits:
    """Split series at random: by group where there are groups, else with every class in its share.

    Args:
        series: what is split.
        val: share of all series for validation; 0 for none.
        test: share of all series for the test; 0 for none.
        seed: the same seed gives the same split.
        marks: what each series' own file says (train, val or test), shape (N,). Then ``test`` does not count,
            and ``val`` only where nothing is marked as validation: that share of train is taken for it.

    Returns:
        Splits, in the series' own order.
    """
    if not (0 <= val < 1 and 0 <= test < 1 and val + test < 1):
        raise PairsiftError(
            f"val and test are shares and must leave something to train on, got {val} and {test}"
        )
    if seed < 0:
        raise PairsiftError(f"seed must be at least 0, got {seed}")
    if marks is None:
        part = _draw(series, np.arange(len(series)), val, test, seed)
    else:
        part = _marked(series, marks)
        if val and not (part == 1).any():
            rows = np.flatnonzero(part == 0)
            part[rows] = _draw(series, rows, val, 0.0, seed)
    train, validation, last = (np.flatnonzero(part == k) for k in range(3))
    if not len(train):
        raise PairsiftError(f"{series.name}: no series is left to train on; lower val and test")
    return Splits(
        train=_part(series, train),
        val=_part(series, validation) if len(validation) else None,
        test=_part(series, last) if len(last) else None,
    )


def _part(series: Series, rows: Array) -> Series:
    """Some of the series, which know where they stood; big ones stay where they are, on the disk."""
    if len(rows) == len(series):
        return series
    x = select(series.x, rows)
    other = None if series.other is None else select(series.other, rows)
    labels = {"y": series.y, "truth": series.truth, "group": series.group, "ids": series.ids}
    kept = {name: None if values is None else values[rows] for name, values in labels.items()}
    stood = rows if series.rows is None else series.rows[rows]
    return replace(series, x=x, other=other, rows=stood, **kept)  # type: ignore[arg-type]


def _marked(series: Series, marks: Array) -> NDArray[np.int64]:
    """Parts as the file marks them."""
    words = [str(mark).strip().lower() for mark in marks]
    strange = next((word for word in words if word not in PARTS), None)
    if strange is not None:
        raise PairsiftError(f"{series.name}: split holds {shown(strange)!r}; write train, val or test")
    return np.array([PARTS[word] for word in words], dtype=np.int64)


def _draw(series: Series, rows: NDArray[np.int64], val: float, test: float, seed: int) -> NDArray[np.int64]:
    """A part (0 train, 1 val, 2 test) for each of the rows."""
    rng = np.random.default_rng(seed)
    if series.group is None:
        order = rng.permutation(len(rows))
        if series.y is not None and series.y.ndim == 1:
            order = order[np.argsort(series.y[rows][order], kind="stable")]
        part = np.zeros(len(rows), dtype=np.int64)
        # evenly spread over the order, in which each class lies together: so each gets its share
        part[order[_every(len(order), test)]] = 2
        rest = order[part[order] == 0]
        part[rest[_every(len(rest), val / (1 - test))]] = 1
        return part
    _, owner, sizes = np.unique(series.group[rows], return_inverse=True, return_counts=True)
    wanted = [share for share in (test, val) if share]
    if len(sizes) < 1 + len(wanted):
        raise PairsiftError(
            f"{series.name}: has {len(sizes)} groups, too few for {1 + len(wanted)} parts with whole "
            "groups in each; lower val or test to 0, or leave the groups out"
        )
    part_of = np.zeros(len(sizes), dtype=np.int64)
    queue = list(rng.permutation(len(sizes)))
    for place, (share, code) in enumerate((s, c) for s, c in ((test, 2), (val, 1)) if s):
        have, keep = 0, len(wanted) - place  # groups that the parts to come must find
        while len(queue) > keep and (not have or have + sizes[queue[0]] / 2 <= share * len(rows)):
            group = queue.pop(0)
            part_of[group] = code
            have += sizes[group]
    return part_of[owner.reshape(-1)]


def _every(count: int, share: float) -> NDArray[np.bool_]:
    """A share of ``count`` places, evenly spread, ``round(count * share)`` of them."""
    taken = np.floor(np.arange(count + 1) * share + 0.5 + 1e-9)
    chosen: NDArray[np.bool_] = np.diff(taken) > 0
    return chosen
