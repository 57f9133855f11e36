"""A way round a fault of oneDNN: some bfloat16 convolutions come out wrong where the CPU has AMX units."""

from __future__ import annotations

import torch
from torch import Tensor
from torch.nn import functional as F

WIDE = 16  # channels from which on the fault is not met
BLOCK = 32  # bfloat16 values that AMX multiplies at once


def spared(x: Tensor, weight: Tensor) -> tuple[Tensor, Tensor]:
    """The same convolution, its input and its weight, in a form that comes out right.

    Seen with torch 2.13 (oneDNN 3.12) on CPUs with AMX, in ``conv1d`` and in ``conv2d``: with an even number
    of channels below 16, and channels times kernel width a multiple of 32, the results have nothing to do
    with the input (relative error 1, without a warning). An odd number of channels is never hit, so such an
    input gets one more channel, of zeros. The gradients are right either way.

    Args:
        x: what is convolved, shape (B, C, ..., T).
        weight: shape (out, C, ..., kernel).
    """
    channels, kernel = weight.shape[1], weight.shape[-1]
    hit = channels < WIDE and channels % 2 == 0 and channels * kernel % BLOCK == 0
    if not hit or x.device.type != "cpu" or _type_of_arithmetic(x) != torch.bfloat16:
        return x, weight
    one_more = (0, 0) * (x.ndim - 2) + (0, 1)
    return F.pad(x, one_more), F.pad(weight, one_more)


def _type_of_arithmetic(x: Tensor) -> torch.dtype:
    return torch.get_autocast_dtype("cpu") if torch.is_autocast_enabled("cpu") else x.dtype
