"""Some rows of a big array in some order, scaled, read only when asked for."""

from __future__ import annotations

from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

Array = NDArray[Any]
Scale = tuple[Array, Array]  # what is taken off and what is divided by, each (C, T) or (1, 1) float32

COPY_BELOW = 256 << 20  # parts smaller than this are simply held in memory, which is faster


def select(source: Array, rows: Array, scale: Scale | None = None, copy_below: int | None = None) -> Array:
    """Rows of ``source``, with the least memory that serves: a view, a copy if small, else read on demand.

    Args:
        source: shape (N, C, T), an array or a memory map.
        rows: which rows, (n,).
        scale: what to take off and divide by; nothing if None.
        copy_below: size in bytes below which the rows are held in memory; COPY_BELOW if None.

    Returns:
        Shape (n, C, T); what is read on demand is a ``Rows``, which indexes and converts like an array.
    """
    if scale is None and len(rows) and np.array_equal(rows, np.arange(rows[0], rows[0] + len(rows))):
        return source[rows[0] : rows[0] + len(rows)]
    chosen = Rows(source, rows, scale)
    limit = COPY_BELOW if copy_below is None else copy_below
    # A Rows has what a Series asks of its x: shape, ndim, dtype, length, indexing, conversion.
    return np.asarray(chosen) if chosen.nbytes < limit else cast(Array, chosen)


class Rows:
    """Rows of an array, in order, scaled when they are read.

    Args:
        source: shape (N, C, T), an array or a memory map.
        rows: which rows, (n,).
        scale: what to take off and divide by; nothing if None.
    """

    def __init__(self, source: Array, rows: Array, scale: Scale | None = None) -> None:
        self.source, self.rows, self.scale = source, np.asarray(rows, np.int64), scale
        self.shape = (len(self.rows), *source.shape[1:])
        self.dtype = source.dtype
        self.ndim = source.ndim
        self.size = int(np.prod(self.shape))
        self.nbytes = self.size * self.dtype.itemsize

    def __len__(self) -> int:
        return len(self.rows)

    def __getitem__(self, index: Any) -> Array:
        """What numpy would give for this index, as an array in memory."""
        first, *rest = index if isinstance(index, tuple) else (index,)
        if first is None or first is Ellipsis:
            return np.asarray(np.asarray(self)[index])
        rows = self.rows[first]
        values = np.array(self.source[rows])  # (C, T) for one row, else (..., C, T)
        if self.scale is not None:
            shift, span = self.scale
            values -= shift
            values /= span
        return np.asarray(values[(*[slice(None)] * np.ndim(rows), *rest)]) if rest else values

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Array:
        """All of it, in memory."""
        if copy is False:
            raise ValueError("these rows are read on demand: they cannot be had without a copy")
        values = self[:]
        return values if dtype is None else values.astype(dtype, copy=False)

    def __repr__(self) -> str:
        return f"Rows(shape={self.shape}, scaled={self.scale is not None})"
