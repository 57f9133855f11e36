"""A declared matrix: a TOML file says which datasets, frameworks, minings and seeds; cells come out."""

from __future__ import annotations

import itertools
import tomllib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from pairsift.bench.cell import Cell, make_cell, refuse_unknown
from pairsift.errors import PairsiftError, shown

_SECTIONS: tuple[tuple[str, type, str], ...] = (
    *((key, dict, f"a table, [{key}]") for key in ("matrix", "settings", "table")),
    *((key, list, f"tables, [[{key}]]") for key in ("variant", "override")),
)
VARIANT = "variant"  # the axis of named bundles of settings; "mining" is the usual one
TABLE = {
    "kind": ("comparison", "grid", "curve", "dynamics", "tsne"),
    "metrics": ("accuracy", "auprc", "auroc", "f1"),
    "probe": ("raw", "standardised"),
    "paper": ("table1", "table2", "betas", "weights", "ablation"),
}


@dataclass(frozen=True)
class Spec:
    """What a file declares.

    Args:
        name: the file's name without its ending.
        title: a line for people.
        matrix: axes, outermost first: a field of ``Cell`` and the values it takes.
        variants: an axis whose values are bundles of settings with a name each.
        settings: fields of ``Cell`` that hold for all.
        overrides: ``{"when": {axis: value}, field: value}``; later ones win.
        table: how results are laid out: kind, metrics, probe, paper.
        note: sentences for the results page.
    """

    name: str
    title: str = ""
    matrix: dict[str, list[Any]] = field(default_factory=dict)
    variants: list[dict[str, Any]] = field(default_factory=list)
    settings: dict[str, Any] = field(default_factory=dict)
    overrides: list[dict[str, Any]] = field(default_factory=list)
    table: dict[str, Any] = field(default_factory=dict)
    note: str = ""

    @property
    def axes(self) -> dict[str, list[Any]]:
        """The axes with the variants as the last but the seed."""
        names = [str(v["name"]) for v in self.variants]
        axes = {k: v for k, v in self.matrix.items() if k != "seed"}
        return {**axes, **({VARIANT: names} if names else {}), "seed": self.matrix.get("seed", [0])}


@dataclass(frozen=True)
class Planned:
    """A place in the matrix and the cell that belongs there; None where it is not defined."""

    place: dict[str, Any]
    cell: Cell | None


def read_spec(path: Path) -> Spec:
    """A spec from its TOML file."""
    try:
        found = tomllib.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise PairsiftError(f"spec: cannot read {path} ({error.strerror})") from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError, RecursionError) as error:
        raise PairsiftError(f"spec: {path} is not TOML: {shown(error, 120)}") from None
    return make_spec(path.stem, found)


def make_spec(name: str, content: dict[str, Any]) -> Spec:
    """A spec from what a file holds, refused where it says something unknown."""
    known = ("title", "matrix", "variant", "settings", "override", "table", "note")
    for key in content:
        refuse_unknown("section", key, known)
    for key, kind, words in _SECTIONS:
        section = content.get(key, kind())
        rows = section if kind is list and isinstance(section, list) else [section]
        if not isinstance(section, kind) or not all(isinstance(row, dict) for row in rows):
            raise PairsiftError(f"spec: {key} must be {words}, got {shown(repr(section))}")
    for key in content.get("settings", {}):
        refuse_unknown("setting", key, Cell.model_fields)
    matrix = dict(content.get("matrix", {}))
    for axis, values in matrix.items():
        refuse_unknown("axis", axis, Cell.model_fields)
        if not isinstance(values, list) or not values:
            raise PairsiftError(
                f"spec: the axis {axis} must be a list with values, got {shown(repr(values))}"
            )
    for key, value in content.get("table", {}).items():
        refuse_unknown("table key", key, TABLE)
        for one in value if isinstance(value, list) else [value]:
            refuse_unknown(f"table {key}", one, TABLE[key])
    for number, variant in enumerate(content.get("variant", []), 1):
        if not isinstance(variant.get("name"), str):
            raise PairsiftError(f"spec: variant {number} needs a name")
    spec = Spec(
        name=name,
        title=str(content.get("title", name)),
        matrix=matrix,
        variants=list(content.get("variant", [])),
        settings=dict(content.get("settings", {})),
        overrides=list(content.get("override", [])),
        table={"kind": "comparison", "metrics": ["accuracy"], "probe": "raw", **content.get("table", {})},
        note=str(content.get("note", "")).strip(),
    )
    _check_overrides(spec)
    expand(spec)
    return spec


def as_content(spec: Spec) -> dict[str, Any]:
    """What ``make_spec`` takes: for keeping a spec beside its results."""
    return {
        "title": spec.title,
        "matrix": spec.matrix,
        "variant": spec.variants,
        "settings": spec.settings,
        "override": spec.overrides,
        "table": spec.table,
        "note": spec.note,
    }


def expand(spec: Spec) -> list[Planned]:
    """Every place of the matrix with its cell, by seed first: all of seed 0 before any of seed 1."""
    axes = spec.axes
    seeds = axes.pop("seed")
    bundles = {str(v["name"]): {k: x for k, x in v.items() if k != "name"} for v in spec.variants}
    planned = []
    for seed, *values in itertools.product(seeds, *axes.values()):
        place = {**dict(zip(axes, values)), "seed": seed}
        settings = {**spec.settings, **place}
        settings |= bundles.get(settings.pop(VARIANT, ""), {})
        seen = {**settings, **place}  # what an override's "when" may ask for
        for override in spec.overrides:
            if all(seen.get(k) in (v if isinstance(v, list) else [v]) for k, v in override["when"].items()):
                settings |= {k: v for k, v in override.items() if k != "when"}
        cell = make_cell(**settings)
        planned.append(Planned(place, cell if cell.defined else None))
    return planned


def cells_of(planned: Iterable[Planned], only: Sequence[str] = ()) -> list[Cell]:
    """Each cell once, in order; ``only`` holds FIELD=VALUE[,VALUE] that cells must fit, all of them.

    A field is one of a cell's settings, or "variant" for a variant's name.
    """
    wanted = [_condition(text) for text in only]

    def fits(planned: Planned) -> bool:
        said = {VARIANT: planned.place.get(VARIANT)}
        return all(str(said[k] if k in said else getattr(planned.cell, k)) in v for k, v in wanted)

    return list({p.cell.key: p.cell for p in planned if p.cell is not None and fits(p)}.values())


def _condition(text: str) -> tuple[str, list[str]]:
    name, sign, values = text.partition("=")
    if not sign:
        raise PairsiftError(f"only: {text!r} is not FIELD=VALUE, such as dataset=har")
    refuse_unknown("setting", name, (*Cell.model_fields, VARIANT))
    return name, values.split(",")


def _check_overrides(spec: Spec) -> None:
    for override in spec.overrides:
        if not isinstance(override.get("when"), dict):
            raise PairsiftError(f"spec: an override needs when = {{...}}, got {shown(repr(override))}")
        for key in override["when"]:
            refuse_unknown("setting", key, (*Cell.model_fields, VARIANT))
        for key in override:
            refuse_unknown("setting", key, (*Cell.model_fields, "when"))
