"""The door for a person's own files: .npz, .npy, CSV, Parquet, .ts, or a folder of these."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Literal

import numpy as np

from pairsift.data.assemble import Gaps, assemble
from pairsift.data.lengths import Lengths
from pairsift.data.readers import READERS
from pairsift.data.readers.raw import Array, Options, Raw, lengths_of
from pairsift.data.series import Series, Splits
from pairsift.data.split import PARTS, split_series
from pairsift.errors import PairsiftError, shown


def load_series(
    path: str | Path,
    *,
    lengths: Lengths = "refuse",
    window: int | None = None,
    gaps: Gaps = "refuse",
    orient: Literal["auto", "wide", "long"] = "auto",
    columns: Mapping[str, str | int] | None = None,
    channels: int = 1,
    channels_last: bool = False,
    classes: Sequence[str] | None = None,
) -> Series:
    """Read series from a file, or from all files in a folder, joined in the order of their names.

    An array (.npy, or ``X`` in an .npz) has shape (T,), (N, T) or (N, C, T). A table with a column called
    time is long, one row a time step; any other is wide, one row a series (`data.readers.table`). A float32
    .npy is never read into memory but mapped; so is a large array in an .npz that np.savez wrote.

    Args:
        path: the file or folder.
        lengths: what to do with unequal lengths: "refuse"; "pad", zeros at the end up to the longest; "crop",
            to the shortest; "window", cut each into windows (a remainder, or a series shorter than one
            window, is left out, and the windows of one series are one group).
        window: time steps of a window.
        gaps: what to do with missing values (NaN, empty cells, ?): "refuse", or "interpolate" on a straight
            line between the neighbours, the nearest value held at the ends.
        orient: "wide" or "long" to overrule how a table is understood.
        columns: names, or places from 0, of the columns (or arrays of an .npz) that are id, time, y, group or
            split, where they have other names than these.
        channels: how many channels a wide table's columns hold, one channel after the other.
        channels_last: whether arrays with three axes are (N, T, C).
        classes: the classes' names in order, so that several files number them alike.

    Returns:
        Series, with what is worth knowing in ``facts`` and, in words, in ``facts["notes"]``.
    """
    options = Options(orient, columns, channels, channels_last)
    return _load(path, options, lengths=lengths, window=window, gaps=gaps, classes=classes)[0]


def load_splits(
    path: str | Path, *, val: float | None = None, test: float | None = None, seed: int = 0, **how: Any
) -> Splits:
    """Read series and split them.

    The files' own split is kept: a column or array ``split`` with train, val and test, or files in a folder
    whose names end so (``ECG_TRAIN.ts``, ``test.npy``). Otherwise `split_series` draws one, by group if there
    are groups.

    Args:
        path: as in `load_series`.
        val: share for validation; if None, 0.2 where there are labels, else nothing: no probe could use it.
        test: share for the test; if None, as for ``val``.
        seed: decides a random split.
        **how: anything else that `load_series` takes.
    """
    joining: dict[str, Any] = {"lengths": "refuse", "window": None, "gaps": "refuse", "classes": None}
    joining.update({name: how.pop(name) for name in joining if name in how})
    series, marks = _load(path, Options(**how), **joining)
    usual = 0.0 if series.y is None else 0.2
    val, test = (usual if share is None else share for share in (val, test))
    return split_series(series, val=val, test=test, seed=seed, marks=marks)


def _load(path: str | Path, options: Options, **how: Any) -> tuple[Series, Array | None]:
    path = Path(path)
    name = shown(path.name or path.resolve().name)
    try:
        if path.is_dir():
            raws = _folder(path, name, options)
        elif path.is_file():
            raws = [_file(path, options)]
        elif path.exists():
            raise PairsiftError(
                f"{name}: is neither a file nor a folder; give a file with series, or a folder of such"
            )
        else:
            raise PairsiftError(f"{shown(path, 120)}: there is no such file or folder; check the path")
        return assemble(raws, name, **how)
    except OSError as error:
        raise PairsiftError(
            f"{shown(error.filename or path, 120)}: cannot be read ({error.strerror or error}); check "
            "the path and its rights"
        ) from error
    except MemoryError as error:
        raise PairsiftError(
            f"{name}: does not fit into memory; write it as a float32 .npy, which is never read whole"
        ) from error


def _file(path: Path, options: Options) -> Raw:
    reader = READERS.get(path.suffix.lower())
    if reader is None:
        raise PairsiftError(
            f"{shown(path.name)}: files ending in {shown(path.suffix) or 'nothing'!r} are not read; "
            f"write the series as {', '.join(READERS)}"
        )
    if not path.stat().st_size:
        raise PairsiftError(f"{shown(path.name)}: is empty (0 bytes); write or copy it again")
    return reader(path, options)


def _folder(path: Path, name: str, options: Options) -> list[Raw]:
    """All series files of a folder; other files are left alone and mentioned."""
    files = sorted(file for file in path.iterdir() if file.is_file() and not file.name.startswith("."))
    known = [file for file in files if file.suffix.lower() in READERS]
    if not known:
        below = sorted(one.name for one in path.iterdir() if one.is_dir() and not one.name.startswith("."))
        hint = f", such as {shown(below[0])} in it (folders in folders are not read)" if below else ""
        raise PairsiftError(
            f"{name}: the folder holds no file ending in {', '.join(READERS)}; give the folder that "
            f"does{hint}"
        )
    raws = [_file(file, options) for file in known]
    if len(known) < len(files):
        raws[0].notes.append(f"{name}: {len(files) - len(known)} files of other kinds were not read")
    ends = [re.split(r"[^a-z]+", file.stem.lower())[-1] for file in known]
    if all(end in PARTS for end in ends):
        for raw, end in zip(raws, ends):
            if raw.split is None:
                raw.split = np.full(len(lengths_of(raw.x)), end)
    return raws
