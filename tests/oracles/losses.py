"""The losses once more, a number at a time, as their equations read: slow, literal, float64."""

from __future__ import annotations

import math
from collections.abc import Sequence

Vector = Sequence[float]


def cosine(a: Vector, b: Vector) -> float:
    dot = sum(x * y for x, y in zip(a, b, strict=True))
    return dot / math.sqrt(sum(x * x for x in a)) / math.sqrt(sum(y * y for y in b))


def terms(
    u: Sequence[Vector], v: Sequence[Vector], t: float, one_sided: bool, keep: Sequence[bool] | None = None
) -> list[tuple[int, float, list[float]]]:
    """For every anchor: its pair, exp(similarity / t) of its positive, the same of each negative."""
    keep = [True] * len(u) if keep is None else keep
    found = []
    for i in range(len(u)):
        for anchor, positive in [(u[i], v[i])] if one_sided else [(u[i], v[i]), (v[i], u[i])]:
            negatives = []
            for j in range(len(u)):
                if j != i and keep[j]:
                    for other in [v[j]] if one_sided else [u[j], v[j]]:
                        negatives.append(math.exp(cosine(anchor, other) / t))
            found.append((i, math.exp(cosine(anchor, positive) / t), negatives))
    return found


def infonce(
    u: Sequence[Vector],
    v: Sequence[Vector],
    t: float = 0.2,
    one_sided: bool = False,
    keep: Sequence[bool] | None = None,
) -> list[float]:
    losses: list[list[float]] = [[] for _ in u]
    for pair, positive, negatives in terms(u, v, t, one_sided, keep):
        losses[pair].append(-math.log(positive / (positive + sum(negatives))))
    return [sum(loss) / len(loss) for loss in losses]


def rince(
    u: Sequence[Vector],
    v: Sequence[Vector],
    t: float = 0.2,
    q: float = 0.1,
    lam: float = 0.01,
    one_sided: bool = False,
    keep: Sequence[bool] | None = None,
) -> list[float]:
    losses: list[list[float]] = [[] for _ in u]
    for pair, positive, negatives in terms(u, v, t, one_sided, keep):
        losses[pair].append(-(positive**q) / q + (lam * (positive + sum(negatives))) ** q / q)
    return [sum(loss) / len(loss) for loss in losses]


def infonce_against(
    queries: Sequence[Vector], keys: Sequence[Vector], bank: Sequence[Vector], t: float
) -> list[float]:
    losses = []
    for query, key in zip(queries, keys, strict=True):
        positive = math.exp(cosine(query, key) / t)
        losses.append(-math.log(positive / (positive + sum(math.exp(cosine(query, b) / t) for b in bank))))
    return losses


def equation_2(i: int, u: Sequence[Vector], v: Sequence[Vector], t: float) -> list[float]:
    """The paper's -dL_i/du_i for rows of length 1: the positive less the candidates' softmax-weighted mean.

    The sum runs over all candidates of Eq. 1, its positive (j = 0 in the paper's sum) included.
    """
    weights = [math.exp(sum(a * b for a, b in zip(u[i], row, strict=True)) / t) for row in v]
    total = sum(weights)
    mean = [sum(w * row[d] for w, row in zip(weights, v, strict=True)) / total for d in range(len(u[i]))]
    return [(v[i][d] - mean[d]) / t for d in range(len(u[i]))]
