"""Evening out lengths: pad with zeros, crop to the shortest, or cut into windows."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from pairsift.data.gaps import fill
from pairsift.data.readers.raw import Array, Piece, Ragged, channels_of, lengths_of
from pairsift.errors import PairsiftError

Lengths = Literal["refuse", "pad", "crop", "window"]
_BLOCK = 1 << 24  # values that are worked on at a time


@dataclass(frozen=True)
class Plan:
    """How series of any length become rows of one length.

    Args:
        how: pad, crop, window, or nothing to be done ("refuse").
        length: time steps of a row, T.
        parts: how many rows each series becomes, shape (N,); 0 if it is too short.
    """

    how: Lengths
    length: int
    parts: NDArray[np.int64]

    @property
    def source(self) -> NDArray[np.int64]:
        """Which series each row comes from, shape (rows,)."""
        return np.repeat(np.arange(len(self.parts)), self.parts)

    @property
    def part(self) -> NDArray[np.int64]:
        """Which part of its series each row is, shape (rows,)."""
        first = np.cumsum(self.parts) - self.parts
        return np.arange(self.parts.sum()) - np.repeat(first, self.parts)


def plan(lengths: NDArray[np.int64], how: Lengths, window: int | None, file: str) -> Plan:
    """Decide what becomes of series with these lengths."""
    if how not in ("refuse", "pad", "crop", "window"):
        raise PairsiftError(f'lengths must be "refuse", "pad", "crop" or "window", got {how!r}')
    if (how == "window") != (window is not None):
        raise PairsiftError(
            "lengths 'window' and the window's number of time steps belong together, got "
            f"lengths={how!r}, window={window}; give both, or neither"
        )
    if window is not None and window < 2:
        raise PairsiftError(f"window must be at least 2 time steps, got {window}")
    shortest, longest = int(lengths.min()), int(lengths.max())
    if how == "refuse" and shortest != longest:
        raise PairsiftError(
            f"{file}: its series have {shortest} to {longest} time steps; choose as lengths pad (zeros at "
            "the end), crop (to the shortest) or window (cut each into windows)"
        )
    once = np.ones(len(lengths), dtype=np.int64)
    if how == "window" and window is not None:
        if window > longest:
            raise PairsiftError(
                f"{file}: no series is as long as the window of {window} time steps, the longest has "
                f"{longest}; choose a shorter window"
            )
        return Plan(how, window, lengths // window)
    return Plan(how, longest if how == "pad" else shortest, once)


def even_blocks(piece: Piece, todo: Plan, interpolate: bool) -> Iterator[tuple[int, Array, int, Array]]:
    """The piece's rows as they will be, block by block, each block once.

    Yields:
        The number of the block's first series within the piece; the rows (R, C, T) float32; how many missing
        values were filled; and which channels could not be, (series, channels) bool.
    """
    lengths = lengths_of(piece)
    starts = np.concatenate([[0], np.cumsum(lengths)])
    channels = channels_of(piece)
    first = 0
    while first < len(lengths):
        last = int(np.searchsorted(starts, starts[first] + _BLOCK // channels, side="right")) - 1
        last = max(first + 1, last)
        size = lengths[first:last]
        with np.errstate(over="ignore"):  # a value too large becomes infinite, and infinite is refused
            if isinstance(piece, Ragged):
                flat = np.array(piece.values[starts[first] : starts[last]].T, np.float32, order="C")  # (C, M)
            else:
                block = np.array(piece[first:last], np.float32, order="C")  # (B, C, T)
        if isinstance(piece, Ragged):
            filled, empty = fill(flat, size) if interpolate else (0, np.zeros((channels, len(size)), bool))
            yield first, _cut_flat(flat, size, todo), filled, empty.T
        else:
            runs = np.full(block.shape[0] * channels, block.shape[2])
            filled, empty = (
                fill(block.reshape(1, -1), runs) if interpolate else (0, np.zeros(len(runs), bool))
            )
            yield first, _cut(block, todo), filled, empty.reshape(len(size), channels)
        first = last


def _cut(block: Array, todo: Plan) -> Array:
    """Rows (R, C, T) of series (B, C, L)."""
    count, channels, length = block.shape
    if todo.how == "window":
        parts = length // todo.length
        rows = block[:, :, : parts * todo.length].reshape(count, channels, parts, todo.length)
        return rows.swapaxes(1, 2).reshape(count * parts, channels, todo.length)
    if length < todo.length:
        return np.pad(block, ((0, 0), (0, 0), (0, todo.length - length)))
    return block[:, :, : todo.length]


def _cut_flat(flat: Array, lengths: NDArray[np.int64], todo: Plan) -> Array:
    """Rows (R, C, T) of series (C, M) that lie end to end."""
    start = np.repeat(np.cumsum(lengths) - lengths, lengths)  # (M,): where each step's series starts
    step = np.arange(flat.shape[1]) - start
    if todo.how == "window":
        kept = step < np.repeat(lengths // todo.length * todo.length, lengths)
        return flat[:, kept].reshape(len(flat), -1, todo.length).swapaxes(0, 1)
    rows = np.zeros((len(lengths), len(flat), todo.length), np.float32)
    kept = step < todo.length
    series: NDArray[Any] = np.repeat(np.arange(len(lengths)), lengths)[kept]
    rows[series, :, step[kept]] = flat[:, kept].T
    return rows
