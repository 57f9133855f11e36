"""The augmentations once more, one series and one number at a time, from draws handed in."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]


def jitter(series: Floats, noise: Floats, sd: float, strength: float = 1.0) -> Floats:
    """Series and standard normal noise (C, T)."""
    out = series.copy()
    for c in range(series.shape[0]):
        for t in range(series.shape[1]):
            out[c, t] = series[c, t] + strength * sd * noise[c, t]
    return out


def scale(series: Floats, draws: Floats, sd: float, mean: float = 1.0, strength: float = 1.0) -> Floats:
    """Series (C, T) and standard normal draws, (C, 1) for one factor a channel, (1, T) for one a step."""
    out = series.copy()
    for c in range(series.shape[0]):
        for t in range(series.shape[1]):
            draw = draws[c, 0] if draws.shape[1] == 1 else draws[0, t]
            full = mean + sd * draw
            out[c, t] = series[c, t] * (1 + strength * (full - 1))
    return out


def permute(series: Floats, segments: int, order: list[int]) -> Floats:
    """Series (C, T) cut by numpy into ``segments`` pieces; of ``order`` the entries that name one count."""
    pieces = np.array_split(np.arange(series.shape[1]), segments)
    steps = [step for place in order if place < segments for step in pieces[place]]
    return np.stack([np.array([channel[step] for step in steps]) for channel in series])


def fewer_segments(drawn: int, strength: float) -> int:
    return 1 + round((drawn - 1) * strength)
