"""How a step's views are drawn, and who takes part in it: as the miner has planned where it mends."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from torch import Generator, Tensor

from pairsift.data.series import Batch
from pairsift.frameworks import Framework
from pairsift.losses.gather import processes
from pairsift.mining import BadPairMiner, MendingMiner

# (u, v (B, C, T), index (B,), strength (B,) or None for full, generator) -> the views, some of them damaged
Strike = Callable[[Tensor, Tensor, Tensor, Tensor | None, Generator | None], tuple[Tensor, Tensor]]


@dataclass(frozen=True)
class Step:
    """What came of a batch.

    Args:
        losses: of the pairs that took part, (K,), K at most B.
        index: which pairs these are, (K,).
        loss: what is trained on: the mean over the batch, those left out counting as 0.
    """

    losses: Tensor
    index: Tensor
    loss: Tensor


def take_step(
    framework: Framework,
    miner: BadPairMiner | None,
    batch: Batch,
    generator: Generator | None = None,
    strike: Strike | None = None,
) -> Step:
    """Views, losses, weights, mean.

    Args:
        framework: gives views and per-pair losses.
        miner: weighs them; None for plain training.
        batch: B series.
        generator: of the views.
        strike: damages the views of planted pairs, where an experiment wants that.
    """
    if isinstance(miner, MendingMiner):
        return _mended(framework, miner, batch, generator, strike)
    u, v = framework.views(batch.x, batch.other, generator=generator)
    if strike is not None:
        u, v = strike(u, v, batch.index, None, generator)
    losses = framework(u, v)
    weighted = losses if miner is None else miner(losses, batch.index)
    return Step(losses, batch.index, weighted.mean())


def _mended(
    framework: Framework,
    miner: MendingMiner,
    batch: Batch,
    generator: Generator | None,
    strike: Strike | None,
) -> Step:
    """The same where the miner says how to draw views and whom to leave out.

    Who is left out is not even passed through the network, so that its batch statistics do not know him
    either. Where fewer than two would be left, and where negatives are gathered from other processes, which
    must have as many, all pass, and what is left out has weight 0.
    """
    plan, index = miner.plan(batch.index), batch.index
    u, v = framework.views(batch.x, batch.other, gentle=plan.gentle, generator=generator)
    if strike is not None:
        u, v = strike(u, v, index, 1 - plan.gentle, generator)
    negatives = plan.negatives
    stays = plan.stays.nonzero()[:, 0]
    if len(stays) >= 2 and not (getattr(framework.criterion, "gather", False) and processes() > 1):
        if plan.look:  # on all processes alike: MoCo's keys travel in it
            seen = framework.glance(u, v, negatives)
            away = (~plan.stays).nonzero()[:, 0]
            miner.record(seen[away], index[away], of=len(index))
        u, v, negatives, index = u[stays], v[stays], negatives[stays], index[stays]
    losses = framework(u, v, negatives)
    weighted = miner(losses, index, of=len(batch.index))
    return Step(losses, index, weighted.sum() / len(batch.index))
