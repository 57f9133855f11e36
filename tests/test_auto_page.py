"""docs/auto.md shows the numbers of docs/auto.json, and nothing else."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from benchmarks._auto_page import filled

DOCS = Path(__file__).parent.parent / "docs"


def test_the_pages_tables_are_those_of_its_numbers() -> None:
    page, result = (DOCS / "auto.md").read_text(), json.loads((DOCS / "auto.json").read_text())
    assert filled(page, result) == page
    assert len(result["means"]) == 24  # the simulation in four ways and two real datasets, four shares each
    changed = {**result, "means": result["means"][:5]}
    assert filled(page, changed) != page


def test_a_page_without_its_marks_is_not_written() -> None:
    with pytest.raises(ValueError, match="one pair of the marks"):
        filled("no marks", {"means": [], "calibration_of_the_score": []})
