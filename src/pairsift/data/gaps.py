"""Missing values: finding them, and filling them on request."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from pairsift.data.readers.raw import Array


def fill(values: Array, lengths: NDArray[np.int64]) -> tuple[int, NDArray[np.bool_]]:
    """Fill gaps on a straight line between their neighbours, in place; at the ends the nearest value is held.

    Args:
        values: rows of series that lie end to end, shape (R, sum of lengths), float32.
        lengths: the series' lengths, shape (S,); a line never runs from one series into the next.

    Returns:
        How many values were filled, and which series hold no value at all, shape (R, S).
    """
    empty = np.zeros((len(values), len(lengths)), dtype=np.bool_)
    filled = 0
    ends = np.cumsum(lengths)
    for row, series in enumerate(values):
        gaps = np.flatnonzero(np.isnan(series))
        if not len(gaps):
            continue
        known = np.flatnonzero(~np.isnan(series))
        owner = np.searchsorted(ends, gaps, side="right")
        after = np.searchsorted(known, gaps)  # place in known of the first value to the right
        place = np.concatenate([[-1], known, [values.shape[1]]])
        left, right = place[after], place[after + 1]
        has_left, has_right = left >= (ends - lengths)[owner], right < ends[owner]
        left, right = np.where(has_left, left, right), np.where(has_right, right, left)
        empty[row, owner[~(has_left | has_right)]] = True
        held = has_left | has_right
        gaps, left, right = gaps[held], left[held], right[held]
        share = (gaps - left) / np.maximum(right - left, 1)
        low, high = series[left].astype(np.float64), series[right].astype(np.float64)
        series[gaps] = low + np.clip(share, 0, 1) * (high - low)
        filled += len(gaps)
    return filled, empty
