"""What thresholds and weights are fitted on: all pairs' histories, read in blocks, once an epoch."""

from __future__ import annotations

import math
from collections.abc import Iterator
from functools import cached_property

import torch

from pairsift.mining.memory import Memory, Statistics, exact

# Below this size torch sums in one thread: mu and sigma then do not depend on the number of threads.
BLOCK = 2**14


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
        """Population standard deviation of the pairs' mean losses, Eq. 4; exactly 0 where all are equal."""
        return self._moments[2]

    def blocks(self, size: int = BLOCK) -> Iterator[Statistics]:
        """All pairs' statistics, block after block, the unseen pairs among them (``seen`` is 0)."""
        for part in self._memory.slices(size):
            yield self._memory.rows(part)

    def sample(self, most: int, seed: int = 0) -> Statistics:
        """All seen pairs' statistics, or about ``most`` of them drawn at random: the same at each call."""
        if self.count <= most:
            seen = [torch.nonzero(self._memory.seen[s])[:, 0] + s.start for s in self._memory.slices(BLOCK)]
            return self._memory.rows(torch.cat(seen))
        draws = min(math.ceil(most * len(self) / self.count), 4 * most)
        drawn = torch.randint(len(self), (draws,), generator=torch.Generator().manual_seed(seed))
        rows = self._memory.rows(drawn.to(self._memory.mean.device))
        return Statistics(*(column[rows.seen > 0] for column in rows))

    @cached_property
    def _moments(self) -> tuple[int, float, float]:
        """Count, mu, sigma: each block's own moments about one pair's mean, then joined (Chan et al.)."""
        origin = self._first_mean()
        if origin is None:
            return 0, 0.0, 0.0
        per_block = []
        for part in self._memory.slices(BLOCK):
            seen = self._memory.seen[part] > 0
            off = (exact(self._memory.mean[part]) - origin).mul_(seen)  # exactly 0 where all means are equal
            count = seen.sum().to(off.dtype)
            mean = off.sum() / count.clamp(min=1)
            per_block.append(torch.stack([count, mean, off.sub_(mean).mul_(seen).square_().sum()]))
        counts, means, squares = torch.stack(per_block).double().cpu().unbind(1)
        count = counts.sum()
        mean = (counts * means).sum() / count
        variance = (squares.sum() + (counts * (means - mean).square()).sum()) / count
        return int(count), origin + float(mean), math.sqrt(float(variance))

    def _first_mean(self) -> float | None:
        """The mean loss of the first pair that was seen; None where none was."""
        for part in self._memory.slices(BLOCK):
            place = int((self._memory.seen[part] > 0).to(torch.uint8).argmax())
            if self._memory.seen[part][place] > 0:
                return float(self._memory.mean[part][place])
        return None
