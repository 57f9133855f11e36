"""Every pair as a row of a pandas table."""

from __future__ import annotations

from typing import TYPE_CHECKING

import torch

from pairsift.mining.memory import Memory
from pairsift.mining.panel import Panel
from pairsift.mining.thresholds import KINDS
from pairsift.mining.weights import Weight

if TYPE_CHECKING:
    from pandas import DataFrame


def pairs_table(memory: Memory, panel: Panel, weight: Weight) -> DataFrame:
    """Judge every pair by the memory and lay it out: index, kind, score, mean_loss, std_loss, weight, seen.

    Args:
        memory: the history, nothing pending.
        panel: who judges, fitted to it.
        weight: what a bad pair's weight is.
    """
    import pandas as pd

    everybody = slice(None)
    weigher = weight.fit(panel.population)
    mean, std, seen = memory.rows(everybody)
    kinds = panel.kinds(memory, everybody)
    never = seen == 0
    return pd.DataFrame(
        {
            "index": range(len(memory)),
            "kind": pd.Categorical.from_codes(kinds.tolist(), dtype=pd.CategoricalDtype(list(KINDS))),
            "score": panel.score(memory, everybody).cpu().numpy(),
            "mean_loss": mean.masked_fill(never, torch.nan).cpu().numpy(),
            "std_loss": std.masked_fill(never, torch.nan).cpu().numpy(),
            "weight": torch.where(kinds > 0, weigher(mean), 1.0).to(mean.dtype).cpu().numpy(),
            "seen": seen.cpu().numpy(),
        }
    )
