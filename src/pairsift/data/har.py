"""UCI HAR from its publisher's text files (folder or zip), or from one .npz of the same arrays."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pairsift.data.catalog import HAR
from pairsift.data.holdout import GROUPED, PUBLISHED, Split, hold_out, hold_out_groups
from pairsift.data.published import Published, Task
from pairsift.data.tables import finite, read_npz, read_numbers, read_whole_numbers, whole_numbers
from pairsift.data.tree import Tree, open_trees
from pairsift.errors import PairsiftError

Array = NDArray[Any]

SIGNALS = tuple(f"{kind}_{axis}" for kind in ("body_acc", "body_gyro", "total_acc") for axis in "xyz")
CLASSES = HAR.tasks["activity"].classes
LENGTH, PEOPLE = 128, 30


def scan(source: Path) -> Published:
    """Understand HAR's files at ``source``: the published folder or zip, the folder above it, or a .npz."""
    if source.suffix.lower() == ".npz":
        return _from_npz(source)
    with open_trees(source) as trees:
        for tree in trees:
            if tree.find("train/y_train.txt"):
                return _from_text(source, tree)
        tables = trees[0].find(r"[^/]*har[^/]*\.npz")
        if source.is_dir() and len(tables) == 1:
            return _from_npz(source / tables[0])
    raise PairsiftError(
        f"{source} holds no train/y_train.txt; give the folder 'UCI HAR Dataset' or UCI's zip "
        "(pairsift data info har says where to get it)"
    )


def _from_text(source: Path, tree: Tree) -> Published:
    """The published layout: one file a signal, one line a window."""
    top = tree.find("train/y_train.txt")[0].removesuffix("train/y_train.txt")
    labels: dict[str, tuple[Array, Array]] = {}
    files = []
    for part in ("train", "test"):
        names = [f"{top}{part}/{what}_{part}.txt" for what in ("y", "subject")]
        y, person = (
            read_whole_numbers(tree.read(name), tree.called(name), 1, high)
            for name, high in zip(names, (len(CLASSES), PEOPLE))
        )
        if len(y) != len(person):
            raise PairsiftError(
                f"{tree.called(names[1])} has {len(person)} lines, y_{part}.txt {len(y)}; download both again"
            )
        labels[part] = y - 1, person
        names += [_signal_file(top, part, signal) for signal in SIGNALS]
        for name in names:
            if name not in tree.names:
                raise PairsiftError(f"{tree.called(name)} is missing; give the whole published folder or zip")
        files += [tree.on_disk(name) for name in names]
    counts = {part: len(labels[part][0]) for part in labels}
    return _published(
        y=np.concatenate([labels["train"][0], labels["test"][0]]),
        person=np.concatenate([labels["train"][1], labels["test"][1]]),
        is_test=np.repeat([False, True], [counts["train"], counts["test"]]),
        ids=np.array([f"{part}/{row + 1}" for part in counts for row in range(counts[part])]),
        blocks=partial(_text_blocks, source, top, counts),
        files=tuple(dict.fromkeys(files)),
    )


def _signal_file(top: str, part: str, signal: str) -> str:
    return f"{top}{part}/Inertial Signals/{signal}_{part}.txt"


def _text_blocks(source: Path, top: str, counts: dict[str, int]) -> Iterator[Array]:
    with open_trees(source) as trees:
        tree = next(tree for tree in trees if f"{top}train/y_train.txt" in tree.names)
        for part, count in counts.items():
            block = np.empty((count, len(SIGNALS), LENGTH), np.float32)
            for channel, signal in enumerate(SIGNALS):
                name = _signal_file(top, part, signal)
                table = read_numbers(tree.read(name), tree.called(name), LENGTH)
                if len(table) != count:
                    raise PairsiftError(
                        f"{tree.called(name)} has {len(table)} lines where y_{part}.txt has {count}; "
                        "download it again"
                    )
                block[:, channel] = table
            yield block


def _from_npz(path: Path) -> Published:
    held = read_npz(path, ("X", "y", "subject", "official_test"))
    x, count = held["X"], len(held["X"])
    if x.ndim != 3 or x.shape[1:] != (len(SIGNALS), LENGTH) or x.dtype.kind not in "iuf":
        raise PairsiftError(f"{path}: X must be numbers (N, 9, 128), got {x.dtype} {x.shape}; check the file")
    for name in ("y", "subject", "official_test"):
        if held[name].shape != (count,):
            raise PairsiftError(
                f"{path}: {name} must have shape ({count},), got {held[name].shape}; check the file"
            )
    return _published(
        y=whole_numbers(held["y"], f"{path}: y", 0, len(CLASSES) - 1),
        person=whole_numbers(held["subject"], f"{path}: subject", 1, PEOPLE),
        is_test=held["official_test"].astype(bool),
        ids=np.array([f"row/{row + 1}" for row in range(count)]),
        blocks=lambda: iter([finite(x, f"{path}: X").astype(np.float32)]),
        files=(path,),
    )


def _published(
    *, y: Array, person: Array, is_test: Array, ids: Array, blocks: Any, files: tuple[Path, ...]
) -> Published:
    rest, test = np.flatnonzero(~is_test), np.flatnonzero(is_test)
    if not len(test):
        raise PairsiftError(f"{files[0]}: there is no test part; give the whole published dataset")
    splits, missing = {}, {}
    train, val = hold_out(len(rest))
    splits[PUBLISHED] = Split(rest[train], rest[val], test)
    if len(np.unique(person[rest])) > 1:
        train, val = hold_out_groups(person[rest])
        splits[GROUPED] = Split(rest[train], rest[val], test)
    else:
        missing[GROUPED] = (
            f"{files[0]}: the split 'grouped' needs more than one person to train and choose on"
        )
    return Published(
        name=HAR.name,
        shape=(len(y), len(SIGNALS), LENGTH),
        blocks=blocks,
        tasks={"activity": Task(y, CLASSES, splits, missing)},
        group=person,
        ids=ids,
        files=files,
        facts={"channels": list(SIGNALS), "group": "person", "rate": 50.0},
    )
