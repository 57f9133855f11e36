"""The middle of an epoch: what else a checkpoint must hold to go on with the next batch, bit for bit."""

from __future__ import annotations

from typing import Any

import torch
from torch import Generator, Tensor


def moment(views: Generator, sums: Tensor, skipped_before: int) -> dict[str, Any]:
    """What an epoch has come to so far that no buffer holds.

    Args:
        views: where the views' randomness comes from.
        sums: the epoch's sums of losses.
        skipped_before: batches that the epochs before had left out.
    """
    kept = {"views": views.get_state(), "torch": torch.get_rng_state(), "sums": sums.cpu()}
    if views.device.type == "cuda":
        kept["cuda"] = torch.cuda.get_rng_state(views.device)
    return {**kept, "skipped_before": skipped_before}


def take_up(kept: dict[str, Any], device: torch.device) -> tuple[Generator, Tensor, int]:
    """Put torch's own randomness back; the generator, the sums and the count that ``moment`` was given."""
    views = Generator(device)
    views.set_state(kept["views"])
    torch.set_rng_state(kept["torch"])
    if device.type == "cuda" and "cuda" in kept:
        torch.cuda.set_rng_state(kept["cuda"], device)
    return views, kept["sums"].to(device), int(kept["skipped_before"])
