"""Why a number moved, from made-up results whose flagged shares and changes are known."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from tests.bench.test_tables import TABLE2, cells_of, groups_of

from pairsift.bench.why import why_lines


def by_mining(place: dict[str, Any]) -> float | None:
    if place["dataset"] == "epilepsy" or place["framework"] == "simsiam":
        return None
    if place["mining"] == "none" and place["seed"] == 2:
        return None
    return {"none": 0.9, "dbpm": 0.88, "rince": 0.9}[place["mining"]] + place["seed"] / 100


def test_the_classes_flagged_most_and_least_and_how_they_fared(tmp_path: Path) -> None:
    lines = why_lines(groups_of(TABLE2, tmp_path, by_mining), "standardised")
    # Of class a 20 of 50 pairs are flagged, of b 10 of 50; b's AUROC is half of a's. Seed 2 has no base.
    assert cells_of(lines, "SimCLR", "DBPM")[2:] == ["a", "40.0", "-2.00", "b", "20.0", "-1.00", "2"]


def test_only_mined_runs_with_a_base_have_a_why(tmp_path: Path) -> None:
    lines = why_lines(groups_of(TABLE2, tmp_path, by_mining), "raw")
    assert not any("RINCE" in line or "Epilepsy" in line for line in lines)


def test_without_labels_there_is_nothing_to_say(tmp_path: Path) -> None:
    groups = groups_of(TABLE2, tmp_path, by_mining)
    for group in groups:
        for result in group.results.values():
            if "mined" in result:
                result["mined"]["by_class"] = None
    assert why_lines(groups, "raw") == []
