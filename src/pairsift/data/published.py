"""What every dataset's reader hands over, and how it becomes the parts that a person trains and tests on."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from difflib import get_close_matches
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pairsift.data.holdout import PARTS, PUBLISHED, Split
from pairsift.data.rows import Scale, select
from pairsift.data.series import Series, Splits
from pairsift.errors import PairsiftError

Array = NDArray[Any]
BLOCK = 16 << 20  # bytes read at once when a big array is gone through


@dataclass(frozen=True)
class Task:
    """One question that a dataset's labels answer.

    Args:
        y: classes (N,) int64, or a 0/1 table (N, K) int64.
        classes: the classes' names.
        splits: the splits by kind, ``published`` and ``grouped``.
        missing: kinds of split that cannot be had, each with the sentence that says why.
    """

    y: Array
    classes: tuple[str, ...]
    splits: dict[str, Split]
    missing: dict[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Published:
    """A publisher's files, understood, with the series themselves still to be read.

    Args:
        name: the dataset's name.
        shape: series, channels, time steps.
        blocks: gives the series from first to last as float32 blocks (n, C, T).
        tasks: by name; the first is the one meant when none is named.
        group: whose each series is (N,), if known.
        ids: a name for each series (N,).
        files: the files that were read.
        notes: sentences that a person should read.
        facts: anything else worth keeping; JSON types.
    """

    name: str
    shape: tuple[int, int, int]
    blocks: Callable[[], Iterator[Array]]
    tasks: dict[str, Task]
    group: Array | None
    ids: Array
    files: tuple[Path, ...]
    notes: tuple[str, ...] = ()
    facts: dict[str, Any] = field(default_factory=dict)

    def checked_blocks(self) -> Iterator[Array]:
        """The blocks, once each is what was promised; their rows sum up to N."""
        done = 0
        for block in self.blocks():
            done += len(block)
            if block.dtype != np.float32 or block.shape[1:] != self.shape[1:] or done > self.shape[0]:
                raise RuntimeError(
                    f"{self.name}: a block {block.shape} {block.dtype} does not fit {self.shape}"
                )
            yield block
        if done != self.shape[0]:
            raise RuntimeError(f"{self.name}: {done} series were read where {self.shape[0]} were announced")

    def read(self, split: str | None = None, task: str | None = None) -> Splits:
        """Read everything into memory and split it."""
        task = choose("task", task, self.tasks, self.name)
        kind = choose("split", split, self.tasks[task].splits, self.name, self.tasks[task].missing)
        x = np.empty(self.shape, np.float32)
        done = 0
        for block in self.checked_blocks():
            x[done : done + len(block)] = block
            done += len(block)
        parts = self.tasks[task].splits[kind]
        facts = {
            **self.facts,
            "notes": list(self.notes),
            "task": task,
            "split": kind,
            "scaling": parts.scaling,
        }
        return cut(self, task, x, parts, learn_scale(x, parts), facts)


def choose(
    what: str, asked: str | None, held: Iterable[str], name: str, missing: dict[str, str] | None = None
) -> str:
    """The task or split that was asked for, or the usual one if none was."""
    names = list(held)
    if asked is None:
        return PUBLISHED if PUBLISHED in names else names[0]
    if asked in names:
        return asked
    if missing and asked in missing:
        raise PairsiftError(missing[asked])
    near = get_close_matches(asked, names, 1)
    hint = f"; did you mean {near[0]!r}?" if near else ""
    raise PairsiftError(f"{what} must be one of {', '.join(names)} for {name}, got {asked!r}{hint}")


def in_blocks(rows: Array, row_bytes: int) -> Iterator[Array]:
    """``rows`` in runs of about ``BLOCK`` bytes."""
    step = max(1, BLOCK // max(1, row_bytes))
    for start in range(0, len(rows), step):
        yield rows[start : start + step]


def learn_scale(x: Array, split: Split) -> Scale | None:
    """What a split's scaling takes off and divides by, learned a block at a time from the rows it may see."""
    if split.scaling == "none":
        return None
    rows = np.sort(split.train if split.learned_on is None else split.learned_on)
    row_bytes = x[:1].nbytes
    if split.scaling == "columns":
        low = np.min([x[some].min(axis=0) for some in in_blocks(rows, row_bytes)], axis=0)
        high = np.max([x[some].max(axis=0) for some in in_blocks(rows, row_bytes)], axis=0)
        return low, np.where(high > low, high - low, np.float32(1))
    total = sum(float(x[some].sum(dtype=np.float64)) for some in in_blocks(rows, row_bytes))
    size = len(rows) * x.shape[1] * x.shape[2]
    mean = total / size
    squares = sum(float(((x[some] - mean) ** 2).sum(dtype=np.float64)) for some in in_blocks(rows, row_bytes))
    deviation = (squares / size) ** 0.5
    return np.full((1, 1), mean, np.float32), np.full((1, 1), deviation or 1.0, np.float32)


def cut(held: Any, task: str, x: Array, split: Split, scale: Scale | None, facts: dict[str, Any]) -> Splits:
    """The parts of a split as series.

    Args:
        held: what has ``name``, ``tasks``, ``group`` and ``ids``.
        task: whose labels the series carry.
        x: all series, (N, C, T).
        split: which rows go where.
        scale: from ``learn_scale``.
        facts: kept with every part.
    """

    def part(name: str) -> Series | None:
        rows = split.part(name)
        if not len(rows) and name != "train":
            return None
        return Series(
            x=select(x, rows, scale),
            y=held.tasks[task].y[rows],
            group=None if held.group is None else held.group[rows],
            ids=held.ids[rows],
            classes=held.tasks[task].classes,
            name=held.name,
            facts={**facts, "part": name},
        )

    train, val, test = (part(name) for name in PARTS)
    assert train is not None
    return Splits(train, val, test)
