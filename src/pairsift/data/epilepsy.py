"""Epilepsy (Bonn EEG) from UCI's CSV, from Bonn's original text files, or from one .npz of either."""

from __future__ import annotations

import io
import re
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pairsift.data.catalog import EPILEPSY
from pairsift.data.holdout import GROUPED, PUBLISHED, Split, hold_out_groups_twice, hold_out_twice
from pairsift.data.published import Published, Task
from pairsift.data.tables import finite, read_npz, read_numbers, whole_numbers
from pairsift.data.tree import Tree, open_trees
from pairsift.errors import PairsiftError, shown

Array = NDArray[Any]

CLASSES = EPILEPSY.tasks["seizure"].classes
LENGTH, CHUNKS, RECORDING = 178, 23, 4097
SETS = {"Z": 5, "O": 4, "N": 3, "F": 2, "S": 1}  # Bonn's letters and UCI's classes; 1 is seizure
FILES_A_SET = 100
COLUMNS = (*(f"X{step + 1}" for step in range(LENGTH)), "y")


def scan(source: Path) -> Published:
    """Understand Epilepsy's files at ``source``: UCI's CSV, Bonn's text files, or a .npz."""
    if source.suffix.lower() == ".npz":
        return _from_npz(source)
    if source.suffix.lower() == ".csv":
        return _from_csv(source.read_bytes(), str(source), source)
    with open_trees(source) as trees:
        tables = [(tree, name) for tree in trees for name in tree.find(r"[^/]+\.csv")]
        if len(tables) > 1:
            raise PairsiftError(f"{source} holds {len(tables)} CSV files; give UCI's one itself")
        if tables:
            tree, name = tables[0]
            return _from_csv(tree.read(name), tree.called(name), tree.on_disk(name))
        if any(tree.find(r"[ZONFS]\d{3}\.txt") for tree in trees):
            return _from_bonn(trees, source)
        arrays = trees[0].find(r"[^/]+\.npz")
    if source.is_dir() and arrays:
        return _from_npz(source / next((name for name in arrays if "uci" in name.lower()), arrays[0]))
    raise PairsiftError(
        f"{source} holds neither UCI's CSV nor Bonn's text files (Z001.txt ...); give the folder that does "
        "(pairsift data info epilepsy says where to get them)"
    )


def _from_csv(data: bytes, name: str, path: Path) -> Published:
    """UCI's table: an id such as X21.V1.791 (chunk 21 of recording V1.791), 178 values, the class 1 to 5."""
    import pandas as pd

    lines = [line for line in data.splitlines() if line.strip()]
    if len(lines) < 2:
        raise PairsiftError(f"{name} is empty; download it again")
    fields = lines[0].count(b",")
    for number, line in enumerate(lines, 1):
        if line.count(b",") != fields:
            raise PairsiftError(
                f"{name} has {line.count(b',') + 1} fields in line {number} where its header "
                f"has {fields + 1}; download it again"
            )
    try:
        frame = pd.read_csv(io.BytesIO(b"\n".join(lines)), low_memory=False, index_col=False)
    except (ValueError, pd.errors.ParserError) as error:
        raise PairsiftError(
            f"{name} cannot be read as CSV ({shown(error, 120)}); download it again"
        ) from error
    absent = [column for column in COLUMNS if column not in frame]
    others = [str(column) for column in frame if column not in COLUMNS]
    if absent or len(others) > 1:
        raise PairsiftError(
            f"{name} must have an id column, X1 to X178 and y, but "
            + (
                f"{absent[0]} is missing"
                if absent
                else f"has {len(others)} other columns ({shown(', '.join(others[:3]))})"
            )
            + "; give UCI's CSV as it is"
        )
    values = np.stack([_numeric(frame[column], name, column) for column in COLUMNS], axis=1)
    ids = frame[others[0]].astype(str).to_numpy(dtype=np.str_) if others else None
    found = [re.fullmatch(r"X\d+\.(\S+)", text) for text in ids] if ids is not None else []
    recording = np.array([match.group(1) for match in found if match])
    return _published(
        x=values[:, :LENGTH],
        y=whole_numbers(values[:, LENGTH], f"{name}: y", 1, len(SETS)),
        recording=recording if found and all(found) else None,
        ids=ids,
        name=name,
        files=(path,),
    )


def _numeric(column: Any, name: str, label: str) -> Array:
    """A column's numbers; text in it is named by its row."""
    import pandas as pd

    numbers: Array = pd.to_numeric(column, errors="coerce").to_numpy(np.float64)
    wrong = np.flatnonzero(~np.isfinite(numbers))
    if len(wrong):
        raise PairsiftError(
            f"{name} must hold numbers only, got {shown(column.iloc[wrong[0]])!r} in column {label}, "
            f"row {wrong[0] + 1}; download it again"
        )
    return numbers


def _from_bonn(trees: list[Tree], source: Path) -> Published:
    """Bonn's files: five sets of 100 recordings with 4097 values each; the last 3 values are left over."""
    found: dict[str, tuple[Tree, str]] = {}
    for tree in trees:
        for name in tree.find(r"[ZONFS]\d{3}\.txt"):
            found.setdefault(Path(name).stem.upper(), (tree, name))
    wanted = [f"{letter}{number:03d}" for letter in SETS for number in range(1, FILES_A_SET + 1)]
    missing = [stem for stem in wanted if stem not in found]
    if missing:
        raise PairsiftError(
            f"{source} lacks {len(missing)} of Bonn's 500 recordings ({missing[0]}.txt first); "
            "give a folder with all of the sets Z, O, N, F and S"
        )
    signals = np.empty((len(wanted), RECORDING), np.float32)
    for row, stem in enumerate(wanted):
        tree, name = found[stem]
        values = read_numbers(tree.read(name), tree.called(name), 1)
        if len(values) != RECORDING:
            raise PairsiftError(
                f"{tree.called(name)} has {len(values)} values where {RECORDING} are published; get it again"
            )
        signals[row] = values[:, 0]
    paths = tuple(dict.fromkeys(found[stem][0].on_disk(found[stem][1]) for stem in wanted))
    return _from_recordings(
        signals, np.array([SETS[stem[0]] for stem in wanted]), np.array(wanted), str(source), paths
    )


def _from_recordings(signals: Array, y: Array, names: Array, name: str, files: tuple[Path, ...]) -> Published:
    """Whole recordings (R, 4097) cut into 23 chunks of 178, in order."""
    return _published(
        x=signals[:, : CHUNKS * LENGTH].reshape(-1, LENGTH),
        y=np.repeat(y, CHUNKS),
        recording=np.repeat(names, CHUNKS),
        ids=np.array([f"{one}/{chunk + 1}" for one in names for chunk in range(CHUNKS)]),
        name=name,
        files=files,
    )


def _from_npz(path: Path) -> Published:
    held = read_npz(path, ("X",), ("y", "y_uci", "file_index", "chunk_index", "filename"))
    x = held["X"]
    label = "y_uci" if x.ndim == 2 and x.shape[1] == RECORDING else "y"
    if x.ndim != 2 or x.shape[1] not in (LENGTH, RECORDING) or x.dtype.kind not in "iuf":
        raise PairsiftError(
            f"{path}: X must be numbers (N, 178) or (N, 4097), got {x.dtype} {x.shape}; check the file"
        )
    for key in (label, *(key for key in ("file_index", "filename") if key in held)):
        if key not in held or held[key].shape != (len(x),):
            raise PairsiftError(
                f"{path} must have one {key} a row of X ({len(x)}); check that it is the right file"
            )
    y = whole_numbers(held[label], f"{path}: {label}", 1, len(SETS))
    finite(x, f"{path}: X")
    if label == "y_uci":
        names = held.get("filename", np.arange(len(x)).astype(str))
        return _from_recordings(x, y, names, str(path), (path,))
    ids = np.array([f"row/{row + 1}" for row in range(len(x))])
    return _published(x=x, y=y, recording=held.get("file_index"), ids=ids, name=str(path), files=(path,))


def _published(
    *, x: Array, y: Array, recording: Array | None, ids: Array | None, name: str, files: tuple[Path, ...]
) -> Published:
    count = len(x)
    splits, missing = {}, {}
    splits[PUBLISHED] = Split(*hold_out_twice(count), scaling="columns", learned_on=np.arange(count))
    if recording is not None and len(np.unique(recording)) > 2:
        splits[GROUPED] = Split(*hold_out_groups_twice(recording), scaling="columns")
    else:
        missing[GROUPED] = (
            f"the split 'grouped' needs to know which recording each row of {name} was cut from, and its "
            "ids do not say; UCI's own CSV (ids such as X21.V1.791) and Bonn's text files do"
        )
    return Published(
        name=EPILEPSY.name,
        shape=(count, 1, LENGTH),
        blocks=partial(_blocks, x),
        tasks={"seizure": Task((y == SETS["S"]).astype(np.int64), CLASSES, splits, missing)},
        group=recording,
        ids=ids if ids is not None else np.array([f"row/{row + 1}" for row in range(count)]),
        files=files,
        facts={"channels": ["EEG"], "group": "recording", "rate": 173.61},
    )


def _blocks(x: Array) -> Any:
    yield np.ascontiguousarray(x, np.float32)[:, None, :]
