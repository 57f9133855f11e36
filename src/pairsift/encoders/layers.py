"""Layers along time, computed as on images one step high.

On a CPU, images whose channels lie together in memory ("channels last") go through convolution, batch norm
and above all max-pooling faster than series do through their one-dimensional namesakes (an encoder step 1.2
to 1.6 times, in float32 and in bfloat16) and to the same numbers. torch knows that layout for images alone.
"""

from __future__ import annotations

import torch
from torch import Tensor, nn

from pairsift.encoders.spared import spared


class Conv2d(nn.Conv2d):
    """torch's own, to the right numbers in bfloat16 too (see ``spared``)."""

    def _conv_forward(self, input: Tensor, weight: Tensor, bias: Tensor | None) -> Tensor:
        convolved: Tensor = super()._conv_forward(*spared(input, weight), bias)
        return convolved


def conv(width_in: int, width_out: int, kernel: int, stride: int = 1) -> nn.Conv2d:
    """A convolution along time, padded by half its kernel; no bias, since batch norm follows."""
    return Conv2d(width_in, width_out, (1, kernel), stride=(1, stride), padding=(0, kernel // 2), bias=False)


def halve() -> nn.MaxPool2d:
    """Max-pooling by two along time, padded by one."""
    return nn.MaxPool2d((1, 2), stride=(1, 2), padding=(0, 1))


class ChannelsLast(nn.Module):
    """Lets the channels of an image lie together in memory, where that helps; values stay as they are.

    It is needed before the first convolution, and after it too: with one channel the layouts cannot be told
    apart, and the convolution takes the other one.
    """

    def forward(self, image: Tensor) -> Tensor:
        """The same image (B, C, 1, T)."""
        return image.contiguous(memory_format=torch.channels_last) if image.device.type == "cpu" else image


def length_after(length: int, kernel: int, stride: int, padding: int) -> int:
    """Time steps that a convolution or a pooling leaves."""
    return (length + 2 * padding - kernel) // stride + 1
