"""TS-TCC (Eldele et al., 2021): predict the other view's next steps, and contrast the contexts."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, ClassVar

import torch
from torch import Tensor, nn

from pairsift.encoders import ResNet1d, build_encoder
from pairsift.errors import PairsiftError
from pairsift.frameworks.base import Framework, FrameworkConfig
from pairsift.frameworks.heads import projection_head
from pairsift.frameworks.summary import ContextSummary
from pairsift.losses import Contrast, InfoNCE
from pairsift.losses.embeddings import unit


@dataclass(frozen=True)
class TSTCCConfig(FrameworkConfig):
    """TS-TCC's settings.

    Args:
        steps: how many next steps of the feature map are predicted, K; at most half of the map is.
        hidden: size of the context, the transformer's summary.
        layers: the transformer's blocks.
        heads: attention heads a block.
        mlp: width of each block's feed-forward layer.
        projection: size of the space where contexts are compared.
        temporal: weight of the temporal contrast, both directions added up.
        contextual: weight of the contextual contrast.
    """

    steps: int = 6
    hidden: int = 100
    layers: int = 4
    heads: int = 4
    mlp: int = 64
    projection: int = 32
    temporal: float = 1.0
    contextual: float = 0.7

    published: ClassVar[dict[str, dict[str, Any]]] = {
        **FrameworkConfig.published,
        "epilepsy": {**FrameworkConfig.published["epilepsy"], "steps": 10},
        "sleep-edf": {**FrameworkConfig.published["sleep-edf"], "steps": 50, "hidden": 64},
        # Not in its papers: its own encoder, and steps as on Sleep-EDF, whose maps are as long.
        "ptb-xl": {"augmentation": "ptb-xl", "steps": 50},
    }


class TSTCC(Framework):
    """TS-TCC: a weak view (scaling), a strong one (permutation, then jitter), and two contrasts of them.

    *Temporal contrast.* A transformer summarises one view's feature map up to a step t; from this context
    linear maps predict the other view's next K steps. A prediction's candidates are the same step of every
    series in the batch (the paper's Eq. 2; the released code normalises over the predictions instead). Both
    directions are added up. t is drawn from torch's own generator while training, like dropout, once a
    batch for both directions; in eval mode it is the middle one. K is at most half of the map's length.
    Under several processes the candidates are one's own process' alone, as each draws a t of its own.

    *Contextual contrast.* The contexts of both views, projected, under the chosen loss.

    A robust loss takes the place of InfoNCE in both contrasts: a faulty view harms the prediction of its
    steps no less than the agreement of its contexts. InfoNCE scores predictions by their dot product with
    unit-length features, as published. RINCE does not ignore a shift of all scores and has no lower bound
    when scores have none, so any loss but InfoNCE scores by cosine over the temperature.

    Both contrasts read the encoder's feature map, and the features for users are this map, flattened (of a
    ResNet, averaged over time).
    """

    name = "tstcc"
    Config: ClassVar[type[FrameworkConfig]] = TSTCCConfig
    criterion: Contrast

    def __init__(
        self,
        channels: int,
        length: int,
        loss: str | Contrast = "infonce",
        config: TSTCCConfig | None = None,
    ) -> None:
        config = config or TSTCCConfig()
        super().__init__(channels, length, loss, config)
        self.encoder = build_encoder(config.encoder, channels, length, **config.encoder_options)
        features, steps = self.encoder.map_channels, self.encoder.map_length
        if steps < 2:
            raise PairsiftError(f"length {length} leaves one step of features, nothing to predict; give more")
        self.out_features = self.encoder.out_features
        if isinstance(self.encoder, ResNet1d):
            self.encoder.head.requires_grad_(False)  # it comes after the maps: nothing here would train it
            self.out_features = features
        self.steps = max(1, min(config.steps, steps // 2))
        self.weights = (config.temporal, config.contextual)
        self.summary = ContextSummary(features, config.hidden, config.layers, config.heads, config.mlp)
        self.predict = nn.Linear(config.hidden, self.steps * features)  # the K maps W_k, side by side
        self.head = projection_head(config.hidden, 2 * config.projection, config.projection)

    def forward(self, u: Tensor, v: Tensor, negatives: Tensor | None = None) -> Tensor:
        """One loss a pair, (B,); see ``Framework.forward``."""
        self.check_pair(u, v)
        # Each view passes by itself, encoder and head: the two differ in level and noise, and statistics of
        # both at once fit neither. On HAR's validation people a probe gained by it from the first epochs on.
        maps = torch.cat([self.encoder.maps(u), self.encoder.maps(v)]).transpose(1, 2)  # (2B, L, F)
        z = unit(maps.flatten(0, 1)).view(maps.shape)  # every step of length 1
        t = self.draw_step(z.shape[1])
        context = self.summary(z[:, : t + 1])  # (2B, hidden)
        ahead = self.predict(context).unflatten(1, (self.steps, -1))  # (2B, K, F)
        from_u, from_v = ahead.chunk(2)
        next_u, next_v = z[:, t + 1 : t + 1 + self.steps].chunk(2)  # (B, K, F)
        from_both = (self.head(part) for part in context.chunk(2))  # (B, projection) each
        contextual = self.criterion(*from_both, negatives)
        temporal = self.predictive(from_u, next_v, negatives) + self.predictive(from_v, next_u, negatives)
        losses: Tensor = self.weights[0] * temporal + self.weights[1] * contextual
        return losses

    def draw_step(self, length: int) -> int:
        """The last step t that the context sees, so that K more follow."""
        places = length - self.steps
        return int(torch.randint(places, ())) if self.training else places // 2

    def predictive(self, ahead: Tensor, coming: Tensor, negatives: Tensor | None = None) -> Tensor:
        """How well predictions find their own series' steps among the batch's, mean over the K steps.

        Args:
            ahead: predictions, shape (B, K, F).
            coming: the features that came, of unit length, shape (B, K, F).
            negatives: mask, shape (B,): False keeps a series from being anybody else's candidate.

        Returns:
            Losses, shape (B,).
        """
        with torch.autocast(ahead.device.type, enabled=False):
            if isinstance(self.criterion, InfoNCE):
                ahead = ahead.to(coming.dtype)
            else:
                ahead = unit(ahead.flatten(0, 1), 1 / self.criterion.temperature).view_as(coming)
            scores = torch.einsum("ikf,jkf->kij", ahead, coming)  # (K, B, B)
        left_out = torch.eye(len(ahead), dtype=torch.bool, device=ahead.device)
        if negatives is not None:
            left_out = left_out | ~negatives
        others = scores.masked_fill(left_out, -torch.inf).logsumexp(2)  # (K, B)
        own = scores.diagonal(dim1=1, dim2=2)  # (K, B)
        losses: Tensor = self.criterion.combine(own.flatten(), others.flatten()).view_as(own).mean(0)
        return losses

    def chance_level(self, batch_size: int) -> float | None:
        """Both directions' prediction among B steps, and the contexts'; see ``Framework.chance_level``."""
        level = super().chance_level(batch_size)
        if level is None:
            return None
        temporal, contextual = self.weights
        return 2 * temporal * math.log(batch_size) + contextual * level

    def represent(self, x: Tensor) -> Tensor:
        """The encoder's feature map, pooled as the encoder does but before a ResNet's last linear map."""
        maps = self.encoder.maps(x)
        return maps.mean(2) if isinstance(self.encoder, ResNet1d) else self.encoder.pool(maps)
