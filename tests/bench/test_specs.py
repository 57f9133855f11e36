"""Every spec end to end on small data in the publishers' own layouts: declared, run, laid out, drawn."""

from __future__ import annotations

import dataclasses
import os
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.data import publisher
from tests.oracles.bench_results import TINY

from pairsift.bench.cell import make_cell
from pairsift.bench.drawn import draw_all
from pairsift.bench.matrix import Spec, cells_of, expand, read_spec
from pairsift.bench.page import build_page
from pairsift.bench.run import run_cell
from pairsift.bench.store import Store
from pairsift.data import load_dataset

BENCH = Path(__file__).parents[2] / "bench"
SPECS = sorted(path.stem for path in BENCH.glob("*.toml"))
SLEEP = dict(enumerate([14, 5, 11, 10, 6, 18]))  # two people each to learn from, to choose by, to judge by


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Small HAR, Epilepsy, Sleep-EDF and PTB-XL where a user would have the real ones."""
    home, rng = tmp_path_factory.mktemp("data"), np.random.default_rng(0)
    (home / "har").mkdir()
    np.savez(home / "har" / "uci_har.npz", **publisher.har_arrays(rng))
    (home / "epilepsy").mkdir()
    rows = 60
    x = rng.integers(-300, 300, (rows, 178))
    ids = publisher.uci_ids(np.repeat(np.arange(12), 5).tolist(), np.tile(np.arange(5), 12).tolist())
    publisher.write_uci_csv(home / "epilepsy" / "data.csv", x, np.arange(rows) // 5 % 5 + 1, ids)
    publisher.write_sleep(home / "sleep-edf", list(SLEEP.values()), epochs=120)
    publisher.write_ptb_xl(home / "ptb-xl", rng, 80)
    return home


def small(name: str, root: Path) -> Spec:
    """A spec with its own axes, but for series, seeds and epochs that take seconds."""
    spec = read_spec(BENCH / f"{name}.toml")
    matrix = {**spec.matrix, "seed": [0]}
    overrides: list[dict[str, Any]] = []
    for place in expand(dataclasses.replace(spec, matrix=matrix)):
        if place.cell is None or place.cell.dataset == "simulated":
            continue
        cell = place.cell
        splits = load_dataset(cell.dataset, root=root, split=cell.split, task=cell.task)
        size = sum(len(part) for part in (splits.train, splits.val, splits.test) if part is not None)
        overrides.append({"when": {"dataset": cell.dataset, "task": cell.task}, "sample": size})
    overrides.append({"when": {"dataset": "ptb-xl"}, "options": {"encoder": "conv"}})
    overrides.append({"when": {"dataset": "simulated"}, "data": TINY["data"]})
    overrides.append({"when": {}, "epochs": 2, "warmup": 1, "batch_size": 16})
    unique = [o for n, o in enumerate(overrides) if o not in overrides[:n]]
    return dataclasses.replace(spec, matrix=matrix, overrides=[*spec.overrides, *unique])


def run_and_lay_out(name: str, root: Path, out: Path, most: int | None) -> str:
    spec = small(name, root)
    store = Store(out)
    store.keep_spec(spec)
    chosen = cells_of(expand(spec))
    if most is not None:  # spread over the whole matrix, so that each dataset comes up
        chosen = chosen[:: max(1, len(chosen) // most)][:most]
    for cell in chosen:
        store.write(
            cell, run_cell(make_cell(**cell.model_dump(mode="json")).model_dump(mode="json"), str(root))
        )
    page, content = build_page(out)
    assert content[name]["run"] == len(chosen)
    assert spec.title in page and f"{len(chosen)} of {content[name]['of']} cells run" in page
    assert len(draw_all(out, out / "figures")) >= 1
    return page


@pytest.mark.parametrize(
    ("name", "only"),
    [
        ("table2", {"dataset": "har", "mining": "dbpm"}),
        ("table2", {"dataset": "epilepsy", "mining": "dbpm"}),
        ("table2", {"dataset": "sleep-edf", "mining": "dbpm"}),
        ("table1", {"task": "form", "mining": "dbpm"}),
        ("grouped", {"dataset": "epilepsy", "mining": "dbpm"}),
    ],
)
def test_a_cell_of_each_dataset_runs(name: str, only: dict[str, str], root: Path) -> None:
    cells = cells_of(expand(small(name, root)))
    cell = next(c for c in cells if all(getattr(c, k) == v for k, v in only.items()))
    result = run_cell(cell.model_dump(mode="json"), str(root))
    assert result["probes"]["raw"]["test"]["rows"] == result["data"]["test"]
    assert sum(result["mined"]["counts"].values()) == result["data"]["train"]
    assert result["settings"]["dataset"] == cell.dataset


def test_data_of_another_size_than_said_is_refused(root: Path) -> None:
    cell = make_cell(dataset="har")
    with pytest.raises(ValueError, match=r"har has 80 series here, the spec says 10299.*say sample = 80"):
        run_cell(cell.model_dump(mode="json"), str(root))


def test_data_that_is_not_there_is_refused_as_such(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="not prepared") as caught:
        run_cell(make_cell(dataset="sleep-edf").model_dump(mode="json"), str(tmp_path))
    assert caught.value.kind == "no data"  # type: ignore[attr-defined]


@pytest.mark.parametrize("name", ["dynamics", "tsne"])
def test_the_figures_of_the_simulation_come_from_cells(name: str, root: Path, tmp_path: Path) -> None:
    run_and_lay_out(name, root, tmp_path, None)
    assert (tmp_path / "figures" / f"{name}.png").read_bytes().startswith(b"\x89PNG")


@pytest.mark.slow
@pytest.mark.parametrize("name", [name for name in SPECS if name not in ("dynamics", "tsne")])
def test_every_spec_runs_end_to_end(name: str, root: Path, tmp_path: Path) -> None:
    run_and_lay_out(name, root, tmp_path, None if os.environ.get("PAIRSIFT_WHOLE_SPECS") else 12)
