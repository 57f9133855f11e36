"""A whole spec, run: what is there is skipped, the rest goes to the pool, and a person sees how far it is."""

from __future__ import annotations

import time
from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from pathlib import Path
from statistics import mean
from typing import Any

from pairsift.bench.cell import Cell
from pairsift.bench.matrix import Spec, cells_of, expand
from pairsift.bench.pool import Execute, Outcome, Task, run_local
from pairsift.bench.store import Store

Say = Callable[[str], None]
NO_DATA = "no data"  # the kind that `materials.NoData` has


def execute_cell(settings: dict[str, Any], root: str | None = None) -> dict[str, Any]:
    """``run_cell``, imported where it runs: a worker loads torch after its threads are set."""
    from pairsift.bench.run import run_cell

    return run_cell(settings, root)


class Progress:
    """Writes results as they come, and says how long the rest may take.

    Args:
        store: where results go.
        cells: all that were asked for.
        jobs: how many run at a time.
        say: where sentences go.
    """

    def __init__(self, store: Store, cells: Sequence[Cell], jobs: int, say: Say) -> None:
        self.store, self.jobs, self.say = store, max(jobs, 1), say
        self.cells = {cell.key: cell for cell in cells}
        self.open = {key: cell for key, cell in self.cells.items() if not store.has(cell)}
        self.failures: list[str] = []
        self._refused: set[tuple[Any, ...]] = set()
        self._seconds: dict[tuple[Any, ...], list[float]] = defaultdict(list)
        for result in store.results().values():
            self._learn(result)

    def tasks(self) -> list[Task]:
        """What is left to do."""
        return [Task(c.title, c.model_dump(mode="json"), c.key) for c in self.open.values()]

    def wanted(self, task: Task) -> bool:
        """Not where another run has finished it meanwhile, nor where its data was refused before."""
        cell = self.cells[task.id]
        if self.store.has(cell):
            self.open.pop(task.id, None)
            return False
        if self._data(cell) in self._refused:
            self.open.pop(task.id, None)
            self.failures.append(f"{task.name}: passed over, its data was refused")
            return False
        return True

    def done(self, task: Task, result: dict[str, Any]) -> None:
        """Keep it and say so."""
        cell = self.cells[task.id]
        self.store.write(cell, result)
        self.open.pop(task.id, None)
        self._learn(result)
        number = len(self.cells) - len(self.open)
        accuracy = 100 * result["probes"]["raw"]["test"]["accuracy"]
        took = spoken(result["seconds"]["total"])
        self.say(f"[{number}/{len(self.cells)}] {cell.title}: accuracy {accuracy:.2f}, {took}; {self.left()}")

    def again(self, task: Task, why: str) -> None:
        """Log it."""
        self._log(task, why, "tried again")

    def failed(self, task: Task, outcome: Outcome) -> None:
        """Log it, and remember for the end; where the data is at fault, other cells need not try."""
        self._log(task, outcome.value, "given up")
        self.open.pop(task.id, None)
        self.failures.append(f"{task.name}: {last_line(outcome.value)}")
        if outcome.kind == NO_DATA:
            self._refused.add(self._data(self.cells[task.id]))

    def left(self) -> str:
        """How long the open cells may take, by what like cells took."""
        known = [s for values in self._seconds.values() for s in values]
        if not self.open:
            return "nothing left"
        if not known:
            return f"{len(self.open)} left"
        usual = mean(known)
        total = 0.0
        for cell in self.open.values():
            like = self._seconds.get(self._kind(cell))
            total += mean(like) if like else usual
        return f"about {spoken(total / min(self.jobs, len(self.open)))} left for {len(self.open)}"

    def _learn(self, result: dict[str, Any]) -> None:
        s = result["settings"]
        self._seconds[(s["dataset"], s["framework"], s["epochs"])].append(float(result["seconds"]["total"]))

    def _kind(self, cell: Cell) -> tuple[Any, ...]:
        return (cell.dataset, cell.framework, cell.epochs)

    def _data(self, cell: Cell) -> tuple[Any, ...]:
        return (cell.dataset, cell.split, cell.task, cell.sample)

    def _log(self, task: Task, why: str, what: str) -> None:
        stamp = time.strftime("%Y-%m-%d %H:%M:%S")
        self.store.log(f"{stamp} {task.name} ({task.id}), {what}: {why}")
        self.say(f"{task.name} went wrong and is {what}: {last_line(why)}")


def run_specs(
    specs: Iterable[Spec],
    out: Path,
    *,
    jobs: int = 1,
    ray: str | None = None,
    root: str | None = None,
    only: Sequence[str] = (),
    plan: bool = False,
    say: Say = print,
    execute: Execute | None = None,
) -> list[str]:
    """Run what is missing of some specs.

    Args:
        specs: together they are one matrix; a cell that several ask for is run once.
        out: the folder of results.
        jobs: how many cells at a time.
        ray: a cluster's address instead of this machine.
        root: the data root.
        only: FIELD=VALUE conditions that cells must fit.
        plan: say what would run, and run nothing.
        say: where progress goes.
        execute: what runs a cell, for tests.

    Returns:
        A sentence for each cell that failed.
    """
    store, specs = Store(out), list(specs)
    for spec in specs:
        store.keep_spec(spec)
    cells = cells_of([p for spec in specs for p in expand(spec)], only)
    cells.sort(key=lambda cell: cell.seed)  # stable: the specs' own order within a seed
    progress = Progress(store, cells, jobs, say)
    tasks = progress.tasks()
    say(f"{len(cells)} cells, {len(cells) - len(tasks)} of them there; {progress.left()}")
    if plan:
        for task in tasks:
            say(task.name)
        return []
    execute = execute or partial(execute_cell, root=root)
    if ray is None:
        run_local(tasks, execute, progress, jobs)
    else:
        from pairsift.bench.cluster import run_ray

        run_ray(tasks, execute, progress, ray, jobs if jobs > 1 else None)
    return progress.failures


def last_line(text: str) -> str:
    """Of a traceback the line that says what went wrong."""
    return text.strip().splitlines()[-1]


def spoken(seconds: float) -> str:
    """A duration for people."""
    if seconds < 90:
        return f"{seconds:.0f} s"
    minutes = round(seconds / 60)
    return f"{minutes} min" if minutes < 90 else f"{minutes // 60} h {minutes % 60} min"
