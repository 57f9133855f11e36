"""What a framework asks for: two views of every series, each by its own augmentation."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import torch
from torch import Generator, Tensor

from pairsift.augment import functional
from pairsift.errors import PairsiftError

# (x (B, C, T), strength (B,) or None for full, generator) -> a view (B, C, T)
Augmentation = Callable[[Tensor, Tensor | None, Generator | None], Tensor]


@dataclass(frozen=True)
class Strengths:
    """How strong the augmentations are: standard deviations in the series' own units.

    Args:
        scale: standard deviation of the scaling factors.
        jitter: standard deviation of the added noise.
        segments: the most segments that a permutation cuts.
        scale_mean: mean of the scaling factors.
        per: what has a scaling factor of its own, a "channel" or a time "step".
    """

    scale: float
    jitter: float
    segments: int
    scale_mean: float = 1.0
    per: str = "channel"


_TSTCC = {
    "har": Strengths(1.1, 0.8, 8),
    "epilepsy": Strengths(0.001, 0.001, 5),
    "sleep-edf": Strengths(1.5, 2.0, 12),
}

STRENGTHS: dict[str, Strengths] = {
    # The settings of TS-TCC's code, which the paper follows, with scaling per channel and mean 1.
    **_TSTCC,
    # The same as that code applies them: factors of mean 2, one a time step.
    **{f"{name}-released": replace(s, scale_mean=2.0, per="step") for name, s in _TSTCC.items()},
    # No numbers were published for these: our choice, for series of a spread near 1. An ECG's shape is what
    # counts, so its noise is small and its segments (of ten seconds) long enough to hold whole beats.
    "ptb-xl": Strengths(0.5, 0.1, 5),
    "simulated": Strengths(0.5, 0.3, 5),
    "mild": Strengths(0.2, 0.05, 3),
    "default": Strengths(0.5, 0.3, 5),
}


@dataclass(frozen=True)
class TwoViews:
    """Draws the two views of a batch.

    Args:
        first: makes the first view.
        second: makes the second view.
    """

    first: Augmentation
    second: Augmentation

    def __call__(
        self,
        x: Tensor,
        other: Tensor | None = None,
        *,
        gentle: Tensor | None = None,
        generator: Generator | None = None,
    ) -> tuple[Tensor, Tensor]:
        """Draw two views of every series.

        Args:
            x: series, shape (B, C, T).
            other: where the second view is drawn from if not from ``x``, shape (B, C, T).
            gentle: how much milder each series' views shall be, shape (B,): a mask, or 0 (full strength) to 1
                (not augmented at all). Where it is above 0 the second view is drawn from ``x`` too.
            generator: where the randomness comes from; torch's own if None.

        Returns:
            Two batches of views, each (B, C, T).
        """
        if other is not None and other.shape != x.shape:
            raise PairsiftError(f"other must have x's shape {tuple(x.shape)}, got {tuple(other.shape)}")
        source = x if other is None else other
        strength = None
        if gentle is not None:
            if gentle.shape != x.shape[:1]:
                raise PairsiftError(f"gentle must have shape ({len(x)},), got {tuple(gentle.shape)}")
            strength = 1 - gentle.to(device=x.device, dtype=torch.float32)
            if other is not None:
                source = torch.where((strength < 1)[:, None, None], x, other)
        return self.first(x, strength, generator), self.second(source, strength, generator)


@dataclass(frozen=True)
class Weak:
    """Scaling."""

    strengths: Strengths

    def __call__(self, x: Tensor, strength: Tensor | None, generator: Generator | None) -> Tensor:
        """Draw a view."""
        s = self.strengths
        return functional.scale(
            x, s.scale, mean=s.scale_mean, per=s.per, strength=strength, generator=generator
        )


@dataclass(frozen=True)
class Strong:
    """Permutation, then jitter."""

    strengths: Strengths

    def __call__(self, x: Tensor, strength: Tensor | None, generator: Generator | None) -> Tensor:
        """Draw a view."""
        s = self.strengths
        return functional.jitter_permute(x, s.jitter, s.segments, strength=strength, generator=generator)


def identity(x: Tensor, strength: Tensor | None, generator: Generator | None) -> Tensor:
    """The series itself."""
    return x


def weak_strong(strengths: Strengths) -> TwoViews:
    """A weak first view (scaling) and a strong second one (permutation, then jitter)."""
    return TwoViews(Weak(strengths), Strong(strengths))


def plain() -> TwoViews:
    """No augmentation: the views are the series themselves (``x``, and ``other`` where it is given)."""
    return TwoViews(identity, identity)
