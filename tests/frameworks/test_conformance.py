"""What every framework promises, whatever its method: each one in the table goes through all of this."""

from __future__ import annotations

import copy
import io
import json
import math

import pytest
import torch
from tests.frameworks.small import (
    SMALL,
    WITHOUT_NEGATIVES,
    every_combination,
    every_framework,
    losses_of,
    small,
    some_series,
    train_a_little,
    two_views,
    without_dropout,
)
from torch import nn

from pairsift.errors import PairsiftError
from pairsift.frameworks import build_framework
from pairsift.mining import BadPairMiner


@every_combination
@pytest.mark.parametrize("batch", [2, 7])
@pytest.mark.parametrize("training", [True, False])
def test_one_finite_loss_a_pair(name: str, loss: str, batch: int, training: bool) -> None:
    framework = small(name, loss).train(training)
    losses = framework(*two_views(framework, batch))
    assert losses.shape == (batch,)
    assert losses.dtype == torch.float32
    assert losses.isfinite().all()
    assert losses.unique().numel() > 1 or batch == 2  # not one number for all


@every_combination
@pytest.mark.parametrize("training", [True, False])
def test_shuffling_the_batch_shuffles_the_losses(name: str, loss: str, training: bool) -> None:
    framework = without_dropout(train_a_little(small(name, loss))).train(training)
    u, v = two_views(framework, 9)
    order = torch.randperm(9, generator=torch.Generator().manual_seed(3))
    straight = losses_of(copy.deepcopy(framework), u, v)
    shuffled = losses_of(framework, u[order], v[order])
    torch.testing.assert_close(shuffled, straight[order], rtol=1e-4, atol=1e-5)


@every_combination
def test_each_loss_belongs_to_its_own_pair(name: str, loss: str) -> None:
    framework = train_a_little(small(name, loss)).eval()
    u, v = two_views(framework, 6)
    before = framework(u, v)
    w = v.clone()
    w[2] = -w[2].flip(-1) + 2  # another view for pair 2: its loss moves most
    moved = (framework(u, w) - before).abs()
    assert moved.argmax() == 2


@every_combination
def test_every_parameter_that_trains_gets_a_gradient(name: str, loss: str) -> None:
    framework = small(name, loss)
    losses = framework(*two_views(framework, 8))
    (losses * torch.linspace(0.5, 1.5, 8)).sum().backward()
    for parameter_name, parameter in framework.named_parameters():
        if parameter.requires_grad:
            assert parameter.grad is not None, parameter_name
            assert parameter.grad.isfinite().all(), parameter_name
            assert parameter.grad.abs().max() > 0, parameter_name


@every_framework
def test_an_embedding_does_not_depend_on_its_neighbours(name: str) -> None:
    framework = train_a_little(small(name))
    x = some_series(5)
    together = framework.embed(x)
    assert together.shape == (5, framework.out_features)
    alone = torch.cat([framework.embed(x[i : i + 1]) for i in range(5)])
    torch.testing.assert_close(alone, together, rtol=1e-4, atol=1e-5)


@every_framework
def test_embedding_keeps_no_gradient_and_changes_nothing(name: str) -> None:
    framework = train_a_little(small(name)).train()
    before = copy.deepcopy(framework.state_dict())
    x = some_series(4)
    kept = x.clone()
    assert not framework.embed(x).requires_grad
    assert framework.training
    assert torch.equal(x, kept)
    assert all(torch.equal(value, before[key]) for key, value in framework.state_dict().items())


@every_framework
def test_views_are_left_as_they_came(name: str) -> None:
    framework = small(name)
    u, v = two_views(framework, 4)
    kept_u, kept_v = u.clone(), v.clone()
    framework(u, v).sum().backward()
    assert torch.equal(u, kept_u) and torch.equal(v, kept_v)


@every_framework
@pytest.mark.parametrize(
    ("channels", "length"), [(1, 32), (12, 33), (2, 35), (5, 127), (3, 500), (1, 3000), (12, 1001)]
)
def test_any_length_and_number_of_channels(name: str, channels: int, length: int) -> None:
    framework = small(name, channels=channels, length=length)
    losses = framework(*two_views(framework, 3))
    losses.sum().backward()
    assert losses.shape == (3,) and losses.isfinite().all()
    assert framework.embed(some_series(2, channels, length)).shape == (2, framework.out_features)


@every_combination
def test_bfloat16_stays_near_float32(name: str, loss: str) -> None:
    framework = train_a_little(small(name, loss)).eval()
    u, v = two_views(framework, 6)
    exact = framework(u, v)
    with torch.autocast("cpu", dtype=torch.bfloat16):
        rough = framework(u, v)
    assert rough.dtype == torch.float32
    torch.testing.assert_close(rough, exact, rtol=0.02, atol=0.02)
    framework.train()
    with torch.autocast("cpu", dtype=torch.bfloat16):
        losses = framework(u, v)
    losses.mean().backward()
    assert all(p.grad is None or p.grad.isfinite().all() for p in framework.parameters())


@every_framework
def test_seeds_repeat(name: str) -> None:
    runs = [
        losses_of(train_a_little(small(name, seed=s)), *two_views(small(name), 6), seed=s) for s in (0, 0, 1)
    ]
    assert torch.equal(runs[0], runs[1])
    assert not torch.equal(runs[0], runs[2])


@every_framework
def test_views_come_from_the_generator_alone(name: str) -> None:
    framework, x = small(name), some_series(4)
    draws = []
    for global_seed, seed in ((0, 7), (1, 7), (1, 8)):
        torch.manual_seed(global_seed)
        draws.append(torch.cat(framework.views(x, generator=torch.Generator().manual_seed(seed))))
    assert torch.equal(draws[0], draws[1])
    assert not torch.equal(draws[0], draws[2])


@every_combination
def test_all_state_travels_through_a_checkpoint(name: str, loss: str) -> None:
    trained = train_a_little(small(name, loss))
    file = io.BytesIO()
    torch.save(trained.state_dict(), file)
    file.seek(0)
    loaded = small(name, loss, seed=9)
    loaded.load_state_dict(torch.load(file, weights_only=True))
    for step in range(3):  # the second and third show what the first has left behind
        u, v = two_views(trained, 6, seed=step)
        torch.testing.assert_close(
            losses_of(loaded.train(), u, v), losses_of(trained.train(), u, v), rtol=0, atol=0
        )


@every_combination
def test_settings_make_the_same_framework_again(name: str, loss: str) -> None:
    first = small(name, loss)
    settings = json.loads(json.dumps(first.settings))
    again = build_framework(**settings)
    again.load_state_dict(first.state_dict())
    u, v = two_views(first, 5)
    torch.testing.assert_close(again.eval()(u, v), first.eval()(u, v))
    assert again.settings == settings | {"encoder_options": again.settings["encoder_options"]}


@every_combination
def test_a_bad_pairs_gradient_shrinks_by_exactly_its_weight(name: str, loss: str) -> None:
    framework = train_a_little(small(name, loss)).eval()
    bad, pairs = 3, 12
    u, v = two_views(framework, pairs)
    index = torch.arange(pairs)
    parameters = [p for p in framework.parameters() if p.requires_grad]

    def gradient_of(what: torch.Tensor) -> torch.Tensor:
        grads = torch.autograd.grad(what, parameters, retain_graph=True, allow_unused=True)
        return torch.cat([g.flatten() for g in grads if g is not None])

    losses = framework(u, v)
    miner = BadPairMiner(pairs, warmup_epochs=1)  # the paper's threshold and weight
    miner.start_epoch()
    remembered = losses.detach() * 0.01
    remembered[bad] += 50  # this pair was far harder than the others: faulty
    miner(remembered, index)
    miner.start_epoch()
    weighted = miner(losses, index)

    assert miner.verdicts().tolist() == [2 if i == bad else 0 for i in range(pairs)]
    mu, sigma = remembered.double().mean().item(), remembered.double().std(correction=0).item()
    away = (losses[bad].item() - mu) / sigma
    density = math.exp(-(away**2) / 2) / (sigma * math.sqrt(2 * math.pi))  # Eq. 7
    found = (weighted / losses).detach()
    assert 0 < found[bad] < 0.2 and found[bad].item() == pytest.approx(density, rel=1e-3)
    torch.testing.assert_close(gradient_of(weighted[bad]), found[bad] * gradient_of(losses[bad]))
    assert torch.equal(gradient_of(weighted[bad + 1]), gradient_of(losses[bad + 1]))
    torch.testing.assert_close(
        gradient_of(weighted.mean()),
        gradient_of((losses * found).sum()) / pairs,
        rtol=1e-4,
        atol=1e-6,
    )


@every_combination
def test_an_encoder_that_maps_everything_to_one_point_has_the_chance_level(name: str, loss: str) -> None:
    framework = small(name, loss).eval()
    x = some_series(1).expand(7, -1, -1)
    for part in framework.children():
        if isinstance(part, nn.Sequential) and isinstance(part[-1], nn.Linear):
            nn.init.zeros_(part[-1].weight)  # a head: what has several then has one point for all of them
            nn.init.ones_(part[-1].bias)
    level = framework.chance_level(7)
    if loss == "rince" or name in WITHOUT_NEGATIVES:
        assert level is None
    else:
        torch.testing.assert_close(framework(x, x), torch.full((7,), level), rtol=1e-4, atol=1e-4)


@every_combination
@pytest.mark.parametrize("trained", [True, False])
def test_masked_series_are_nobodys_negatives(name: str, loss: str, trained: bool) -> None:
    framework = small(name, loss)
    framework = (train_a_little(framework) if trained else framework).eval()
    u, v = two_views(framework, 8)
    keep = torch.tensor([True, False, True, True, False, True, True, True])
    masked, fewer = framework(u, v, keep), framework(u[keep], v[keep])
    torch.testing.assert_close(masked[keep], fewer, rtol=1e-4, atol=1e-5)
    assert masked.shape == (8,) and masked.isfinite().all()  # they keep losses of their own
    everybody = torch.ones(8, dtype=torch.bool)
    torch.testing.assert_close(framework(u, v, everybody), framework(u, v))


@every_combination
def test_nobody_left_as_a_negative_is_no_disaster(name: str, loss: str) -> None:
    framework = small(name, loss)
    losses = framework(*two_views(framework, 4), torch.zeros(4, dtype=torch.bool))
    losses.sum().backward()
    assert losses.isfinite().all()
    assert all(p.grad is None or p.grad.isfinite().all() for p in framework.parameters())


@every_combination
@pytest.mark.parametrize("training", [True, False])
def test_a_glance_sees_the_losses_and_leaves_no_trace(name: str, loss: str, training: bool) -> None:
    framework = without_dropout(train_a_little(small(name, loss))).train(training)
    u, v = two_views(framework, 6)
    negatives = torch.tensor([True, True, False, True, True, True])
    before = copy.deepcopy(framework.state_dict())
    with torch.random.fork_rng():
        torch.manual_seed(5)
        seen = framework.glance(u, v, negatives)
    assert not seen.requires_grad and framework.training == training
    assert all(torch.equal(value, before[key]) for key, value in framework.state_dict().items())
    torch.testing.assert_close(seen, losses_of(framework, u, v, negatives).detach(), rtol=1e-5, atol=1e-5)


@every_framework
def test_gentle_series_have_milder_views(name: str) -> None:
    framework, x = small(name), some_series(6)
    gentle = torch.tensor([1.0, 0.0, 1.0, 0.0, 0.0, 1.0])
    u, v = framework.views(x, -x, gentle=gentle, generator=torch.Generator().manual_seed(0))
    unlike = ((u - x).abs() + (v - x).abs()).sum((1, 2))
    assert unlike[gentle == 1].max() < unlike[gentle == 0].min()


@every_framework
def test_the_second_view_is_drawn_from_the_other_series(name: str) -> None:
    framework, x = small(name, augmentation="none"), some_series(3)
    other = some_series(3, seed=2)
    u, v = framework.views(x, other)
    assert torch.equal(u, x) and torch.equal(v, other)


@every_framework
@pytest.mark.parametrize(
    ("shape_u", "shape_v", "says"),
    [
        ((1, 3, 64), (1, 3, 64), "batch of one"),
        ((4, 2, 64), (4, 2, 64), r"\(batch, 3, 64\)"),
        ((4, 3, 65), (4, 3, 65), r"\(batch, 3, 64\)"),
        ((4, 3, 64), (5, 3, 64), "one shape"),
        ((4, 64), (4, 64), r"\(batch, 3, 64\)"),
    ],
)
def test_views_that_do_not_fit_get_a_sentence(name: str, shape_u, shape_v, says: str) -> None:
    with pytest.raises(PairsiftError, match=says):
        small(name)(torch.zeros(shape_u), torch.zeros(shape_v))


@every_framework
def test_a_mask_that_does_not_fit_gets_a_sentence(name: str) -> None:
    framework = small(name)
    u, v = two_views(framework, 4)
    with pytest.raises(PairsiftError, match="negatives must be a boolean mask"):
        framework(u, v, torch.ones(3, dtype=torch.bool))
    with pytest.raises(PairsiftError, match="negatives must be a boolean mask"):
        framework(u, v, torch.ones(4))


@every_framework
def test_series_that_do_not_fit_get_a_sentence(name: str) -> None:
    with pytest.raises(PairsiftError, match=r"\(batch, 3, 64\)"):
        small(name).embed(torch.zeros(2, 3, 63))


@every_framework
def test_unknown_options_and_losses_get_a_sentence(name: str) -> None:
    with pytest.raises(PairsiftError, match="unknown framework option 'colour'"):
        build_framework(name, 1, 64, colour="red")
    with pytest.raises(PairsiftError, match="'hinge'"):
        build_framework(name, 1, 64, "hinge")


@every_framework
def test_what_needs_negatives_is_refused_where_there_are_none(name: str) -> None:
    if name in WITHOUT_NEGATIVES:
        with pytest.raises(PairsiftError, match="needs negative pairs"):
            small(name, "rince")
    else:
        assert small(name, "rince").loss_name == "rince"


@every_framework
@pytest.mark.parametrize("dataset", ["har", "epilepsy", "sleep-edf", "ptb-xl", "simulated", "my own"])
def test_every_dataset_has_settings(name: str, dataset: str) -> None:
    small_options = {k: v for k, v in SMALL[name].items() if k != "encoder_options"}
    framework = build_framework(name, 1, 400, dataset=dataset, **small_options)
    assert math.isfinite(framework(*two_views(framework, 2)).sum().item())
