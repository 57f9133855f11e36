"""What is trained in benchmarks: series of noise in the datasets' shapes."""

from __future__ import annotations

import numpy as np

from pairsift.data import Series

BATCH = 128
HAR, PTB_XL = (9, 128), (12, 1000)  # channels and time steps
HAR_PAIRS, HAR_BATCHES, PTB_XL_BATCHES = 5881, 45, 107  # an epoch of the datasets' training parts


def noise(pairs: int, shape: tuple[int, int]) -> Series:
    """So many series of a shape."""
    return Series(np.random.default_rng(0).standard_normal((pairs, *shape), dtype=np.float32))
