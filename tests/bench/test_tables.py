"""Tables from made-up results: the numbers in them can be worked out by hand."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from tests.oracles.bench_results import fill

from pairsift.bench.details import cost_lines, detection_lines, flagged_lines
from pairsift.bench.groups import gather, run_of
from pairsift.bench.matrix import Spec, make_spec
from pairsift.bench.tables import comparison, curve, grid, missing


def cells_of(lines: list[str], *starts: str) -> list[str]:
    """The columns of the row that starts so."""
    rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in lines if line.startswith("|")]
    return next(row for row in rows if tuple(row[: len(starts)]) == starts)


def groups_of(spec: Spec, folder: Path, accuracy: Any, **more: Any) -> list[Any]:
    return gather(spec, fill(folder, spec, accuracy, **more).results())


TABLE2 = make_spec(
    "table2",
    {
        "matrix": {
            "dataset": ["har", "epilepsy"],
            "framework": ["simclr", "simsiam"],
            "mining": ["none", "dbpm", "rince"],
            "seed": [0, 1, 2],
        },
        "table": {"metrics": ["accuracy", "auprc"], "probe": "raw", "paper": "table2"},
    },
)


def by_mining(place: dict[str, Any]) -> float | None:
    if place["dataset"] == "epilepsy" or place["framework"] == "simsiam":
        return None
    gain = {"none": 0.0, "dbpm": -0.01, "rince": 0.02}[place["mining"]]
    if place["mining"] == "rince" and place["seed"]:
        return None
    return 0.9 + place["seed"] / 100 + gain + 0.001 * (place["mining"] == "dbpm") * place["seed"]


def test_ours_stand_beside_the_paper_s_with_paired_differences(tmp_path: Path) -> None:
    groups = groups_of(TABLE2, tmp_path, by_mining, raw=lambda place: by_mining(place))
    lines, records = comparison(TABLE2, groups)
    assert cells_of(lines, "SimCLR", "no mining")[2:6] == ["91.00 ± 1.00 (3)", "90.20 ± 0.65", "-", "-"]
    dbpm = cells_of(lines, "SimCLR", "DBPM")
    assert dbpm[2:4] == ["90.10 ± 1.10 (3)", "90.42 ± 0.50"]
    assert dbpm[4:6] == ["-1.00, -0.90, -0.80", "-0.90 (-1.15 to -0.65)"]
    assert dbpm[7] == "95.16 ± 0.48"
    assert cells_of(lines, "SimCLR", "RINCE")[4:6] == ["+2.00", "+2.00 (one seed: no interval)"]
    assert cells_of(lines, "SimSiam", "RINCE")[2] == "not defined"
    assert cells_of(lines, "SimSiam", "DBPM")[2:4] == ["not run", "87.78 ± 1.31"]
    said = "\n".join(lines)
    assert "Bases at or above the paper's in accuracy: SimCLR 91.00 against 90.20." in said
    assert "DBPM in accuracy: worse than its base: SimCLR (-0.90). Mean change -0.90." in said
    assert "RINCE in accuracy: of one seed only: SimCLR (+2.00)." in said
    assert "None of these cells has been run." in said
    found = next(
        r for r in records if (r["dataset"], r["framework"], r["variant"]) == ("har", "simclr", "dbpm")
    )
    assert found["metrics"]["accuracy"]["difference"]["verdict"] == "worse" and len(found["cells"]) == 3


def test_what_was_not_run_is_counted_by_dataset(tmp_path: Path) -> None:
    groups = groups_of(TABLE2, tmp_path, by_mining)
    assert run_of(groups) == (7, 2 * (9 + 6))
    assert missing(groups) == "Not run: HAR (2 rows), Epilepsy (5 rows)."


def test_the_grid_is_chosen_by_validation_though_test_would_choose_otherwise(tmp_path: Path) -> None:
    spec = make_spec(
        "betas",
        {
            "matrix": {"dataset": ["har"], "noisy": [1, 2, "off"], "faulty": [1, "off"], "seed": [0, 1]},
            "settings": {"mining": "dbpm"},
            "table": {"kind": "grid", "paper": "betas"},
        },
    )
    test = {(1, 1): 0.99, (2, 1): 0.5, ("off", "off"): 0.7}
    validation = {(1, 1): 0.6, (2, 1): 0.8, ("off", "off"): 0.7}

    def of(values: dict[Any, float]) -> Any:
        return lambda place: values.get((place["noisy"], place["faulty"]))

    def accuracy(place: dict[str, Any]) -> float | None:
        if place["noisy"] == 1 and place["faulty"] == "off":
            return 1.0 if place["seed"] == 0 else None  # the best of all, but of one seed only
        return of(test)(place)

    groups = groups_of(spec, tmp_path, accuracy, validation=lambda place: of(validation)(place) or 1.0)
    lines, records = grid(spec, groups)
    assert records[0]["chosen"] == {"noisy": "2", "faulty": "1", "seeds": 2, "of": 3}
    said = "\n".join(lines)
    assert "Validation chooses noisy 2, faulty 1 (80.00 there, 50.00 on test) from 3 of 6 cells" in said
    assert "With both sides off test says 70.00." in said
    assert cells_of(lines, "1")[1:] == ["60.00 ± 0.00 (2)", "80.00 ± 0.00 (2)", "not run"]
    assert "82.10" in said  # the paper's


CURVE = make_spec(
    "robustness",
    {
        "matrix": {
            "dataset": ["har"],
            "framework": ["simclr"],
            "planted": [0.0, 0.2],
            "mining": ["none", "dbpm", "oracle", "clean"],
            "seed": [0, 1],
        },
        "table": {"kind": "curve"},
    },
)


def harmed(place: dict[str, Any]) -> float | None:
    if not place["planted"]:
        return 0.9
    return {"none": 0.8, "dbpm": 0.85, "oracle": 0.9, "clean": 0.9}[place["mining"]]


def test_a_curve_says_what_planting_cost_and_how_much_was_won_back(tmp_path: Path) -> None:
    groups = groups_of(CURVE, tmp_path, harmed)
    lines, records = curve(CURVE, groups)
    assert cells_of(lines, "no mining")[1:] == ["90.00 ± 0.00 (2)", "80.00 ± 0.00 (2)"]
    assert cells_of(lines, "clean")[1:] == ["90.00 ± 0.00 (2)", "90.00 ± 0.00 (2)"]
    said = "\n".join(lines)
    assert "20% planted cost 10.00 points (n = 2)" in said
    assert "DBPM +5.00, 50% of it (n = 2); oracle +10.00, 100% of it (n = 2)" in said
    assert len(records) == 8 and run_of(groups) == (10, 10)  # five a seed: at 0% only DBPM differs from none
    assert "0.500 | 0.250" in "\n".join(detection_lines(groups))


def test_what_was_flagged_and_what_it_cost(tmp_path: Path) -> None:
    groups = groups_of(TABLE2, tmp_path, by_mining)
    noisy = cells_of(flagged_lines(groups), "HAR", "SimCLR", "DBPM", "noisy")
    assert noisy[4:] == ["20.0", "0.25", "a 40, b 0", "3"]
    faulty = cells_of(flagged_lines(groups), "HAR", "SimCLR", "DBPM", "faulty")
    assert faulty[4:] == ["10.0", "-", "a 0, b 20", "3"]
    assert cells_of(cost_lines(groups), "HAR", "SimCLR", "DBPM")[3:] == [
        "0.010",
        "4.0",
        "-",
        "2.00",
        "0.58",
        "3",
    ]


@pytest.mark.parametrize("lay", [comparison, curve, grid])
def test_no_results_at_all_make_a_table_that_says_so(lay: Any, tmp_path: Path) -> None:
    spec = {comparison: TABLE2, curve: CURVE}.get(lay) or make_spec(
        "g", {"matrix": {"dataset": ["har"], "noisy": [1], "faulty": [1]}, "settings": {"mining": "dbpm"}}
    )
    lines, _ = lay(spec, groups_of(spec, tmp_path, lambda place: None))
    assert "not run" in "\n".join(lines)
