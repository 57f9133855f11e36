"""Features of a whole dataset, a batch at a time."""

from __future__ import annotations

import torch
from torch import Tensor

from pairsift.data.series import Series
from pairsift.frameworks import Framework


def embed_series(framework: Framework, series: Series, batch_size: int = 512) -> Tensor:
    """Every series' features, in the dataset's order.

    Args:
        framework: trained, or not.
        series: N series.
        batch_size: series at a time; it changes the speed, not the features.

    Returns:
        Features, shape (N, D), float32, on the CPU.
    """
    device = next(framework.parameters()).device
    features = torch.empty(len(series), framework.out_features)
    for start in range(0, len(series), batch_size):
        x = series[range(start, min(start + batch_size, len(series)))].x
        features[start : start + len(x)] = framework.embed(x.to(device)).float().cpu()
    return features
