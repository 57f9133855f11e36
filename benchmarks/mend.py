"""Does mending pay? Runs what is missing of bench/mend*.toml, and holds what is there against its bars.

    python -m benchmarks.mend [--out results] [--jobs 2] [--only dataset=har ...]    run, then report
    python -m benchmarks.mend --report [--out results]                               report alone

Each run is a JSON file, written whole; interrupt it whenever you like. What was not run is left out.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from statistics import mean
from typing import Any

from benchmarks._report import entry, report

from pairsift.bench.groups import Group, gather, run_of
from pairsift.bench.machine import run_specs
from pairsift.bench.matrix import read_spec
from pairsift.bench.store import Store

BENCH = Path(__file__).parents[1] / "bench"
SPECS = ("mend", "mend-random")
CLOSED, CLEAN = 0.6, 0.2  # of the gap at 30%; points on clean data

Runs = dict[str, Group]  # by variant, of one dataset, framework and planted share


def by_place(groups: list[Group]) -> dict[tuple[str, str], dict[float, Runs]]:
    """Dataset and framework, then the planted share, then the variant."""
    found: dict[tuple[str, str], dict[float, Runs]] = {}
    for group in groups:
        share = float(group.place["planted"])
        found.setdefault((group.dataset, group.framework), {}).setdefault(share, {})[group.variant] = group
    return found


def gain(runs: Runs, variant: str, over: str, seeds: set[int] | None = None) -> tuple[float | None, int]:
    """Mean difference in accuracy on test over the seeds that both have, and how many these are."""
    ours, base = (runs[name].values("accuracy", "raw") for name in (variant, over))
    common = set(ours) & set(base) & (seeds if seeds is not None else set(ours))
    return (mean(ours[s] - base[s] for s in common) if common else None), len(common)


def best_published(runs: Runs) -> str | None:
    """Which beta does best on validation, of those with the most seeds."""
    scores = {
        name: runs[name].values("accuracy", "raw", "validation") for name in runs if name.startswith("DBPM")
    }
    most = max(map(len, scores.values()))
    full = {name: mean(s.values()) for name, s in scores.items() if s and len(s) == most}
    return max(full, key=lambda name: full[name]) if full else None


def judged(name: str, share: float, runs: Runs) -> list[dict[str, Any]]:
    """What one column of the tables says beside its bars; nothing where runs are missing."""
    found = []
    gained, seeds = gain(runs, "mend", "none")
    if gained is None:
        return []
    if share == 0:
        return [
            entry(
                f"{name}, clean: mend against none, points apart",
                abs(gained),
                CLEAN,
                gained=gained,
                seeds=seeds,
            )
        ]
    title = f"{name}, {100 * share:g}% planted"
    common = set(runs["mend"].values("accuracy", "raw")) & set(runs["none"].values("accuracy", "raw"))
    for variant in ("clean", "known"):
        gap, n = gain(runs, variant, "none", common)
        if gap is not None and gap > 0:
            bar = CLOSED if (variant, share) == ("clean", 0.3) else None
            part = gain(runs, "mend", "none", set(runs[variant].values("accuracy", "raw")))[0]
            assert part is not None
            found.append(
                entry(
                    f"{title}: share of the gap to {variant} that mend closes",
                    part / gap,
                    bar,
                    "at least",
                    points=gap,
                    seeds=n,
                )
            )
    beta = best_published(runs)
    if beta is not None:
        ahead, n = gain(runs, "mend", beta)
        if ahead is not None:
            found.append(entry(f"{title}: mend over {beta}, points", ahead, 0.0, "at least", seeds=n))
    for variant in ("auto", *(v for v in runs if v.startswith("mend:")), "known", "clean"):
        points, n = gain(runs, variant, "none")
        if points is not None:
            found.append(entry(f"{title}: {variant} over none, points", points, seeds=n))
    return found


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--out", type=Path, default=Path("results"))
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--only", action="append", default=[], metavar="FIELD=VALUE")
    parser.add_argument("--report", action="store_true", help="run nothing")
    how = parser.parse_args()
    specs = [read_spec(BENCH / f"{name}.toml") for name in SPECS]
    if not how.report:
        run_specs(specs, how.out, jobs=how.jobs, only=how.only, say=lambda line: print(line, file=sys.stderr))
    results = Store(how.out).results()
    entries: list[dict[str, Any]] = []
    for spec, damage in zip(specs, ("fixed", "random")):
        groups = gather(spec, results)
        ran, of = run_of(groups)
        print(f"# {spec.name}: {ran} of {of} cells run", file=sys.stderr)
        for (dataset, framework), shares in by_place(groups).items():
            for share, runs in shares.items():
                entries += judged(f"{dataset} {framework}, {damage} damage", share, runs)
    return report(entries)


if __name__ == "__main__":
    sys.exit(main())
