"""Two views of a batch: where each is drawn from, how strongly, and that gentle views are gentle."""

from __future__ import annotations

import pickle

import pytest
import torch
from torch import Generator, Tensor

from pairsift.augment import STRENGTHS, Strengths, TwoViews, jitter_permute, plain, scale, weak_strong
from pairsift.errors import PairsiftError


def seeded(seed: int = 0) -> Generator:
    return torch.Generator().manual_seed(seed)


def batch(seed: int = 0) -> Tensor:
    return torch.randn(6, 3, 50, generator=seeded(seed))


def test_the_first_view_is_scaled_the_second_permuted_then_jittered() -> None:
    x, generator = batch(), seeded()
    u, v = weak_strong(Strengths(0.5, 0.2, 4))(x, generator=seeded())
    assert torch.equal(u, scale(x, 0.5, generator=generator))
    assert torch.equal(v, jitter_permute(x, 0.2, 4, generator=generator))


def test_released_strengths_scale_by_2_a_step() -> None:
    assert STRENGTHS["har-released"] == Strengths(1.1, 0.8, 8, scale_mean=2.0, per="step")
    x = torch.ones(200, 3, 50)
    u, _ = weak_strong(STRENGTHS["epilepsy-released"])(x, generator=seeded())
    torch.testing.assert_close(u, 2 * x, rtol=0, atol=0.01)
    assert torch.equal(u[:, 0], u[:, 1]) and not torch.equal(u[:, :, 0], u[:, :, 1])


def test_published_strengths() -> None:
    published = {"har": (1.1, 0.8, 8), "epilepsy": (0.001, 0.001, 5), "sleep-edf": (1.5, 2.0, 12)}
    for name, (factor, noise, segments) in published.items():
        assert STRENGTHS[name] == Strengths(factor, noise, segments, scale_mean=1.0, per="channel")
    assert {"ptb-xl", "simulated", "default"} <= STRENGTHS.keys()


def test_the_second_view_comes_from_the_other_series() -> None:
    x, other = batch(), batch(1)
    u, v = plain()(x, other)
    assert torch.equal(u, x) and torch.equal(v, other)
    views = weak_strong(STRENGTHS["default"])
    u, v = views(x, other, generator=seeded())
    assert torch.equal(u, views(x, generator=seeded())[0])
    generator = seeded()
    views.first(x, None, generator)
    assert torch.equal(v, views.second(other, None, generator))


@pytest.mark.parametrize("kind", ["mask", "share"])
def test_gentle_pairs_are_drawn_from_their_own_series(kind: str) -> None:
    x, other = batch(), batch(1)
    gentle = torch.tensor([True, False, True, False, False, False])
    u, v = plain()(x, other, gentle=gentle if kind == "mask" else gentle * 0.25)
    assert torch.equal(u, x)
    assert torch.equal(v[gentle], x[gentle]) and torch.equal(v[~gentle], other[~gentle])


def test_the_mildest_view_is_the_series_and_the_others_do_not_change() -> None:
    x = batch()
    views = weak_strong(STRENGTHS["har"])
    gentle = torch.tensor([1.0, 0.0, 1.0, 0.0, 0.0, 0.0])
    u, v = views(x, gentle=gentle, generator=seeded())
    fully_u, fully_v = views(x, generator=seeded())
    mild = gentle > 0
    assert torch.equal(u[mild], x[mild]) and torch.equal(v[mild], x[mild])
    torch.testing.assert_close(u[~mild], fully_u[~mild])
    torch.testing.assert_close(v[~mild], fully_v[~mild])


def test_views_come_nearer_to_the_series_as_they_get_milder() -> None:
    x = torch.randn(400, 2, 64, generator=seeded())
    views = weak_strong(STRENGTHS["har"])
    distances = []
    for share in (0.0, 0.25, 0.5, 0.75, 1.0):
        pair = views(x, gentle=torch.full((400,), share), generator=seeded())
        distances.append([float((view - x).square().mean()) for view in pair])
    for milder, stronger in zip(distances[1:], distances):
        assert milder[0] < stronger[0] and milder[1] < stronger[1]
    assert distances[-1] == [0.0, 0.0]


def test_seeds_repeat_and_views_travel_to_other_processes() -> None:
    views = weak_strong(STRENGTHS["har"])
    again = pickle.loads(pickle.dumps(views))
    assert isinstance(again, TwoViews)
    for one, two in zip(views(batch(), generator=seeded()), again(batch(), generator=seeded())):
        assert torch.equal(one, two)


def test_bad_input_is_one_sentence() -> None:
    with pytest.raises(PairsiftError, match=r"other must have x's shape \(6, 3, 50\), got \(6, 3, 49\)"):
        plain()(batch(), batch()[:, :, 1:])
    with pytest.raises(PairsiftError, match=r"gentle must have shape \(6,\), got \(5,\)"):
        plain()(batch(), gentle=torch.ones(5))
