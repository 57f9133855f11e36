"""Numbers made compact for the page: few points a series, few bits a point, base64."""

from __future__ import annotations

import base64
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[Any]

POINTS = 256  # a series' points on the page, at most
_GAP = 255  # the level that stands for a missing value
_TOP = 254


def base64_of(values: Array, dtype: str) -> str:
    """The array's bytes in little-endian order, as text."""
    return base64.b64encode(
        np.ascontiguousarray(values, dtype=np.dtype(dtype).newbyteorder("<")).tobytes()
    ).decode()


def thin(x: Array, points: int = POINTS) -> Array:
    """At most ``points`` of a series' values along its last axis, (..., T), keeping every stretch's extremes.

    Long series are cut into ``points // 2`` stretches of which the smallest and the largest value stay, in
    the order in which they came, so that no spike is lost.
    """
    length = x.shape[-1]
    if length <= points:
        return x
    stretches = points // 2
    edges = np.linspace(0, length, stretches + 1).astype(np.int64)
    out = np.empty((*x.shape[:-1], 2 * stretches), dtype=x.dtype)
    for at, (start, stop) in enumerate(pairwise(edges)):
        part = x[..., start:stop]
        whole = np.isfinite(part)
        low = np.where(whole, part, np.inf).argmin(-1)
        high = np.where(whole, part, -np.inf).argmax(-1)
        two = np.stack([np.minimum(low, high), np.maximum(low, high)], -1)
        out[..., 2 * at : 2 * at + 2] = np.take_along_axis(part, two, -1)
    return out


def quantised(x: Array) -> list[Any]:
    """One channel (L,) as [smallest, largest, levels in base64]: 255 levels between them, the 256th a gap."""
    whole = np.isfinite(x)
    low, high = (float(x[whole].min()), float(x[whole].max())) if whole.any() else (0.0, 0.0)
    span = high - low if high > low else 1.0
    levels = np.full(x.shape, _GAP, dtype=np.uint8)
    levels[whole] = np.rint((x[whole].astype(np.float64) - low) / span * _TOP).astype(np.uint8)
    return [_short(low), _short(high), base64_of(levels, "u1")]


def packed(x: Array, channels: int) -> list[list[list[Any]]]:
    """The first ``channels`` of each series (B, C, T), thinned and quantised: a list of channels a series."""
    thinned = thin(np.asarray(x[:, :channels], dtype=np.float32))
    return [[quantised(channel) for channel in one] for one in thinned]


def _short(value: float) -> float:
    """Six figures are enough for an axis."""
    return float(f"{value:.6g}")
