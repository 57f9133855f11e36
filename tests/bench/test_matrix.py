"""Specs: what they expand to, in which order, and what is refused."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from pairsift.bench.matrix import as_content, cells_of, expand, make_spec, read_spec
from pairsift.errors import PairsiftError
from pairsift.frameworks import FRAMEWORKS

SPECS = sorted((Path(__file__).parents[2] / "bench").glob("*.toml"))
SMALL: dict[str, Any] = {
    "matrix": {"dataset": ["har", "epilepsy"], "mining": ["none", "dbpm"], "seed": [0, 1]},
    "settings": {"epochs": 3},
    "override": [{"when": {"dataset": "har"}, "noisy": 1.0}, {"when": {"mining": ["dbpm"]}, "warmup": 1}],
}


def test_a_matrix_is_its_axes_product_seeds_outermost() -> None:
    cells = [p.cell for p in expand(make_spec("small", SMALL))]
    said = [(c.seed, c.dataset, c.mining, c.noisy, c.warmup) for c in cells if c]
    assert said == [
        (seed, dataset, mining, noisy if mining == "dbpm" else None, 1 if mining == "dbpm" else None)
        for seed in (0, 1)
        for dataset, noisy in (("har", 1.0), ("epilepsy", 2.0))
        for mining in ("none", "dbpm")
    ]


def test_variants_are_an_axis_of_bundles() -> None:
    spec = make_spec(
        "v", {"matrix": {"dataset": ["har"]}, "variant": [{"name": "a"}, {"name": "b", "lr": 0.1}]}
    )
    planned = expand(spec)
    assert [(p.place["variant"], p.cell.lr) for p in planned if p.cell] == [("a", 3e-4), ("b", 0.1)]


def test_cells_that_are_the_same_run_are_run_once() -> None:
    content = {"matrix": {"dataset": ["har"], "planted": [0.0, 0.2], "mining": ["none", "oracle", "clean"]}}
    planned = expand(make_spec("p", content))
    assert len(planned) == 6 and len(cells_of(planned)) == 3


def test_only_takes_the_cells_that_fit_all_conditions() -> None:
    planned = expand(make_spec("small", SMALL))
    chosen = cells_of(planned, ["dataset=har", "seed=1,2"])
    assert [(c.dataset, c.seed) for c in chosen] == [("har", 1), ("har", 1)]
    with pytest.raises(PairsiftError, match="did you mean 'dataset'"):
        cells_of(planned, ["datasets=har"])


def test_only_takes_variants_by_their_names() -> None:
    variants = [{"name": "a b", "mining": "none"}, {"name": "c", "mining": "auto"}]
    planned = expand(make_spec("p", {"matrix": {"dataset": ["har"]}, "variant": variants}))
    assert [c.mining for c in cells_of(planned, ["variant=a b"])] == ["none"]
    assert len(cells_of(planned, ["variant=c,a b"])) == 2


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"matrixx": {}}, "no section 'matrixx'; did you mean 'matrix'"),
        ({"matrix": {"datset": ["har"]}}, "no axis 'datset'; did you mean 'dataset'"),
        ({"matrix": {"dataset": "har"}}, "the axis dataset must be a list with values, got 'har'"),
        ({"settings": {"variant": ["c"]}}, "no setting 'variant'"),
        ({"settings": {"epoch": 1}}, "no setting 'epoch'; did you mean 'epochs'"),
        ({"override": [{"when": {"datase": "har"}}]}, "did you mean 'dataset'"),
        ({"override": [{"noisy": 1.0}]}, "an override needs when"),
        ({"override": [{"when": {"dataset": "x"}, "noisi": 1.0}]}, "did you mean 'noisy'"),
        ({"table": {"kind": "gird"}}, "no table kind 'gird'; did you mean 'grid'"),
        ({"table": {"metrics": ["acuracy"]}}, "did you mean 'accuracy'"),
        ({"variant": [{"mining": "none"}]}, "variant 1 needs a name"),
    ],
)
def test_what_is_not_known_is_refused_with_the_nearest(change: dict[str, Any], sentence: str) -> None:
    with pytest.raises(PairsiftError, match=sentence):
        make_spec("bad", {**SMALL, **change})


def test_a_file_that_cannot_be_read_is_one_sentence(tmp_path: Path) -> None:
    with pytest.raises(PairsiftError, match="cannot read"):
        read_spec(tmp_path / "none.toml")
    (tmp_path / "bad.toml").write_text("a = ")
    with pytest.raises(PairsiftError, match="is not TOML"):
        read_spec(tmp_path / "bad.toml")


@pytest.mark.parametrize("path", SPECS, ids=lambda p: p.stem)
def test_every_spec_reads_keeps_its_seeds_first_and_survives_json(path: Path) -> None:
    spec = read_spec(path)
    planned = expand(spec)
    cells = cells_of(planned)
    assert cells and spec.title != spec.name
    assert all(a.seed <= b.seed for a, b in pairwise(cells))
    assert make_spec(spec.name, as_content(spec)) == spec
    assert {c.framework for c in cells} <= set(FRAMEWORKS)


def test_the_second_table_is_six_frameworks_by_four_on_three_datasets_by_five_seeds() -> None:
    planned = expand(read_spec(next(p for p in SPECS if p.stem == "table2")))
    assert len(planned) == 6 * 4 * 3 * 5
    assert sum(p.cell is None for p in planned) == 3 * 5  # SimSiam with RINCE
    assert {p.place["framework"] for p in planned} == set(FRAMEWORKS)
