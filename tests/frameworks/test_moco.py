"""MoCo against its slow oracle, and what only MoCo has."""

from __future__ import annotations

import copy

import pytest
import torch
from tests.frameworks.small import losses_of, small, some_series, train_a_little, two_views, without_dropout
from tests.oracles.moco import SlowMoCo
from torch import nn

from pairsift.frameworks import MoCo, moco
from pairsift.losses.embeddings import unit


@pytest.mark.parametrize("loss", ["infonce", "rince"])
@pytest.mark.parametrize("sizes", [[6, 6, 6, 6], [7, 5, 2, 30, 3]])
def test_the_loss_equals_the_oracles_batch_after_batch(loss: str, sizes: list[int]) -> None:
    framework = without_dropout(small("moco", loss, queue=10)).double().train()
    oracle = SlowMoCo(10, temperature=0.2, loss=loss)
    g = torch.Generator().manual_seed(0)
    for size in sizes:
        u = torch.randn(size, 3, 64, generator=g, dtype=torch.float64)
        v = u + 0.5 * torch.randn(size, 3, 64, generator=g, dtype=torch.float64)
        mask = torch.rand(size, generator=g) < 0.7
        twin = copy.deepcopy(framework)
        queries = twin.head(twin.encoder(u)).tolist()
        before = copy.deepcopy(framework)
        before.slow.follow(nn.Sequential(framework.encoder, framework.head))
        keys = before.slow(v).tolist()
        losses = framework(u, v, mask)
        want = torch.tensor(oracle.batch(queries, keys, mask.tolist()), dtype=torch.float64)
        torch.testing.assert_close(losses.detach(), want)


def test_the_gradient_treats_keys_and_queue_as_constants() -> None:
    framework = without_dropout(train_a_little(small("moco"))).double().train()
    framework.queue.keys.copy_(unit(framework.queue.keys))  # of unit length to float64's digits too
    u, v = (view.double() for view in two_views(framework, 6))
    framework.zero_grad()
    twin = copy.deepcopy(framework)
    twin.slow.follow(nn.Sequential(twin.encoder, twin.head))
    keys = twin.slow(v)
    bank = twin.queue.keys[twin.queue.valid]
    assert len(bank) == twin.queue.size  # full, so nothing is scaled
    twin.criterion.against(twin.head(twin.encoder(u)), keys, bank).sum().backward()
    framework(u, v).sum().backward()
    for (name, got), want in zip(framework.named_parameters(), twin.parameters(), strict=True):
        if got.requires_grad:
            torch.testing.assert_close(got.grad, want.grad, msg=name)
        else:
            assert got.grad is None


def test_a_collapsed_encoder_has_the_chance_level_from_the_first_batch_on() -> None:
    framework = small("moco", queue=20).train()
    with torch.no_grad():
        framework.head[-1].weight.zero_()
        framework.slow.network[-1][-1].weight.zero_()
    for batch in (6, 2, 9, 30, 5):
        losses = framework(*two_views(framework, batch))
        torch.testing.assert_close(losses.detach(), torch.full((batch,), framework.chance_level(batch)))


def test_masked_series_stay_out_of_the_queue() -> None:
    framework = small("moco", queue=20).train()
    framework(*two_views(framework, 6), torch.tensor([True, False, True, True, False, True]))
    assert framework.queue.valid[:6].tolist() == [True, False, True, True, False, True]
    assert framework.queue.valid.sum() == 4


def test_eval_mode_changes_no_state() -> None:
    framework = train_a_little(small("moco")).eval()
    before = copy.deepcopy(framework.state_dict())
    framework(*two_views(framework, 6))
    assert all(torch.equal(value, before[name]) for name, value in framework.state_dict().items())


def test_the_slow_copy_moves_before_the_keys_are_made() -> None:
    framework = small("moco", momentum=0.0).train()  # the slow copy is the network of this very step
    with torch.no_grad():
        framework.head[-1].bias.add_(1)
    u, v = two_views(framework, 4)
    framework(u, v)
    torch.testing.assert_close(framework.slow.network[-1][-1].bias, framework.head[-1].bias)


def test_the_queues_order_does_not_matter() -> None:
    framework = train_a_little(small("moco")).eval()
    u, v = two_views(framework, 5)
    before = framework(u, v)
    framework.queue.keys.copy_(framework.queue.keys.roll(7, 0))
    torch.testing.assert_close(framework(u, v), before)


def test_everybodys_keys_enter_every_queue(monkeypatch: pytest.MonkeyPatch) -> None:
    """Two processes, seen from the first: gathered rows are its own, then the second one's."""
    framework: MoCo = small("moco", queue=20).train()
    x = some_series(4)
    with_keys = unit(framework.slow(x))
    mask = torch.tensor([True, True, False, True])
    monkeypatch.setattr(moco, "gather_uneven", lambda z: torch.cat([z, z if z.dtype == torch.bool else -z]))
    losses_of(framework, x, x, mask)
    assert framework.queue.valid[:8].tolist() == [True, True, False, True] * 2
    torch.testing.assert_close(framework.queue.keys[:4], with_keys)
    torch.testing.assert_close(framework.queue.keys[4:8], -with_keys)
