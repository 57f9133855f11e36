"""Each augmentation against a loop over samples that is handed the same draws; what each keeps."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
import torch
from tests.oracles import augment as oracle
from torch import Generator, Tensor

from pairsift.augment import jitter, jitter_permute, permute, scale, scale_permute
from pairsift.augment.draws import draw_normal, draw_order, draw_segments
from pairsift.errors import PairsiftError

SHAPES = [(5, 3, 40), (4, 2, 7), (3, 1, 1), (6, 2, 3)]  # the last three: fewer steps than segments
each_shape = pytest.mark.parametrize("shape", SHAPES)
with_and_without = pytest.mark.parametrize("weaker", [False, True])

CALLS: dict[str, Callable[..., Tensor]] = {
    "jitter": lambda x, **more: jitter(x, 0.8, **more),
    "scale": lambda x, **more: scale(x, 1.1, **more),
    "scale-step": lambda x, **more: scale(x, 1.1, mean=2.0, per="step", **more),
    "permute": lambda x, **more: permute(x, 8, **more),
    "jitter-permute": lambda x, **more: jitter_permute(x, 0.8, 8, **more),
    "scale-permute": lambda x, **more: scale_permute(x, 1.1, 8, mean=2.0, **more),
}
each_call = pytest.mark.parametrize("call", CALLS.values(), ids=CALLS.keys())


def seeded(seed: int = 0) -> Generator:
    return torch.Generator().manual_seed(seed)


def series(shape: tuple[int, ...]) -> Tensor:
    return torch.randn(shape, generator=seeded(9), dtype=torch.float64)


def strengths(count: int) -> Tensor:
    return torch.linspace(0, 1, count)


def compare(got: Tensor, expected: list[np.ndarray]) -> None:
    torch.testing.assert_close(got, torch.from_numpy(np.stack(expected)))


def each(weaker: bool, count: int) -> tuple[Tensor | None, list[float]]:
    """A strength for every series, as the functions take it and as a list."""
    return (strengths(count), strengths(count).tolist()) if weaker else (None, [1.0] * count)


@each_shape
@with_and_without
def test_jitter_equals_the_loop(shape: tuple[int, ...], weaker: bool) -> None:
    x = series(shape)
    noise = draw_normal(shape, x, seeded())
    strength, shares = each(weaker, shape[0])
    expected = [oracle.jitter(*each_, 0.8, s) for *each_, s in zip(x.numpy(), noise.numpy(), shares)]
    compare(jitter(x, 0.8, strength=strength, generator=seeded()), expected)


@each_shape
@with_and_without
@pytest.mark.parametrize("per", ["channel", "step"])
def test_scale_equals_the_loop(shape: tuple[int, ...], weaker: bool, per: str) -> None:
    x = series(shape)
    factors = (*shape[:2], 1) if per == "channel" else (shape[0], 1, shape[2])
    draws = draw_normal(factors, x, seeded())
    strength, shares = each(weaker, shape[0])
    expected = [oracle.scale(*one, 1.1, 2.0, s) for *one, s in zip(x.numpy(), draws.numpy(), shares)]
    compare(scale(x, 1.1, mean=2.0, per=per, strength=strength, generator=seeded()), expected)


def loop_permute(x: Tensor, segments: int, generator: Generator, shares: list[float]) -> Tensor:
    """The oracle on every series, its draws taken from the generator in the order that ``permute`` does."""
    drawn = draw_segments(x, segments, None, generator)
    cut = [oracle.fewer_segments(n, share) for n, share in zip(drawn.tolist(), shares)]
    order = draw_order(x, segments, torch.tensor(cut), generator)
    return torch.from_numpy(
        np.stack([oracle.permute(one, n, o) for one, n, o in zip(x.numpy(), cut, order.tolist())])
    )


@each_shape
@with_and_without
@pytest.mark.parametrize("segments", [1, 2, 8])
def test_permute_equals_the_loop(shape: tuple[int, ...], weaker: bool, segments: int) -> None:
    x = series(shape)
    strength, shares = each(weaker, shape[0])
    for seed in range(5):
        got = permute(x, segments, strength=strength, generator=seeded(seed))
        assert torch.equal(got, loop_permute(x, segments, seeded(seed), shares))


@with_and_without
def test_the_combined_ones_permute_first(weaker: bool) -> None:
    x = series((5, 3, 40))
    strength, shares = each(weaker, 5)
    generator = seeded()
    permuted = loop_permute(x, 6, generator, shares)
    again = jitter(permuted, 0.5, strength=strength, generator=generator)
    assert torch.equal(jitter_permute(x, 0.5, 6, strength=strength, generator=seeded()), again)
    generator = seeded()
    permuted = loop_permute(x, 6, generator, shares)
    again = scale(permuted, 0.5, mean=2.0, per="step", strength=strength, generator=generator)
    got = scale_permute(x, 0.5, 6, mean=2.0, per="step", strength=strength, generator=seeded())
    assert torch.equal(got, again)


@each_call
@each_shape
def test_no_strength_hands_the_series_back(call: Callable[..., Tensor], shape: tuple[int, ...]) -> None:
    x = series(shape).float()
    strength = torch.zeros(shape[0])
    assert torch.equal(call(x, strength=strength, generator=seeded()), x)
    strength[0] = 1
    got = call(x, strength=strength, generator=seeded(3))
    assert torch.equal(got[1:], x[1:])


@each_call
@each_shape
def test_full_strength_is_what_none_means(call: Callable[..., Tensor], shape: tuple[int, ...]) -> None:
    x = series(shape)
    full = call(x, strength=torch.ones(shape[0]), generator=seeded())
    torch.testing.assert_close(full, call(x, generator=seeded()))


@each_call
@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16, torch.float32, torch.float64])
def test_seeds_repeat_and_the_input_stays(call: Callable[..., Tensor], dtype: torch.dtype) -> None:
    x = series((5, 3, 40)).to(dtype)
    kept = x.clone()
    first, second, third = (call(x, generator=seeded(seed)) for seed in (1, 1, 2))
    assert first.dtype == dtype and first.shape == x.shape
    assert torch.equal(first, second) and not torch.equal(first, third)
    assert torch.equal(x, kept)
    torch.manual_seed(5)
    from_global = call(x)
    torch.manual_seed(5)
    assert torch.equal(call(x), from_global)


@each_call
def test_a_non_contiguous_batch_is_as_good(call: Callable[..., Tensor]) -> None:
    x = series((5, 3, 40))
    strided = x.transpose(1, 2).contiguous().transpose(1, 2)
    assert torch.equal(call(strided, generator=seeded()), call(x, generator=seeded()))


def test_jitter_has_its_mean_and_deviation() -> None:
    noise = jitter(torch.zeros(50, 4, 500), 0.7, generator=seeded())
    assert abs(noise.mean()) < 0.01 and noise.std() == pytest.approx(0.7, rel=0.01)


def test_scale_has_one_factor_a_channel_or_a_step() -> None:
    factors = scale(torch.ones(500, 4, 60), 0.5, generator=seeded())
    assert torch.equal(factors, factors[:, :, :1].expand_as(factors))
    assert factors.mean() == pytest.approx(1, abs=0.05) and factors[:, :, 0].std() == pytest.approx(
        0.5, rel=0.1
    )
    factors = scale(torch.ones(500, 4, 60), 0.5, mean=2.0, per="step", generator=seeded())
    assert torch.equal(factors, factors[:, :1].expand_as(factors))
    assert factors.mean() == pytest.approx(2, abs=0.05) and factors[:, 0].std() == pytest.approx(0.5, rel=0.1)


def test_permutation_keeps_every_value_once_and_channels_together() -> None:
    steps = torch.arange(101.0)
    x = torch.stack([steps, -steps]).expand(300, 2, 101)
    got = permute(x, 7, generator=seeded())
    assert torch.equal(got[:, 0].sort(1).values, steps.expand(300, 101))
    assert torch.equal(got[:, 1], -got[:, 0])


def test_numbers_of_segments_and_orders_are_uniform() -> None:
    x = torch.arange(60.0).expand(12000, 1, 60)
    segments = draw_segments(x, 4, None, seeded())
    counts = segments.bincount(minlength=5)
    assert counts[0] == 0
    assert ((counts[1:] - 3000).abs() < 200).all()  # four standard deviations
    order = draw_order(x, 3, torch.full((12000,), 3), seeded())
    seen = torch.unique(order, dim=0, return_counts=True)[1]
    assert len(seen) == 6 and ((seen - 2000).abs() < 170).all()


def test_segments_are_cut_as_numpy_cuts() -> None:
    # One order per number of segments, reversed: the pieces' lengths can be read off.
    from pairsift.augment.draws import permutation_index

    order = torch.tensor([[2, 1, 0, 3], [1, 0, 2, 3]])
    index = permutation_index(order, torch.tensor([3, 2]), 11)
    assert index[0].tolist() == [8, 9, 10, 4, 5, 6, 7, 0, 1, 2, 3]
    assert index[1].tolist() == [6, 7, 8, 9, 10, 0, 1, 2, 3, 4, 5]


def test_series_of_one_batch_are_drawn_apart() -> None:
    x = torch.ones(2, 1, 40)
    for call in (CALLS["jitter"], CALLS["scale"], CALLS["scale-step"]):
        first, second = call(x, generator=seeded())
        assert not torch.equal(first, second)


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda x: jitter(x[0], 1.0), r"x must have shape \(series, channels, time\), got \(2, 8\)"),
        (lambda x: permute(x.long(), 3), "floating point, got torch.int64"),
        (lambda x: jitter(x, -1.0), "sd must be 0 or more, got -1.0"),
        (lambda x: scale(x, 1.0, per="series"), "per must be 'channel' or 'step', got 'series'"),
        (lambda x: permute(x, 0), "max_segments must be at least 1, got 0"),
        (lambda x: scale(x, 1.0, strength=torch.ones(4)), r"strength must have shape \(3,\), got \(4,\)"),
    ],
)
def test_bad_input_is_one_sentence(make: Callable[[Tensor], Tensor], words: str) -> None:
    with pytest.raises(PairsiftError, match=words):
        make(torch.ones(3, 2, 8))
