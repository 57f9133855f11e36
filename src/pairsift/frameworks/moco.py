"""MoCo v2 (He et al., 2020; Chen et al., 2020): a slow copy makes keys, old keys queue as negatives."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar

import torch
from torch import Tensor, nn

from pairsift.encoders import build_encoder
from pairsift.frameworks.base import Framework, FrameworkConfig
from pairsift.frameworks.ema import MovingAverage
from pairsift.frameworks.heads import projection_head
from pairsift.frameworks.queue import KeyQueue
from pairsift.losses import Contrast
from pairsift.losses.embeddings import check_embeddings, unit
from pairsift.losses.gather import gather_uneven

MASKED = -1e30  # stands for -inf in logsumexp, whose gradient is NaN where nothing else is in a row


@dataclass(frozen=True)
class MoCoConfig(FrameworkConfig):
    """MoCo's settings.

    Args:
        hidden: size of the projection head's hidden layer.
        projection: size of a key.
        queue: how many keys serve as negatives. Keep it below the number of series, or a series meets its own
            old keys among them.
        momentum: of the slow copy. The published value, though meant for a million steps, also did best in
            a few hundred steps on HAR; at 0.9 keys changed too fast to be learned.
    """

    hidden: int = 512
    projection: int = 128
    queue: int = 1024
    momentum: float = 0.999


class MoCo(Framework):
    """MoCo with version 2's head (two layers, no batch norm); the first view asks, the second is the key.

    While training, ``forward`` also moves the slow copy and, once the loss is taken, lets the new keys into
    the queue; a plain loop needs nothing more. In eval mode it changes nothing.

    Decided here, where the method's paper leaves room or its answer does not fit:

    - The queue starts empty. The negatives' sum is scaled up to that of a full queue, by K / (how many there
      are), so that a loss means the same from the first batches on; else a miner would take the pairs of the
      first batches for easy ones. The very first batch, with nothing in the queue, has its own other keys.
    - The slow copy normalises by averaged statistics (see ``MovingAverage``) instead of shuffling batches
      between devices: that leak is closed, and it works on one device.
    - A series that ``negatives`` masks stays out of the queue.
    - Under several processes everybody's keys enter every queue.

    The features for users are the trained encoder's, before the projection head.
    """

    name = "moco"
    criterion: Contrast
    Config: ClassVar[type[FrameworkConfig]] = MoCoConfig

    def __init__(
        self,
        channels: int,
        length: int,
        loss: str | Contrast = "infonce",
        config: MoCoConfig | None = None,
    ) -> None:
        config = config or MoCoConfig()
        super().__init__(channels, length, loss, config)
        self.encoder = build_encoder(config.encoder, channels, length, **config.encoder_options)
        self.out_features = self.encoder.out_features
        self.head = projection_head(self.out_features, config.hidden, config.projection, norm=False)
        self.slow = MovingAverage(nn.Sequential(self.encoder, self.head), config.momentum)
        self.queue = KeyQueue(config.queue, config.projection)

    def forward(self, u: Tensor, v: Tensor, negatives: Tensor | None = None) -> Tensor:
        """One loss a pair, (B,); see ``Framework.forward``."""
        self.check_pair(u, v)
        if self.training:
            self.slow.follow(nn.Sequential(self.encoder, self.head))
        queries = self.head(self.encoder(u))  # (B, D)
        keys = unit(self.slow(v))  # (B, D)
        check_embeddings(queries, keys, negatives, least=2)
        losses = self.contrast(unit(queries), keys, negatives)
        if self.training:
            self.queue.push(gather_uneven(keys), None if negatives is None else gather_uneven(negatives))
        return losses

    def contrast(self, queries: Tensor, keys: Tensor, negatives: Tensor | None = None) -> Tensor:
        """One-sided loss against the queue, shape (B,).

        Args:
            queries: of unit length, shape (B, D).
            keys: of unit length, shape (B, D).
            negatives: mask, shape (B,); only counts while the queue is empty.
        """
        valid = self.queue.valid
        others = ~torch.eye(len(keys), dtype=torch.bool, device=keys.device)  # (B, B)
        if negatives is not None:
            others = others & negatives
        kept = torch.cat([valid.expand(len(keys), -1), others & ~valid.any()], dim=1)  # (B, K + B)
        with torch.autocast(queries.device.type, enabled=False):
            # A copy, so that the next push leaves what the gradient needs alone.
            bank = torch.cat([self.queue.keys.to(keys.dtype), keys])  # (K + B, D)
            logits = queries @ bank.T / self.criterion.temperature  # (B, K + B)
            positive = (queries * keys).sum(1) / self.criterion.temperature
            count = kept.sum(1)
            negative = logits.masked_fill(~kept, MASKED).logsumexp(1)
            negative = negative + math.log(self.queue.size) - count.clamp(min=1).log()
            # Where there is no negative at all, -inf says so and stops its gradient.
            return self.criterion.combine(positive, negative.masked_fill(count == 0, -torch.inf))

    def chance_level(self, batch_size: int) -> float | None:
        """The loss of a collapsed encoder; None where the criterion knows none."""
        return self.criterion.chance_level(batch_size, bank=self.queue.size)

    def represent(self, x: Tensor) -> Tensor:
        """The encoder's features, (B, out_features)."""
        features: Tensor = self.encoder(x)
        return features
