"""How sure the findings are: how many pairs lie near a threshold, and what it means that none is bad."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from pairsift.mining.auto import FEWEST

if TYPE_CHECKING:
    from pandas import DataFrame

_FEW = "Nothing could be: among fewer than {} pairs no group can be told from chance, so none is looked for."
_NO_GROUP = (
    "Pairs are called bad where they form a group of their own, below or above all others, and here none "
    "stands apart: by this evidence nothing need be thrown away. It is no proof that every series is sound: "
    "a handful of odd ones among many make no group, and a fault that most series share looks normal."
)
_NONE_BEYOND = (
    "No pair's loss lies beyond the thresholds. It does not prove that every series is sound: fixed "
    "thresholds cannot reach a large group of bad pairs; --mining auto looks for groups instead."
)
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


def nothing_found(table: DataFrame, rule: str) -> str:
    """What it means that no pair is bad, in words: it is no proof, and the rule decides of what.

    Args:
        table: of ``pairs_table``.
        rule: what judged the pairs, such as "auto".
    """
    if rule != "auto":
        return _NONE_BEYOND
    return _FEW.format(FEWEST) if table["mean_loss"].notna().sum() < FEWEST else _NO_GROUP
