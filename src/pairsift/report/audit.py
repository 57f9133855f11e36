"""All that an audit leaves behind, written together."""

from __future__ import annotations

import json
import math
import os
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from pairsift.data.series import Series
from pairsift.report.certainty import certainty, nothing_found
from pairsift.report.exports import write_exports
from pairsift.report.files import folder_aside
from pairsift.report.inputs import PairHistory, Thresholds, Views, as_thresholds
from pairsift.report.labels import coded_classes, coded_groups
from pairsift.report.page import write_report
from pairsift.report.shares import against_planted, by_label, overall, sentence, what_was_done
from pairsift.report.table import pairs_table, write_pairs_csv
from pairsift.report.text import as_text

if TYPE_CHECKING:
    from pandas import DataFrame

_LABELS = 1000  # classes and groups in the summary, each

_FILES = {
    "pairs": "pairs.csv",
    "report": "report.html",
    "drop": "drop.txt",
    "drop_by_kind": "drop.json",
    "weights": "weights.npy",
    "cleanlab": "cleanlab_issues.csv",
    "summary": "summary.json",
}


def write_audit(
    out_dir: str | os.PathLike[str],
    miner_table: DataFrame,
    series: Series,
    views: Views | None = None,
    history: PairHistory | None = None,
    thresholds: Thresholds | Mapping[str, Any] | None = None,
    about: Mapping[str, Any] | None = None,
    *,
    done: Sequence[Any] | None = None,
    most_points: int = 20_000,
    most_series: int = 600,
) -> dict[str, Any]:
    """Write pairs.csv, report.html, drop.txt, drop.json, weights.npy, cleanlab_issues.csv and summary.json.

    All are written aside and then moved into ``out_dir``, summary.json last: an audit that fails leaves
    what was there. The arguments are those of ``pairs_table`` and ``write_report``.

    Returns:
        What summary.json says: the sentence, counts and shares by kind, by class and by group, thresholds,
        how many lie near them, what was planted and found, what was done, the files' names, and ``about``.
    """
    table = pairs_table(miner_table, series, done)
    cuts = as_thresholds(thresholds)
    found = {
        "format": 1,
        "name": as_text(series.name),
        "sentence": sentence(table),
        "meaning": None if table["is_issue"].any() else nothing_found(table, cuts.rule),
        "pairs": len(table),
        "bad": int(table["is_issue"].sum()),
        "unseen": int(table["mean_loss"].isna().sum()),
        "kinds": overall(table),
        "planted": against_planted(table),
        "done": what_was_done(table),
        "thresholds": {
            "name": cuts.name,
            "noisy": cuts.noisy,
            "faulty": cuts.faulty,
            "boundaries": [
                {"kind": each.kind, "mean": list(each.mean), "std": list(each.std)}
                for each in cuts.boundaries
            ],
        },
        "certainty": certainty(table, cuts.rule),
        "classes": by_label(table, coded_classes(series))[:_LABELS],
        "groups": by_label(table, coded_groups(series))[:_LABELS],
        "files": _FILES,
        "about": dict(about or {}),
    }
    summary: dict[str, Any] = _json_types(found)
    with folder_aside(out_dir, last=_FILES["summary"]) as aside:
        write_pairs_csv(table, aside / _FILES["pairs"])
        write_exports(table, aside)
        write_report(
            aside / _FILES["report"],
            table,
            series,
            views=views,
            history=history,
            thresholds=cuts,
            about=about,
            most_points=most_points,
            most_series=most_series,
        )
        text = json.dumps(summary, indent=2, allow_nan=False) + "\n"
        (aside / _FILES["summary"]).write_text(text, encoding="utf-8")
    return summary


def _json_types(value: Any) -> Any:
    """The same in JSON's types: numbers that are not finite become null, anything unknown its words."""
    if isinstance(value, Mapping):
        return {as_text(name): _json_types(each) for name, each in value.items()}
    if isinstance(value, list | tuple):
        return [_json_types(each) for each in value]
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if value is None or isinstance(value, bool | int):
        return value
    return as_text(value)
