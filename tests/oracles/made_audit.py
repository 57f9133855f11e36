"""A made-up audit: series, what a miner would say of them, their losses over epochs. Nothing is trained."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pandas as pd

from pairsift.data.series import Series
from pairsift.report import PairHistory, Thresholds

HOSTILE = (
    "<script>window.hacked = 1</script>",
    '"><img src=x onerror="window.hacked = 1">',
    "</script><script>window.hacked = 1</script>",
    '=HYPERLINK("http://example.org")',
    "{{ 7 * 7 }}",
    "\x1b[31mred\u202eabc",
    "<!--<script>",
)


@dataclass
class Made:
    """What a report is made from."""

    miner: pd.DataFrame
    series: Series
    history: PairHistory
    thresholds: Thresholds
    about: dict[str, Any]

    def views(self, places: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """A scaled and a cut-up view; the cut-up one of a faulty pair is another series altogether."""
        rng = np.random.default_rng(7)
        x = self.series.x[places]
        first = x * rng.uniform(0.8, 1.2, (len(x), x.shape[1], 1)).astype(np.float32)
        second = np.roll(x, x.shape[2] // 3, axis=2) + rng.normal(0, 0.08, x.shape).astype(np.float32)
        bad = self.series.truth[places] == 2
        second[bad] = rng.normal(0, 1.5, second[bad].shape)
        return first, second


def make(
    pairs: int, channels: int = 2, length: int = 128, epochs: int = 30, groups: int = 12, seed: int = 0
) -> Made:
    rng = np.random.default_rng(seed)
    truth = rng.choice(3, pairs, p=[0.86, 0.08, 0.06]).astype(np.int8)
    y = rng.integers(0, 4, pairs)
    group = rng.integers(1, groups + 1, pairs)
    truth[(group == 3) & (rng.random(pairs) < 0.25)] = 1
    t = np.linspace(0, 1, length)
    phase = rng.uniform(0, 6.3, (pairs, channels, 1))
    x = np.sin(2 * np.pi * (2 + 2 * y)[:, None, None] * t + phase) * rng.uniform(
        0.6, 1.4, (pairs, channels, 1)
    )
    x = x + rng.normal(0, 1, x.shape) * np.array([0.12, 1.3, 0.12])[truth][:, None, None]
    mean = np.select(
        [truth == 1, truth == 2],
        [rng.normal(0.75, 0.16, pairs), rng.normal(3.6, 0.35, pairs)],
        rng.normal(2.05, 0.32, pairs),
    )
    std = np.select(
        [truth == 1, truth == 2],
        [rng.gamma(9, 0.02, pairs), rng.gamma(16, 0.035, pairs)],
        rng.gamma(12, 0.032, pairs),
    )
    low, high = 1.18, 3.05
    kind = np.where(mean < low, 1, np.where(mean > high, 2, 0))
    score = 1 / (1 + np.exp(-6 * np.maximum(low - mean, mean - high)))
    series = Series(
        x.astype(np.float32),
        y=y,
        truth=truth,
        group=group,
        ids=np.array([f"rec-{i:05d}" for i in range(pairs)], dtype=object),
        classes=("walking", "sitting", "standing", "lying down"),
        name="made up",
    )
    followed = np.sort(rng.permutation(pairs)[:2000])
    epoch = np.arange(epochs)[:, None]
    fall = np.where(truth == 2, 0.3, 1.6)[followed] * np.exp(-epoch / 5.0)
    noise = rng.normal(0, 1, (epochs, len(followed))) * std[followed]
    miner = pd.DataFrame(
        {
            "index": np.arange(pairs),
            "kind": kind.astype(np.int8),
            "score": score,
            "mean_loss": mean.astype(np.float32),
            "std_loss": std.astype(np.float32),
            "weight": np.where(kind > 0, np.exp(-((mean - 2.05) ** 2)), 1.0),
            "seen": np.full(pairs, epochs),
        }
    )
    return Made(
        miner,
        series,
        PairHistory(mean[followed] + fall + noise, index=followed, warmup=10),
        Thresholds(noisy=low, faulty=high, name="Sigma(noisy=2, faulty=3)"),
        {
            "framework": "simclr",
            "seed": 0,
            "settings": {"epochs": epochs, "batch_size": 128},
            "versions": {"pairsift": "0.1.0", "torch": "2.13"},
        },
    )


def make_hostile() -> Made:
    """The same with ids, classes, groups and words that try to break out."""
    base = make(120, channels=1, length=600)
    words = np.array([HOSTILE[i % len(HOSTILE)] + str(i) for i in range(120)], dtype=object)
    series = Series(
        base.series.x,
        y=base.series.y,
        truth=base.series.truth,
        group=np.array([HOSTILE[i % len(HOSTILE)] for i in range(120)], dtype=object),
        ids=words,
        classes=HOSTILE[:4],
        name=HOSTILE[0],
    )
    miner = base.miner.assign(done=[HOSTILE[i % len(HOSTILE)] for i in range(120)])
    thresholds = Thresholds(noisy=base.thresholds.noisy, name=HOSTILE[1])
    return Made(miner, series, base.history, thresholds, {HOSTILE[0]: HOSTILE[2]})


def make_many() -> Made:
    """A hundred thousand pairs of long series, none of which costs memory: all are one and the same."""
    many = make(100_000, channels=1, length=8, groups=300)
    wave = np.random.default_rng(0).normal(size=(1, 3, 3000)).astype(np.float32)
    return replace(many, series=replace(many.series, x=np.broadcast_to(wave, (100_000, 3, 3000))))
