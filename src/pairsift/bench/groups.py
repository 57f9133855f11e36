"""A spec's places with their results, seeds gathered: what every table and figure starts from."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from pairsift.bench.cell import Cell
from pairsift.bench.matrix import VARIANT, Spec, expand

Result = dict[str, Any]


@dataclass
class Group:
    """One place of the matrix over all its seeds.

    Args:
        place: the axes' values but the seed's.
        cells: by seed; None where the place is not defined.
        results: by seed, those that were run.
    """

    place: dict[str, Any]
    cells: dict[int, Cell | None] = field(default_factory=dict)
    results: dict[int, Result] = field(default_factory=dict)

    @property
    def defined(self) -> bool:
        """Whether such a run exists at all."""
        return any(cell is not None for cell in self.cells.values())

    @property
    def cell(self) -> Cell:
        """One of its cells."""
        return next(cell for cell in self.cells.values() if cell is not None)

    @property
    def dataset(self) -> str:
        """The dataset with its task and, where it is not the published one, its split."""
        if not self.defined:
            return "-".join(str(self.place[k]) for k in ("dataset", "task") if self.place.get(k))
        cell = self.cell
        grouped = "grouped" if cell.split == "grouped" else None
        return "-".join(filter(None, [cell.dataset, cell.task, grouped]))

    @property
    def framework(self) -> str:
        """The contrastive method."""
        return str(self.place.get("framework") or self.cell.framework)

    @property
    def variant(self) -> str:
        """What is compared: the variant's name, or the mining."""
        return str(self.place.get(VARIANT) or self.place.get("mining") or self.cell.mining)

    def values(self, metric: str, probe: str, part: str = "test") -> dict[int, float]:
        """A metric in percent by seed."""
        found = {
            seed: r["probes"].get(probe, {}).get(part, {}).get(metric) for seed, r in self.results.items()
        }
        return {seed: 100 * value for seed, value in found.items() if value is not None}


def gather(spec: Spec, results: Mapping[str, Result]) -> list[Group]:
    """A spec's groups in the order of its axes."""
    groups: dict[str, Group] = {}
    for planned in expand(spec):
        place = {k: v for k, v in planned.place.items() if k != "seed"}
        group = groups.setdefault(repr(place), Group(place))
        seed = planned.place["seed"]
        group.cells[seed] = planned.cell
        if planned.cell is not None and planned.cell.key in results:
            group.results[seed] = results[planned.cell.key]
    return list(groups.values())


def run_of(groups: list[Group]) -> tuple[int, int]:
    """How many cells were run, of how many."""
    cells = {c.key: seed in g.results for g in groups for seed, c in g.cells.items() if c is not None}
    return sum(cells.values()), len(cells)


def split_by(groups: list[Group], *names: str) -> dict[tuple[str, ...], list[Group]]:
    """Groups by some of their properties, in order of appearance."""
    parts: dict[tuple[str, ...], list[Group]] = {}
    for group in groups:
        parts.setdefault(tuple(str(getattr(group, name)) for name in names), []).append(group)
    return parts
