"""TS-TCC's encoder as one would write it, in torch's one-dimensional layers: the library's network otherwise.

Only the way differs: ReLU before pooling, no layout of its own, torch's dropout.
"""

from __future__ import annotations

from torch import nn


def plain_encoder(channels: int, kernel: int, dropout: float, widths: list[int]) -> nn.Sequential:
    """Blocks of convolution, batch norm, ReLU and max-pooling, flattened; dropout after the first."""
    layers: list[nn.Module] = []
    for block, width in enumerate(widths):
        size = kernel if block == 0 else 8
        layers += [
            nn.Conv1d(channels, width, size, padding=size // 2, bias=False),
            nn.BatchNorm1d(width),
            nn.ReLU(),
            nn.MaxPool1d(2, stride=2, padding=1),
        ]
        if block == 0:
            layers.append(nn.Dropout(dropout))
        channels = width
    return nn.Sequential(*layers, nn.Flatten())
