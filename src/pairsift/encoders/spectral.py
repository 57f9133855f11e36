"""What a spectral encoder sees of a series: how strong each of its frequencies is."""

from __future__ import annotations

import torch
from torch import Tensor


def spectrum_length(length: int) -> int:
    """How many frequencies a real series of ``length`` steps has."""
    return length // 2 + 1


def magnitude_spectrum(x: Tensor) -> Tensor:
    """log(1 + amplitude) of every frequency, shape (B, C, T // 2 + 1), in float32 whatever autocast says.

    A real series' spectrum is symmetric, so half of it is all of it. Amplitudes are divided by sqrt(T), so
    that noise of one variance looks alike at any length; the logarithm keeps a series' level and main beat,
    which are larger than all else by orders of magnitude, from drowning the rest.

    Args:
        x: series, shape (B, C, T).
    """
    with torch.autocast(x.device.type, enabled=False):
        series = x if x.dtype == torch.float64 else x.float()
        amplitudes: Tensor = torch.fft.rfft(series, norm="ortho").abs()
        return amplitudes.log1p()
