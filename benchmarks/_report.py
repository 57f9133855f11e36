"""What every benchmark prints: its ratios beside their bars as one JSON list, and an exit code."""

from __future__ import annotations

import json
from typing import Any, Literal

NOISE = 0.1  # a bar missed by less than this share may be the machine's mood


def entry(
    name: str,
    value: float,
    bar: float | None = None,
    direction: Literal["at least", "at most"] = "at most",
    **more: Any,
) -> dict[str, Any]:
    """One measured ratio.

    Args:
        name: what was measured.
        value: the ratio.
        bar: what it should be, None where it is only told.
        direction: on which side of the bar.
        more: anything else worth printing: sizes, seconds, how it was measured.
    """
    ok = bar is None or (value >= bar if direction == "at least" else value <= bar)
    return {
        "name": name,
        "value": float(f"{value:.4g}"),
        "bar": bar,
        "direction": direction,
        "ok": ok,
        **more,
    }


def missed(result: dict[str, Any]) -> bool:
    """Whether a bar is missed by more than noise."""
    if result["bar"] is None:
        return False
    if result["direction"] == "at least":
        return bool(result["value"] < result["bar"] * (1 - NOISE))
    return bool(result["value"] > result["bar"] * (1 + NOISE))


def report(results: list[dict[str, Any]]) -> int:
    """Print the list; the exit code is 1 where a bar is missed by more than noise."""
    print(json.dumps(results, indent=2))
    return int(any(missed(result) for result in results))
