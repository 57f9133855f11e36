"""What a finished run has learned about its pairs, read back from its folder: the miner and the losses."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import torch
from torch import Tensor

from pairsift.errors import PairsiftError
from pairsift.frameworks import FRAMEWORKS
from pairsift.mining import BadPairMiner
from pairsift.training.folder import HISTORY, MINER, SETTINGS, load_weights, read_settings
from pairsift.training.pretrain import make_miner
from pairsift.training.settings import make_settings


@dataclass(frozen=True)
class KeptHistory:
    """Losses of some pairs, epoch by epoch.

    Args:
        index: which pairs, int64, shape (P,).
        losses: an epoch's loss of each, NaN where it did not see the pair, shape (E, P).
    """

    index: Tensor
    losses: Tensor


def load_miner(folder: Path, miner: BadPairMiner | None = None) -> BadPairMiner:
    """The miner of a finished run, with all that it remembers.

    Args:
        folder: the run folder.
        miner: one made as the run's was, where the run was given one of its own; it is filled.
    """
    kept = read_settings(folder)
    settings = make_settings(**kept["settings"])
    if settings.mining in ("none", "rince") and miner is None and not (folder / MINER).exists():
        raise PairsiftError(f"{folder} was made with mining {settings.mining}: there is no miner to read")
    state = load_weights(folder / MINER)
    if miner is None:
        if kept.get("own_miner"):
            raise PairsiftError(f"{folder} was made with a miner of one's own: give load_miner one like it")
        mean = state.get("memory.mean", torch.empty(0))
        mean = mean if mean.ndim == 1 else torch.empty(0)  # which then does not fit, and is said
        family = FRAMEWORKS.get(str(kept["made"].get("name")))
        weight = family.mining_weight if family is not None else "gaussian"
        miner = make_miner(settings, weight, max(len(mean), 1), min(settings.batch_size, max(len(mean), 1)))
        assert miner is not None  # mining is neither none nor rince
        miner = miner.double() if mean.dtype == torch.float64 else miner
    try:
        miner.load_state_dict(state)
    except RuntimeError as error:
        reason = str(error).splitlines()[-1].strip()
        raise PairsiftError(f"{folder / MINER} does not fit {SETTINGS}: {reason}") from None
    return miner.eval()


def load_history(folder: Path) -> KeptHistory:
    """The losses over the epochs, of at most 5000 pairs, that a mining run has kept."""
    read_settings(folder)
    kept = load_weights(folder / HISTORY)
    index, losses = kept.get("index"), kept.get("losses")
    whole = (
        index is not None
        and losses is not None
        and (index.dtype, losses.is_floating_point(), losses.ndim) == (torch.int64, True, 2)
        and losses.shape[1:] == index.shape
        and bool((index >= 0).all())
    )
    if index is None or losses is None or not whole:
        raise PairsiftError(f"{folder / HISTORY} is not what pairsift writes; audit the run without it")
    return KeptHistory(index, losses)
