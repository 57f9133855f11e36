"""SimCLR (Chen et al., 2020): one encoder, a projection head, everybody else in the batch a negative."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import torch
from torch import Tensor

from pairsift.encoders import build_encoder
from pairsift.frameworks.base import Framework, FrameworkConfig
from pairsift.frameworks.heads import projection_head
from pairsift.losses import Contrast


@dataclass(frozen=True)
class SimCLRConfig(FrameworkConfig):
    """SimCLR's settings.

    Args:
        hidden: size of the projection head's hidden layer.
        projection: size of the space where views are compared.
    """

    hidden: int = 512
    projection: int = 128


class SimCLR(Framework):
    """SimCLR with a weak view (scaling) and a strong one (permutation, then jitter).

    The features for users are the encoder's, before the projection head.

    Example:
        >>> framework = SimCLR(channels=9, length=128)
        >>> u, v = framework.views(x)        # x: (B, 9, 128)
        >>> losses = framework(u, v)         # (B,)
    """

    name = "simclr"
    Config: ClassVar[type[FrameworkConfig]] = SimCLRConfig

    def __init__(
        self,
        channels: int,
        length: int,
        loss: str | Contrast = "infonce",
        config: SimCLRConfig | None = None,
    ) -> None:
        config = config or SimCLRConfig()
        super().__init__(channels, length, loss, config)
        self.encoder = build_encoder(config.encoder, channels, length, **config.encoder_options)
        self.out_features = self.encoder.out_features
        self.head = projection_head(self.out_features, config.hidden, config.projection)

    def forward(self, u: Tensor, v: Tensor, negatives: Tensor | None = None) -> Tensor:
        """One loss a pair, (B,); see ``Framework.forward``."""
        self.check_pair(u, v)
        # Both views pass in one batch: one call into the convolutions, and one set of batch statistics.
        z = self.head(self.encoder(torch.cat([u, v])))  # (2B, projection)
        zu, zv = z.chunk(2)
        losses: Tensor = self.criterion(zu, zv, negatives)
        return losses

    def represent(self, x: Tensor) -> Tensor:
        """The encoder's features, (B, out_features)."""
        features: Tensor = self.encoder(x)
        return features
