"""Miners by name, with the published settings: what command lines and configuration files ask for."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from pairsift.mining.auto import Auto
from pairsift.mining.memory import History
from pairsift.mining.mend import PARTS, MendingMiner
from pairsift.mining.miner import BadPairMiner
from pairsift.mining.thresholds import Sigma, Threshold
from pairsift.mining.weights import ConstantWeight, GaussianWeight, MixtureWeight, Weight

# RINCE is a loss that is robust to faulty views: it mines nothing, and is a choice beside mining.
MININGS = ("none", "rince", "dbpm", "auto", "mend")
MINERS = {"dbpm": "sigma", "auto": "auto", "mend": "auto"}  # and the threshold of each
WEIGHTS: dict[str, Callable[[], Weight]] = {
    "gaussian": GaussianWeight,
    "peak-one": lambda: GaussianWeight(peak_one=True),
    "zero": lambda: ConstantWeight(0.0),
    "mixture": lambda: MixtureWeight(3),
}


def build_miner(
    mining: str,
    num_pairs: int,
    *,
    epochs: int | None = None,
    warmup_epochs: int | None = None,
    noisy: float | None = 2.0,
    faulty: float | None = 3.0,
    threshold: Threshold | str | None = None,
    weight: Weight | str | float | None = None,
    history: History = "mean",
    batch_size: int | None = None,
    parts: Iterable[str] | None = None,
) -> BadPairMiner | None:
    """A miner by name.

    Args:
        mining: "none" and "rince" (a loss, not a miner) give None; "dbpm" gives the paper's Algorithm 1,
            "auto" the same with ``Auto()`` thresholds, "mend" a ``MendingMiner``.
        num_pairs: how many pairs the dataset has.
        epochs: how long the run will be, if known.
        warmup_epochs: a third of ``epochs`` if None, 10 where that is not known either.
        noisy: beta_np, None to switch this side off.
        faulty: beta_fp, None to switch this side off.
        threshold: instead of ``Sigma(noisy, faulty)``: a Threshold, "sigma" or "auto".
        weight: a Weight, a number for a constant one, or "gaussian", "peak-one", "zero", "mixture"; see
            ``usual_weight`` for None.
        history: "mean", "last" or Ramp(max_epochs).
        batch_size: shorter batches are not remembered; None remembers all.
        parts: of "mend", see ``MendingMiner``; all if None.

    Returns:
        The miner, or None where nothing is mined.
    """
    if mining not in MININGS:
        raise ValueError(f"mining must be one of {', '.join(MININGS)}, got {mining!r}")
    if mining not in MINERS:
        return None
    if threshold is None:
        threshold = MINERS[mining]
    if warmup_epochs is None:
        warmup_epochs = 10 if epochs is None else epochs // 3
    if epochs is not None and warmup_epochs >= epochs:
        raise ValueError(
            f"warmup_epochs must be less than epochs, or nothing is ever mined: got {warmup_epochs} of "
            f"{epochs}; train longer or warm up shorter"
        )
    common: dict[str, Any] = {
        "warmup_epochs": warmup_epochs,
        "threshold": build_threshold(threshold, noisy, faulty),
        "weight": build_weight(usual_weight(mining) if weight is None else weight),
        "history": history,
        "batch_size": batch_size,
    }
    if mining == "mend":
        return MendingMiner(num_pairs, **common, parts=PARTS if parts is None else parts)
    return BadPairMiner(num_pairs, **common)


def usual_weight(mining: str, published: str = "gaussian") -> str:
    """The weight where none is asked for: what was published for "dbpm", "zero" for "auto" and "mend".

    Eq. 7's weight speaks of the mean loss alone. ``Auto()`` also finds pairs whose mean loss is usual, and
    that weight would leave them as they are.

    Args:
        mining: of ``MININGS``.
        published: the weight that suits a framework's losses.
    """
    return published if MINERS.get(mining) != "auto" else "zero"


def build_threshold(
    threshold: Threshold | str, noisy: float | None = 2.0, faulty: float | None = 3.0
) -> Threshold:
    """A threshold by name, or as it is; ``noisy`` and ``faulty`` are for "sigma"."""
    if isinstance(threshold, Threshold):
        return threshold
    if threshold not in ("sigma", "auto"):
        raise ValueError(f"threshold must be a Threshold, sigma or auto, got {threshold!r}")
    return Auto() if threshold == "auto" else Sigma(noisy, faulty)


def build_weight(weight: Weight | str | float) -> Weight:
    """A weight by name, by number (constant), or as it is."""
    if isinstance(weight, Weight):
        return weight
    if isinstance(weight, str):
        if weight not in WEIGHTS:
            raise ValueError(f"weight must be a number or one of {', '.join(WEIGHTS)}, got {weight!r}")
        return WEIGHTS[weight]()
    return ConstantWeight(float(weight))
