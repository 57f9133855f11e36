"""From a publisher's files to memory-mapped arrays and a card that says what they are, all or nothing."""

from __future__ import annotations

import contextlib
import errno
import json
import shutil
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import mkdtemp
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pairsift.data.card import CARD, differences, make_card, sha256
from pairsift.data.catalog import known
from pairsift.data.holdout import PARTS
from pairsift.data.published import Published, Task, learn_scale
from pairsift.data.root import data_root
from pairsift.errors import PairsiftError

Array = NDArray[Any]
Progress = Callable[[int, int], None]

FOLDER = "prepared"
ABANDONED = 3600.0  # seconds without a sign of life after which an unfinished folder is swept away


@dataclass(frozen=True)
class Prepared:
    """What ``prepare`` made: the dataset's name, its folder, its card, and what a person should be told."""

    name: str
    folder: Path
    card: dict[str, Any]
    notes: tuple[str, ...]


def prepared_folder(name: str, root: str | Path | None = None) -> Path:
    """Where a dataset's prepared arrays are."""
    return data_root(root) / FOLDER / name


def prepare(
    name: str, source: str | Path, root: str | Path | None = None, *, progress: Progress | None = None
) -> Prepared:
    """Turn a publisher's files into arrays that load at once and need not fit into memory.

    Writes ``<root>/prepared/<name>``: X.npy (N, C, T) float32 unscaled, group.npy, ids.npy, y-TASK.npy for
    each task, split-TASK-KIND.npz for each split (the rows of each part, and what its scaling takes off and
    divides by), and card.json. It appears under that name when it is whole, and replaces what was there;
    otherwise nothing is left.

    Args:
        name: a dataset of the catalog.
        source: the publisher's files, see ``info(name)``.
        root: the data root; see ``data_root``.
        progress: called with (series done, series in all).

    Returns:
        What was made; its notes say where counts differ from the published ones.
    """
    entry = known(name)
    published = entry.scan(source)
    folder = prepared_folder(name, root)
    with _replacing(folder) as work:
        fingerprint = _write_series(work / "X.npy", published, progress)
        x = np.load(work / "X.npy", mmap_mode="r", allow_pickle=False)
        if published.group is not None:
            np.save(work / "group.npy", published.group, allow_pickle=False)
        np.save(work / "ids.npy", published.ids, allow_pickle=False)
        for label, task in published.tasks.items():
            np.save(work / f"y-{label}.npy", task.y, allow_pickle=False)
            _write_splits(work, label, task, x)
        notes = (*published.notes, *differences(entry, published))
        card = make_card(entry, published, Path(source), fingerprint, notes)
        (work / CARD).write_text(json.dumps(card, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
        del x  # a mapped file cannot be renamed everywhere
    return Prepared(name, folder, card, notes)


@contextmanager
def _replacing(folder: Path) -> Iterator[Path]:
    """A work folder beside ``folder`` that takes its place at the end, or vanishes."""
    try:
        folder.parent.mkdir(parents=True, exist_ok=True)
        for left in folder.parent.glob(f".{folder.name}-*"):
            if _abandoned(left):
                shutil.rmtree(left, ignore_errors=True)
        work = Path(mkdtemp(prefix=f".{folder.name}-", dir=folder.parent))
    except OSError as error:
        raise PairsiftError(
            f"root: cannot write into {folder.parent} ({error.strerror}); give another with --root"
        ) from error
    old = work.with_name(work.name + "-old")
    try:
        yield work
        work.chmod(0o755)  # a temporary folder is private at first
        _take_place(work, folder, old)
    except OSError as error:
        raise PairsiftError(
            f"{folder} cannot be written ({error.strerror}); make room or give another --root"
        ) from error
    finally:
        shutil.rmtree(work, ignore_errors=True)
        if folder.exists():
            shutil.rmtree(old, ignore_errors=True)


def _abandoned(left: Path) -> bool:
    """Whether nobody has written into a work folder for long."""
    try:
        newest = max(path.stat().st_mtime for path in (left, *left.rglob("*")))
    except FileNotFoundError:  # somebody is at work: files come and go
        return False
    return time.time() - newest > ABANDONED


def _take_place(work: Path, folder: Path, old: Path) -> None:
    """Rename ``work`` to ``folder``; what stands there goes to ``old``, and comes back if that fails.

    Another process may do the same at the same moment: who is last stays.
    """
    while True:
        with contextlib.suppress(FileNotFoundError):
            folder.rename(old)
        try:
            work.rename(folder)
            return
        except OSError as error:
            if error.errno in (errno.ENOTEMPTY, errno.EEXIST):  # another's, just now
                shutil.rmtree(old, ignore_errors=True)
                continue
            if old.exists():
                old.rename(folder)
            raise


def _write_series(path: Path, published: Published, progress: Progress | None) -> str:
    """Write the series block by block; returns the sha256 of the file."""
    total, done = published.shape[0], 0
    with path.open("wb") as file:
        header = {"descr": "<f4", "fortran_order": False, "shape": published.shape}
        np.lib.format.write_array_header_1_0(file, header)
        for block in published.checked_blocks():
            file.write(np.ascontiguousarray(block, "<f4").data)
            done += len(block)
            if progress is not None:
                progress(done, total)
    return sha256(path)


def _write_splits(work: Path, label: str, task: Task, x: Array) -> None:
    for kind, split in task.splits.items():
        arrays = {part: split.part(part) for part in PARTS}
        scale = learn_scale(x, split)
        if scale is not None:
            arrays["shift"], arrays["span"] = scale
        np.savez(work / f"split-{label}-{kind}.npz", **arrays)  # type: ignore[arg-type]
