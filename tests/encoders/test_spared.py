"""Convolutions in bfloat16 come near to those in float32, at every width: a fault of oneDNN is gone round."""

from __future__ import annotations

import pytest
import torch
from torch.nn import functional as F

from pairsift.encoders import build_encoder
from pairsift.encoders.fusion import BilinearFusion, CausalConv
from pairsift.encoders.layers import conv
from pairsift.encoders.spared import spared

# Even and below 16, at kernels whose product with them is a multiple of 32: on AMX these came out wrong.
HIT = [(2, 16), (4, 8), (4, 16), (6, 16), (8, 4), (8, 8), (8, 16), (10, 16), (12, 8), (12, 16), (14, 16)]
OTHERS = [(1, 8), (3, 8), (9, 8), (12, 7), (15, 16), (16, 8), (32, 8)]


def series(*shape: int) -> torch.Tensor:
    return torch.randn(shape, generator=torch.Generator().manual_seed(0))


def unlike(found: torch.Tensor, wanted: torch.Tensor) -> float:
    return (found.detach().float() - wanted.detach()).norm().item() / wanted.detach().norm().item()


@pytest.mark.parametrize(("channels", "kernel"), HIT + OTHERS)
@pytest.mark.parametrize("stride", [1, 3])
def test_outputs_and_gradients_agree_with_float32(channels: int, kernel: int, stride: int) -> None:
    torch.manual_seed(0)
    layer = conv(channels, 24, kernel, stride)
    found = []
    for rough in (False, True):
        x = series(6, channels, 1, 70).requires_grad_()
        with torch.autocast("cpu", dtype=torch.bfloat16, enabled=rough):
            y = layer(x)
        assert y.dtype == (torch.bfloat16 if rough else torch.float32)
        grads = torch.autograd.grad(y.float().square().sum(), (x, layer.weight))
        found.append((y, *grads))
    for exact, near in zip(*found, strict=True):
        assert unlike(near, exact) < 0.02


@pytest.mark.parametrize("channels", [8, 12])
def test_so_do_causal_ones_and_whole_networks_cast_to_bfloat16(channels: int) -> None:
    torch.manual_seed(0)
    causal, x = CausalConv(channels, 24, 8, dilation=2), series(6, channels, 64)
    exact = causal(x)
    with torch.autocast("cpu", dtype=torch.bfloat16):
        assert unlike(causal(x), exact) < 0.02
    assert unlike(causal.bfloat16()(x.bfloat16()), exact) < 0.02


@pytest.mark.parametrize("channels", [8, 12])
@pytest.mark.parametrize("name", ["conv", "fusion"])
def test_so_do_features(name: str, channels: int) -> None:
    torch.manual_seed(0)
    encoder = BilinearFusion(channels) if name == "fusion" else build_encoder(name, channels, 128)
    encoder.eval()
    x = series(16, channels, 128)
    exact = encoder(x)
    with torch.autocast("cpu", dtype=torch.bfloat16):
        assert unlike(encoder(x), exact) < 0.02


@pytest.mark.parametrize(("channels", "kernel"), HIT)
def test_what_is_spared_is_the_same_convolution(channels: int, kernel: int) -> None:
    x, weight = series(3, channels, 40).bfloat16(), series(5, channels, kernel).bfloat16()
    fuller, weights = spared(x, weight)
    assert fuller.shape[1] == weights.shape[1] == channels + 1
    torch.testing.assert_close(
        F.conv1d(fuller.double(), weights.double()), F.conv1d(x.double(), weight.double())
    )


def test_only_what_is_hit_is_changed() -> None:
    weight = series(5, 8, 8)
    x = series(3, 8, 40)
    assert spared(x, weight)[0] is x  # float32
    assert spared(x.half(), weight)[1] is weight
    for channels, kernel in OTHERS:
        x, weight = series(2, channels, 40).bfloat16(), series(5, channels, kernel).bfloat16()
        assert spared(x, weight)[0] is x and spared(x, weight)[1] is weight
