"""Where results lie: a JSON file a cell, the specs that asked for them, and what may be reused."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from pairsift.bench.cell import Cell
from pairsift.bench.matrix import Spec, as_content, make_spec
from pairsift.errors import PairsiftError, shown

Result = dict[str, Any]
CELLS, SPECS = "cells", "specs"


class Store:
    """A folder of results.

    Args:
        folder: made when the first thing is written.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def path(self, cell: Cell) -> Path:
        """Where a cell's result is or will be."""
        return self.folder / CELLS / cell.file

    def has(self, cell: Cell) -> bool:
        """Whether the cell is there and still says what it would say now."""
        path = self.path(cell)
        return path.is_file() and not outdated(self._read(path))

    def write(self, cell: Cell, result: Result) -> None:
        """Keep a result, whole or not at all."""
        path = self.path(cell)
        self._make(path.parent)
        write_lines(path, {"key": cell.key, **result})

    def keep_spec(self, spec: Spec) -> None:
        """Keep what was asked for, so that tables can say what is missing."""
        self._make(self.folder / SPECS)
        write_lines(self.folder / SPECS / f"{spec.name}.json", as_content(spec))

    def specs(self) -> list[Spec]:
        """All that were kept, by name."""
        return [make_spec(shown(p.stem), self._read(p)) for p in sorted((self.folder / SPECS).glob("*.json"))]

    def results(self) -> dict[str, Result]:
        """All cells by key."""
        found = {p: self._read(p) for p in sorted((self.folder / CELLS).glob("*.json"))}
        for path, result in found.items():
            if not isinstance(result.get("key"), str):
                raise PairsiftError(f"{path} is no cell's result; delete it and run its cell again")
        return {result["key"]: result for result in found.values()}

    def log(self, sentence: str) -> None:
        """Add a line to the log of what went wrong."""
        self._make(self.folder)
        with (self.folder / "errors.log").open("a", encoding="utf-8") as file:
            file.write(sentence.rstrip() + "\n")

    def _make(self, folder: Path) -> None:
        try:
            folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise PairsiftError(f"out: cannot write to {folder} ({error.strerror}); choose another") from None

    def _read(self, path: Path) -> dict[str, Any]:
        try:
            found = json.loads(path.read_text(encoding="utf-8"))
            if not isinstance(found, dict):
                raise ValueError("it is no table")
        except (OSError, ValueError, RecursionError) as error:
            raise PairsiftError(
                f"{path} cannot be read ({shown(error, 120)}); delete it and run its cell again"
            ) from None
        return found


def write_lines(path: Path, content: dict[str, Any]) -> None:
    """Write JSON with a line for each of the outermost names: short files that can still be compared."""
    from pairsift.training.checkpoint import write_whole

    lines = [f"  {json.dumps(name)}: {json.dumps(value)}" for name, value in content.items()]
    write_whole(path, ("{\n" + ",\n".join(lines) + "\n}\n").encode())


def outdated(result: Result) -> bool:
    """Whether a framework's published defaults have changed since: the same words now mean another run."""
    from pairsift.frameworks import FRAMEWORKS

    made, settings = result.get("made"), result.get("settings")
    if not isinstance(made, dict) or not isinstance(settings, dict):
        return True
    kind = FRAMEWORKS.get(settings["framework"])
    if kind is None:
        return False
    from dataclasses import asdict

    now = json.loads(json.dumps(asdict(kind.Config.for_dataset(settings["dataset"], **settings["options"]))))
    return any(made[name] != value for name, value in now.items() if name in made)
