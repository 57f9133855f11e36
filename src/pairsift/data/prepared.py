"""Loading what ``prepare`` wrote, mapped into memory rather than read."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pairsift.data.agree import check_labels, check_rows, check_split
from pairsift.data.card import CARD, FORMAT
from pairsift.data.catalog import known
from pairsift.data.holdout import PARTS, Split
from pairsift.data.letters import check_letters
from pairsift.data.prepare import prepared_folder
from pairsift.data.published import Task, choose, cut
from pairsift.data.readers.npy import UNREADABLE
from pairsift.data.rows import Scale
from pairsift.data.series import Splits
from pairsift.data.tables import read_npz
from pairsift.data.tree import ZIP_ERRORS
from pairsift.errors import PairsiftError, shown

Array = NDArray[Any]


@dataclass(frozen=True)
class _Held:
    """What ``cut`` needs to know of a dataset."""

    name: str
    tasks: dict[str, Task]
    group: Array | None
    ids: Array


def is_prepared(folder: Path) -> bool:
    """Whether a folder holds a prepared dataset."""
    return (folder / CARD).is_file()


def load_prepared(
    name: str, root: str | Path | None = None, split: str | None = None, task: str | None = None
) -> Splits:
    """Load a dataset that ``prepare`` has written.

    Args:
        name: a dataset of the catalog.
        root: the data root; see ``data_root``.
        split: ``published`` (the default) or ``grouped``.
        task: which labels, where there are several tasks; the first one if None.

    Returns:
        Its parts; big ones stay on the disk and are read as they are indexed.
    """
    folder = prepared_folder(known(name).name, root)
    if not is_prepared(folder):
        raise PairsiftError(
            f"{name} is not prepared in {folder.parent}; run: pairsift data prepare {name} --source PATH"
            + ("" if root is None else f" --root {root}")
        )
    return load_folder(folder, split, task)


def load_folder(folder: Path, split: str | None = None, task: str | None = None) -> Splits:
    """The same, from the prepared folder itself."""
    card = read_card(folder)
    try:
        tasks = card["tasks"]
        label = choose("task", task, tasks, card["name"])
        about = tasks[label]
        kind = choose("split", split, about["splits"], card["name"], about["missing"])
        scaling, facts = about["splits"][kind]["scaling"], dict(card["facts"])
        shape, classes = tuple(card["shape"]), tuple(about["classes"])
        name, notes, fingerprint = card["name"], card["notes"], card["sha256"]
        if not all(re.fullmatch(r"[\w-]+", part) for part in (label, kind)):
            raise ValueError("plain names of tasks and splits")  # they are parts of files' names
    except PairsiftError:
        raise
    except (KeyError, TypeError, AttributeError, ValueError) as error:
        raise PairsiftError(
            f"{folder / CARD} lacks {shown(error, 120)}; prepare the dataset again"
        ) from error
    x, y = _array(folder / "X.npy", mapped=True), _array(folder / f"y-{label}.npy")
    if x.shape != shape or x.ndim != 3 or x.dtype != np.float32:
        raise PairsiftError(
            f"{folder / 'X.npy'} is not what card.json says ({x.dtype} {x.shape}); prepare it again"
        )
    scaled = () if scaling == "none" else ("shift", "span")
    chosen = folder / f"split-{label}-{kind}.npz"
    arrays = read_npz(chosen, (*PARTS, *scaled))
    scale: Scale | None = (arrays["shift"], arrays["span"]) if scaled else None
    parts = Split(arrays["train"], arrays["val"], arrays["test"], scaling)
    group = _array(folder / "group.npy") if (folder / "group.npy").is_file() else None
    ids = _array(folder / "ids.npy")
    check_rows(len(x), {folder / f"y-{label}.npy": y, folder / "group.npy": group, folder / "ids.npy": ids})
    check_labels(y, len(classes), folder / f"y-{label}.npy")
    check_split(chosen, parts, scale, x.shape)
    held = _Held(name, {label: Task(y, classes, {kind: parts})}, group, ids)
    facts.update(notes=notes, task=label, split=kind, scaling=scaling, sha256=fingerprint)
    return cut(held, label, x, parts, scale, facts)


def read_card(folder: Path) -> dict[str, Any]:
    """A prepared folder's card."""
    try:
        card = json.loads((folder / CARD).read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError) as error:
        raise PairsiftError(
            f"{folder / CARD} cannot be read ({shown(error, 120)}); prepare the dataset again"
        ) from error
    if not isinstance(card, dict) or card.get("format") != FORMAT:
        raise PairsiftError(f"{folder / CARD} is of another version of pairsift; prepare the dataset again")
    return card


def _array(path: Path, mapped: bool = False) -> Array:
    try:
        found = np.load(
            path, mmap_mode="r", allow_pickle=False
        )  # a header that lies is refused, not believed
    except (OSError, *UNREADABLE, *ZIP_ERRORS) as error:
        raise PairsiftError(
            f"{path} cannot be read ({shown(error, 120)}); prepare the dataset again"
        ) from error
    if not isinstance(found, np.ndarray):
        raise PairsiftError(f"{path} is no .npy file; prepare the dataset again")
    return found if mapped else check_letters(np.array(found), str(path))
