"""TS-TCC's encoder: three convolution blocks, flattened or averaged over time."""

from __future__ import annotations

from collections.abc import Sequence

from torch import Tensor, nn

from pairsift.encoders.base import Encoder
from pairsift.encoders.layers import ChannelsLast, Dropout, Halve, conv, length_after, series_of
from pairsift.errors import PairsiftError

WIDTH = 8  # of the kernels after the first


class ConvEncoder(Encoder):
    """Blocks of convolution, batch norm, ReLU and max-pooling; the last maps are flattened.

    Each pooling halves the time steps and adds up to one: a series of 128 ends as 18 steps, of 178 as 24.
    Dropout follows the first block.

    Args:
        channels: C of the series.
        length: T of the series.
        kernel: width of the first convolution (TS-TCC: 8; Sleep-EDF 25).
        stride: stride of the first convolution (TS-TCC: 1; Sleep-EDF 3).
        dropout: share of the first block's output that is zeroed in training.
        widths: channels of each block's output.
        pooling: "flatten" keeps where something happened (TS-TCC), "average" only that it did.
    """

    def __init__(
        self,
        channels: int,
        length: int,
        kernel: int = 8,
        stride: int = 1,
        dropout: float = 0.35,
        widths: Sequence[int] = (32, 64, 128),
        pooling: str = "flatten",
    ) -> None:
        super().__init__(channels, length)
        if kernel < 1 or stride < 1 or not widths:
            raise PairsiftError(
                f"kernel and stride must be at least 1 and widths not empty, got {kernel}, {stride}, {widths}"
            )
        if pooling not in ("flatten", "average"):
            raise PairsiftError(f"pooling must be flatten or average, got {pooling!r}")
        layers: list[nn.Module] = [ChannelsLast()]
        steps, width_in = length, channels
        for block, width in enumerate(widths):
            size, hop = (kernel, stride) if block == 0 else (WIDTH, 1)
            layers.append(conv(width_in, width, size, hop))
            if block == 0:
                layers.append(ChannelsLast())
            # The largest of two, then ReLU, is ReLU, then the largest of two: the same in half the work.
            layers += [nn.BatchNorm2d(width), Halve(), nn.ReLU(inplace=True)]
            if block == 0:
                layers.append(Dropout(dropout))
            steps = length_after(length_after(steps, size, hop, size // 2), 2, 2, 1)
            width_in = width
        self.blocks = nn.Sequential(*layers)
        self.map_channels = width_in
        self.map_length = steps
        self.pooling = pooling
        self.out_features = self.map_channels * (1 if pooling == "average" else self.map_length)

    def maps(self, x: Tensor) -> Tensor:
        """Feature maps (B, F, L) of series (B, C, T)."""
        self.check(x)
        return series_of(self.blocks(x[:, :, None]))  # from (B, F, 1, L)

    def pool(self, maps: Tensor) -> Tensor:
        """The maps as one vector, (B, F * L), or (B, F) averaged."""
        return maps.mean(2) if self.pooling == "average" else maps.flatten(1)
