"""Features of a whole dataset, a batch at a time, and what a linear probe makes of them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import torch
from torch import Tensor

from pairsift.data.series import Series, Splits
from pairsift.errors import PairsiftError
from pairsift.evaluation.probe import linear_probe
from pairsift.frameworks import Framework

Progress = Callable[[int, int], None]


def embed_series(
    framework: Framework,
    series: Series,
    batch_size: int = 512,
    progress: Callable[[int], None] | None = None,
) -> Tensor:
    """Every series' features, in the dataset's order.

    Args:
        framework: trained, or not.
        series: N series.
        batch_size: series at a time; it changes the speed, not the features.
        progress: called with the number of series done.

    Returns:
        Features, shape (N, D), float32, on the CPU.
    """
    features = torch.empty(len(series), framework.out_features)
    done = 0
    for z in embed_batches(framework, series, batch_size):
        features[done : done + len(z)] = z
        done += len(z)
        if progress is not None:
            progress(done)
    return features


def embed_batches(framework: Framework, series: Series, batch_size: int = 512) -> Iterator[Tensor]:
    """The same, batch by batch, (B, D) each, for features that need not fit into memory."""
    device = next(framework.parameters()).device
    for start in range(0, len(series), batch_size):
        x = series[range(start, min(start + batch_size, len(series)))].x
        yield framework.embed(x.to(device)).float().cpu()


def probe_framework(
    framework: Framework,
    splits: Splits,
    *,
    seed: int = 0,
    standardise: bool = True,
    progress: Progress | None = None,
) -> dict[str, Any]:
    """Fit a linear probe on the training part's features and judge it on the others.

    Args:
        framework: its features are frozen.
        splits: labelled; the test part is needed, the validation part is judged where there is one.
        seed: of the probe.
        standardise: bring each feature to mean 0 and deviation 1 on the training part first.
        progress: called with (series embedded, series in all).

    Returns:
        ``{"metrics": on test, "validation": on validation or None, "probe": how it was done}``, JSON types.
    """
    train, val, test = splits.train, splits.val, splits.test
    if train.y is None or test is None or test.y is None:
        raise PairsiftError(f"{train.name}: a linear probe needs labels (y) in a training and a test part")
    parts = {"train": train, "test": test, **({"val": val} if val is not None and val.y is not None else {})}
    z, done, total = {}, 0, sum(map(len, parts.values()))
    for name, part in parts.items():
        z[name] = embed_series(framework, part, progress=progress and partial(_from, progress, done, total))
        done += len(part)
    probe = linear_probe(
        z["train"],
        train.y,
        z["test"],
        test.y,
        seed=seed,
        standardise=standardise,
        classes=train.classes,
    )
    judged = probe.evaluate(z["val"], parts["val"].y) if "val" in parts else None
    how = {"seed": seed, "standardised": standardise, "train": len(train), "test": len(test)}
    return {"metrics": probe.metrics, "validation": judged, "probe": how}


def _from(progress: Progress, start: int, total: int, done: int) -> None:
    progress(start + done, total)
