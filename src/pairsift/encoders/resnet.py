"""One-dimensional ResNets, as the paper's code uses on ECG."""

from __future__ import annotations

from torch import Tensor, nn

from pairsift.encoders.base import Encoder
from pairsift.encoders.layers import ChannelsLast, conv, length_after, series_of
from pairsift.errors import PairsiftError

WIDTHS = (64, 128, 256, 512)
# depth -> (blocks in each of the four stages, whether the blocks are bottlenecks)
DEPTHS = {18: ((2, 2, 2, 2), False), 34: ((3, 4, 6, 3), False), 50: ((3, 4, 6, 3), True)}


class ResNet1d(Encoder):
    """A ResNet along time: 7-wide first convolution, no max-pooling, average pooling, a linear map.

    Args:
        channels: C of the series.
        length: T of the series.
        depth: 18, 34 or 50.
        out_features: D of the vectors.
    """

    def __init__(self, channels: int, length: int, depth: int = 34, out_features: int = 256) -> None:
        super().__init__(channels, length)
        if depth not in DEPTHS:
            raise PairsiftError(f"depth must be one of {', '.join(map(str, DEPTHS))}, got {depth}")
        if out_features < 1:
            raise PairsiftError(f"out_features must be at least 1, got {out_features}")
        counts, bottleneck = DEPTHS[depth]
        self.stem = nn.Sequential(
            ChannelsLast(),
            conv(channels, WIDTHS[0], 7),
            ChannelsLast(),
            nn.BatchNorm2d(WIDTHS[0]),
            nn.ReLU(inplace=True),
        )
        blocks: list[nn.Module] = []
        steps, width_in = length, WIDTHS[0]
        for stage, (width, count) in enumerate(zip(WIDTHS, counts, strict=True)):
            for block in range(count):
                stride = 2 if stage > 0 and block == 0 else 1
                made = _Block(width_in, width, stride, bottleneck)
                blocks.append(made)
                width_in = made.out_channels
                steps = length_after(steps, 3, stride, 1)
        self.blocks = nn.Sequential(*blocks)
        self.head = nn.Linear(width_in, out_features)
        self.map_channels = width_in
        self.map_length = steps
        self.out_features = out_features

    def maps(self, x: Tensor) -> Tensor:
        """Feature maps (B, F, L) of series (B, C, T): F is 512, or 2048 at depth 50; L about T / 8."""
        self.check(x)
        return series_of(self.blocks(self.stem(x[:, :, None])))  # from (B, F, 1, L)

    def pool(self, maps: Tensor) -> Tensor:
        """The linear map of the average over time, (B, D)."""
        out: Tensor = self.head(maps.mean(2))
        return out


class _Block(nn.Module):
    """Two 3-wide convolutions, or a bottleneck of 1-3-1, beside a shortcut."""

    def __init__(self, width_in: int, width: int, stride: int, bottleneck: bool) -> None:
        super().__init__()
        self.out_channels = 4 * width if bottleneck else width
        relu = nn.ReLU(inplace=True)
        if bottleneck:
            layers = [conv(width_in, width, 1), nn.BatchNorm2d(width), relu]
            layers += [conv(width, width, 3, stride), nn.BatchNorm2d(width), relu]
            layers += [conv(width, self.out_channels, 1), nn.BatchNorm2d(self.out_channels)]
        else:
            layers = [conv(width_in, width, 3, stride), nn.BatchNorm2d(width), relu]
            layers += [conv(width, width, 3), nn.BatchNorm2d(width)]
        self.residual = nn.Sequential(*layers)
        self.shortcut: nn.Module = nn.Identity()
        if stride != 1 or width_in != self.out_channels:
            self.shortcut = nn.Sequential(
                conv(width_in, self.out_channels, 1, stride), nn.BatchNorm2d(self.out_channels)
            )
        self.relu = relu

    def forward(self, x: Tensor) -> Tensor:
        out: Tensor = self.residual(x)
        out += self.shortcut(x)
        activated: Tensor = self.relu(out)
        return activated
