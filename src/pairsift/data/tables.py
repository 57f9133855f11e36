"""Reading publishers' text tables and .npz files: nothing is unpickled, and each fault is one sentence."""

from __future__ import annotations

import io
import math
import re
import zipfile
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pairsift.data.letters import check_letters
from pairsift.data.readers.npy import UNREADABLE
from pairsift.data.tree import ZIP_ERRORS, check_zip
from pairsift.errors import PairsiftError, shown

Array = NDArray[Any]


def read_numbers(data: bytes, name: str, columns: int) -> Array:
    """A text table of numbers with blanks between them.

    Args:
        data: the file's bytes.
        name: the file's name, for messages.
        columns: how many numbers every line must have.

    Returns:
        float64, shape (lines, columns).
    """
    if not data.strip():
        raise PairsiftError(f"{name} is empty; download it again")
    try:
        table = np.loadtxt(io.BytesIO(data), dtype=np.float64, comments=None, ndmin=2)
    except (ValueError, UnicodeDecodeError) as error:
        raise PairsiftError(f"{name} is no table of numbers: {_where(error)}; download it again") from error
    if table.shape[1] != columns:
        raise PairsiftError(
            f"{name} has {table.shape[1]} numbers a line where {columns} are expected; "
            "check that it is the published file"
        )
    return finite(table, name)


def read_whole_numbers(data: bytes, name: str, low: int, high: int) -> Array:
    """A text file with one whole number a line, each between ``low`` and ``high``: int64, shape (lines,)."""
    return whole_numbers(read_numbers(data, name, 1)[:, 0], name, low, high)


def whole_numbers(values: Array, name: str, low: int, high: int) -> Array:
    """``values`` as int64 (N,), once each is known to be a whole number between ``low`` and ``high``."""
    numbers = np.asarray(values)
    if numbers.dtype.kind not in "iufb":
        raise PairsiftError(f"{name} must hold whole numbers, got {numbers.dtype}")
    wrong = (numbers != np.rint(numbers)) | (numbers < low) | (numbers > high)
    if wrong.any():
        row = int(np.flatnonzero(wrong)[0])
        raise PairsiftError(
            f"{name} must hold whole numbers from {low} to {high}, got {numbers[row]:g} in row {row + 1}; "
            "check that it is the published file"
        )
    return numbers.astype(np.int64)


def finite(values: Array, name: str) -> Array:
    """``values`` themselves, once none of them is missing or infinite; rows are along the first axis."""
    good = np.isfinite(values)
    if not good.all():
        row = int(np.flatnonzero(~good.reshape(len(values), -1).all(axis=1))[0])
        raise PairsiftError(f"{name} has a missing or infinite number in row {row + 1}; download it again")
    return values


def read_npz(path: Path, wanted: Iterable[str], optional: Iterable[str] = ()) -> dict[str, Array]:
    """The wanted arrays of a .npz file, read without unpickling and not before their sizes are believed.

    Args:
        path: the file.
        wanted: names of arrays that it must have.
        optional: names that it may have.
    """
    try:
        with zipfile.ZipFile(path) as archive:
            check_zip(archive, str(path), path.stat().st_size)
            files = [file for file in archive.namelist() if file.endswith(".npy")]
            held = {file.removesuffix(".npy") for file in files}
            missing = [name for name in wanted if name not in held]
            if missing:
                raise PairsiftError(
                    f"{path} has no array named {missing[0]} (it has {shown(', '.join(sorted(held)))}); "
                    "check that it is the right file"
                )
            names = [*wanted, *(name for name in optional if name in held)]
            return {name: _member(archive, name, path) for name in names}
    except ZIP_ERRORS as error:
        raise PairsiftError(f"{path} is no whole .npz file ({shown(error)}); get it again") from error


def _member(archive: zipfile.ZipFile, name: str, path: Path) -> Array:
    """One array of a .npz file; a header that promises more than the file holds is refused."""
    info = archive.getinfo(f"{name}.npy")
    with archive.open(info) as file:
        try:
            version = np.lib.format.read_magic(file)
            first = version == (1, 0)
            header = np.lib.format.read_array_header_1_0 if first else np.lib.format.read_array_header_2_0
            shape, _, dtype = header(file)
        except UNREADABLE as error:
            raise PairsiftError(
                f"{path}: the array {name} cannot be read ({shown(error, 120)}); save it again"
            ) from error
        if dtype.hasobject:
            raise PairsiftError(
                f"{path}: the array {name} holds Python objects and is never unpickled; save plain numbers"
            )
        if math.prod(shape) * dtype.itemsize != info.file_size - file.tell():
            raise PairsiftError(f"{path}: the array {name} is not as long as its header says; get it again")
    with archive.open(info) as file:
        try:
            read = np.asarray(np.lib.format.read_array(file, allow_pickle=False))
        except UNREADABLE as error:
            raise PairsiftError(
                f"{path}: the array {name} cannot be read ({shown(error, 120)}); save it again"
            ) from error
    return check_letters(read, f"{path}: the array {name}")


def _where(error: Exception) -> str:
    """Numpy's own complaint, without its advice on arguments that a reader of the file never gave."""
    said = re.split(r"[.;] |\n", str(error))[0].rstrip(".")
    first = (
        0 if "changed" in said else 1
    )  # numpy counts rows from 1 in the one complaint, from 0 in the other
    return shown(re.sub(r"at row (\d+)", lambda match: f"in row {int(match.group(1)) + first}", said), 120)
