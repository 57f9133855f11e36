"""The results page: every spec's tables, sentences and what was not run, from the results folder alone."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from pairsift.bench.details import cost_lines, detection_lines, flagged_lines
from pairsift.bench.groups import gather, run_of
from pairsift.bench.matrix import Spec
from pairsift.bench.store import Store
from pairsift.bench.tables import comparison, curve, grid, missing
from pairsift.bench.why import why_lines

ORDER = ("table2", "table1", "released", "robustness", "betas", "weights", "ablation", "dynamics", "tsne")
COMMAND = "pairsift bench table results --out docs/results.md"
HEAD = f"""# Results

Written by `{COMMAND}` from the files in results/; do not edit it by hand.

How to read it. "Ours" is mean ± standard deviation over seeds, the number of seeds in brackets. A difference
is a run minus the run with the same seed, data and framework without mining; its 95% interval is Student's t,
and with few seeds it is wide: that is what few seeds are worth. "Not told apart" means that the interval
holds 0. Features are probed by one linear layer, trained 40 epochs on the training part; the layer after the
last epoch is the one that is judged. "Raw" features go in as they are, "standardised" ones have mean 0 and
deviation 1 on the training part. Nothing is chosen by the test part.
"""
DRAWN = {
    "dynamics": "Each pair's mean loss and spread: `pairsift bench figure results` draws it.",
    "tsne": "A map of features: `pairsift bench figure results` draws it.",
}


def build_page(folder: Path) -> tuple[str, dict[str, Any]]:
    """The page and the same as JSON.

    Args:
        folder: of results.
    """
    store = Store(folder)
    results = store.results()
    lines, content = [HEAD], dict[str, Any]()
    for spec in sorted(store.specs(), key=_place):
        section, records = _section(spec, results)
        lines += section
        content[spec.name] = records
    return "\n".join(lines).rstrip() + "\n", content


def _place(spec: Spec) -> tuple[int, str]:
    return (ORDER.index(spec.name) if spec.name in ORDER else len(ORDER), spec.name)


def _section(spec: Spec, results: dict[str, Any]) -> tuple[list[str], dict[str, Any]]:
    groups = gather(spec, results)
    ran, of = run_of(groups)
    lines = [
        f"## {spec.title}",
        "",
        f"`bench/{spec.name}.toml`: {ran} of {of} cells run. {missing(groups)}".rstrip(),
        "",
    ]
    if spec.note:
        lines += [spec.note, ""]
    kind = spec.table["kind"]
    records: list[dict[str, Any]] = []
    if kind in DRAWN:
        lines += [DRAWN[kind], ""]
    elif ran:
        lay = {"comparison": comparison, "grid": grid, "curve": curve}[kind]
        made, records = lay(spec, groups)
        lines += made
    if ran:
        if kind == "comparison":
            lines += flagged_lines(groups)
            lines += why_lines(groups, spec.table["probe"])
        lines += detection_lines(groups)
        if kind == "comparison":
            lines += cost_lines(groups)
    return lines, {"title": spec.title, "run": ran, "of": of, "rows": records}
