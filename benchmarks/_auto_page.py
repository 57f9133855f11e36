"""The tables of docs/auto.md, from what benchmarks.auto measured; the words around them are by hand."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from pairsift.bench.markdown import table

RULES = {"line": "line", "auto": "Auto", "sigma_1": "Sigma 1", "sigma_2": "Sigma 2", "sigma_3": "Sigma 3"}
KINDS = ("noisy", "faulty")
_TABLES = re.compile(r"(<!-- tables -->\n).*(<!-- end of tables -->)", re.DOTALL)


def found(means: list[dict[str, Any]]) -> list[str]:
    """F1 of every rule where something is planted."""
    heads = [
        f"{kind}: {RULES['line']}" if rule == "line" else name
        for kind in KINDS
        for rule, name in RULES.items()
    ]
    rows = [
        [mean["data"], mean["views"], f"{mean['share']}%"]
        + [f"{mean[kind][rule]:.3f}" for kind in KINDS for rule in RULES]
        for mean in means
        if mean["share"]
    ]
    return table(["data", "views", "planted", *heads], rows, 2)


def flagged(means: list[dict[str, Any]]) -> list[str]:
    """What each rule flags where nothing is planted."""
    rules = list(RULES)[1:]
    rows = [
        [mean["data"], mean["views"], *(f"{mean['flagged'][rule]:.2%}" for rule in rules)]
        for mean in means
        if not mean["share"]
    ]
    return table(["data", "views", *(RULES[rule] for rule in rules)], rows, 2)


def missed(means: list[dict[str, Any]]) -> list[str]:
    """Every aim that was missed."""
    return [
        f"- {mean['data']}, views {mean['views']}, {mean['share']}% planted: {'; '.join(mean['misses'])}"
        for mean in means
        if mean["misses"]
    ]


def scores(bins: list[dict[str, Any]]) -> list[str]:
    """How often a pair of each score was planted."""
    rows = [[f"{b['score_from']} to {b['to']}", f"{b['pairs']:,}", f"{b['planted']:.1%}"] for b in bins]
    return table(["score", "pairs", "of them planted"], rows)


def tables(result: dict[str, Any]) -> str:
    """All of it."""
    means = result["means"]
    parts = [
        "F1 of each kind where pairs are planted:",
        "",
        *found(means),
        "What is flagged where nothing is planted:",
        "",
        *flagged(means),
        "What falls short of 0.95 of the line, or does not beat every Sigma:",
        "",
        *missed(means),
        "",
        "How often a pair of such a score was planted, all trainings with planted pairs together:",
        "",
        *scores(result["calibration_of_the_score"]),
    ]
    return "\n".join(parts)


def write(page: Path, result: dict[str, Any]) -> None:
    """Put them into the page."""
    page.write_text(filled(page.read_text(), result))


def filled(text: str, result: dict[str, Any]) -> str:
    """The page's text with these tables."""
    new, count = _TABLES.subn(lambda match: match[1] + "\n" + tables(result) + "\n" + match[2], text)
    if count != 1:
        raise ValueError("the page needs one pair of the marks <!-- tables --> and <!-- end of tables -->")
    return new
