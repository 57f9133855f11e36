"""The random draws behind the augmentations, apart from what is then done with them."""

from __future__ import annotations

from collections.abc import Sequence

import torch
from torch import Generator, Tensor


def draw_normal(shape: Sequence[int], like: Tensor, generator: Generator | None, sd: float = 1.0) -> Tensor:
    """Values N(0, sd) of ``like``'s type and device, drawn where the generator lives."""
    device = like.device if generator is None else generator.device
    drawn = torch.empty(shape, dtype=like.dtype, device=device).normal_(0, sd, generator=generator)
    return drawn.to(like.device)


def draw_segments(
    x: Tensor, max_segments: int, strength: Tensor | None, generator: Generator | None
) -> Tensor:
    """How many segments each series is cut into: uniform in 1..max_segments, fewer at less strength, (B,)."""
    device = x.device if generator is None else generator.device
    drawn = torch.randint(1, max_segments + 1, (len(x),), generator=generator, device=device).to(x.device)
    if strength is None:
        return drawn
    return 1 + ((drawn - 1) * strength.to(x.device)).round().long()


def draw_order(x: Tensor, max_segments: int, segments: Tensor, generator: Generator | None) -> Tensor:
    """A random order of each series' segments, (B, max_segments).

    The first ``segments[b]`` entries of row b are a random permutation of 0..segments[b]-1; what follows
    stands for segments that do not exist.
    """
    device = x.device if generator is None else generator.device
    keys = torch.rand((len(x), max_segments), generator=generator, device=device).to(x.device)
    missing = torch.arange(max_segments, device=x.device) >= segments[:, None]
    return (keys + missing).argsort(1)  # a missing segment's key is at least 1: it comes last


def permutation_index(order: Tensor, segments: Tensor, length: int) -> Tensor:
    """From which time step each time step of a permuted series is taken, (B, T).

    Args:
        order: which segment comes when, shape (B, max_segments); as ``draw_order`` gives it.
        segments: how many segments each series is cut into, shape (B,).
        length: T.
    """
    base = (length // segments)[:, None]  # (B, 1)
    longer = (length % segments)[:, None]  # this many first segments are one step longer
    size = torch.where(
        order < segments[:, None], base + (order < longer), 0
    )  # (B, max_segments), in new order
    begin = order * base + torch.minimum(order, longer)  # where each was in the series
    shift = begin - (size.cumsum(1) - size)  # ... less where it is now
    series = len(order)
    steps = torch.arange(length, device=order.device)
    shifts = shift.flatten().repeat_interleave(size.flatten(), output_size=series * length)
    return shifts.view(series, length) + steps
