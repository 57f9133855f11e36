"""Every framework in a size that tests can afford, and what they do with one."""

from __future__ import annotations

from typing import Any

import pytest
import torch
from torch import Tensor, nn

from pairsift.frameworks import FRAMEWORKS, Framework, build_framework

# What makes each method small; one that is not here is tested with these.
CONV = {"encoder_options": {"widths": (8, 8, 16)}}
SMALL: dict[str, dict[str, Any]] = {
    "moco": {**CONV, "hidden": 32, "projection": 16, "queue": 20},
    "simsiam": {**CONV, "projection": 64, "bottleneck": 32},
    "simclr": {**CONV, "hidden": 32, "projection": 16},
    "tstcc": {**CONV, "hidden": 16, "layers": 2, "heads": 2, "mlp": 16, "projection": 16},
    "tfc": {**CONV, "hidden": 32, "projection": 16},
    "btsf": {"encoder_options": {"width": 8, "rank": 16}},
}
WITHOUT_NEGATIVES = {"simsiam"}

NAMES = list(FRAMEWORKS)
COMBINATIONS = [
    (name, loss)
    for name in NAMES
    for loss in ("infonce", "rince")
    if not (loss == "rince" and name in WITHOUT_NEGATIVES)
]
every_framework = pytest.mark.parametrize("name", NAMES)
every_combination = pytest.mark.parametrize(("name", "loss"), COMBINATIONS)


def small(
    name: str, loss: str = "infonce", channels: int = 3, length: int = 64, seed: int = 0, **options: Any
) -> Framework:
    """A small framework with weights that repeat with the seed."""
    with torch.random.fork_rng():
        torch.manual_seed(seed)
        return build_framework(name, channels, length, loss, **{**SMALL.get(name, {}), **options})


def some_series(batch: int, channels: int = 3, length: int = 64, seed: int = 1) -> Tensor:
    """Series that differ in level, scale and course, (B, C, T)."""
    g = torch.Generator().manual_seed(seed)
    steps = torch.randn(batch, channels, length, generator=g)
    walk = steps.cumsum(2) / length**0.5
    return walk * (0.5 + torch.rand(batch, channels, 1, generator=g)) + 0.3 * steps


def two_views(framework: Framework, batch: int, seed: int = 1) -> tuple[Tensor, Tensor]:
    """Two views of ``some_series`` of the framework's shape."""
    x = some_series(batch, framework.channels, framework.length, seed)
    return framework.views(x, generator=torch.Generator().manual_seed(seed))


def without_dropout(framework: Framework) -> Framework:
    """The same framework, every dropout switched off, so that training mode is a function of the batch."""
    for module in framework.modules():
        if isinstance(module, nn.Dropout):
            module.p = 0.0
        elif isinstance(module, nn.MultiheadAttention):
            module.dropout = 0.0
    return framework


def train_a_little(framework: Framework, steps: int = 3, batch: int = 8, lr: float = 1e-2) -> Framework:
    """Take some optimiser steps, so that weights, statistics and queues are no longer as they began."""
    adam = torch.optim.Adam([p for p in framework.parameters() if p.requires_grad], lr=lr)
    framework.train()
    with torch.random.fork_rng():
        torch.manual_seed(0)
        for step in range(steps):
            adam.zero_grad()
            framework(*two_views(framework, batch, seed=100 + step)).mean().backward()
            adam.step()
    return framework


def losses_of(framework: Framework, u: Tensor, v: Tensor, *rest: Any, seed: int = 5) -> Tensor:
    """``framework(u, v)`` with dropout and drawn steps that repeat with the seed."""
    with torch.random.fork_rng():
        torch.manual_seed(seed)
        losses: Tensor = framework(u, v, *rest)
    return losses
