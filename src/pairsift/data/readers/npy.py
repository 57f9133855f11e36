"""Reading .npy and .npz: memory-mapped where that is possible, and nothing is ever unpickled."""

from __future__ import annotations

import json
import math
import tokenize
import zipfile
from pathlib import Path
from typing import IO, Any

import numpy as np

from pairsift.data.letters import check_letters
from pairsift.data.readers.raw import Array, Options, Raw, role, scratch, three_axes
from pairsift.data.tree import ZIP_DAMAGE
from pairsift.errors import PairsiftError, shown

_BOMB = 100  # a member that unpacks to more than this many times its size ...
_LARGE = 1 << 27  # ... and to more than this many bytes is not unpacked
# What NumPy raises at a header that is none: headers are read as Python literals.
UNREADABLE = (ValueError, TypeError, SyntaxError, tokenize.TokenError, EOFError, RecursionError, MemoryError)


def read_npy(path: Path, options: Options) -> Raw:
    """Series (T,), (N, T) or (N, C, T) from one array; the file is mapped, not read."""
    file = shown(path.name)
    size = path.stat().st_size
    with path.open("rb") as stream:
        shape, fortran, dtype = _header(stream, file, size)
        start = stream.tell()
    return Raw(file, three_axes(_map(path, start, shape, fortran, dtype), file, options))


def read_npz(path: Path, options: Options) -> Raw:
    """Series from an archive: ``X`` and, if there, y, group, id, split, other, truth, classes, facts."""
    file = shown(path.name)
    try:
        with zipfile.ZipFile(path) as archive:
            members = _members(archive, file)
            values = {
                name: _member(path, archive, info, f"{file}, {shown(name)}") for name, info in members.items()
            }
    except ZIP_DAMAGE as error:
        raise PairsiftError(
            f"{file}: cannot be unpacked ({shown(error)}); it is damaged or no .npz: write or copy it again"
        ) from error
    names = list(values)
    main = next((n for n in names if n.lower() == "x"), names[0] if len(names) == 1 else None)
    if main is None:
        raise PairsiftError(
            f"{file}: holds no array X, only {', '.join(map(shown, names[:8]))}; name the series X"
        )
    raw = Raw(file, _numbers(values.pop(main), file, options))
    for what in ("y", "group", "id", "split"):
        name = role(list(values), what, options, file)
        if name is not None:
            setattr(raw, "ids" if what == "id" else what, values.pop(name))
    raw.truth = values.pop("truth", None)
    if "other" in values:
        raw.other = _numbers(values.pop("other"), file, options)
    if "classes" in values:
        raw.classes = tuple(str(name) for name in values.pop("classes").tolist())
    if "facts" in values:
        raw.facts = _facts(values.pop("facts"), file)
    if values:
        raw.notes.append(f"{file}: not used: {', '.join(map(shown, values))}")
    return raw


def _numbers(x: Array, file: str, options: Options) -> Array:
    if x.dtype.kind not in "fiub":
        raise PairsiftError(f"{file}: X must hold numbers, got {x.dtype}; convert it with astype('float32')")
    return three_axes(x, file, options)


def _facts(value: Array, file: str) -> dict[str, Any]:
    try:
        facts = json.loads(str(value))
    except (ValueError, RecursionError) as error:
        raise PairsiftError(
            f"{file}: its facts are not JSON ({shown(error, 80)}); leave them out or write them again"
        ) from error
    return facts if isinstance(facts, dict) else {}


def _members(archive: zipfile.ZipFile, file: str) -> dict[str, zipfile.ZipInfo]:
    """The archive's arrays by name."""
    members: dict[str, zipfile.ZipInfo] = {}
    for info in archive.infolist():
        if any(mark in info.filename for mark in ("/", "\\", "..")):
            raise PairsiftError(
                f"{file}: holds {shown(info.filename)!r}, a name with a folder in it, as np.savez never "
                "writes; do not trust this file"
            )
        name = info.filename.removesuffix(".npy")
        if name == info.filename or name in members:
            raise PairsiftError(
                f"{file}: {shown(info.filename)!r} is no array or comes twice; write it with np.savez"
            )
        members[name] = info
    if not members:
        raise PairsiftError(f"{file}: holds no arrays; write the series with np.savez(file, X=...)")
    return members


def _member(path: Path, archive: zipfile.ZipFile, info: zipfile.ZipInfo, where: str) -> Array:
    """One array of the archive; mapped if it is large and uncompressed, else unpacked block by block."""
    if info.file_size > _LARGE and info.file_size > _BOMB * info.compress_size:
        raise PairsiftError(
            f"{where}: {info.compress_size} bytes would unpack to {info.file_size}, which looks like a "
            "zip bomb; if it is yours, write it uncompressed (np.savez or .npy)"
        )
    with archive.open(info) as stream:
        shape, fortran, dtype = _header(stream, where, info.file_size)
        start = stream.tell()
        if info.compress_type == zipfile.ZIP_STORED and info.file_size > _LARGE:
            return _map(path, _data_offset(path, info) + start, shape, fortran, dtype)
        out = scratch(shape, dtype) if dtype.kind != "U" else np.empty(shape, dtype)
        flat = out.reshape(-1).view(np.uint8) if out.size and dtype.itemsize else np.empty(0, np.uint8)
        done = 0
        while done < flat.nbytes:
            block = stream.read(min(1 << 24, flat.nbytes - done))
            if not block:
                raise PairsiftError(f"{where}: ends after {done} of {flat.nbytes} bytes; copy the file again")
            flat[done : done + len(block)] = np.frombuffer(block, np.uint8)
            done += len(block)
        stream.read(1)  # the end, where the checksum is compared
    check_letters(out, where)
    return out.reshape(shape[::-1]).T if fortran else out


def _data_offset(path: Path, info: zipfile.ZipInfo) -> int:
    """Where a stored member's bytes begin: its local header is 30 bytes, then the name, then extra fields."""
    with path.open("rb") as stream:
        stream.seek(info.header_offset + 26)
        name, extra = (int.from_bytes(stream.read(2), "little") for _ in range(2))
    return info.header_offset + 30 + name + extra


def _header(stream: IO[bytes], where: str, size: int) -> tuple[tuple[int, ...], bool, np.dtype[Any]]:
    """Shape, order and type from an array's header, after making sure that the bytes are there."""
    try:
        version = np.lib.format.read_magic(stream)
        read = (
            np.lib.format.read_array_header_1_0 if version == (1, 0) else np.lib.format.read_array_header_2_0
        )
        shape, fortran, dtype = read(stream)
    except UNREADABLE as error:
        raise PairsiftError(
            f"{where}: is no NumPy array that can be read ({shown(error, 90)}); write it again with np.save"
        ) from error
    if dtype.hasobject:
        raise PairsiftError(
            f"{where}: holds Python objects, which are never unpickled because that could run code; save "
            "a plain array of numbers, lengths evened or missing values as NaN"
        )
    if dtype.names is not None or dtype.subdtype is not None or dtype.kind not in "fiubUSM":
        raise PairsiftError(
            f"{where}: holds {shown(dtype)}, not numbers; save an array with astype('float32')"
        )
    if any(axis < 0 for axis in shape):
        raise PairsiftError(f"{where}: its header gives the shape {shape}; write it again with np.save")
    need, have = math.prod(shape) * dtype.itemsize, size - stream.tell()
    if need != have:
        raise PairsiftError(
            f"{where}: its header promises {shown(shape)} values of {dtype}, {need} bytes, but {have} "
            "follow; it was cut off or damaged: write or copy it again"
        )
    return shape, bool(fortran), dtype


def _map(path: Path, start: int, shape: tuple[int, ...], fortran: bool, dtype: np.dtype[Any]) -> Array:
    """The array where it lies in the file."""
    if dtype.kind not in "fiub":
        raise PairsiftError(f"{shown(path.name)}: holds {dtype}, not numbers; save it with astype('float32')")
    if math.prod(shape) == 0:
        return np.empty(shape, dtype)
    return np.memmap(path, dtype, "r", start, shape, "F" if fortran else "C")
