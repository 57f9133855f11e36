"""Figures from made-up results: each kind is drawn where there is something to draw, and named where not."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from tests.oracles.bench_results import fill

from pairsift.bench.drawn import draw_all
from pairsift.bench.figures import classes_figure
from pairsift.bench.matrix import make_spec

AXES: dict[str, Any] = {
    "dataset": ["har"],
    "framework": ["simclr"],
    "mining": ["none", "dbpm"],
    "seed": [0, 1],
}
SPECS = {
    "comparison": make_spec("table2", {"matrix": AXES}),
    "curve": make_spec("robust", {"matrix": {**AXES, "planted": [0.0, 0.2]}, "table": {"kind": "curve"}}),
    "dynamics": make_spec(
        "dynamics", {"matrix": AXES, "settings": {"keep": ["pairs"]}, "table": {"kind": "dynamics"}}
    ),
    "tsne": make_spec("tsne", {"matrix": AXES, "settings": {"keep": ["tsne"]}, "table": {"kind": "tsne"}}),
}
FILES = {
    "comparison": {"classes-table2-har.png", "cost.png"},
    "curve": {"robust.png", "cost.png"},
    "dynamics": {"dynamics.png", "cost.png"},
    "tsne": {"tsne.png", "cost.png"},
}


@pytest.mark.parametrize("kind", SPECS)
def test_each_kind_is_drawn(kind: str, tmp_path: Path) -> None:
    fill(tmp_path, SPECS[kind], lambda place: 0.9 - place["seed"] / 100)
    lines = draw_all(tmp_path, tmp_path / "figures")
    drawn = {path.name: path.read_bytes() for path in (tmp_path / "figures").iterdir()}
    assert set(drawn) == FILES[kind] and lines[0].startswith(SPECS[kind].name)
    for picture in drawn.values():
        assert picture.startswith(b"\x89PNG") and len(picture) > 4000


@pytest.mark.parametrize("kind", SPECS)
def test_without_results_nothing_is_drawn_and_it_is_said(kind: str, tmp_path: Path) -> None:
    fill(tmp_path, SPECS[kind], lambda place: None)
    assert draw_all(tmp_path, tmp_path / "figures") == [
        f"{SPECS[kind].name}: no figure (nothing to draw was run)"
    ]
    assert list((tmp_path / "figures").iterdir()) == []


def test_classes_are_shown_by_what_they_gained_the_most_first(tmp_path: Path) -> None:
    base = {f"c{k:02d}": [50.0, 52.0] for k in range(20)} | {"undefined": []}
    variant = {f"c{k:02d}": [50.0 + k, 52.0 + k] for k in range(20)} | {"undefined": [70.0]}
    shown = classes_figure(tmp_path / "a.png", {"none": base, "dbpm": variant}, "made up")
    assert shown == [f"c{k:02d}" for k in range(19, 4, -1)]
