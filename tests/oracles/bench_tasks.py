"""Tasks for the pools' tests: light, importable by other processes, and able to go wrong on purpose."""

from __future__ import annotations

import os
import signal
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from pairsift.bench.pool import Outcome, Task
from pairsift.errors import PairsiftError


def work(payload: dict[str, Any]) -> dict[str, Any]:
    """Do what the payload says: "do" and, for what shall happen once only, "flag", a file to leave."""
    what, flag = payload.get("do", "double"), payload.get("flag")
    first = flag is None or not Path(flag).exists()
    if flag is not None:
        with Path(flag).open("a") as file:
            file.write("x")
    if what == "die" and first:
        os.kill(os.getpid(), signal.SIGKILL)
    if what == "raise" and first:
        raise RuntimeError("a bad moment")
    if what == "refuse":
        raise PairsiftError("n: not that one")
    if what == "sleep" and first:
        Path(payload["pid"]).write_text(str(os.getpid()))
        time.sleep(600)
    return {"twice": 2 * payload["n"], "threads": os.environ.get("OMP_NUM_THREADS"), "pid": os.getpid()}


@dataclass
class Ledger:
    """A watcher that writes down what it is told."""

    results: dict[str, Any] = field(default_factory=dict)
    tried_again: list[str] = field(default_factory=list)
    given_up: dict[str, Outcome] = field(default_factory=dict)
    unwanted: set[str] = field(default_factory=set)

    def wanted(self, task: Task) -> bool:
        return task.id not in self.unwanted

    def done(self, task: Task, result: Any) -> None:
        assert task.id not in self.results
        self.results[task.id] = result

    def again(self, task: Task, why: str) -> None:
        self.tried_again.append(task.id)

    def failed(self, task: Task, outcome: Outcome) -> None:
        self.given_up[task.id] = outcome


def tasks_of(*payloads: dict[str, Any]) -> list[Task]:
    """Tasks "0", "1", ... with ``n`` filled in."""
    return [Task(f"task {n}", {"n": n, **payload}, str(n)) for n, payload in enumerate(payloads)]
