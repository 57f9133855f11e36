"""The audit's page: one file that opens anywhere, offline, and shows which pairs are bad and why."""

from __future__ import annotations

import base64
import hashlib
import os
from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING, Any

from pairsift.data.series import Series
from pairsift.errors import PairsiftError
from pairsift.report.certainty import certainty, nothing_found
from pairsift.report.files import written_aside
from pairsift.report.inputs import PairHistory, Thresholds, Views, as_thresholds
from pairsift.report.labels import coded_classes, coded_groups
from pairsift.report.payload import CHANNELS, build_payload
from pairsift.report.shares import (
    against_planted,
    by_label,
    overall,
    sentence,
    share_text,
    what_was_done,
)
from pairsift.report.text import as_text, json_for_page, shorten

if TYPE_CHECKING:
    from pandas import DataFrame

_SCRIPTS = (
    "data.js",
    "state.js",
    "draw.js",
    "plane.js",
    "plane_pointer.js",
    "plane_keys.js",
    "pair.js",
    "gallery.js",
    "epochs.js",
    "filters.js",
    "start.js",
)
_STYLES = ("page.css", "parts.css", "media.css")
_LABEL_ROWS = 15  # classes and groups in the shares' tables, each


def write_report(
    out: str | os.PathLike[str],
    table: DataFrame,
    series: Series,
    *,
    views: Views | None = None,
    history: PairHistory | None = None,
    thresholds: Thresholds | Mapping[str, Any] | None = None,
    about: Mapping[str, Any] | None = None,
    most_points: int = 20_000,
    most_series: int = 600,
) -> None:
    """Write the page to ``out``; the file appears whole.

    Args:
        out: the file to write, such as report.html.
        table: what ``pairs_table`` gives, one row a pair.
        series: the series that were trained on; its ids, classes and groups are shown as text, whatever is
            in them.
        views: the two views of the pairs that are drawn (at most ``most_series``): a function from places
            (B,) to two arrays (B, C, T), or two arrays (N, C, T). Without it only the series are drawn.
        history: the losses of some pairs, or all, epoch by epoch.
        thresholds: where the line between normal and bad was drawn.
        about: facts of the run for the page's end: settings, seed, versions; values may be mappings.
        most_points: pairs on the plane, at most; beyond it they are a sample, and the page says so.
        most_series: pairs that are drawn, at most.
    """
    if most_points < 1 or most_series < 0:
        raise PairsiftError(
            f"most_points must be at least 1 and most_series at least 0, got {most_points} and {most_series}"
        )
    cuts = as_thresholds(thresholds)
    classes, groups = coded_classes(series), coded_groups(series)
    data = build_payload(table, series, views, history, cuts, classes, groups, most_points, most_series)
    script, style = _joined(_SCRIPTS), _joined(_STYLES)
    page = _template().render(
        name=shorten(as_text(series.name)),
        script=script,
        style=style,
        script_hash=_hash(script),
        style_hash=_hash(style),
        data=json_for_page(data),
        sentence=sentence(table),
        kinds=overall(table),
        planted=against_planted(table),
        done=what_was_done(table),
        shares=_share_tables(table, classes, groups),
        cuts=cuts,
        sure=certainty(table, cuts.rule),
        nothing=nothing_found(table, cuts.rule),
        counts={
            "pairs": len(table),
            "points": data["points"]["count"],
            "drawn": len(data["series"]),
            "bad": int(table["is_issue"].sum()),
            "bad_shown": data["bad"],
            "unseen": int(table["mean_loss"].isna().sum()),
            "channels": series.channels,
            "channels_drawn": min(series.channels, CHANNELS),
        },
        has_history=data["history"] is not None,
        has_views=views is not None,
        has_other=series.other is not None,
        has_rows=series.rows is not None,
        about=_flat(about or {}),
    )
    with written_aside(out) as aside, aside.open("w", encoding="utf-8", newline="\n") as file:
        file.write(page)


def _share_tables(table: DataFrame, classes: Any, groups: Any) -> list[dict[str, Any]]:
    """The tables of shares: by class and by group, each with its first rows and how many there are."""
    tables = []
    for what, plural, coded in (("class", "classes", classes), ("group", "groups", groups)):
        rows = by_label(table, coded)
        if rows:
            top = max(row["bad_share"] for row in rows)
            tables.append(
                {
                    "what": what,
                    "plural": plural,
                    "count": len(rows),
                    "rows": [row | {"name": shorten(row["name"])} for row in rows[:_LABEL_ROWS]],
                    "top": max(top, 0.05),
                    "mean": float(table["is_issue"].mean()),
                }
            )
    return tables


def _flat(about: Mapping[str, Any], before: str = "") -> list[tuple[str, str]]:
    """Nested facts as pairs of words; a nested name is joined by dots, None is left out."""
    out: list[tuple[str, str]] = []
    for name, value in about.items():
        if value is None or value == {}:
            continue
        full = f"{before}{as_text(name)}"
        if isinstance(value, Mapping):
            out += _flat(value, f"{full}.")
        else:
            out.append((full, shorten(as_text(value), 400)))
    return out


def _joined(names: tuple[str, ...]) -> Any:
    """Template files one after the other, as markup that is not escaped again."""
    from markupsafe import Markup

    folder = files("pairsift.report").joinpath("templates")
    text = "".join(folder.joinpath(name).read_text(encoding="utf-8") for name in names)
    if names[0].endswith(".js"):
        text = f"(() => {{\n'use strict';\n{text}}})();\n"
    return Markup(text.replace("\r\n", "\n"))


def _hash(text: str) -> str:
    """The hash by which the page's policy allows this one script or style and no other."""
    return "sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()


@cache
def _template() -> Any:
    """The page's template, with everything escaped that is not marked safe."""
    from jinja2 import Environment, PackageLoader, StrictUndefined

    environment = Environment(
        loader=PackageLoader("pairsift.report", "templates"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters["share"] = share_text
    return environment.get_template("page.html")
