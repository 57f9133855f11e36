"""What every reader hands over, before lengths are evened, gaps looked at and labels numbered."""

from __future__ import annotations

import tempfile
from collections.abc import Mapping
from dataclasses import dataclass, field
from difflib import get_close_matches
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from pairsift.errors import PairsiftError, shown

Array = NDArray[Any]

MEMORY = 1 << 28  # bytes that may be held in memory; anything larger lives in a file that vanishes with us

# Names under which a file may hold what belongs to its series, told apart without regard to case.
ROLES: dict[str, tuple[str, ...]] = {
    "id": ("id", "ids", "series", "series_id", "sample", "sample_id"),
    "time": ("time", "timestamp", "datetime", "date", "t", "step"),
    "y": ("y", "label", "labels", "class", "target"),
    "group": ("group", "subject", "patient", "recording"),
    "split": ("split",),
}


@dataclass(frozen=True)
class Options:
    """How a person says that their files are to be read; see `load_series`."""

    orient: Literal["auto", "wide", "long"] = "auto"
    columns: Mapping[str, str | int] | None = None
    channels: int = 1
    channels_last: bool = False

    def __post_init__(self) -> None:
        if self.orient not in ("auto", "wide", "long"):
            raise PairsiftError(f'orient must be "auto", "wide" or "long", got {self.orient!r}')
        if unknown := set(self.columns or {}) - set(ROLES):
            raise PairsiftError(f"columns may name {', '.join(ROLES)}; got {', '.join(map(repr, unknown))}")
        if self.channels < 1:
            raise PairsiftError(f"channels must be at least 1, got {self.channels}")


@dataclass
class Ragged:
    """Series of unequal lengths, end to end.

    Args:
        values: shape (sum of lengths, C).
        lengths: shape (N,).
    """

    values: Array
    lengths: NDArray[np.int64]


Piece = Array | Ragged  # an array is (N, C, T)


@dataclass
class Raw:
    """One file's series and what it says about them, rows in the file's order."""

    file: str
    x: Piece
    y: Array | None = None
    classes: tuple[str, ...] | None = None
    group: Array | None = None
    ids: Array | None = None
    split: Array | None = None
    other: Array | None = None
    truth: Array | None = None
    facts: dict[str, Any] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)


def lengths_of(piece: Piece) -> NDArray[np.int64]:
    """Each series' number of time steps, shape (N,)."""
    if isinstance(piece, Ragged):
        return piece.lengths
    return np.full(len(piece), piece.shape[2], dtype=np.int64)


def channels_of(piece: Piece) -> int:
    """Channels a series."""
    return int(piece.values.shape[1] if isinstance(piece, Ragged) else piece.shape[1])


def role(names: list[str], wanted: str, options: Options, file: str) -> str | None:
    """Which of a file's names plays a role: the one that a person gives, else the first that is usual."""
    columns = options.columns or {}
    if wanted in columns:
        given = columns[wanted]
        listed = ", ".join(map(shown, names[:8])) + (", ..." if len(names) > 8 else "")
        if isinstance(given, int):
            if not -len(names) <= given < len(names):
                raise PairsiftError(
                    f"{file}: {wanted} is to be column {given}, but there are {len(names)} columns "
                    f"({listed}); count from 0"
                )
            return names[given]
        if given not in names:
            near = get_close_matches(given, names, 1)
            hint = f"did you mean {shown(near[0])!r}?" if near else "give one of these"
            raise PairsiftError(
                f"{file}: {wanted} is to be column {shown(given)!r}, but the names are {listed}; {hint}"
            )
        return given
    taken = set(columns.values())
    return next((n for usual in ROLES[wanted] for n in names if n.lower() == usual and n not in taken), None)


def three_axes(x: Array, file: str, options: Options) -> Array:
    """A view of shape (N, C, T) of an array (T,), (N, T), (N, C, T) or, with channels last, (N, T, C)."""
    if x.ndim not in (1, 2, 3):
        raise PairsiftError(
            f"{file}: has {x.ndim} axes, shape {x.shape}; series need (series, time) or (series, "
            "channels, time)"
        )
    if x.ndim == 3:
        return x.transpose(0, 2, 1) if options.channels_last else x
    return x.reshape(-1, 1, x.shape[-1]) if x.flags.c_contiguous else x[:, None, :]


def scratch(shape: tuple[int, ...], dtype: Any = np.float32) -> Array:
    """An array to write into: in memory if it is small, else in a temporary file that deletes itself."""
    need = int(np.prod(shape, dtype=object)) * np.dtype(dtype).itemsize
    if need <= MEMORY:
        return np.empty(shape, dtype)
    with tempfile.TemporaryFile(prefix="pairsift-") as file:
        return np.memmap(file, dtype=dtype, mode="w+", shape=shape)
