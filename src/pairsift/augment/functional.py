"""Augmentations of a batch of series (B, C, T): no loop over series, on the batch's device.

Each draws from ``generator`` (torch's own randomness if None; one on the CPU serves any device) and takes a
``strength`` (B,) in [0, 1], each series' own share of the full strength: 0 hands the series back unchanged.
"""

from __future__ import annotations

from torch import Generator, Tensor

from pairsift.augment.draws import draw_normal, draw_order, draw_segments, permutation_index
from pairsift.errors import PairsiftError


def jitter(
    x: Tensor, sd: float, *, strength: Tensor | None = None, generator: Generator | None = None
) -> Tensor:
    """Add independent noise N(0, sd) to every value.

    Args:
        x: series, shape (B, C, T).
        sd: the noise's standard deviation, in the series' own units.
        strength: multiplies ``sd``, shape (B,).
        generator: where the randomness comes from.
    """
    _check(x, strength, sd=sd)
    noise = draw_normal(x.shape, x, generator, sd)
    if strength is not None:
        noise *= _each(strength, x)
    return noise.add_(x)


def scale(
    x: Tensor,
    sd: float,
    *,
    mean: float = 1.0,
    per: str = "channel",
    strength: Tensor | None = None,
    generator: Generator | None = None,
) -> Tensor:
    """Multiply by random factors N(mean, sd).

    Args:
        x: series, shape (B, C, T).
        sd: the factors' standard deviation.
        mean: the factors' mean.
        per: "channel", one factor a channel of a series (Um et al.), or "step", one a time step, the same for
            all channels, as TS-TCC's and the paper's released code does: that is multiplicative noise.
        strength: multiplies ``sd`` and the distance of ``mean`` from 1, shape (B,).
        generator: where the randomness comes from.
    """
    _check(x, strength, sd=sd)
    if per not in ("channel", "step"):
        raise PairsiftError(f"per must be 'channel' or 'step', got {per!r}")
    series, channels, length = x.shape
    shape = (series, channels, 1) if per == "channel" else (series, 1, length)
    change = draw_normal(shape, x, generator, sd).add_(mean - 1)
    if strength is not None:
        change *= _each(strength, x)
    return x * change.add_(1)


def permute(
    x: Tensor, max_segments: int, *, strength: Tensor | None = None, generator: Generator | None = None
) -> Tensor:
    """Cut each series into 1 to ``max_segments`` equal segments and put them in random order.

    All channels of a series are cut and ordered alike. Where the length does not divide evenly, the first
    segments are one step longer. A series shorter than its segments are many has some of length 0.

    Args:
        x: series, shape (B, C, T).
        max_segments: the most segments that a series is cut into.
        strength: of n segments drawn, 1 + round((n - 1) * strength) are cut, shape (B,).
        generator: where the randomness comes from.
    """
    _check(x, strength, sd=0.0)
    if max_segments < 1:
        raise PairsiftError(f"max_segments must be at least 1, got {max_segments}")
    segments = draw_segments(x, max_segments, strength, generator)  # (B,)
    order = draw_order(x, max_segments, segments, generator)  # (B, max_segments)
    source = permutation_index(order, segments, x.shape[2])  # (B, T)
    return x.gather(2, source[:, None].expand_as(x))


def jitter_permute(
    x: Tensor,
    sd: float,
    max_segments: int,
    *,
    strength: Tensor | None = None,
    generator: Generator | None = None,
) -> Tensor:
    """Permute, then jitter: the strong view of TS-TCC and of the paper's SimCLR."""
    permuted = permute(x, max_segments, strength=strength, generator=generator)
    return jitter(permuted, sd, strength=strength, generator=generator)


def scale_permute(
    x: Tensor,
    sd: float,
    max_segments: int,
    *,
    mean: float = 1.0,
    per: str = "channel",
    strength: Tensor | None = None,
    generator: Generator | None = None,
) -> Tensor:
    """Permute, then scale."""
    permuted = permute(x, max_segments, strength=strength, generator=generator)
    return scale(permuted, sd, mean=mean, per=per, strength=strength, generator=generator)


def _each(strength: Tensor, x: Tensor) -> Tensor:
    """Each series' strength, shaped to multiply the series."""
    return strength.to(device=x.device, dtype=x.dtype)[:, None, None]


def _check(x: Tensor, strength: Tensor | None, *, sd: float) -> None:
    """Refuse what cannot be augmented."""
    if x.ndim != 3:
        raise PairsiftError(f"x must have shape (series, channels, time), got {tuple(x.shape)}")
    if not x.is_floating_point():
        raise PairsiftError(f"x must be floating point, got {x.dtype}; convert it with x.float()")
    if not sd >= 0:
        raise PairsiftError(f"sd must be 0 or more, got {sd}")
    if strength is not None and strength.shape != x.shape[:1]:
        raise PairsiftError(f"strength must have shape ({len(x)},), got {tuple(strength.shape)}")
