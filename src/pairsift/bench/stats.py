"""Numbers over seeds: mean, deviation, and paired differences with an interval that is honest for few."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from statistics import mean, stdev


@dataclass(frozen=True)
class Summary:
    """Values over seeds.

    Args:
        values: by seed.
        mean: their mean.
        sd: their standard deviation (n - 1), None for one value.
    """

    values: Mapping[int, float]
    mean: float
    sd: float | None

    @property
    def n(self) -> int:
        """How many seeds."""
        return len(self.values)


@dataclass(frozen=True)
class Difference(Summary):
    """Differences to a base, seed by seed, with the 95% interval of their mean.

    Args:
        low: lower end by Student's t, None for one value.
        high: upper end.
    """

    low: float | None
    high: float | None

    @property
    def verdict(self) -> str:
        """What may be said: "better", "worse", "not told apart", or "one seed"."""
        if self.low is None or self.high is None:
            return "one seed"
        return "better" if self.low > 0 else "worse" if self.high < 0 else "not told apart"


def summarise(values: Mapping[int, float]) -> Summary | None:
    """Mean and deviation; None for no values."""
    if not values:
        return None
    kept = dict(sorted(values.items()))
    return Summary(kept, mean(kept.values()), stdev(kept.values()) if len(kept) > 1 else None)


def paired(values: Mapping[int, float], base: Mapping[int, float]) -> Difference | None:
    """Value minus base for the seeds that both have; None where there is none."""
    both = summarise({seed: values[seed] - base[seed] for seed in values if seed in base})
    if both is None:
        return None
    half = None if both.sd is None else t_quantile(both.n - 1) * both.sd / math.sqrt(both.n)
    low, high = (None, None) if half is None else (both.mean - half, both.mean + half)
    return Difference(both.values, both.mean, both.sd, low, high)


def t_quantile(freedom: int) -> float:
    """The 97.5% quantile of Student's t."""
    from scipy.stats import t  # type: ignore[import-untyped]

    return float(t.ppf(0.975, freedom))
