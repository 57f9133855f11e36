"""Tell from the embeddings that an encoder has collapsed, and say what the likely cause is."""

from __future__ import annotations

import math

from torch import Tensor
from torch.nn import functional as F

LEAST = 1e-3  # spread below which an encoder tells nothing apart
LEFT = 0.1  # of its first spread, below which an encoder has lost what it told apart


def embedding_spread(z: Tensor) -> Tensor:
    """How far embeddings lie apart: 0 if all point the same way, 1 if they point everywhere evenly.

    The deviation of the unit vectors from their mean, sqrt(mean |z_i - mean z|^2). It knows directions only,
    as the contrastive losses do. A tensor on z's device; nothing waits for it.

    Args:
        z: embeddings of at least two series, shape (B, D).
    """
    unit = F.normalize(z.detach().float(), dim=1)
    # Around the mean, not 1 - |mean|^2: that difference would lose every digit near a collapse.
    return (unit - unit.mean(0)).square().sum(1).mean().sqrt()


def spread_message(spread: float, first: float = 0.0, *, negatives: bool = True) -> str | None:
    """What to warn of, or None: ask it once an epoch with the spread of some hundred series' embeddings.

    What is small depends on the series: of Epilepsy's an untrained encoder's spread is 0.04, of HAR's 0.5,
    and both train well. So the spread is held against the first one.

    Args:
        spread: what ``embedding_spread`` says now.
        first: what it said of the same series before training; 0 if that is not known.
        negatives: whether the method pushes series apart (all but SimSiam do).

    Returns:
        A sentence for a warning.
    """
    if spread >= max(LEAST, LEFT * first):
        return None
    if math.isnan(spread):
        return (
            "the embeddings are NaN; the likely cause is a learning rate that is too high, or series with "
            "infinite or huge values: lower lr, or look at the series first"
        )
    before = f", at first {first:.1g}" if first else ""
    found = f"embeddings of different series all but coincide (spread {spread:.1g}{before}): a collapse"
    if negatives:
        return (
            f"{found}. The likely cause is a learning rate that is too high, or series that are constant or "
            "not scaled: lower lr, or look at the series first"
        )
    return (
        f"{found}. A method without negatives is prone to it: the learning rate is likely too high, "
        "or the batch too small for its batch norm; lower lr, take larger batches, or choose a framework "
        "with negatives"
    )
