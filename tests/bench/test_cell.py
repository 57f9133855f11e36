"""A cell's key: equal for what is the same run, different for what is not, and lasting."""

from __future__ import annotations

from typing import Any

import pytest

from pairsift.bench.cell import Cell, make_cell
from pairsift.errors import PairsiftError


def key(**settings: Any) -> str:
    return make_cell(dataset="har", **settings).key


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (
            {"mining": "none"},
            {"mining": "none", "noisy": 1.0, "weight": "zero", "history": "last", "warmup": 3},
        ),
        ({"mining": "rince", "noisy": 1.0}, {"mining": "rince", "faulty": "off"}),
        ({"mining": "none"}, {"mining": "clean", "planted": 0.3, "kind": "noisy"}),
        ({"mining": "none"}, {"mining": "oracle"}),
        ({"mining": "none"}, {"mining": "dbpm", "noisy": "off", "faulty": "off"}),
        ({"mining": "dbpm", "noisy": 1}, {"mining": "dbpm", "noisy": 1.0}),
        ({"mining": "auto", "noisy": 1.0}, {"mining": "auto"}),
        ({"kind": "noisy"}, {}),
    ],
)
def test_what_makes_no_difference_makes_no_other_key(one: dict[str, Any], other: dict[str, Any]) -> None:
    assert key(**one) == key(**other)


@pytest.mark.parametrize(
    "change",
    [
        {"seed": 1},
        {"split": "grouped"},
        {"planted": 0.1},
        {"planted": 0.1, "mining": "oracle"},
        {"framework": "moco"},
        {"mining": "rince"},
        {"mining": "dbpm"},
        {"mining": "dbpm", "noisy": 1.0},
        {"mining": "dbpm", "noisy": "off"},
        {"mining": "dbpm", "weight": "0"},
        {"options": {"augmentation": "har-released"}},
        {"precision": "bf16-mixed"},
        {"keep": ["tsne"]},
        {"sample": 12},
    ],
)
def test_what_makes_a_difference_has_a_key_of_its_own(change: dict[str, Any]) -> None:
    assert key(**change) != key()
    others = [c for c in ({"mining": "dbpm"}, {"planted": 0.1}) if c != change]
    assert all(key(**change) != key(**other) for other in others)


def test_keys_last() -> None:
    """Results of many hours are kept under these: a change here orphans them all."""
    assert key() == "dcb45f6028a5"
    assert key(mining="dbpm", noisy=1.0, faulty="off", planted=0.2, seed=3) == "631ecda23114"


def test_a_cell_survives_json_and_becomes_itself_again() -> None:
    for mining in ("none", "rince", "dbpm", "oracle", "auto"):
        cell = make_cell(dataset="epilepsy", mining=mining, planted=0.2, faulty="off", keep=["pairs"])
        again = make_cell(**cell.model_dump(mode="json"))
        assert again == cell and again.key == cell.key and isinstance(again, Cell)


def test_the_file_s_name_says_what_it_is() -> None:
    cell = make_cell(dataset="ptb-xl", task="form", planted=0.3, mining="dbpm", seed=2)
    assert cell.file == f"ptb-xl-form-30-simclr-dbpm-s2-{cell.key}.json"


@pytest.mark.parametrize(
    ("settings", "sentence"),
    [
        ({"dataset": "har", "epoch": 3}, "no setting 'epoch'; did you mean 'epochs'"),
        ({"dataset": "harr"}, "no dataset is called 'harr' .did you mean 'har'"),
        ({"dataset": "har", "framework": "simcl"}, "framework: .*simclr.*got 'simcl'"),
        ({"dataset": "har", "mining": "dbpn"}, "mining: .*got 'dbpn'"),
        ({"dataset": "har", "planted": 1.0}, "planted: .*got 1.0"),
        ({"dataset": "har", "mining": "dbpm", "noisy": "of"}, "noisy"),
    ],
)
def test_a_mistake_is_one_sentence(settings: dict[str, Any], sentence: str) -> None:
    with pytest.raises(PairsiftError, match=sentence) as caught:
        make_cell(**settings)
    assert "\n" not in str(caught.value)


def test_rince_is_not_defined_without_negatives() -> None:
    assert not make_cell(dataset="har", framework="simsiam", mining="rince").defined
    assert make_cell(dataset="har", framework="simsiam", mining="dbpm").defined
