"""A transformer that reads the first steps of a feature map and says in one vector what they held."""

from __future__ import annotations

import torch
from torch import Tensor, nn


class ContextSummary(nn.Module):
    """TS-TCC's summary: a learned context token reads the steps through pre-norm self-attention.

    As published there are no position codes: the convolutions below have already seen the order nearby.

    Args:
        features: channels of the map, F.
        hidden: width of the transformer and size of the summary.
        layers: how many attention blocks.
        heads: attention heads a block.
        mlp: width of each block's feed-forward layer.
        dropout: inside the blocks.
    """

    def __init__(
        self, features: int, hidden: int, layers: int = 4, heads: int = 4, mlp: int = 64, dropout: float = 0.1
    ) -> None:
        super().__init__()
        self.embed = nn.Linear(features, hidden)
        self.token = nn.Parameter(torch.randn(hidden))
        block = nn.TransformerEncoderLayer(
            hidden, heads, mlp, dropout, activation="relu", batch_first=True, norm_first=True
        )
        self.blocks = nn.TransformerEncoder(block, layers, enable_nested_tensor=False)

    def forward(self, steps: Tensor) -> Tensor:
        """Summarise steps (B, L, F), L at least 1, as (B, hidden)."""
        embedded = self.embed(steps)  # (B, L, hidden)
        token = self.token.to(embedded.dtype).expand(len(steps), 1, -1)
        context: Tensor = self.blocks(torch.cat([token, embedded], dim=1))[:, 0]
        return context
