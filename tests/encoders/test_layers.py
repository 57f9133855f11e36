"""The layers that are faster than torch's own do what torch's own do."""

from __future__ import annotations

import pytest
import torch
from torch import nn

from pairsift.encoders import build_encoder
from pairsift.encoders.layers import Dropout, Halve

TOGETHER = torch.channels_last


def image(*shape: int, dtype: torch.dtype = torch.float32, seed: int = 0) -> torch.Tensor:
    x = torch.randn(shape, generator=torch.Generator().manual_seed(seed)).to(dtype)
    return x.contiguous(memory_format=TOGETHER)


@pytest.mark.parametrize("length", [1, 2, 3, 4, 7, 34, 129])
@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16, torch.float64])
def test_halving_is_max_pooling_in_values_and_gradients(length: int, dtype: torch.dtype) -> None:
    x = image(5, 6, 1, length, dtype=dtype)
    x[:2, :, :, 1:3] = 0.5  # where both are equal, the first one gets the gradient
    if length > 4:
        x[2, 0, 0, 3] = torch.nan
    x.requires_grad_()
    ours, theirs = Halve()(x), nn.MaxPool2d((1, 2), (1, 2), (0, 1))(x)
    assert type(ours.grad_fn).__name__ == "_HalveBackward" != type(theirs.grad_fn).__name__
    torch.testing.assert_close(ours, theirs, rtol=0, atol=0, equal_nan=True)
    grad = image(*ours.shape, dtype=dtype, seed=1)
    (a,), (b,) = torch.autograd.grad(ours, x, grad), torch.autograd.grad(theirs, x, grad)
    numbers = ~x.isnan() & ~x.roll(1, 3).isnan()  # beside a NaN torch's own picks the NaN
    assert torch.equal(a[numbers], b[numbers])
    assert ours.is_contiguous(memory_format=TOGETHER) and a.is_contiguous(memory_format=TOGETHER)


def test_where_nothing_is_learned_or_the_layout_is_another_halving_is_torchs_own() -> None:
    apart = torch.randn(2, 3, 1, 9, requires_grad=True)
    assert type(Halve()(apart).grad_fn).__name__ == "MaxPool2DWithIndicesBackward0"
    assert Halve()(image(2, 3, 1, 9)).grad_fn is None


@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16, torch.float64])
def test_dropout_drops_its_share_and_keeps_the_mean(dtype: torch.dtype) -> None:
    x = torch.ones(64, 33, 1, 129, dtype=dtype).contiguous(memory_format=TOGETHER)
    with torch.random.fork_rng():
        torch.manual_seed(0)
        out = Dropout(0.35)(x)
        assert not torch.equal(out, Dropout(0.35)(x))
        torch.manual_seed(0)
        assert torch.equal(out, Dropout(0.35)(x))
    assert out.dtype == dtype and out.stride() == x.stride()
    dropped = (out == 0).double()
    deviation = (0.35 * 0.65 / x.numel()) ** 0.5
    assert dropped.mean().item() == pytest.approx(0.35, abs=4 * deviation)
    assert out.double().mean().item() == pytest.approx(
        1, abs=4 * deviation / 0.65 + 4e-3 * (dtype == torch.bfloat16)
    )
    assert out.unique().numel() == 2
    # Each value is drawn by itself: neighbours in any direction, and in memory, know nothing of each other.
    line = dropped.permute(0, 2, 3, 1).flatten()
    for gap in (1, 2, 3, 4, 33):
        together = ((line[gap:] - 0.35) * (line[:-gap] - 0.35)).mean().item()
        assert together == pytest.approx(0, abs=4 * 0.35 * 0.65 / len(line) ** 0.5)


def test_dropouts_gradient_is_its_mask() -> None:
    x = image(3, 4, 1, 10).requires_grad_()
    out = Dropout(0.5)(x)
    (grad,) = torch.autograd.grad(out, x, torch.ones_like(out))
    torch.testing.assert_close(grad * x, out)
    assert set(grad.unique().tolist()) == {0.0, 2.0}


@pytest.mark.parametrize("rate", [0.0, 1e-6, 1.0])
def test_dropout_at_its_ends_is_torchs_own(rate: float) -> None:
    x = image(3, 4, 1, 10)
    torch.testing.assert_close(Dropout(rate)(x), x * (rate < 1), rtol=1e-5, atol=0)
    assert Dropout(0.35).eval()(x) is x
    gaps = x[:, :, :, ::3]  # memory with gaps
    assert Dropout(0.35)(gaps).shape == gaps.shape


@pytest.mark.parametrize("name", ["conv", "resnet18"])
def test_all_layers_see_gradients_in_the_layout_of_their_images(name: str) -> None:
    encoder = build_encoder(name, 3, 40)
    seen = []
    for module in encoder.modules():
        if isinstance(module, nn.BatchNorm2d):
            module.register_forward_hook(lambda module, given, out: out.register_hook(seen.append) and None)
    encoder(torch.randn(4, 3, 40)).square().sum().backward()
    assert seen and all(grad.is_contiguous(memory_format=TOGETHER) for grad in seen)
