"""What a miner found, for a cell's file: how many of which class, how well, and how they lie."""

from __future__ import annotations

from typing import Any

import numpy as np

from pairsift.data.series import Series
from pairsift.evaluation import detection_metrics, embed_series
from pairsift.frameworks import Framework
from pairsift.mining import KINDS, BadPairMiner

MOST = 2000  # series on a t-SNE map


def mined_facts(miner: BadPairMiner, series: Series) -> dict[str, Any]:
    """Counts of each verdict by class, mean weight of the flagged, thresholds, detection where known."""
    table = miner.table()
    kinds = table["kind"].cat.codes.to_numpy().astype(np.int64)
    weight = table["weight"].to_numpy()
    facts: dict[str, Any] = {
        "counts": {name: int((kinds == kind).sum()) for kind, name in enumerate(KINDS)},
        "by_class": by_class(kinds, series),
        "mean_weight": {
            name: float(weight[kinds == kind].mean()) if (kinds == kind).any() else None
            for kind, name in enumerate(KINDS)
        },
        "thresholds": miner.thresholds,
    }
    if series.truth is not None:
        facts["detection"] = detection_metrics(series.truth, kinds, table["mean_loss"].to_numpy())
        facts["truth_by_kind"] = {  # rows: what they are, columns: what they were called
            name: [int(((series.truth == kind) & (kinds == called)).sum()) for called in range(len(KINDS))]
            for kind, name in enumerate(KINDS)
        }
    return facts


def by_class(kinds: Any, series: Series) -> dict[str, list[int]] | None:
    """For each class how many pairs were called normal, noisy and faulty; None without labels."""
    if series.y is None:
        return None
    count = series.y.shape[1] if series.multilabel else int(series.y.max()) + 1
    names = series.classes or tuple(str(k) for k in range(count))
    belongs = series.y.astype(bool) if series.multilabel else series.y[:, None] == np.arange(len(names))
    return {
        name: [int((belongs[:, k] & (kinds == kind)).sum()) for kind in range(len(KINDS))]
        for k, name in enumerate(names)
    }


def kept_pairs(miner: BadPairMiner, series: Series) -> dict[str, Any]:
    """Each pair's mean loss, its spread, and what it truly is: Figure 2's numbers."""
    table = miner.table()
    truth = np.zeros(len(series), np.int8) if series.truth is None else series.truth
    return {
        "mean": [round(float(v), 4) for v in table["mean_loss"]],
        "std": [round(float(v), 4) for v in table["std_loss"]],
        "truth": truth.tolist(),
        "kinds": table["kind"].cat.codes.tolist(),
    }


def kept_map(framework: Framework, series: Series, seed: int) -> dict[str, Any]:
    """A t-SNE map of the features of at most ``MOST`` series, and what each truly is."""
    from sklearn.manifold import TSNE

    rng = np.random.default_rng(seed)
    rows = np.sort(rng.permutation(len(series))[:MOST])
    part = series.subset(rows)
    features = embed_series(framework, part).numpy()
    perplexity = min(30.0, (len(part) - 1) / 3)
    places = TSNE(perplexity=perplexity, init="pca", random_state=seed).fit_transform(features)
    truth = np.zeros(len(part), np.int8) if part.truth is None else part.truth
    return {
        "x": [round(float(v), 2) for v in places[:, 0]],
        "y": [round(float(v), 2) for v in places[:, 1]],
        "truth": truth.tolist(),
        "classes": None if part.y is None or part.multilabel else part.y.tolist(),
    }
