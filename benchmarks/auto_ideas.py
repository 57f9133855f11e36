"""What else could find the groups: other ideas, and Auto without its parts, on the losses of benchmarks.auto.

python -m benchmarks.auto_ideas --losses losses --data raw z-scored har epilepsy
"""

from __future__ import annotations

import argparse
import json
import warnings
from collections.abc import Callable
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any
from unittest import mock

import numpy as np
from benchmarks._cuts import Array, best_line, f1
from benchmarks._losses import SEEDS, Condition, collect, conditions, remembered
from sklearn.mixture import GaussianMixture

from pairsift.mining import FAULTY, NOISY, Auto, Population, sides
from pairsift.mining.memory import Memory

Idea = Callable[[Memory], Array]  # kinds (N,)
EARLY = 8  # epochs


def statistics(memory: Memory) -> tuple[Array, Array]:
    """Means and spreads (N,), both float64."""
    mean, spread, _ = memory.rows(slice(None))
    return mean.double().numpy(), spread.double().numpy()


def auto(memory: Memory) -> Array:
    """As it stands."""
    population = Population(memory)
    return Auto().fit(population).judge(population.sample(len(memory.seen))).numpy()


def without(**parts: float) -> Idea:
    """Auto with some of its constants set so that a part of it does nothing."""

    def lamed(memory: Memory) -> Array:
        patches: AbstractContextManager[Any] = mock.patch.multiple(sides, **parts)
        with patches:
            return auto(memory)

    return lamed


def on_the_mean(memory: Memory) -> Array:
    """Auto's mixture on the mean loss, the spread unseen."""
    with mock.patch.object(
        sides, "fit_side", lambda plane, lean, side=0, fit=sides.fit_side: fit(plane, 0.0, side)
    ):
        return without(TURNS=0)(memory)


def gaussians(memory: Memory) -> Array:
    """Three Gaussians on mean and log spread; the largest is the bulk, the others are named by their mean."""
    mean, spread = statistics(memory)
    plane = np.stack([mean, np.log(np.maximum(spread, 1e-12))], 1)
    plane = (plane - plane.mean(0)) / plane.std(0)
    return named(plane, GaussianMixture(3, random_state=0, n_init=3).fit(plane))


def counted_gaussians(memory: Memory) -> Array:
    """One to three Gaussians on the mean loss, as many as the Bayesian criterion asks for."""
    mean = statistics(memory)[0][:, None]
    fits = [GaussianMixture(parts, random_state=0, n_init=3).fit(mean) for parts in (1, 2, 3)]
    return named(mean, min(fits, key=lambda fit: fit.bic(mean)))


def named(values: Array, fit: GaussianMixture) -> Array:
    """Kinds by which part of a mixture a pair is of."""
    bulk = int(fit.weights_.argmax())
    kinds = np.where(fit.means_[:, 0] < fit.means_[bulk, 0], NOISY, FAULTY)
    kinds[bulk] = 0
    return kinds[fit.predict(values)]


def median(memory: Memory) -> Array:
    """Farther than 3 robust deviations from the median."""
    mean = statistics(memory)[0]
    z = (mean - np.median(mean)) / (1.4826 * np.median(np.abs(mean - np.median(mean))))
    return np.select([z <= -3, z >= 3], [NOISY, FAULTY], 0)


def valleys(memory: Memory) -> Array:
    """The deepest valley of the mean losses' density on each side, if half as low as its banks."""
    mean = statistics(memory)[0]
    low, high = np.quantile(mean, [0.001, 0.999])
    count, edges = np.histogram(mean, 200, (low, high))
    width = max(1.0, 200 * 0.9 * mean.std() * len(mean) ** -0.2 / (high - low))
    steps = np.arange(-int(4 * width), int(4 * width) + 1)
    density = np.convolve(count, np.exp(-0.5 * (steps / width) ** 2), mode="same")
    places, kinds, mode = (edges[1:] + edges[:-1]) / 2, np.zeros(len(mean), np.int8), int(density.argmax())
    for side, beyond, kind in (
        (slice(mode, None, -1), np.less_equal, NOISY),
        (slice(mode, None), np.greater_equal, FAULTY),
    ):
        heights = density[side]
        peak_beyond = np.maximum.accumulate(heights[::-1])[::-1]
        depth = heights / peak_beyond
        at = int(depth.argmin())
        if depth[at] < 0.5:
            kinds[beyond(mean, places[side][at])] = kind
    return kinds


IDEAS: dict[str, Idea] = {
    "Auto": auto,
    "Auto, its line not turned": without(TURNS=0),
    "Auto on the mean alone": on_the_mean,
    "Auto, heavier tails not asked": without(EVIDENCE=-1e9),
    "three Gaussians on (mean, log spread)": gaussians,
    "one to three Gaussians on the mean, by BIC": counted_gaussians,
    "median and 3 robust deviations": median,
    "valleys of the mean's density": valleys,
}


def row_of(condition: Condition, folder: Path) -> list[dict[str, Any]]:
    """What every idea makes of one training, with all its epochs; Auto with its first epochs alone too."""
    with np.load(folder / f"{condition.name}.npz") as kept:
        losses, truth = kept["losses"], kept["truth"]
    memory = remembered(losses)
    tried = {name: idea(memory) for name, idea in IDEAS.items()}
    tried[f"Auto, the first {EARLY} epochs alone"] = auto(remembered(losses[:EARLY]))
    lines = {}
    for name, kind in (("noisy", NOISY), ("faulty", FAULTY)):
        if (truth == kind).any():
            lines[name] = best_line(*statistics(memory), truth == kind)
    real = "real" if condition.data in ("har", "epilepsy") else "simulation"
    return [
        {"idea": name, "data": real, "share": condition.share, "flagged": float((kinds > 0).mean())}
        | {
            k: f1(kinds == kind, truth == kind) / lines[k]
            for k, kind in (("noisy", NOISY), ("faulty", FAULTY))
            if k in lines
        }
        for name, kinds in tried.items()
    ]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--losses", type=Path, required=True, help="as of benchmarks.auto")
    parser.add_argument("--data", nargs="+", default=["raw", "z-scored", "har", "epilepsy"])
    parser.add_argument("--seeds", nargs="+", type=int, default=SEEDS)
    chosen = parser.parse_args()
    warnings.simplefilter("ignore")
    wanted = [one for one in conditions(tuple(chosen.seeds)) if one.data in chosen.data]
    collect(wanted, chosen.losses)
    rows = [row for condition in wanted for row in row_of(condition, chosen.losses)]
    out = []
    for name in dict.fromkeys(row["idea"] for row in rows):
        entry: dict[str, Any] = {"idea": name}
        for data in ("simulation", "real"):
            own = [row for row in rows if (row["idea"], row["data"]) == (name, data)]
            clean = [row["flagged"] for row in own if not row["share"]]
            if not own:
                continue
            entry[data] = {
                "flagged_where_clean": round(float(np.mean(clean)), 4),
                "at_most": round(max(clean), 4),
            }
            for kind in ("noisy", "faulty"):
                of_line = [row[kind] for row in own if kind in row]
                entry[data][kind] = round(float(np.mean(of_line)), 3)
        out.append(entry)
    print(json.dumps(out, indent=1))


if __name__ == "__main__":
    main()
