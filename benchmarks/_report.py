"""What every benchmark prints: its ratios beside their bars as one JSON list, and an exit code."""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from typing import Any, Literal

import numpy as np

NOISE = 0.1  # where repeats do not say better: the share of a bar that the machine's mood may cost


def entry(
    name: str,
    value: float,
    bar: float | None = None,
    direction: Literal["at least", "at most"] = "at most",
    noise: float | None = None,
    **more: Any,
) -> dict[str, Any]:
    """One measured ratio.

    Args:
        name: what was measured.
        value: the ratio.
        bar: what it should be, None where it is only told.
        direction: on which side of the bar.
        noise: how far the value may be off by chance, in its own units; 0 for what is counted, a tenth of
            the bar if None.
        more: anything else worth printing: sizes, seconds, how it was measured.
    """
    ok = bar is None or (value >= bar if direction == "at least" else value <= bar)
    if bar is not None and noise is None:
        noise = NOISE * bar
    return {
        "name": name,
        "value": float(f"{value:.4g}"),
        "bar": bar,
        "direction": direction,
        "noise": None if noise is None else float(f"{noise:.2g}"),
        "ok": ok,
        **more,
    }


def median(values: Sequence[float]) -> tuple[float, float]:
    """The median of some repeats, and twice its standard error as their middle half tells it."""
    low, middle, high = np.quantile(np.asarray(values, dtype=float), [0.25, 0.5, 0.75])
    spread = (high - low) / 1.349  # a normal distribution's deviation
    return float(middle), float(2 * 1.253 * spread / math.sqrt(len(values)))


def missed(result: dict[str, Any]) -> bool:
    """Whether a bar is missed by more than noise."""
    if result["bar"] is None:
        return False
    if result["direction"] == "at least":
        return bool(result["value"] < result["bar"] - result["noise"])
    return bool(result["value"] > result["bar"] + result["noise"])


def line(result: dict[str, Any]) -> str:
    """A result with a bar as a person reads it."""
    verdict = "ok    " if result["ok"] else "MISSED" if missed(result) else "within noise"
    sign = ">=" if result["direction"] == "at least" else "<="
    return f"{verdict}  {result['name']}: {result['value']} ({sign} {result['bar']}, noise {result['noise']})"


def report(results: list[dict[str, Any]]) -> int:
    """Print the list; the exit code is 1 where a bar is missed by more than noise."""
    print(json.dumps(results, indent=2))
    return int(any(missed(result) for result in results))
