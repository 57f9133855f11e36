"""What the page's script works on: bounded, compact, JSON types only."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from pairsift.data.kinds import KINDS
from pairsift.data.series import Series
from pairsift.report.certainty import DOUBT
from pairsift.report.history import history_for_page
from pairsift.report.inputs import Array, PairHistory, Thresholds, Views, draw_views
from pairsift.report.labels import Coded
from pairsift.report.pack import base64_of, packed
from pairsift.report.sample import Places, choose_points, choose_series
from pairsift.report.text import as_value, shorten_all

if TYPE_CHECKING:
    from pandas import DataFrame

CHANNELS = 3  # of a drawn series
_BINS = 240  # of the losses' histogram
_ENDS = 24  # pairs of lowest and of highest loss, each, where none is bad
_ROWS = 128  # series read at once


def build_payload(
    table: DataFrame,
    series: Series,
    views: Views | None,
    history: PairHistory | None,
    thresholds: Thresholds,
    classes: Coded | None,
    groups: Coded | None,
    most_points: int,
    most_series: int,
) -> dict[str, Any]:
    """Everything that the script of the page needs (keys are read by templates/*.js)."""
    gallery = choose_series(
        table, min(most_series, most_points), *(each.of if each else None for each in (classes, groups))
    )
    drawn = np.concatenate(list(gallery.values()))
    points = choose_points(table, most_points, drawn)
    place = {int(index): at for at, index in enumerate(points)}
    return {
        "pairs": len(table),
        "bad": int(table["is_issue"].to_numpy()[points].sum()),
        "points": _points(table, points),
        "ids": _ids(series, points),
        "classes": _labels(classes, points),
        "groups": _labels(groups, points),
        "done": _done(table, points),
        "gallery": {
            name: [place[int(index)] for index in each]
            for name, each in (gallery | _ends(table, drawn)).items()
        },
        "series": _drawings(series, views, drawn, place),
        "channels": series.channels,
        "length": series.length,
        "thresholds": _thresholds(thresholds),
        "doubt": DOUBT if thresholds.rule == "auto" else None,
        "density": _density(table),
        "history": history_for_page(history, table["kind"].to_numpy(), drawn),
    }


def _ends(table: DataFrame, drawn: Places) -> dict[str, Places]:
    """Where nothing was found: the drawn pairs of lowest and of highest loss, for who doubts it."""
    mean = table["mean_loss"].to_numpy(np.float64)[drawn]
    if table["is_issue"].any() or not np.isfinite(mean).any():
        return {}
    known = drawn[np.isfinite(mean)]
    rising = known[np.argsort(mean[np.isfinite(mean)], kind="stable")]
    return {"lowest": rising[:_ENDS], "highest": rising[::-1][:_ENDS]}


def _points(table: DataFrame, points: Places) -> dict[str, Any]:
    """The numbers of the shown pairs, one base64 array a column."""
    rows = table.iloc[points]
    number = {kind: at for at, kind in enumerate(KINDS)}
    out = {
        "count": len(points),
        "index": base64_of(points, "u4"),
        "kind": base64_of(rows["kind"].map(number).to_numpy(), "u1"),
        "seen": base64_of(rows["seen"].to_numpy(), "u4"),
    }
    for name in ("mean_loss", "std_loss", "score", "weight"):
        out[name] = base64_of(rows[name].to_numpy(), "f4")
    if "row" in rows:
        out["row"] = base64_of(rows["row"].to_numpy(), "u4")
    if "planted" in rows:
        out["planted"] = base64_of(rows["planted"].map(number).to_numpy(), "u1")
    return out


def _ids(series: Series, points: Places) -> list[str] | None:
    if series.ids is None:
        return None
    values = map(as_value, series.ids[points])  # of the shown alone: a user's series may be many
    return shorten_all(["" if value is None else str(value) for value in values])


def _labels(coded: Coded | None, points: Places) -> dict[str, Any] | None:
    """The shown pairs' labels, numbered anew: names, the old numbers, sets of labels, each pair's set."""
    if coded is None:
        return None
    used, of = np.unique(coded.of[points], return_inverse=True)
    labels = sorted({label for at in used for label in coded.sets[at]})
    new = {label: at for at, label in enumerate(labels)}
    return {
        "names": shorten_all([coded.names[label] for label in labels]),
        "labels": labels,
        "sets": [[new[label] for label in coded.sets[at]] for at in used],
        "of": base64_of(of, "u4"),
    }


def _done(table: DataFrame, points: Places) -> dict[str, Any] | None:
    """What was done to each shown pair: the different words once, and each pair's."""
    if "done" not in table:
        return None
    words, of = np.unique(table["done"].to_numpy()[points].astype(str), return_inverse=True)
    return {"names": shorten_all(words.tolist(), 300), "of": base64_of(of, "u4")}


def _drawings(
    series: Series, views: Views | None, drawn: Places, place: dict[int, int]
) -> dict[str, list[list[Any]]]:
    """For each drawn pair its rows: what it is called and its channels."""
    out: dict[str, list[list[Any]]] = {}
    for start in range(0, len(drawn), _ROWS):
        some = drawn[start : start + _ROWS]
        rows: list[tuple[str, Array]] = [("Series", series.x[some])]
        if series.other is not None:
            rows.append(("Second series", series.other[some]))
        if views is not None:
            rows += zip(("View 1", "View 2"), draw_views(views, some))
        drawings = [(name, packed(values, CHANNELS)) for name, values in rows]
        for at, index in enumerate(some):
            out[str(place[int(index)])] = [[name, channels[at]] for name, channels in drawings]
    return out


def _thresholds(thresholds: Thresholds) -> dict[str, Any]:
    """The cuts and lines as the plane draws them."""
    return {
        "noisy": _finite(thresholds.noisy),
        "faulty": _finite(thresholds.faulty),
        "boundaries": [
            {"kind": each.kind, "mean": np.asarray(each.mean).tolist(), "std": np.asarray(each.std).tolist()}
            for each in thresholds.boundaries
            if np.isfinite(each.mean).all() and np.isfinite(each.std).all()
        ],
    }


def _finite(value: float | None) -> float | None:
    return float(value) if value is not None and np.isfinite(value) else None


def _density(table: DataFrame) -> dict[str, Any] | None:
    """How many pairs of each kind have which mean loss: every pair counts, also those not shown."""
    mean = table["mean_loss"].to_numpy(np.float64)
    whole = np.isfinite(mean)
    if not whole.any():
        return None
    low, high = float(mean[whole].min()), float(mean[whole].max())
    high = high if high > low else low + 1.0
    kinds = table["kind"].to_numpy()
    counts = [np.histogram(mean[whole & (kinds == kind)], bins=_BINS, range=(low, high))[0] for kind in KINDS]
    return {"low": low, "high": high, "counts": [each.tolist() for each in counts]}
