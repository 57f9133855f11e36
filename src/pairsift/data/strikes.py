"""Damage that strikes another view every time: faulty pairs for experiments, as strong augmentation makes."""

from __future__ import annotations

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Generator, Tensor

from pairsift.data.damage import strike_views
from pairsift.data.kinds import FAULTY
from pairsift.errors import PairsiftError


class RandomStrikes:
    """Over-augments one of a faulty pair's two views, a random one each time, as strong augmentation does.

    Views that are drawn at less strength are struck with less. Give it to ``pretrain(..., strike=...)``
    with series from ``corrupt(..., view="random")``. It keeps no randomness of its own.

    Args:
        truth: what was planted, (N,): pairs that are 2 are struck.
        segments: as in `damage.over_augment`.
        sd: as in `damage.over_augment`.
    """

    def __init__(self, truth: NDArray[np.int8] | None, *, segments: int = 10, sd: float = 2.0) -> None:
        if truth is None:
            raise PairsiftError('truth must say which pairs are faulty, as corrupt(..., view="random") does')
        self.faulty = torch.from_numpy(np.asarray(truth) == FAULTY)
        self.segments, self.sd = segments, sd

    def __call__(
        self, u: Tensor, v: Tensor, index: Tensor, strength: Tensor | None, generator: Generator | None
    ) -> tuple[Tensor, Tensor]:
        """Strike.

        Args:
            u: first views, shape (B, C, T).
            v: second views, shape (B, C, T).
            index: the pairs' places in the dataset, shape (B,).
            strength: how strong each pair's views are drawn, 0 to 1, shape (B,); full if None.
            generator: where the randomness comes from.
        """
        faulty = self.faulty[index.cpu()].to(u.device)
        return strike_views(
            u, v, faulty, segments=self.segments, sd=self.sd, strength=strength, generator=generator
        )
