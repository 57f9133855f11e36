"""Layers along time, computed as on images one step high.

On a CPU, images whose channels lie together in memory ("channels last") go through convolution, batch norm
and above all max-pooling faster than series do through their one-dimensional namesakes (an encoder step 1.2
to 1.6 times, in float32 and in bfloat16) and to the same numbers. torch knows that layout for images alone.
"""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor, nn
from torch.autograd.function import once_differentiable

from pairsift.encoders.spared import spared


class Conv2d(nn.Conv2d):
    """torch's own, to the right numbers in bfloat16 too (see ``spared``)."""

    def _conv_forward(self, input: Tensor, weight: Tensor, bias: Tensor | None) -> Tensor:
        convolved: Tensor = super()._conv_forward(*spared(input, weight), bias)
        return convolved


def conv(width_in: int, width_out: int, kernel: int, stride: int = 1) -> nn.Conv2d:
    """A convolution along time, padded by half its kernel; no bias, since batch norm follows."""
    return Conv2d(width_in, width_out, (1, kernel), stride=(1, stride), padding=(0, kernel // 2), bias=False)


class Halve(nn.MaxPool2d):
    """Max-pooling by two along time, padded by one: torch's own, but several times faster in training.

    On a CPU, that is: it remembers which of two is the larger, not where it was.
    """

    def __init__(self) -> None:
        super().__init__((1, 2), stride=(1, 2), padding=(0, 1))

    def forward(self, image: Tensor) -> Tensor:
        """An image (B, C, 1, T) to (B, C, 1, T // 2 + 1)."""
        if not (image.requires_grad and image.device.type == "cpu" and _lie_together(image)):
            pooled: Tensor = super().forward(image)
            return pooled
        halved: Tensor = _Halve.apply(image)  # type: ignore[no-untyped-call]
        return halved


def _lie_together(image: Tensor) -> bool:
    return image.is_contiguous(memory_format=torch.channels_last)


class _Halve(torch.autograd.Function):
    """The larger of steps 1 and 2, of 3 and 4, ...; step 0, and the last where it is odd, have no partner."""

    @staticmethod
    def forward(ctx: Any, image: Tensor) -> Tensor:
        length = image.shape[3]
        halved = _image_like(image, length // 2 + 1)
        x, out = _steps(image), _steps(halved)
        first, second = _partners(x)
        out[:, 0] = x[:, 0]
        torch.maximum(first, second, out=out[:, 1 : first.shape[1] + 1])
        if length % 2 == 0:
            out[:, -1] = x[:, -1]
        ctx.save_for_backward(torch.ge(first, second, out=x.new_empty(first.shape)))
        ctx.length = length
        return halved

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, grad: Tensor) -> Tensor:
        (larger,) = ctx.saved_tensors  # 1 where the first of two is, else 0
        whole = _image_like(grad, ctx.length)
        passed, out = _steps(grad.contiguous(memory_format=torch.channels_last)), _steps(whole)
        first, second = _partners(out)
        pairs = passed[:, 1 : first.shape[1] + 1]
        out[:, 0] = passed[:, 0]
        torch.mul(pairs, larger, out=first)
        torch.sub(pairs, first, out=second)
        if ctx.length % 2 == 0:
            out[:, -1] = passed[:, -1]
        return whole


def _image_like(image: Tensor, length: int) -> Tensor:
    shape = (*image.shape[:3], length)
    return torch.empty(shape, dtype=image.dtype, memory_format=torch.channels_last)


def _steps(image: Tensor) -> Tensor:
    """Of an image whose channels lie together, its memory as it lies: (B, T, C)."""
    return image.detach().squeeze(2).transpose(1, 2)


def _partners(x: Tensor) -> tuple[Tensor, Tensor]:
    """Steps 1, 3, ... and steps 2, 4, ... of (B, T, C), as many of each."""
    second = x[:, 2::2]
    return x[:, 1::2][:, : second.shape[1]], second


class ChannelsLast(nn.Module):
    """Lets the channels of an image lie together in memory, where that helps; values stay as they are.

    It is needed before the first convolution, and after it too: with one channel the layouts cannot be told
    apart, and the convolution takes the other one.
    """

    def forward(self, image: Tensor) -> Tensor:
        """The same image (B, C, 1, T)."""
        return image.contiguous(memory_format=torch.channels_last) if image.device.type == "cpu" else image


class Dropout(nn.Dropout):
    """torch's own, several times faster on a CPU: a value's fate takes 16 random bits, not a draw of its own.

    The rate is rounded to a multiple of 2^-16, and what stays grows by just what that asks for.
    """

    def forward(self, x: Tensor) -> Tensor:
        """Some values zero, the others larger, in training; ``x`` itself else."""
        dropped = round(self.p * 2**16)
        if not self.training or x.device.type != "cpu" or not 0 < dropped < 2**16:
            return super().forward(x)
        values = x.numel()
        bits = torch.empty(-(-values // 4), dtype=torch.int64).random_(-(2**63), None).view(torch.int16)
        mask = torch.empty_like(x, requires_grad=False)  # its memory has no gaps: it can be filled as a line
        torch.ge(bits[:values], dropped - 2**15, out=mask.as_strided((values,), (1,)))
        return x * mask.mul_(2**16 / (2**16 - dropped))


def _together(grad: Tensor) -> Tensor:
    return grad.contiguous(memory_format=torch.channels_last)


def series_of(image: Tensor) -> Tensor:
    """An image (B, F, 1, L) as (B, F, L), whose gradient comes back with its channels together too.

    What follows an encoder knows no such layout, and layers are slow where gradient and image differ in it.
    """
    if image.requires_grad and image.device.type == "cpu":
        image.register_hook(_together)  # type: ignore[no-untyped-call]
    return image.squeeze(2)


def length_after(length: int, kernel: int, stride: int, padding: int) -> int:
    """Time steps that a convolution or a pooling leaves."""
    return (length + 2 * padding - kernel) // stride + 1
