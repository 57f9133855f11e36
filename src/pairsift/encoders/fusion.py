"""BTSF's encoder: a temporal and a spectral branch, fused bilinearly and refined by each other."""

from __future__ import annotations

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from pairsift.encoders.spared import spared
from pairsift.encoders.spectral import magnitude_spectrum

FLAT = 1e-4  # below this the signed square root is nearly linear: its slope at 0 would be infinite


class CausalConv(nn.Module):
    """A dilated convolution that sees only the present and the past, or only the present and the future."""

    def __init__(
        self, into: int, out: int, kernel: int, dilation: int = 1, *, backward: bool = False
    ) -> None:
        super().__init__()
        self.conv = nn.Conv1d(into, out, kernel, dilation=dilation, bias=False)
        reach = (kernel - 1) * dilation
        self.pad = (0, reach) if backward else (reach, 0)

    def forward(self, x: Tensor) -> Tensor:
        """(B, into, L) to (B, out, L)."""
        padded, weight = spared(F.pad(x, self.pad), self.conv.weight)
        return F.conv1d(padded, weight, dilation=self.conv.dilation)


class BothWays(nn.Module):
    """Bidirectional causal convolution: one that looks back and one that looks ahead, added up."""

    def __init__(self, into: int, out: int, kernel: int) -> None:
        super().__init__()
        self.back = CausalConv(into, out, kernel)
        self.ahead = CausalConv(into, out, kernel, backward=True)

    def forward(self, x: Tensor) -> Tensor:
        """(B, into, L) to (B, out, L)."""
        both: Tensor = self.back(x) + self.ahead(x)
        return both


class Residual(nn.Module):
    """x + ReLU(batch norm(layer(x)))."""

    def __init__(self, layer: nn.Module, width: int) -> None:
        super().__init__()
        self.layer = layer
        self.norm = nn.BatchNorm1d(width)

    def forward(self, x: Tensor, update: Tensor | None = None) -> Tensor:
        """(B, width, L) to (B, width, L); ``update`` passes the layer instead of ``x`` if given."""
        grown: Tensor = x + self.norm(self.layer(x if update is None else update)).relu()
        return grown


def _branch(first: nn.Module, width: int, pool: int, blocks: list[nn.Module]) -> nn.Sequential:
    head = [first, nn.BatchNorm1d(width), nn.ReLU(inplace=True), nn.MaxPool1d(pool, ceil_mode=True)]
    return nn.Sequential(*head, *(Residual(block, width) for block in blocks))


class Round(nn.Module):
    """One round of fusing and refining.

    The bilinear fusion of step i and frequency j, factored to rank R, is (U t_i) * (V s_j). Summed over the
    frequencies it is a map over time, from which spectrum-to-time aggregation refines the temporal features;
    summed over the steps a map over frequencies, for time-to-spectrum aggregation.
    """

    def __init__(self, width: int, kernel: int = 3) -> None:
        super().__init__()
        self.u = nn.Conv1d(width, width, 1, bias=False)
        self.v = nn.Conv1d(width, width, 1, bias=False)
        self.to_time = Residual(BothWays(width, width, kernel), width)
        around = nn.Conv1d(width, width, kernel, padding=kernel // 2, bias=False)
        self.to_spectrum = Residual(around, width)

    def forward(self, t: Tensor, s: Tensor) -> tuple[Tensor, Tensor]:
        """Refine temporal (B, W, L) and spectral features (B, W, M)."""
        ut, vs = self.u(t), self.v(s)  # (B, R, L), (B, R, M)
        over_time = ut * vs.mean(2, keepdim=True)
        over_frequencies = vs * ut.mean(2, keepdim=True)
        return self.to_time(t, over_time), self.to_spectrum(s, over_frequencies)


class BilinearFusion(nn.Module):
    """A series' temporal and spectral features, fused into one vector of length 1.

    Args:
        channels: C.
        width: channels of both branches.
        rank: size of the fused vector, R.
        rounds: how often both branches are refined by their fusion.
        levels: dilated causal convolutions of the temporal branch; dilations double.
        pool: how many steps (and frequencies) become one after the first convolution.
    """

    def __init__(
        self, channels: int, width: int = 64, rank: int = 256, rounds: int = 2, levels: int = 4, pool: int = 4
    ) -> None:
        super().__init__()
        dilated: list[nn.Module] = [CausalConv(width, width, 3, 2**i) for i in range(levels)]
        self.temporal = _branch(CausalConv(channels, width, 8), width, pool, dilated)
        plain: list[nn.Module] = [nn.Conv1d(width, width, 3, padding=1, bias=False) for _ in range(2)]
        first = nn.Conv1d(channels, width, 7, padding=3, bias=False)
        self.spectral = _branch(first, width, pool, plain)
        self.rounds = nn.ModuleList(Round(width) for _ in range(rounds))
        self.u = nn.Linear(width, rank, bias=False)
        self.v = nn.Linear(width, rank, bias=False)
        self.features = 2 * width
        self.rank = rank

    def branches(self, x: Tensor) -> tuple[Tensor, Tensor]:
        """Temporal (B, W, L) and spectral features (B, W, M) before any fusion."""
        return self.temporal(x), self.spectral(magnitude_spectrum(x))

    def refined(self, x: Tensor) -> tuple[Tensor, Tensor]:
        """Temporal (B, W, L) and spectral features (B, W, M) after all rounds."""
        t, s = self.branches(x)
        for refine in self.rounds:
            t, s = refine(t, s)
        return t, s

    def forward(self, x: Tensor) -> Tensor:
        """(B, C, T) to (B, R), rows of length 1."""
        t, s = self.refined(x)
        # The sum over all pairs of a step and a frequency is the product of the two sums.
        fused = self.u(t.mean(2)) * self.v(s.mean(2))  # (B, R)
        fused = fused if x.dtype == torch.float64 else fused.float()
        return F.normalize(fused / (fused.abs() + FLAT).sqrt(), dim=1)  # signed square root, unit length
