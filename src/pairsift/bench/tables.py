"""Cells into tables: ours beside the paper's, differences to the base seed by seed; Markdown and JSON."""

from __future__ import annotations

from typing import Any

from pairsift.bench.groups import Group, split_by
from pairsift.bench.markdown import NOT_RUN, interval, named, number, ours, papers, per_seed, table
from pairsift.bench.matrix import Spec
from pairsift.bench.paper import BETA_NAMES, BETAS, paper_number
from pairsift.bench.stats import Difference, Summary, paired, summarise
from pairsift.bench.words import comparison_words, curve_words, grid_words

Section = tuple[list[str], list[dict[str, Any]]]  # Markdown lines, and the same as records


def metrics_of(spec: Spec) -> list[str]:
    """The metrics a spec's tables show."""
    said = spec.table["metrics"]
    return list(said) if isinstance(said, list) else [said]


def other_form(probe: str) -> str:
    """The probe that is not the main one."""
    return "raw" if probe == "standardised" else "standardised"


def comparison(spec: Spec, groups: list[Group]) -> Section:
    """A table a dataset: frameworks and variants down, metrics across."""
    lines, records = [], []
    probe, metrics = spec.table["probe"], metrics_of(spec)
    head = ["framework", "mining"]
    for metric in metrics:
        name = named(metric)
        head += [f"{name}, ours", f"{name}, paper", "difference by seed", "mean (95% interval)"]
    head += [f"{named(metrics[0])}, {other_form(probe)} features"]
    for (dataset,), part in split_by(groups, "dataset").items():
        rows, found = [], []
        for (framework,), line in split_by(part, "framework").items():
            base = line[0]
            for group in line:
                record = _record(spec, group, base)
                found.append(record)
                rows.append([named(framework), named(group.variant), *_columns(record, group, metrics)])
        lines += [f"### {named(dataset)}", "", *table(head, rows, 2), *comparison_words(found, metrics), ""]
        records += found
    return lines, [_plain(record) for record in records]


def _record(spec: Spec, group: Group, base: Group) -> dict[str, Any]:
    probe = spec.table["probe"]
    record: dict[str, Any] = {
        "dataset": group.dataset,
        "framework": group.framework,
        "variant": group.variant,
        "base": base.variant,
        "probe": probe,
        "defined": group.defined,
        "cells": sorted(r["key"] for r in group.results.values()),
        "metrics": {},
    }
    for metric in metrics_of(spec):
        values = group.values(metric, probe)
        record["metrics"][metric] = {
            "ours": summarise(values),
            "paper": paper_number(
                spec.table.get("paper"), group.framework, group.variant, group.dataset, metric
            ),
            "difference": None if group is base else paired(values, base.values(metric, probe)),
            "other_probe": summarise(group.values(metric, other_form(probe))),
        }
    return record


def _columns(record: dict[str, Any], group: Group, metrics: list[str]) -> list[str]:
    cells = []
    for metric in metrics:
        m = record["metrics"][metric]
        shown = ours(m["ours"]) if group.defined else "not defined"
        cells += [shown, papers(m["paper"]), per_seed(m["difference"]), interval(m["difference"])]
    other = record["metrics"][metrics[0]]["other_probe"]
    return [*cells, ours(other) if other else "-"]


def _plain(value: Any) -> Any:
    """JSON types of what tables hold."""
    if isinstance(value, Difference):
        return {
            **_summary(value),
            "low": _short(value.low),
            "high": _short(value.high),
            "verdict": value.verdict,
        }
    if isinstance(value, Summary):
        return _summary(value)
    if isinstance(value, dict):
        return {str(k): _plain(v) for k, v in value.items()}
    return list(value) if isinstance(value, tuple) else value


def _summary(value: Summary) -> dict[str, Any]:
    by_seed = {str(seed): _short(v) for seed, v in value.values.items()}
    return {"mean": _short(value.mean), "sd": _short(value.sd), "n": value.n, "by_seed": by_seed}


def _short(value: float | None) -> float | None:
    return None if value is None else round(value, 4)


def grid(spec: Spec, groups: list[Group]) -> Section:
    """Betas: validation, test and the paper's, one below the other; validation chooses."""
    lines, records = [], []
    probe, metric = spec.table["probe"], metrics_of(spec)[0]
    for (dataset, framework), part in split_by(groups, "dataset", "framework").items():
        cells: dict[tuple[str, str], dict[str, Summary | None]] = {}
        for group in part:
            place = (str(group.place["noisy"]), str(group.place["faulty"]))
            cells[place] = {p: summarise(group.values(metric, probe, p)) for p in ("validation", "test")}
        noisy, faulty = (list(dict.fromkeys(place[k] for place in cells)) for k in (0, 1))
        lines += [f"### {named(dataset)}, {named(framework)}", ""]
        for name in ("validation", "test"):
            rows = [[_beta(fp), *(ours(cells[np_, fp][name]) for np_ in noisy)] for fp in faulty]
            lines += table([f"{named(metric)} on {name}: faulty \\ noisy", *map(_beta, noisy)], rows)
        if dataset in BETAS and spec.table.get("paper"):
            rows = [[_beta(fp), *map(number, row)] for fp, row in zip(BETA_NAMES, BETAS[dataset])]
            lines += table(["the paper's, on test: faulty \\ noisy", *map(_beta, BETA_NAMES)], rows)
        words, chosen = grid_words(cells)
        lines += [*words, ""]
        found = [{"noisy": n, "faulty": f, **both} for (n, f), both in cells.items()]
        records.append(
            {"dataset": dataset, "framework": framework, "chosen": chosen, "cells": _listed(found)}
        )
    return lines, records


def _listed(records: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return [_plain(record) for record in records]


def _beta(beta: str) -> str:
    return "off" if beta == "off" else f"{float(beta):g}"


def curve(spec: Spec, groups: list[Group]) -> Section:
    """Robustness: variants down, planted shares across."""
    lines, records = [], []
    probe, metric = spec.table["probe"], metrics_of(spec)[0]
    for (dataset, framework), part in split_by(groups, "dataset", "framework").items():
        shares = list(dict.fromkeys(float(g.place["planted"]) for g in part))
        values = {(g.variant, float(g.place["planted"])): g.values(metric, probe) for g in part if g.defined}
        variants = list(dict.fromkeys(g.variant for g in part if g.defined))
        rows = [[named(v), *(ours(summarise(values[v, p])) for p in shares)] for v in variants]
        differences = {
            (v, p): paired(values[v, p], values[variants[0], p]) for v in variants[1:] for p in shares
        }
        changed = [[named(v), *(interval(differences[v, p]) for p in shares)] for v in variants[1:]]
        head = [f"{100 * p:g}%" for p in shares]
        lines += [f"### {named(dataset)}, {named(framework)}", ""]
        lines += table([f"{named(metric)}, {probe} features", *head], rows)
        lines += table([f"difference to {named(variants[0])} at the same share", *head], changed)
        lines += [*curve_words(values, variants, shares), ""]
        for (variant, share), by_seed in values.items():
            record = {"dataset": dataset, "framework": framework, "variant": variant, "planted": share}
            difference = differences.get((variant, share))
            records.append(_plain({**record, metric: summarise(by_seed), "difference": difference}))
    return lines, records


def missing(groups: list[Group]) -> str:
    """What was not run, in words; empty where all was."""
    lacking = [g for g in groups if g.defined and not g.results]
    by_dataset = {d: len(p) for (d,), p in split_by(lacking, "dataset").items()}
    counts = [f"{named(d)} ({n} rows)" for d, n in by_dataset.items()]
    return f"{NOT_RUN.capitalize()}: {', '.join(counts)}." if counts else ""
