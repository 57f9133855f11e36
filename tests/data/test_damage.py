"""Over-augmentation destroys what it is told to, and no more."""

from __future__ import annotations

import pytest
import torch

from pairsift.data.damage import over_augment, strike_views


def seeded(seed: int = 0) -> torch.Generator:
    return torch.Generator().manual_seed(seed)


def waves(count: int = 200, length: int = 100) -> torch.Tensor:
    turn = torch.linspace(0, 6.28318 * 4, length)
    return torch.stack([turn.sin(), turn.cos()]).repeat(count, 1, 1)  # (B, 2, T)


def correlation(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
    a, b = a - a.mean(2, keepdim=True), b - b.mean(2, keepdim=True)
    return (a * b).sum(2) / (a.norm(dim=2) * b.norm(dim=2))


@pytest.mark.parametrize("strength", [0, 0.0, torch.zeros(200)])
def test_no_strength_is_the_identity(strength):
    x = waves()
    torch.testing.assert_close(over_augment(x, strength=strength, generator=seeded()), x, rtol=0, atol=0)


def test_full_strength_leaves_nothing_of_the_pattern():
    x = waves()
    left = correlation(x, over_augment(x, generator=seeded()))
    assert left.mean().abs() < 0.05
    assert left.abs().mean() < 0.2


def test_damage_grows_with_strength_and_each_series_has_its_own():
    x = waves(400)
    shares = torch.linspace(0, 1, 5).repeat_interleave(80)
    left = correlation(x, over_augment(x, strength=shares, generator=seeded())).mean(1).view(5, 80).mean(1)
    assert left[0] == pytest.approx(1)
    assert (left.diff() < 0).all()


def test_pieces_are_shuffled_for_all_channels_alike_and_none_is_lost():
    x = torch.arange(60.0).repeat(50, 2, 1)
    out = over_augment(x, segments=6, sd=0.0, generator=seeded())
    assert torch.equal(out[:, 0], out[:, 1])
    assert torch.equal(out.sort(dim=2).values, x)
    jumps = (out[:, 0].diff(dim=1) != 1).sum(dim=1)
    assert jumps.max() <= 5
    assert jumps.float().mean() > 3
    assert not torch.equal(out[0], out[1])


def test_factors_have_mean_1_and_the_deviation_asked_for():
    out = over_augment(torch.ones(100, 2, 500), sd=2.0, generator=seeded())
    assert out.mean() == pytest.approx(1, abs=0.02)
    assert out.std() == pytest.approx(2, abs=0.02)


def test_the_generator_decides():
    x = waves(8)
    first, again, other = (over_augment(x, generator=seeded(s)) for s in (1, 1, 2))
    assert torch.equal(first, again)
    assert not torch.equal(first, other)


@pytest.mark.parametrize("length", [1, 2, 5])
def test_series_shorter_than_the_pieces(length):
    assert over_augment(torch.ones(3, 1, length), generator=seeded()).shape == (3, 1, length)


def test_one_view_of_each_faulty_pair_is_struck():
    u, v = waves(300), -waves(300)
    faulty = torch.arange(300) % 3 == 0
    new_u, new_v = strike_views(u, v, faulty, generator=seeded())
    hit_u, hit_v = (new_u != u).any(2).any(1), (new_v != v).any(2).any(1)
    assert torch.equal(hit_u ^ hit_v, faulty)
    assert not (hit_u & hit_v).any()
    assert 30 < hit_u.sum() < 70
    assert torch.equal(u, waves(300))


def test_another_epoch_strikes_another_view():
    u, v, faulty = waves(100), waves(100), torch.ones(100, dtype=torch.bool)
    generator = seeded()
    sides = [(strike_views(u, v, faulty, generator=generator)[0] != u).any(2).any(1) for _ in range(2)]
    assert 20 < (sides[0] != sides[1]).sum() < 80


def test_views_are_struck_with_the_strength_of_their_own_series():
    u, v = waves(50), waves(50)
    faulty, strength = torch.ones(50, dtype=torch.bool), (torch.arange(50) >= 25).float()
    new_u, new_v = strike_views(u, v, faulty, strength=strength, generator=seeded())
    changed = (new_u != u).any(2).any(1) | (new_v != v).any(2).any(1)
    assert torch.equal(changed, strength.bool())


@pytest.mark.parametrize("wrong", [{"strength": 1.5}, {"strength": -0.1}, {"segments": 0}, {"sd": -1.0}])
def test_wrong_settings_are_refused(wrong):
    with pytest.raises(ValueError, match=next(iter(wrong))):
        over_augment(waves(2), **wrong)
