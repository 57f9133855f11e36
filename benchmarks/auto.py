"""Does Auto find the bad pairs? F1 against the best line through the same plane and against Sigma, as JSON.

python -m benchmarks.auto --losses losses                    # the simulation: trains what the folder lacks
PAIRSIFT_DATA=... python -m benchmarks.auto --losses losses --data raw z-scored har epilepsy --out docs
"""

from __future__ import annotations

import argparse
import json
import sys
from itertools import groupby
from pathlib import Path
from typing import Any

import numpy as np
from benchmarks import _auto_page
from benchmarks._cuts import Array, best_line, f1
from benchmarks._losses import SEEDS, Condition, collect, conditions, remembered

from pairsift.mining import FAULTY, NOISY, Auto, Population, Sigma, Threshold
from pairsift.mining.memory import Memory
from pairsift.training import versions

KINDS = {"noisy": NOISY, "faulty": FAULTY}
RULES: dict[str, Threshold] = {"auto": Auto()} | {f"sigma_{beta}": Sigma(beta, beta) for beta in (1, 2, 3)}
OF_CEILING, MOST_FLAGGED = 0.95, 0.02
SCORES = (0.0, 0.1, 0.5, 0.9, 1.0)  # between which the score is held against the truth


def judged(memory: Memory, truth: Array) -> dict[str, Any]:
    """Every rule's F1 of each kind beside the best line's, and what share of all pairs each rule flags."""
    pairs, population = memory.rows(slice(None)), Population(memory)
    mean, spread = pairs.mean.double().numpy(), pairs.std.double().numpy()
    kinds = {name: rule.fit(population).judge(pairs).numpy() for name, rule in RULES.items()}
    found: dict[str, Any] = {"flagged": {name: float((k > 0).mean()) for name, k in kinds.items()}}
    for name, kind in KINDS.items():
        true = truth == kind
        if true.any():
            best = {"line": best_line(mean, spread, true)}
            found[name] = best | {rule: f1(k == kind, true) for rule, k in kinds.items()}
    score = RULES["auto"].fit(population).score(pairs).double().numpy()
    place = np.digitize(score, SCORES[1:-1])
    found["scores"] = [[int((place == k).sum()), int((truth[place == k] > 0).sum())] for k in range(4)]
    return found


def calibration(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """What share of the pairs with such a score are planted, over all trainings where some are."""
    totals = np.sum([row["scores"] for row in rows if row["share"]], axis=0)
    return [
        {
            "score_from": SCORES[k],
            "to": SCORES[k + 1],
            "pairs": int(n),
            "planted": round(int(bad) / max(n, 1), 4),
        }
        for k, (n, bad) in enumerate(totals)
    ]


def row_of(condition: Condition, folder: Path) -> dict[str, Any]:
    """One training's numbers."""
    with np.load(folder / f"{condition.name}.npz") as kept:
        found = judged(remembered(kept["losses"]), kept["truth"])
    return {
        "data": condition.data,
        "views": condition.views,
        "share": condition.share,
        "seed": condition.seed,
        **found,
    }


def averaged(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The mean over seeds of every condition, and whether it holds what Auto is held to."""

    def kind_of_training(row: dict[str, Any]) -> tuple[Any, ...]:
        return row["data"], row["views"], row["share"]

    out = []
    for (data, views, share), same in groupby(sorted(rows, key=kind_of_training), kind_of_training):
        seeds = list(same)
        mean: dict[str, Any] = {"data": data, "views": views, "share": share, "seeds": len(seeds)}
        for name in ("flagged", *KINDS):
            if name in seeds[0]:
                mean[name] = {
                    rule: round(float(np.mean([row[name][rule] for row in seeds])), 4)
                    for rule in seeds[0][name]
                }
        out.append(mean | {"misses": misses(mean)})
    return out


def misses(mean: dict[str, Any]) -> list[str]:
    """Which of the aims a condition misses, in words."""
    if mean["share"] == 0:
        return ["flags where nothing is planted"] if mean["flagged"]["auto"] > MOST_FLAGGED else []
    missed = []
    for name in KINDS:
        found = mean[name]
        if found["auto"] < OF_CEILING * found["line"]:
            missed.append(f"{name}: {found['auto'] / found['line']:.3f} of the best line")
        best = max(("sigma_1", "sigma_2", "sigma_3"), key=found.__getitem__)
        if found["auto"] <= found[best]:
            missed.append(f"{name}: not above {best}")
    return missed


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--losses", type=Path, required=True, help="a folder for the trainings' losses")
    parser.add_argument("--data", nargs="+", default=["raw", "z-scored"], help="and har, epilepsy")
    parser.add_argument("--seeds", nargs="+", type=int, default=SEEDS)
    parser.add_argument(
        "--out", type=Path, help="the folder of auto.json and of auto.md, whose tables are written anew"
    )
    chosen = parser.parse_args()
    wanted = [one for one in conditions(tuple(chosen.seeds)) if one.data in chosen.data]
    collect(wanted, chosen.losses, say=lambda words: print(words, file=sys.stderr, flush=True))
    rows = [row_of(condition, chosen.losses) for condition in wanted]
    means = averaged(rows)
    result = {
        "ceiling": "line: the best half-plane of 180 directions in (mean, spread) and (mean, log spread)",
        "aims": {"of_ceiling": OF_CEILING, "most_flagged_where_nothing_is_planted": MOST_FLAGGED},
        "versions": versions(),
        "means": means,
        "calibration_of_the_score": calibration(rows),
    }
    print(json.dumps(result | {"rows": rows}, indent=1))
    if chosen.out:
        (chosen.out / "auto.json").write_text(json.dumps(result, indent=1) + "\n")
        _auto_page.write(chosen.out / "auto.md", result)
    return int(any(mean["misses"] for mean in means))


if __name__ == "__main__":
    sys.exit(main())
