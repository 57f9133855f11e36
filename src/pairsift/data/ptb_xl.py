"""PTB-XL from its publisher's WFDB tree, by way of wfdb; three tasks of statements that may hold together."""

from __future__ import annotations

import ast
import warnings
from collections.abc import Iterator
from functools import partial
from pathlib import Path, PurePosixPath
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pairsift.data.catalog import PTB_XL
from pairsift.data.holdout import GROUPED, PUBLISHED, Split, hold_out_twice
from pairsift.data.published import Published, Task
from pairsift.data.tables import finite, whole_numbers
from pairsift.errors import PairsiftError, shown

Array = NDArray[Any]

TASKS = ("diagnostic", "form", "rhythm")
LEADS = ("I", "II", "III", "AVR", "AVL", "AVF", "V1", "V2", "V3", "V4", "V5", "V6")
RATE, LENGTH = 100, 1000
AT_ONCE = 256  # records a block: 12 MB
COLUMNS = ("ecg_id", "patient_id", "scp_codes", "strat_fold", "filename_lr")


def scan(source: Path) -> Published:
    """Understand the folder with ptbxl_database.csv, scp_statements.csv and records100."""
    _wfdb()
    top = _top(source)
    records, statements = (
        _table(top / "ptbxl_database.csv", COLUMNS),
        _table(top / "scp_statements.csv", TASKS),
    )
    held = [_codes(text, row, top) for row, text in enumerate(records["scp_codes"])]
    names = statements.iloc[:, 0].astype(str).tolist()
    unknown = sorted(set().union(*held) - set(names))
    if unknown:
        raise PairsiftError(
            f"{top / 'scp_statements.csv'} lacks the statement {shown(unknown[0])!r}; download both again"
        )
    file = f"{top / 'ptbxl_database.csv'}"
    fold = whole_numbers(records["strat_fold"].to_numpy(), f"{file}: strat_fold", 1, 10)
    paths = _record_paths(records["filename_lr"].tolist(), top)
    return Published(
        name=PTB_XL.name,
        shape=(len(paths), len(LEADS), LENGTH),
        blocks=partial(_blocks, paths),
        tasks={task: _task(task, statements, held, fold, top) for task in TASKS},
        group=whole_numbers(records["patient_id"].to_numpy(), f"{file}: patient_id", 0, 10**9),
        ids=whole_numbers(records["ecg_id"].to_numpy(), f"{file}: ecg_id", 0, 10**9),
        files=(
            top / "ptbxl_database.csv",
            top / "scp_statements.csv",
            *(path.with_suffix(end) for path in paths for end in (".hea", ".dat")),
        ),
        facts={"channels": list(LEADS), "group": "patient", "rate": float(RATE), "unit": "millivolt"},
    )


def _top(source: Path) -> Path:
    if not source.is_dir():
        raise PairsiftError(f"{source} is no folder; unpack it and give the folder with ptbxl_database.csv")
    for top in (source, *sorted(path for path in source.iterdir() if path.is_dir())):
        if (top / "ptbxl_database.csv").is_file():
            return top
    raise PairsiftError(f"{source} holds no ptbxl_database.csv; give PTB-XL's own folder, unpacked")


def _table(path: Path, columns: tuple[str, ...]) -> Any:
    import pandas as pd

    if not path.is_file():
        raise PairsiftError(f"{path} is missing; download PTB-XL again or give its whole folder")
    try:
        frame = pd.read_csv(path)
    except ValueError as error:  # pandas' own errors and undecodable bytes are both ValueErrors
        raise PairsiftError(
            f"{path} cannot be read as CSV ({shown(error, 120)}); download it again"
        ) from error
    missing = [column for column in columns if column not in frame]
    if missing or not len(frame):
        what = f"has no column {missing[0]}" if missing else "has no rows"
        raise PairsiftError(f"{path} {what}; download it again")
    return frame


def _codes(text: object, row: int, top: Path) -> set[str]:
    """The statements of a record; their likelihoods are ignored."""
    try:
        codes = ast.literal_eval(str(text))  # a literal only: nothing is run
    except (ValueError, TypeError, SyntaxError, MemoryError, RecursionError):
        codes = None
    if not isinstance(codes, dict) or not all(isinstance(code, str) for code in codes):
        raise PairsiftError(
            f"{top / 'ptbxl_database.csv'} has no statements in row {row + 1} of scp_codes; download it again"
        )
    return set(codes)


def _task(task: str, statements: Any, held: list[set[str]], fold: Array, top: Path) -> Task:
    """A task's classes are its statements, by name; a record without any of them is in no part."""
    classes = tuple(sorted(statements.iloc[:, 0][statements[task] == 1].astype(str)))
    if len(classes) != PTB_XL.tasks[task].class_count:
        raise PairsiftError(
            f"{top / 'scp_statements.csv'} has {len(classes)} {task} statements where "
            f"{PTB_XL.tasks[task].class_count} are published; download it again"
        )
    y = np.array([[name in codes for name in classes] for codes in held], np.int64)
    rows = np.flatnonzero(y.any(axis=1))
    splits, missing = {}, {}
    first, ninth, tenth = (rows[chosen] for chosen in (fold[rows] <= 8, fold[rows] == 9, fold[rows] == 10))
    if len(rows) > 2 and len(first):
        train, val, test = hold_out_twice(len(rows))
        splits[PUBLISHED] = Split(rows[train], rows[val], rows[test], "moments")
        splits[GROUPED] = Split(first, ninth, tenth, "moments")
        return Task(y, classes, splits)
    for kind in (PUBLISHED, GROUPED):
        missing[kind] = (
            f"{top} has only {len(rows)} records with a {task} statement, too few to split; give more"
        )
    return Task(y, classes, splits, missing)


def _record_paths(names: list[Any], top: Path) -> list[Path]:
    """Each record's place without its ending; both its files must be there."""
    for row, name in enumerate(names, 1):
        if not isinstance(name, str):
            raise PairsiftError(
                f"{top / 'ptbxl_database.csv'} names no file in row {row} of filename_lr; download it again"
            )
        if PurePosixPath(name).is_absolute() or ".." in PurePosixPath(name).parts:
            raise PairsiftError(
                f"{top / 'ptbxl_database.csv'} names a record elsewhere ({shown(name)}); do not trust it"
            )
    paths = [top / name for name in names]
    missing = [
        path.with_suffix(end)
        for path in paths
        for end in (".hea", ".dat")
        if not path.with_suffix(end).is_file()
    ]
    if missing:
        raise PairsiftError(
            f"{shown(missing[0], 200)} is missing ({len(missing)} of {2 * len(paths)} files of records are); "
            "download the rest of records100"
        )
    return paths


def _blocks(paths: list[Path]) -> Iterator[Array]:
    for start in range(0, len(paths), AT_ONCE):
        yield np.stack([read_record(path) for path in paths[start : start + AT_ONCE]])


def read_record(path: Path) -> Array:
    """One ECG in millivolts, float32 (12, 1000), its checksums verified.

    Args:
        path: the record without its ending.
    """
    try:
        record = _wfdb().rdrecord(str(path), physical=False)
        names = tuple(name.upper() for name in record.sig_name)
        sums = [value % 65536 for value in record.calc_checksum()]
        signal = record.dac()  # (1000, 12)
    except Exception as error:  # wfdb raises many kinds for a broken file
        raise PairsiftError(
            f"{path} cannot be read as a WFDB record ({shown(error, 120)}); download it again"
        ) from error
    if names != LEADS or record.fs != RATE or signal.shape != (LENGTH, len(LEADS)):
        raise PairsiftError(
            f"{path}.hea must be of {LENGTH} samples at {RATE} Hz of the leads {', '.join(LEADS)}, "
            f"got {len(signal)} samples at {record.fs:g} Hz of {shown(', '.join(names))}; use its records100"
        )
    if set(record.file_name) != {f"{path.name}.dat"}:
        raise PairsiftError(f"{path}.hea names another file than {path.name}.dat; download it again")
    if None in record.checksum or sums != [value % 65536 for value in record.checksum]:
        raise PairsiftError(f"{path}.dat does not match the checksums in its header; download it again")
    return finite(np.ascontiguousarray(signal.T, np.float32), f"{path}.dat")


def _wfdb() -> Any:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # what it asks of pandas is not the user's doing
            import wfdb
    except ImportError as error:
        raise PairsiftError(
            'ptb-xl needs wfdb, which is not installed; run pip install "pairsift[physio]"'
        ) from error
    return wfdb
