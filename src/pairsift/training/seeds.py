"""One seed, many independent streams: each use of randomness gets its own number."""

from __future__ import annotations

import numpy as np


def derive_seed(seed: int, *path: int) -> int:
    """A seed for one purpose, the same for the same numbers on every machine.

    Args:
        seed: the run's seed.
        path: what it is for, such as the purpose, the epoch and the rank.

    Returns:
        A number in [0, 2**63) that torch's and numpy's generators take.
    """
    state = np.random.SeedSequence([seed, *path]).generate_state(1, np.uint64)
    return int(state[0] >> np.uint64(1))


# The purposes; a number is never used for two.
WEIGHTS, ORDER, VIEWS, DROPOUT, SPLIT, HISTORY = range(6)
