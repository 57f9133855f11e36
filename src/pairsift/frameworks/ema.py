"""A slow copy of a network: its parameters are a moving average of the network's, and it never trains."""

from __future__ import annotations

import copy
from typing import Self

import torch
from torch import Tensor, nn

from pairsift.errors import PairsiftError


class MovingAverage(nn.Module):
    """The moving average of a network, called like the network.

    It starts equal to the network. Floating buffers (batch norm's running statistics) are averaged along
    with the parameters, others are copied. It always runs as in eval mode, also while its parent trains: no
    dropout, and batch norm by the averaged statistics, so what it says of a series does not depend on the
    series beside it. (With statistics of the batch, a query could find its key by the statistics alone.)

    Args:
        network: what to follow. It is copied, not kept.
        momentum: how much of the old average stays at an update, in [0, 1).
    """

    def __init__(self, network: nn.Module, momentum: float) -> None:
        super().__init__()
        if not 0 <= momentum < 1:
            raise PairsiftError(f"momentum must lie in [0, 1), got {momentum}")
        self.momentum = momentum
        self.network = copy.deepcopy(network).requires_grad_(False).eval()

    def train(self, mode: bool = True) -> Self:
        """Stay in eval mode, whatever the parent does."""
        return super().train(False)

    @torch.no_grad()
    def follow(self, network: nn.Module) -> None:
        """Move towards ``network``: average = momentum * average + (1 - momentum) * network."""
        averages, news = [], []
        for average, new in zip(_state(self.network), _state(network), strict=True):
            if average.is_floating_point():
                averages.append(average)
                news.append(new.detach())
            else:
                average.copy_(new)
        torch._foreach_lerp_(averages, news, 1 - self.momentum)

    @torch.no_grad()
    def forward(self, x: Tensor) -> Tensor:
        """What the slow copy makes of ``x``, without gradient."""
        out: Tensor = self.network(x)
        return out


def _state(network: nn.Module) -> list[Tensor]:
    return [*network.parameters(), *network.buffers()]
