"""The linear probe: how much of the classes one linear layer finds in frozen features."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import torch
import torch.nn.functional as F
from torch import Tensor

from pairsift.errors import PairsiftError
from pairsift.evaluation.arrays import Array, to_labels
from pairsift.evaluation.metrics import Metrics, classification_metrics


@dataclass(frozen=True)
class Probe:
    """A trained linear layer and what it reached on the test set.

    Args:
        scores: class probabilities on the test set, shape (N, K).
        metrics: what ``classification_metrics`` says of them.
        weight: shape (K, D), for standardised features.
        bias: shape (K,).
        mean: what is subtracted from features first, shape (D,).
        std: what they are divided by then, shape (D,).
        multilabel: whether several classes may hold at once.
        classes: the classes' names.
    """

    scores: Array
    metrics: Metrics
    weight: Tensor
    bias: Tensor
    mean: Tensor
    std: Tensor
    multilabel: bool
    classes: tuple[str, ...] | None = None

    def score(self, z: Any) -> Array:
        """Class probabilities (N, K) of other features (N, D): a validation set, new series."""
        z = check_features("z", z, width=len(self.mean)).to(self.weight.device)
        chunks = [self._logits(z[start : start + 4096]) for start in range(0, len(z), 4096)]
        logits = torch.cat(chunks)
        return (logits.sigmoid() if self.multilabel else logits.softmax(dim=1)).cpu().numpy()

    def evaluate(self, z: Any, y: Any) -> Metrics:
        """``classification_metrics`` on other features (N, D) and labels."""
        return classification_metrics(self.score(z), y, self.classes)

    def _logits(self, z: Tensor) -> Tensor:
        return F.linear((z.float() - self.mean) / self.std, self.weight, self.bias)


def linear_probe(
    train_z: Any,
    train_y: Any,
    test_z: Any,
    test_y: Any,
    *,
    epochs: int = 40,
    lr: float = 1e-3,
    batch_size: int = 128,
    standardise: bool = True,
    seed: int = 0,
    classes: Sequence[str] | None = None,
) -> Probe:
    """Train one linear layer on frozen features and judge it on the test set, as the paper's appendix says.

    Adam at a fixed rate, cross entropy (binary cross entropy a class where several may hold). The layer after
    the last epoch is the one that is judged: nothing is chosen by the test set. Score further sets with the
    returned probe's ``score`` and ``evaluate``.

    Args:
        train_z: features, shape (N, D): a tensor or an array. Trained on the tensor's device.
        train_y: classes, shape (N,), or a 0/1 table, shape (N, K).
        test_z: features, shape (M, D).
        test_y: labels of the same form, M rows.
        epochs: passes over the training features.
        lr: Adam's rate.
        batch_size: rows a step; the last, shorter batch of an epoch counts too.
        standardise: whether to bring each feature to mean 0 and deviation 1 on the training rows first. It
            moves accuracy by up to 1.5 points either way, so say which was used. A constant feature is only
            centred.
        seed: for the layer's start and the order of rows. The global random state is neither read nor set.
        classes: the classes' names; their number fixes K. Else K is one more than the largest class seen.
    """
    z, rest = check_features("train_z", train_z), check_features("test_z", test_z)
    y, rest_y = to_labels("train_y", train_y), to_labels("test_y", test_y)
    count = check_sets(z, y, rest, rest_y, classes)
    if epochs < 1 or batch_size < 1:
        raise PairsiftError(f"epochs and batch_size must be at least 1, got {epochs} and {batch_size}")
    multilabel = y.ndim == 2
    if standardise:
        mean, std = moments(z)
    else:
        mean, std = z.new_zeros(z.shape[1]).float(), z.new_ones(z.shape[1]).float()

    generator = torch.Generator().manual_seed(seed)
    bound = z.shape[1] ** -0.5  # as nn.Linear starts
    start = torch.empty(count, z.shape[1] + 1).uniform_(-bound, bound, generator=generator)
    weight = start[:, :-1].clone().to(z.device).requires_grad_()
    bias = start[:, -1].clone().to(z.device).requires_grad_()
    adam = torch.optim.Adam([weight, bias], lr=lr)
    target = torch.from_numpy(y).to(z.device)
    if multilabel:
        target = target.float()
    scale = 1 / std
    with torch.enable_grad():
        for _ in range(epochs):
            order = torch.randperm(len(z), generator=generator).to(z.device)
            for rows in torch.split(order, batch_size):
                batch = z.index_select(0, rows).float().sub_(mean).mul_(scale)  # the rows are a copy
                logits = F.linear(batch, weight, bias)
                wanted = target.index_select(0, rows)
                if multilabel:
                    loss = F.binary_cross_entropy_with_logits(logits, wanted)
                else:
                    loss = F.cross_entropy(logits, wanted)
                adam.zero_grad()
                loss.backward()  # type: ignore[no-untyped-call]
                adam.step()

    names = None if classes is None else tuple(classes)
    unscored = np.empty((0, count), dtype=np.float32)
    layer = Probe(unscored, {}, weight.detach(), bias.detach(), mean, std, multilabel, names)
    scores = layer.score(rest)
    return replace(layer, scores=scores, metrics=classification_metrics(scores, rest_y, names))


def moments(z: Tensor) -> tuple[Tensor, Tensor]:
    """Mean and deviation of each feature, each (D,) float32; a constant feature's deviation is given as 1."""
    var, mean = torch.var_mean(z.float(), dim=0, correction=0)
    std = var.sqrt()
    varies = std > 1e-6 * mean.abs()  # below that it is rounding
    return mean, torch.where(varies, std, torch.ones_like(std))


def check_features(name: str, values: Any, width: int | None = None) -> Tensor:
    """Features as a tensor (N, D) without gradient, or a sentence saying what is wrong with them."""
    if isinstance(values, Tensor):
        z = values.detach()
    else:
        array = np.require(values, requirements=["C", "W"])  # a read-only memory map is copied
        if array.dtype.kind not in "fiu":
            raise PairsiftError(f"{name} must hold numbers, got {array.dtype}; convert it to float32")
        z = torch.from_numpy(array)
    if z.ndim != 2 or 0 in z.shape:
        raise PairsiftError(f"{name} must be features of shape (N, D), got {tuple(z.shape)}; flatten() them")
    if width is not None and z.shape[1] != width:
        raise PairsiftError(f"{name} has {z.shape[1]} features a row, but the probe was trained on {width}")
    if not bool(torch.isfinite(z).all()):
        raise PairsiftError(f"{name} holds NaN or infinite values; look at the series or the training run")
    return z


def check_sets(z: Tensor, y: Array, rest: Tensor, rest_y: Array, classes: Sequence[str] | None) -> int:
    """Refuse sets that do not fit each other; the number of classes, K."""
    for part, features, labels in (("train", z, y), ("test", rest, rest_y)):
        if len(features) != len(labels):
            raise PairsiftError(f"{part}_z has {len(features)} rows, but {part}_y has {len(labels)}")
    if z.shape[1] != rest.shape[1]:
        raise PairsiftError(f"train_z has {z.shape[1]} features a row, but test_z has {rest.shape[1]}")
    if y.shape[1:] != rest_y.shape[1:]:
        raise PairsiftError(f"train_y and test_y must have one form, got {y.shape} and {rest_y.shape}")
    if y.ndim == 2:
        return int(y.shape[1])
    if len(np.unique(y)) < 2:
        raise PairsiftError(f"train_y holds one class only ({int(y[0])}); a probe needs at least two")
    highest = int(max(y.max(), rest_y.max()))
    if classes is not None and highest >= len(classes):
        raise PairsiftError(f"classes names {len(classes)} classes, but the labels go up to {highest}")
    return highest + 1 if classes is None else len(classes)
