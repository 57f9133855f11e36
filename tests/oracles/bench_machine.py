"""A cell that is only pretended to run, importable by the pool's processes."""

from __future__ import annotations

import os
import signal
from collections import deque
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from tests.oracles.bench_results import made_up

from pairsift.bench.cell import make_cell
from pairsift.bench.pool import Execute, Task, Tries, Watcher, attempt, next_wanted
from pairsift.errors import PairsiftError


class Missing(PairsiftError):
    """As a dataset that is not there."""

    kind = "no data"


def pretend(
    settings: dict[str, Any], calls: str | None = None, wrong: dict[str, str] | None = None
) -> dict[str, Any]:
    """A made-up result; the call is written down, and goes wrong where ``wrong`` says how."""
    cell = make_cell(**settings)
    if calls is not None:
        with Path(calls).open("a") as file:
            file.write(cell.title + "\n")
    how = (wrong or {}).get(cell.title)
    if how == "killed" and Path(str(calls)).read_text().count(cell.title) == 1:
        os.kill(os.getpid(), signal.SIGKILL)
    if how == "error":
        raise RuntimeError("made to fail")
    if how == "no data":
        raise Missing(f"{cell.dataset} is not here")
    if how == "refused":
        raise PairsiftError("not so")
    return made_up(cell, 0.9)


def run_here(tasks: Sequence[Task], execute: Execute, watcher: Watcher, jobs: int = 1) -> None:
    """What the pool does, one after the other in this process."""
    waiting, tries = deque(tasks), Tries(watcher)
    while (task := next_wanted(waiting, watcher)) is not None:
        if tries.settle(task, attempt(execute, task.payload)):
            waiting.appendleft(task)
