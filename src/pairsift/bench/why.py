"""Why mining moved a number: the classes whose pairs were flagged most, and what became of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from statistics import mean

from pairsift.bench.groups import Group, split_by
from pairsift.bench.markdown import named, number, table

HEAD = (
    "framework",
    "mining",
    "flagged most",
    "% of its pairs",
    "its AUROC changed by",
    "flagged least",
    "% of its pairs",
    "its AUROC changed by",
    "seeds",
)


def why_lines(groups: Sequence[Group], probe: str) -> list[str]:
    """For each mined run the class that was flagged most and the one flagged least, and how both fared.

    A miner that finds bad pairs flags all classes alike; one that takes easy classes for noise flags some of
    them much more than others.

    Args:
        groups: of one spec; the first of a dataset and framework is what the others are compared with.
        probe: whose AUROC, "raw" or "standardised".
    """
    lines: list[str] = []
    for (dataset,), part in split_by(list(groups), "dataset").items():
        rows = []
        for _, line in split_by(part, "framework").items():
            rows += [row for group in line[1:] if (row := _row(group, line[0], probe))]
        if rows:
            lines += [f"Why, on {named(dataset)}:", "", *table(HEAD, rows, 3)]
    return lines


def _row(group: Group, base: Group, probe: str) -> list[str] | None:
    seeds = [s for s, r in group.results.items() if "mined" in r and s in base.results]
    if not seeds or not (flagged := _flagged(group, seeds)):
        return None
    change = _changes(group, base, seeds, probe)
    cells = [named(group.framework), named(group.variant)]
    for name in (max(flagged, key=lambda k: flagged[k]), min(flagged, key=lambda k: flagged[k])):
        cells += [name, f"{flagged[name]:.1f}", number(change.get(name), sign=True)]
    return [*cells, str(len(seeds))]


def _flagged(group: Group, seeds: Sequence[int]) -> dict[str, float]:
    """Percent of each class's pairs that were called noisy or faulty at the end, mean over seeds."""
    shares: dict[str, list[float]] = {}
    for seed in seeds:
        for name, counts in (group.results[seed]["mined"]["by_class"] or {}).items():
            if sum(counts):
                shares.setdefault(name, []).append(100 * (counts[1] + counts[2]) / sum(counts))
    return {name: mean(values) for name, values in shares.items()}


def _changes(group: Group, base: Group, seeds: Sequence[int], probe: str) -> dict[str, float]:
    """Points of AUROC by which each class changed against the base, mean over seeds."""
    changes: dict[str, list[float]] = {}
    for seed in seeds:
        ours, theirs = (_per_class(g, seed, probe) for g in (group, base))
        for name, value in ours.items():
            other = theirs.get(name)
            if value is not None and other is not None:
                changes.setdefault(name, []).append(100 * (value - other))
    return {name: mean(values) for name, values in changes.items()}


def _per_class(group: Group, seed: int, probe: str) -> Mapping[str, float | None]:
    found: Mapping[str, float | None] = group.results[seed]["probes"][probe]["test"]["auroc_per_class"]
    return found
