"""The moving average against its closed form, and what it must not do."""

from __future__ import annotations

import copy

import pytest
import torch
from torch import nn

from pairsift.errors import PairsiftError
from pairsift.frameworks.ema import MovingAverage


def network() -> nn.Sequential:
    torch.manual_seed(0)
    return nn.Sequential(nn.Linear(4, 6), nn.BatchNorm1d(6), nn.ReLU(), nn.Dropout(0.5))


def test_following_a_standing_network_closes_the_distance_geometrically() -> None:
    net = network()
    slow = MovingAverage(net, momentum=0.9)
    start = {name: value.clone() for name, value in slow.network.state_dict().items()}
    with torch.no_grad():
        for parameter in net.parameters():
            parameter.add_(1)
    net[1].running_mean += 2
    net[1].num_batches_tracked += 5
    for _ in range(7):
        slow.follow(net)
    for name, value in slow.network.state_dict().items():
        goal = net.state_dict()[name]
        if value.is_floating_point():
            torch.testing.assert_close(value, goal + 0.9**7 * (start[name] - goal))
    assert slow.network[1].num_batches_tracked == 5


def test_it_starts_equal_and_shares_nothing() -> None:
    net = network()
    slow = MovingAverage(net, momentum=0.5)
    before = copy.deepcopy(slow.state_dict())
    with torch.no_grad():
        for parameter in net.parameters():
            parameter.mul_(3)
    assert all(torch.equal(value, before[name]) for name, value in slow.state_dict().items())


def test_it_never_trains() -> None:
    slow = MovingAverage(network(), momentum=0.5)
    parent = nn.ModuleList([slow]).train()
    x = torch.randn(5, 4)
    assert parent.training and not slow.network.training
    assert torch.equal(slow(x), slow(x))  # no dropout
    torch.testing.assert_close(slow(x)[:1], slow(x[:1]))  # no statistics of the batch
    assert not slow(x).requires_grad
    assert not any(parameter.requires_grad for parameter in slow.parameters())


@pytest.mark.parametrize("momentum", [-0.1, 1.0])
def test_a_momentum_out_of_range_gets_a_sentence(momentum: float) -> None:
    with pytest.raises(PairsiftError, match="momentum must lie in"):
        MovingAverage(network(), momentum)
