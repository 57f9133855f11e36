"""How results look on a terminal."""

from __future__ import annotations

from typing import Any


def metrics_table(metrics: dict[str, Any]) -> str:
    """A line a metric, in percent; metrics of single classes stay in the JSON."""
    lines = [f"{name:<12}{100 * value:7.2f}" for name, value in metrics.items() if isinstance(value, float)]
    return "\n".join(lines)
