"""A miner that mends and need not find out: it is told what was planted. What mending could reach at most."""

from __future__ import annotations

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from pairsift.errors import PairsiftError
from pairsift.mining import MendingMiner, Sigma


class ToldMiner(MendingMiner):
    """Cares for the planted pairs from the first epoch on; how mild their views must be it still finds out.

    Args:
        truth: what was planted, (N,): 0 normal, 1 noisy, 2 faulty.
        batch_size: see ``BadPairMiner``.
    """

    truth: Tensor

    def __init__(self, truth: NDArray[np.int8] | None, batch_size: int | None = None) -> None:
        if truth is None:
            raise PairsiftError("truth must say which pairs are bad; plant some, or mine without")
        super().__init__(len(truth), 0, Sigma(None, None), batch_size=batch_size)
        self.register_buffer("truth", torch.from_numpy(np.asarray(truth, np.int8)))

    def verdicts(self, index: Tensor | None = None) -> Tensor:
        """What was planted."""
        return self.truth if index is None else self.truth[index]
