"""Why a table looks as it does: which pairs were flagged, of which classes, how rightly, and what it cost."""

from __future__ import annotations

from collections.abc import Sequence
from statistics import mean
from typing import Any

from pairsift.bench.groups import Group, Result
from pairsift.bench.markdown import named, number, table
from pairsift.bench.paper import EXTRA_MEGABYTES, EXTRA_SECONDS


def flagged_lines(groups: Sequence[Group]) -> list[str]:
    """What share of each class was called noisy and faulty at the end, mean over seeds."""
    rows = []
    for group in _mined(groups):
        results = list(group.results.values())
        classes = results[0]["mined"]["by_class"] or {}
        shares = {k: [_mean_share(results, name, k) for name in classes] for k in (1, 2)}
        for kind, word in ((1, "noisy"), (2, "faulty")):
            total = mean(
                100 * r["mined"]["counts"][word] / sum(r["mined"]["counts"].values()) for r in results
            )
            weights = [w for r in results if (w := r["mined"]["mean_weight"][word]) is not None]
            by_class = ", ".join(f"{name} {share:.0f}" for name, share in zip(classes, shares[kind]))
            weight = number(mean(weights)) if weights else "-"
            rows.append([*_names(group), word, f"{total:.1f}", weight, by_class, str(len(results))])
    if not rows:
        return []
    head = ["data", "framework", "mining", "called", "% of pairs", "mean weight", "% of each class", "seeds"]
    return ["Which pairs were flagged:", "", *table(head, rows, 4)]


def detection_lines(groups: Sequence[Group]) -> list[str]:
    """How well planted pairs were found."""
    rows = []
    for group in _mined(groups):
        found = [r["mined"]["detection"] for r in group.results.values() if "detection" in r["mined"]]
        for kind in ("noisy", "faulty"):
            if not found or not found[0][kind]["planted"]:
                continue
            cells = []
            for name in ("auroc", "precision", "recall"):
                known = [d[kind][name] for d in found if d[kind][name] is not None]
                cells.append(f"{mean(known):.3f}" if known else "-")
            share = f"{100 * group.cell.planted:g}%"
            rows.append([*_names(group), share, kind, *cells, str(len(found))])
    if not rows:
        return []
    head = [
        "data",
        "framework",
        "mining",
        "planted",
        "kind",
        "AUROC of mean loss",
        "precision",
        "recall",
        "seeds",
    ]
    return ["How well the planted pairs were found:", "", *table(head, rows, 5)]


def cost_lines(groups: Sequence[Group]) -> list[str]:
    """What mining took of the time and the memory, measured within the mined runs themselves."""
    rows = []
    for group in _mined(groups):
        cost = cost_of(list(group.results.values()))
        data = group.dataset
        paper_seconds = dict(zip(list(EXTRA_MEGABYTES)[:3], EXTRA_SECONDS.get(group.framework, ()))).get(data)
        paper_memory = EXTRA_MEGABYTES.get(data)
        rows.append(
            [
                *_names(group),
                f"{cost['miner_per_epoch']:.3f}",
                f"{cost['share']:.1f}",
                number(paper_seconds),
                f"{cost['megabytes']:.2f}",
                number(paper_memory),
                str(len(group.results)),
            ]
        )
    if not rows:
        return []
    head = [
        "data",
        "framework",
        "mining",
        "s an epoch",
        "% of training",
        "paper's s",
        "MB",
        "paper's MB",
        "seeds",
    ]
    return ["What mining took:", "", *table(head, rows, 3)]


def cost_of(results: Sequence[Result]) -> dict[str, float]:
    """Mean seconds an epoch, share of training in percent, megabytes."""
    return {
        "miner_per_epoch": mean(r["seconds"]["miner"] / r["settings"]["epochs"] for r in results),
        "share": mean(100 * r["seconds"]["miner"] / r["seconds"]["train"] for r in results),
        "epoch": mean(r["seconds"]["train"] / r["settings"]["epochs"] for r in results),
        "megabytes": mean(r["memory"]["miner_bytes"] / 1e6 for r in results),
    }


def _mined(groups: Sequence[Group]) -> list[Group]:
    """Groups whose runs mined, each run once."""
    seen: set[str] = set()
    found = []
    for group in groups:
        keys = {r["key"] for r in group.results.values() if "mined" in r}
        if keys and not keys <= seen:
            seen |= keys
            found.append(group)
    return found


def _names(group: Group) -> list[str]:
    return [named(group.dataset), named(group.framework), named(group.variant)]


def _mean_share(results: Sequence[Result], name: str, kind: int) -> float:
    shares: list[Any] = []
    for result in results:
        counts = result["mined"]["by_class"][name]
        if sum(counts):
            shares.append(100 * counts[kind] / sum(counts))
    return mean(shares) if shares else 0.0
