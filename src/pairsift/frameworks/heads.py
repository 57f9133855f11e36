"""The small network between an encoder's features and the space where the loss compares them."""

from __future__ import annotations

from torch import nn


def projection_head(features: int, hidden: int, out: int, *, norm: bool = True) -> nn.Sequential:
    """Linear, batch norm, ReLU, linear: (B, features) to (B, out).

    Args:
        features: size of what comes in.
        hidden: size of the layer between.
        out: size of what goes out.
        norm: whether the hidden layer is batch-normalised.
    """
    layers: list[nn.Module] = [nn.Linear(features, hidden, bias=not norm)]
    if norm:
        layers.append(nn.BatchNorm1d(hidden))
    return nn.Sequential(*layers, nn.ReLU(inplace=True), nn.Linear(hidden, out))
