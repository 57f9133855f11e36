"""The simulation read backwards: from a series to the waveform, places and scales that explain it."""

from __future__ import annotations

import itertools
import math


def waveform(name: str, step: int, segment: int, cycles: float) -> float:
    """One waveform at one step, by its textbook definition."""
    turn = cycles * step / segment
    if name == "sine":
        return math.sin(2 * math.pi * turn)
    part = turn - math.floor(turn)
    if name == "square":
        return 1.0 if part < 0.5 else -1.0
    return 2.0 * part - 1.0


def explain(series, segment: int, segments: int, cycles: float, tolerance: float = 1e-4):
    """Every (waveform, ((start, scale), ...)) that gives this noise-free series, found by trying all."""
    length = len(series)
    found = []
    for name in ("sine", "square", "sawtooth"):
        pattern = [waveform(name, step, segment, cycles) for step in range(segment)]
        energy = sum(value * value for value in pattern)
        for starts in itertools.combinations(range(length - segment + 1), segments):
            if any(b - a < segment for a, b in itertools.pairwise(starts)):
                continue
            rebuilt = [0.0] * length
            scales = []
            for start in starts:
                scale = sum(series[start + k] * pattern[k] for k in range(segment)) / energy
                scales.append(scale)
                for k in range(segment):
                    rebuilt[start + k] = scale * pattern[k]
            if max(abs(a - b) for a, b in zip(rebuilt, series, strict=True)) < tolerance:
                found.append((name, tuple(zip(starts, scales, strict=True))))
    return found
