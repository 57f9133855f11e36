"""Over-augmentation: changing a series so strongly that its temporal pattern is gone, on purpose."""

from __future__ import annotations

import torch
from torch import Generator, Tensor


def over_augment(
    x: Tensor,
    *,
    segments: int = 10,
    sd: float = 2.0,
    strength: Tensor | float | None = None,
    generator: Generator | None = None,
) -> Tensor:
    """Cut each series into pieces, shuffle them, and multiply every value by a random factor.

    Args:
        x: series, shape (B, C, T).
        segments: how many pieces; cut at random places, the same for all channels of a series.
        sd: deviation of the factors, whose mean is 1; a third of them turn the sign at the default.
        strength: each series' share of all this in [0, 1], shape (B,) or one number; 0 returns the series as
            it came, None is full strength.
        generator: where the randomness comes from; torch's own if None.

    Returns:
        Series, shape (B, C, T).
    """
    if segments < 1 or not sd >= 0:
        raise ValueError(f"segments must be at least 1 and sd at least 0, got {segments} and {sd}")
    count, _, length = x.shape
    share = torch.ones(count, device=x.device, dtype=x.dtype)
    if strength is not None:
        share = share * torch.as_tensor(strength, device=x.device, dtype=x.dtype)
        if not bool(((share >= 0) & (share <= 1)).all()):
            raise ValueError("strength must lie in [0, 1]")
    order = _shuffled_pieces(share, min(segments, length), length, generator)  # (B, T)
    moved = x.gather(2, order[:, None, :].expand_as(x))
    factors = torch.randn(x.shape, generator=generator, device=x.device, dtype=x.dtype)
    return moved * (1 + sd * share[:, None, None] * factors)


def strike_views(
    u: Tensor,
    v: Tensor,
    faulty: Tensor,
    *,
    segments: int = 10,
    sd: float = 2.0,
    strength: Tensor | float | None = None,
    generator: Generator | None = None,
) -> tuple[Tensor, Tensor]:
    """Over-augment one view of each faulty pair, a random one each time it is called.

    Args:
        u: first views, shape (B, C, T).
        v: second views, shape (B, C, T).
        faulty: which pairs are struck, bool, shape (B,).
        segments: as in `over_augment`.
        sd: as in `over_augment`.
        strength: as in `over_augment`, shape (B,) or one number: 0 leaves a pair whole.
        generator: where the randomness comes from; torch's own if None.

    Returns:
        Both views, shape (B, C, T); pairs that are not faulty as they came.
    """
    rows = faulty.nonzero().flatten()
    first = torch.rand(len(rows), generator=generator, device=u.device) < 0.5
    if isinstance(strength, Tensor) and strength.ndim:
        strength = strength[rows]
    struck = torch.where(first[:, None, None], u[rows], v[rows])
    struck = over_augment(struck, segments=segments, sd=sd, strength=strength, generator=generator)
    u, v = u.clone(), v.clone()
    u[rows[first]] = struck[first]
    v[rows[~first]] = struck[~first]
    return u, v


def _shuffled_pieces(share: Tensor, segments: int, length: int, generator: Generator | None) -> Tensor:
    """Time steps (B, T) in the order in which shuffled pieces put them; share 0 is one piece: no change."""
    count, device = len(share), share.device
    step = torch.arange(length, device=device).expand(count, length)
    if segments == 1:
        return step
    cuts = torch.randint(1, length, (count, segments - 1), generator=generator, device=device)
    places = torch.arange(segments - 1, device=device)
    wanted = (share * (segments - 1)).round()  # cuts that this series gets
    cuts = torch.where(places < wanted[:, None], cuts, length).sort(dim=1).values
    piece = torch.searchsorted(cuts, step.contiguous(), right=True)  # (B, T) in 0..segments-1
    rank = torch.rand(count, segments, generator=generator, device=device).argsort(dim=1)
    return (rank.gather(1, piece) * length + step).argsort(dim=1)
