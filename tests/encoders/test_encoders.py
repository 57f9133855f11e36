"""Encoders: published sizes, any length and number of channels, and what an encoder must not depend on."""

from __future__ import annotations

from itertools import pairwise

import pytest
import torch
from torch import nn

from pairsift.encoders import ENCODERS, ConvEncoder, Encoder, ResNet1d, build_encoder
from pairsift.errors import PairsiftError

each_name = pytest.mark.parametrize("name", ENCODERS)


def series(*shape: int) -> torch.Tensor:
    return torch.randn(shape, generator=torch.Generator().manual_seed(0))


@pytest.mark.parametrize(
    ("channels", "length", "kernel", "stride", "steps"),
    [(9, 128, 8, 1, 18), (1, 178, 8, 1, 24), (1, 3000, 25, 3, 127)],
    ids=["har", "epilepsy", "sleep-edf"],
)
def test_tstcc_sizes(channels: int, length: int, kernel: int, stride: int, steps: int) -> None:
    encoder = ConvEncoder(channels, length, kernel=kernel, stride=stride)
    assert (encoder.map_channels, encoder.map_length, encoder.out_features) == (128, steps, 128 * steps)
    x = series(2, channels, length)
    assert encoder.maps(x).shape == (2, 128, steps)
    assert encoder(x).shape == (2, 128 * steps)


def test_tstcc_layers_read_literally() -> None:
    encoder = ConvEncoder(3, 50).eval()
    x = series(4, 3, 50)
    out = x
    for block in range(3):
        conv, norm = [m for m in encoder.blocks if isinstance(m, nn.Conv2d | nn.BatchNorm2d)][
            2 * block : 2 * block + 2
        ]
        assert conv.bias is None and conv.kernel_size == (1, 8) and conv.padding == (0, 4)
        out = torch.nn.functional.conv1d(out, conv.weight.squeeze(2), padding=4)
        mean, var = norm.running_mean[:, None], norm.running_var[:, None]
        out = (out - mean) / (var + norm.eps).sqrt() * norm.weight[:, None] + norm.bias[:, None]
        out = out.clamp(min=0)
        padded = torch.nn.functional.pad(out, (1, 1), value=-torch.inf)
        out = padded.unfold(2, 2, 2).amax(3)
    torch.testing.assert_close(encoder.maps(x), out)
    torch.testing.assert_close(encoder(x), out.flatten(1))
    assert [m.p for m in encoder.modules() if isinstance(m, nn.Dropout)] == [0.35]


@pytest.mark.parametrize(
    ("depth", "convolutions", "map_channels"), [(18, 17, 512), (34, 33, 512), (50, 49, 2048)]
)
def test_resnets_have_their_layers(depth: int, convolutions: int, map_channels: int) -> None:
    encoder = ResNet1d(12, 100, depth=depth)
    on_the_path = [
        m for name, m in encoder.named_modules() if isinstance(m, nn.Conv2d) and "shortcut" not in name
    ]
    assert len(on_the_path) == convolutions  # with the linear map: the depth's number of layers
    assert on_the_path[0].kernel_size == (1, 7) and on_the_path[0].stride == (1, 1)
    assert not any(isinstance(m, nn.MaxPool2d) for m in encoder.modules())
    assert encoder.map_channels == map_channels and encoder.out_features == 256
    x = series(2, 12, 100)
    assert encoder.maps(x).shape == (2, map_channels, 13)  # halved three times, rounded up
    torch.testing.assert_close(encoder.eval()(x), encoder.head(encoder.maps(x).mean(2)))


@each_name
@pytest.mark.parametrize(("channels", "length"), [(1, 32), (12, 33), (3, 101), (2, 7), (1, 3000)])
def test_any_channels_and_length(name: str, channels: int, length: int) -> None:
    if length == 3000 and name == "resnet50":
        channels, length = 1, 1001  # the longest is costly and proves no more
    encoder = build_encoder(name, channels, length).eval()
    x = series(1, channels, length)
    with torch.no_grad():
        maps = encoder.maps(x)
        assert maps.shape == (1, encoder.map_channels, encoder.map_length)
        z = encoder(x)
    assert z.shape == (1, encoder.out_features) and z.isfinite().all()
    assert torch.equal(z, encoder.pool(maps))


@each_name
def test_every_parameter_gets_a_gradient(name: str) -> None:
    encoder = build_encoder(name, 2, 40)
    encoder(series(4, 2, 40)).square().sum().backward()
    for what, parameter in encoder.named_parameters():
        assert parameter.grad is not None and parameter.grad.abs().sum() > 0, what


@each_name
def test_in_eval_mode_neighbours_do_not_matter(name: str) -> None:
    encoder = build_encoder(name, 2, 40)
    encoder(series(8, 2, 40))  # moves the running statistics away from where they begin
    encoder.eval()
    x = series(5, 2, 40)
    torch.testing.assert_close(encoder(x)[:2], encoder(x[:2]), rtol=1e-4, atol=1e-5)


@each_name
def test_the_callers_seed_decides_the_weights(name: str) -> None:
    def make(seed: int) -> Encoder:
        torch.manual_seed(seed)
        return build_encoder(name, 2, 40)

    first, second, third = (list(make(seed).state_dict().values()) for seed in (1, 1, 2))
    assert all(torch.equal(a, b) for a, b in zip(first, second))
    assert not all(torch.equal(a, b) for a, b in zip(first, third))
    # Nothing was run to find out sizes: batch norm has seen no batch.
    torch.manual_seed(1)
    statistics = dict(build_encoder(name, 2, 40).named_buffers())
    assert all((v == 0).all() for k, v in statistics.items() if "running_var" not in k)
    assert all((v == 1).all() for k, v in statistics.items() if "running_var" in k)


@each_name
@pytest.mark.parametrize("channels", [1, 2])
def test_channels_lie_together_all_the_way(name: str, channels: int) -> None:
    encoder = build_encoder(name, channels, 40)
    layouts = []
    for module in encoder.modules():
        if isinstance(module, nn.BatchNorm2d):
            module.register_forward_hook(
                lambda _, inputs, out: layouts.append(out.is_contiguous(memory_format=torch.channels_last))
            )
    encoder(series(4, channels, 40))
    assert layouts and all(layouts)


@each_name
def test_the_input_is_left_alone(name: str) -> None:
    x = series(4, 2, 40)
    kept = x.clone()
    build_encoder(name, 2, 40)(x)
    assert torch.equal(x, kept)


def test_widths_are_ours_to_choose() -> None:
    encoder = ConvEncoder(2, 40, widths=(4, 8))
    convolutions = [m for m in encoder.modules() if isinstance(m, nn.Conv2d)]
    assert [m.out_channels for m in convolutions] == [4, 8]
    assert all(b.in_channels == a.out_channels for a, b in pairwise(convolutions))
    assert encoder(series(2, 2, 40)).shape == (2, encoder.out_features)


@pytest.mark.parametrize("shape", [(4, 3, 40), (4, 2, 41), (2, 40)])
@each_name
def test_series_of_another_shape_are_refused(name: str, shape: tuple[int, ...]) -> None:
    with pytest.raises(PairsiftError, match=r"takes series of shape \(batch, 2, 40\), got"):
        build_encoder(name, 2, 40)(series(*shape))


def test_bad_settings_are_one_sentence() -> None:
    with pytest.raises(PairsiftError, match="unknown encoder 'lstm'; there are conv, resnet18"):
        build_encoder("lstm", 2, 40)
    with pytest.raises(PairsiftError, match="depth must be one of 18, 34, 50, got 20"):
        ResNet1d(2, 40, depth=20)
    with pytest.raises(PairsiftError, match="at least one channel and two time steps, got 0 and 40"):
        ConvEncoder(0, 40)
    with pytest.raises(PairsiftError, match="kernel and stride must be at least 1"):
        ConvEncoder(2, 40, stride=0)
    with pytest.raises(PairsiftError, match="out_features must be at least 1"):
        ResNet1d(2, 40, out_features=0)
