"""What thresholds and weights are fitted on: all pairs' histories, read in blocks, once an epoch."""

from __future__ import annotations

import math
from collections.abc import Iterator
from functools import cached_property

import torch

from pairsift.mining.memory import Memory, Statistics, exact, in_blocks

BLOCK = 2**16  # pairs read at once
ROW = 2**14  # pairs summed at once: one thread sums a row, so their number does not show in mu and sigma


class Population:
    """The global statistic of the paper over the pairs seen at least once.

    Args:
        memory: the memory, whose history is read and never changed.
    """

    def __init__(self, memory: Memory) -> None:
        self._memory = memory

    def __len__(self) -> int:
        """How many pairs there are, seen or not."""
        return len(self._memory)

    @property
    def count(self) -> int:
        """How many pairs were seen at least once."""
        return self._moments[0]

    @property
    def mu(self) -> float:
        """Mean of the pairs' mean losses, Eq. 4; 0 where nothing was seen."""
        return self._moments[1]

    @property
    def sigma(self) -> float:
        """Population standard deviation of the pairs' mean losses, Eq. 4.

        Exactly 0 where all are equal, as far as the memory's digits can tell.
        """
        return self._moments[2]

    def blocks(self, size: int = BLOCK) -> Iterator[Statistics]:
        """All pairs' statistics, block after block, the unseen pairs among them (``seen`` is 0)."""
        return self._memory.blocks(size)

    def sample(self, most: int, seed: int = 0) -> Statistics:
        """All seen pairs' statistics, or about ``most`` of them drawn at random: the same at each call."""
        if self.count <= most:
            return self._memory.rows(self._memory.seen.nonzero()[:, 0])
        draws = min(math.ceil(most * len(self) / self.count), 4 * most)
        drawn = torch.randint(len(self), (draws,), generator=torch.Generator().manual_seed(seed))
        rows = self._memory.rows(drawn.to(self._memory.mean.device))
        return rows[rows.seen > 0]

    @cached_property
    def _moments(self) -> tuple[int, float, float]:
        """Count, mu and sigma, in one pass over the pairs' distances from a point amid them.

        The point is the mean of the first block's pairs: not many sigmas from mu, so that nothing cancels,
        and exactly the common value where all means are equal.
        """
        origin = self._point_amid()
        if origin is None:
            return 0, 0.0, 0.0
        whole = int(self._memory.seen.min()) > 0
        count = len(self) if whole else int(self._memory.seen.count_nonzero())
        scratch = exact(self._memory.mean[:1]).new_zeros(
            BLOCK
        )  # new memory for each block costs more than sums
        sums, squares = [], []
        for mean, seen in in_blocks(BLOCK, self._memory.mean, self._memory.seen):
            off = scratch[: len(mean)].copy_(mean).sub_(origin)
            if not whole:
                off.mul_(seen > 0)
            scratch[len(mean) :] = 0
            sums.append(scratch.view(-1, ROW).sum(1))
            squares.append(scratch.square_().view(-1, ROW).sum(1))
        distance = math.fsum(torch.cat(sums).tolist()) / count
        variance = math.fsum(torch.cat(squares).tolist()) / count - distance**2
        mu, sigma = origin + distance, math.sqrt(max(variance, 0.0))
        rounding = 4 * torch.finfo(self._memory.mean.dtype).eps * abs(mu)
        return count, mu, sigma if sigma > rounding else 0.0

    def _point_amid(self) -> float | None:
        """The mean over the seen pairs of the first block that has any; None where nothing was seen."""
        for mean, seen in in_blocks(BLOCK, self._memory.mean, self._memory.seen):
            means = exact(mean)[seen > 0]
            if len(means) > 0:
                return float(means[0] + (means - means[0]).mean())
        return None
