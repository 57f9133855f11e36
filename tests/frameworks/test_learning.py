"""Every framework learns: a short run makes classes easier to read off than the same encoder untrained."""

from __future__ import annotations

import math

import torch
from tests.frameworks.small import every_framework, small
from torch import Tensor

from pairsift.evaluation import linear_probe
from pairsift.frameworks import Framework
from pairsift.frameworks.collapse import embedding_spread, spread_message

LONGER = {"simsiam": 16, "tstcc": 16}  # epochs; these start slowly


def tones(rows: int, seed: int) -> tuple[Tensor, Tensor]:
    """Four frequencies at any phase under as much noise; series (N, 1, 64) and classes (N,)."""
    g = torch.Generator().manual_seed(seed)
    y = torch.arange(rows) % 4
    turns = torch.tensor([2.0, 3.0, 5.0, 8.0])[y][:, None] * torch.arange(64) / 64
    phase, scale = torch.rand(rows, 1, generator=g), 0.7 + 0.6 * torch.rand(rows, 1, generator=g)
    noise = 0.9 * torch.randn(rows, 64, generator=g)
    return (scale * (2 * math.pi * (turns + phase)).sin() + noise)[:, None], y


def train(framework: Framework, x: Tensor, epochs: int) -> None:
    adam = torch.optim.Adam([p for p in framework.parameters() if p.requires_grad], lr=3e-3)
    g = torch.Generator().manual_seed(0)
    with torch.random.fork_rng():
        torch.manual_seed(0)
        for _ in range(epochs):
            framework.train()
            for rows in torch.randperm(len(x), generator=g).split(32):
                adam.zero_grad()
                framework(*framework.views(x[rows], generator=g)).mean().backward()
                adam.step()


@every_framework
def test_a_short_run_lifts_the_probe(name: str) -> None:
    (x, y), (test_x, test_y) = tones(256, seed=0), tones(400, seed=50)
    framework = small(name, channels=1, length=64)

    def accuracy() -> float:
        z, test_z = framework.embed(x[:64]), framework.embed(test_x)
        probe = linear_probe(z, y[:64], test_z, test_y, epochs=100, lr=1e-2)
        return float(probe.metrics["accuracy"])

    untrained, first = accuracy(), float(embedding_spread(framework.embed(test_x)))
    train(framework, x, epochs=LONGER.get(name, 12))
    trained = accuracy()
    assert 0.25 < untrained < 0.95  # there is something to read, and something to learn
    assert 1 - trained < 0.85 * (1 - untrained), (untrained, trained)
    assert spread_message(float(embedding_spread(framework.embed(test_x))), first) is None


@every_framework
def test_series_that_are_all_the_same_warn(name: str) -> None:
    framework = small(name, channels=1, length=64)
    same = torch.ones(20, 1, 64) + 1e-6 * tones(20, seed=0)[0]
    assert spread_message(float(embedding_spread(framework.embed(same)))) is not None
