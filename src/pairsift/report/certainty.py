"""How sure the findings are: how many pairs lie clearly beyond a threshold, and how many near it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from pairsift.mining.auto import FEWEST

if TYPE_CHECKING:
    from pandas import DataFrame

__all__ = ["DOUBT", "FEWEST", "certainty"]

DOUBT = (0.1, 0.9)  # a score between these is a chance that a person should not leave to the line at 0.5


def certainty(table: DataFrame, rule: str) -> dict[str, int] | None:
    """How many pairs are clearly bad, doubtfully bad, and nearly bad, by their scores.

    Args:
        table: of ``pairs_table``.
        rule: what gave the scores. Only those of "auto" are chances; with any other rule nothing is said.

    Returns:
        ``clearly``: bad with a score of 0.9 and more; ``doubtful``: bad with less; ``nearly``: normal with a
        score of 0.1 and more.
    """
    if rule != "auto":
        return None
    score, bad = table["score"].to_numpy(np.float64), table["is_issue"].to_numpy(bool)
    low, high = DOUBT
    return {
        "clearly": int((bad & (score >= high)).sum()),
        "doubtful": int((bad & (score < high)).sum()),
        "nearly": int((~bad & (score >= low)).sum()),
    }
