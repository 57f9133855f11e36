"""Dropping single values of a series: a mild augmentation that keeps its shape and its time axis."""

from __future__ import annotations

import torch
from torch import Generator, Tensor

from pairsift.errors import PairsiftError


def drop(
    x: Tensor, rate: float = 0.1, *, strength: Tensor | None = None, generator: Generator | None = None
) -> Tensor:
    """Set values to zero at random; those that stay grow by 1 / (1 - rate), so that the mean stays.

    Args:
        x: series, shape (B, C, T).
        rate: how likely a value is dropped, in [0, 1).
        strength: multiplies ``rate``, shape (B,).
        generator: where the randomness comes from; torch's own if None.
    """
    if not 0 <= rate < 1:
        raise PairsiftError(f"rate must lie in [0, 1), got {rate}")
    own = x.new_full((len(x), 1, 1), rate)  # each series' rate
    if strength is not None:
        own = own * strength.to(device=x.device, dtype=x.dtype)[:, None, None]
    device = x.device if generator is None else generator.device
    draws = torch.rand(x.shape, generator=generator, dtype=x.dtype, device=device).to(x.device)
    return x * (draws >= own) / (1 - own)
