"""The results page is what the results say, and the results are what the specs ask for."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from pairsift.bench.cell import make_cell
from pairsift.bench.matrix import read_spec
from pairsift.bench.page import COMMAND, build_page
from pairsift.bench.store import Store

HOME = Path(__file__).parents[2]
RESULTS = HOME / "results"


def test_the_page_is_made_from_the_results_as_they_are() -> None:
    page, content = build_page(RESULTS)
    again = f"run: {COMMAND}"
    assert (HOME / "docs" / "results.md").read_text(encoding="utf-8") == page, again
    assert json.loads((RESULTS / "tables.json").read_text()) == json.loads(json.dumps(content)), again


def test_the_specs_kept_with_the_results_are_those_in_bench() -> None:
    kept = {spec.name: spec for spec in Store(RESULTS).specs()}
    ours = {path.stem: read_spec(path) for path in (HOME / "bench").glob("*.toml")}
    assert kept == ours, "run: pairsift bench run bench/*.toml --out results --plan"


def test_every_result_is_under_the_key_of_its_settings() -> None:
    for path in (RESULTS / "cells").glob("*.json"):
        result = json.loads(path.read_text())
        cell = make_cell(**result["settings"])
        assert (cell.key, cell.file) == (result["key"], path.name)


def test_results_hold_json_only() -> None:
    strange = [
        p for p in RESULTS.rglob("*") if p.is_file() and p.suffix != ".json" and p.name != ".gitignore"
    ]
    assert [p for p in strange if p.name != "errors.log" and p.parent.name != "figures"] == []


@pytest.mark.parametrize(
    "heading", ["Table 1", "Table 2", "Figure 5", "beta grids", "released code", "Honest splits"]
)
def test_the_page_has_a_place_for_what_was_not_run_too(heading: str) -> None:
    page, _ = build_page(RESULTS)
    assert heading in page
