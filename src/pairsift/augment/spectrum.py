"""Changing a series in its spectrum: some frequencies taken out, some put in, phases kept."""

from __future__ import annotations

import torch
from torch import Generator, Tensor
from torch.nn import functional as F

from pairsift.errors import PairsiftError


def perturb_spectrum(
    x: Tensor,
    share: float = 0.1,
    level: float = 0.1,
    *,
    strength: Tensor | None = None,
    generator: Generator | None = None,
) -> Tensor:
    """TF-C's frequency augmentation, made a series again by keeping every frequency's phase.

    Each frequency of each channel is taken out with probability ``share``; each gains, with the same
    probability, an amplitude uniform in (0, ``level``) times the channel's largest. A channel's mean
    (frequency 0) is a level, not an oscillation: it stays as it is and does not count as the largest.

    Args:
        x: series, shape (B, C, T).
        share: how likely a frequency is taken out, and put in, in [0, 1].
        level: the most that is put in, as a share of the largest amplitude.
        strength: multiplies ``share``, shape (B,).
        generator: where the randomness comes from; torch's own if None.
    """
    if not 0 <= share <= 1:
        raise PairsiftError(f"share must lie in [0, 1], got {share}")
    likely = x.new_full((len(x), 1, 1), share)
    if strength is not None:
        likely = likely * strength.to(device=x.device, dtype=x.dtype)[:, None, None]
    spectrum = torch.fft.rfft(x)[:, :, 1:]  # (B, C, T // 2): all but the mean
    before = spectrum.abs()
    device = x.device if generator is None else generator.device
    draws = torch.rand((3, *before.shape), generator=generator, dtype=x.dtype, device=device).to(x.device)
    after = before * (draws[0] >= likely)
    after = after + (draws[1] < likely) * draws[2] * level * before.amax(2, keepdim=True)
    change = torch.polar(after, spectrum.angle()) - spectrum
    change = torch.where(after == before, 0, change)  # what is not changed is not rounded either
    perturbed: Tensor = x + torch.fft.irfft(F.pad(change, (1, 0)), n=x.shape[2])
    return perturbed
