"""BTSF (Yang and Hong, 2022), a reconstruction: time and spectrum of a series, fused bilinearly."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import torch
from torch import Generator, Tensor

from pairsift.augment.dropout import drop
from pairsift.augment.views import TwoViews
from pairsift.encoders.fusion import BilinearFusion
from pairsift.errors import PairsiftError
from pairsift.frameworks.base import Framework, FrameworkConfig
from pairsift.losses import Contrast


@dataclass(frozen=True)
class Dropped:
    """A view by dropout of the whole series, at a rate."""

    rate: float

    def __call__(self, x: Tensor, strength: Tensor | None, generator: Generator | None) -> Tensor:
        """Draw a view."""
        return drop(x, self.rate, strength=strength, generator=generator)


@dataclass(frozen=True)
class BTSFConfig(FrameworkConfig):
    """BTSF's settings.

    Args:
        encoder: "fusion", its own; no other has what is fused.
        encoder_options: what ``BilinearFusion`` takes: width, rank, rounds, levels, pool.
        augmentation: "dropout" as published, "none", or a name in ``STRENGTHS``.
        rate: of the dropout that makes the views.
    """

    encoder: str = "fusion"
    augmentation: str = "dropout"
    rate: float = 0.1

    published: ClassVar[dict[str, dict[str, Any]]] = {"simulated": {"augmentation": "none"}}

    def build_views(self) -> TwoViews:
        """Two dropouts of the series."""
        if self.augmentation != "dropout":
            return super().build_views()
        return TwoViews(Dropped(self.rate), Dropped(self.rate))


class BTSF(Framework):
    """BTSF. Its authors published no code: this is a reconstruction from the paper.

    Two dropouts of the whole series are its views. The encoder (``BilinearFusion``) has a temporal branch of
    dilated causal convolutions and a spectral branch of convolutions; their low-rank bilinear fusion refines
    both a few times (spectrum-to-time by a bidirectional causal convolution, time-to-spectrum by a
    convolution), and is then pooled, signed-square-rooted and brought to length 1. The loss compares these
    fused vectors, without a projection head.

    The features for users are what is fused: both domains' refined maps, averaged over time and over
    frequencies, side by side. The fused vectors stand where other methods have a projection head's output,
    and like it they come to keep little but what tells one series from the next: on HAR's validation people
    a probe on them fell below the untrained encoder's as training went on, and one on the maps did not.
    """

    name = "btsf"
    Config: ClassVar[type[FrameworkConfig]] = BTSFConfig

    def __init__(
        self,
        channels: int,
        length: int,
        loss: str | Contrast = "infonce",
        config: BTSFConfig | None = None,
    ) -> None:
        config = config or BTSFConfig()
        super().__init__(channels, length, loss, config)
        if config.encoder != "fusion":
            raise PairsiftError(f"BTSF has an encoder of its own, 'fusion'; got encoder={config.encoder!r}")
        self.encoder = BilinearFusion(channels, **config.encoder_options)
        self.out_features = self.encoder.features

    def forward(self, u: Tensor, v: Tensor, negatives: Tensor | None = None) -> Tensor:
        """One loss a pair, (B,); see ``Framework.forward``."""
        self.check_pair(u, v)
        fused_u, fused_v = self.encoder(torch.cat([u, v])).chunk(2)  # (B, rank) each
        losses: Tensor = self.criterion(fused_u, fused_v, negatives)
        return losses

    def represent(self, x: Tensor) -> Tensor:
        """Both domains' refined features, averaged, side by side: (B, out_features)."""
        t, s = self.encoder.refined(x)
        return torch.cat([t.mean(2), s.mean(2)], dim=1)
