"""Which figures the results allow, drawn; those that they do not are named."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from pairsift.bench.details import cost_of
from pairsift.bench.figures import classes_figure, cost_figure, curves_figure, dynamics_figure, map_figure
from pairsift.bench.groups import Group, gather, split_by
from pairsift.bench.markdown import named
from pairsift.bench.matrix import Spec
from pairsift.bench.store import Store
from pairsift.errors import PairsiftError

Draw = Callable[[Spec, list[Group], Path], list[Path]]


def draw_all(folder: Path, out: Path) -> list[str]:
    """Draw every figure that there are results for.

    Args:
        folder: of results.
        out: where the PNG files go.

    Returns:
        A line a spec: what was written, or that nothing could be.
    """
    store = Store(folder)
    results = store.results()
    try:
        out.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise PairsiftError(f"out: cannot write to {out} ({error.strerror}); choose another folder") from None
    lines, mined = [], dict[str, dict[str, float]]()
    for spec in store.specs():
        groups = gather(spec, results)
        drawn = DRAW[spec.table["kind"]](spec, groups, out)
        lines.append(f"{spec.name}: " + (", ".join(map(str, drawn)) or "no figure (nothing to draw was run)"))
        mined |= _costs(groups)
    if mined:
        cost_figure(out / "cost.png", mined)
        lines.append(f"extra time and memory: {out / 'cost.png'}")
    return lines


def _dynamics(spec: Spec, groups: list[Group], out: Path) -> list[Path]:
    for group in groups:
        for seed, result in group.results.items():
            if "pairs" not in result:
                continue
            held, path = result["pairs"], out / f"{spec.name}.png"
            title = (
                f"{named(group.framework)} on {named(group.dataset)}, {group.cell.epochs} epochs, seed {seed}"
            )
            thresholds = result["mined"]["thresholds"] or {}
            dynamics_figure(path, held["mean"], held["std"], held["truth"], thresholds, title)
            return [path]
    return []


def _maps(spec: Spec, groups: list[Group], out: Path) -> list[Path]:
    maps = {named(g.variant): r["tsne"] for g in groups for r in list(g.results.values())[:1] if "tsne" in r}
    if not maps:
        return []
    map_figure(out / f"{spec.name}.png", maps)
    return [out / f"{spec.name}.png"]


def _curves(spec: Spec, groups: list[Group], out: Path) -> list[Path]:
    metrics = spec.table["metrics"]
    metric = metrics[0] if isinstance(metrics, list) else metrics
    panels: dict[str, Any] = {}
    for (dataset, framework), part in split_by(groups, "dataset", "framework").items():
        curves: dict[str, dict[float, list[float]]] = {}
        for group in part:
            values = list(group.values(metric, spec.table["probe"]).values()) if group.defined else []
            if values:
                curves.setdefault(named(group.variant), {})[float(group.place["planted"])] = values
        if curves:
            panels[f"{named(dataset)}, {named(framework)}"] = curves
    if not panels:
        return []
    curves_figure(out / f"{spec.name}.png", panels, named(metric))
    return [out / f"{spec.name}.png"]


def _classes(spec: Spec, groups: list[Group], out: Path) -> list[Path]:
    """Per-class AUROC with and without DBPM, for SimCLR, as the paper's figure has it."""
    drawn = []
    for (dataset, framework), part in split_by(groups, "dataset", "framework").items():
        by_variant = {g.variant: g for g in part if g.results}
        if framework != "simclr" or not {"none", "dbpm"} <= set(by_variant):
            continue
        bars = {named(v): _per_class(by_variant[v], spec.table["probe"]) for v in ("none", "dbpm")}
        path = out / f"classes-{spec.name}-{dataset}.png"
        classes_figure(path, bars, f"SimCLR on {named(dataset)}")
        drawn.append(path)
    return drawn


def _per_class(group: Group, probe: str) -> dict[str, list[float]]:
    found: dict[str, list[float]] = {}
    for result in group.results.values():
        for name, value in result["probes"][probe]["test"]["auroc_per_class"].items():
            found.setdefault(name, []).extend([] if value is None else [100 * value])
    return found


def _nothing(spec: Spec, groups: list[Group], out: Path) -> list[Path]:
    return []


def _costs(groups: list[Group]) -> dict[str, dict[str, float]]:
    found: dict[str, list[Any]] = {}
    for group in groups:
        if group.defined and group.variant == "dbpm" and not group.place.get("planted"):
            found.setdefault(f"{named(group.dataset)}, {named(group.framework)}", []).extend(
                group.results.values()
            )
    return {name: cost_of(results) for name, results in found.items() if results}


DRAW: Mapping[str, Draw] = {
    "comparison": _classes,
    "grid": _nothing,
    "curve": _curves,
    "dynamics": _dynamics,
    "tsne": _maps,
}
