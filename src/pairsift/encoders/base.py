"""What an encoder is: series in, feature maps out, and from those one vector a series."""

from __future__ import annotations

from abc import ABC, abstractmethod

from torch import Tensor, nn

from pairsift.errors import PairsiftError


class Encoder(nn.Module, ABC):
    """Turns series (B, C, T) into feature maps (B, F, L) and into vectors (B, D).

    Attributes:
        channels: C, of the series it takes.
        length: T, of the series it takes.
        map_channels: F.
        map_length: L.
        out_features: D.
    """

    map_channels: int
    map_length: int
    out_features: int

    def __init__(self, channels: int, length: int) -> None:
        super().__init__()
        if channels < 1 or length < 2:
            raise PairsiftError(
                f"an encoder needs at least one channel and two time steps, got {channels} and {length}"
            )
        self.channels = channels
        self.length = length

    @abstractmethod
    def maps(self, x: Tensor) -> Tensor:
        """Feature maps (B, F, L) of series (B, C, T)."""

    @abstractmethod
    def pool(self, maps: Tensor) -> Tensor:
        """Vectors (B, D) of feature maps (B, F, L)."""

    def forward(self, x: Tensor) -> Tensor:
        """Vectors (B, D) of series (B, C, T)."""
        return self.pool(self.maps(x))

    def check(self, x: Tensor) -> None:
        """Refuse series of another shape than the encoder was made for."""
        if x.ndim != 3 or x.shape[1] != self.channels or x.shape[2] != self.length:
            raise PairsiftError(
                f"this encoder takes series of shape (batch, {self.channels}, {self.length}), got "
                f"{tuple(x.shape)}"
            )
