"""Encoders: from series (B, C, T) to feature maps (B, F, L) and vectors (B, D)."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from pairsift.encoders.base import Encoder
from pairsift.encoders.conv import ConvEncoder
from pairsift.encoders.resnet import ResNet1d
from pairsift.errors import PairsiftError

ENCODERS: dict[str, Callable[..., Encoder]] = {
    "conv": ConvEncoder,
    "resnet18": partial(ResNet1d, depth=18),
    "resnet34": partial(ResNet1d, depth=34),
    "resnet50": partial(ResNet1d, depth=50),
}


def build_encoder(name: str, channels: int, length: int, **options: Any) -> Encoder:
    """Make an encoder by its name.

    Args:
        name: one of ``ENCODERS``.
        channels: C of the series it will see.
        length: T of the series it will see.
        options: what else the encoder takes.

    Example:
        >>> build_encoder("conv", channels=9, length=128).out_features
        2304
    """
    if name not in ENCODERS:
        raise PairsiftError(f"unknown encoder {name!r}; there are {', '.join(ENCODERS)}")
    return ENCODERS[name](channels, length, **options)


__all__ = ["ENCODERS", "ConvEncoder", "Encoder", "ResNet1d", "build_encoder"]
