"""Many cells on this machine: processes of one thread each; who is killed is replaced, nothing is lost."""

from __future__ import annotations

import os
import signal
import threading
import time
import traceback
from collections import Counter, deque
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from multiprocessing import get_context
from multiprocessing.connection import Connection, wait
from typing import Any, Protocol

from pairsift.errors import PairsiftError

ONE_THREAD = {"OMP_NUM_THREADS": "1", "MKL_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}
Execute = Callable[[dict[str, Any]], Any]  # a function that another process can import, or a partial of one


@dataclass(frozen=True)
class Task:
    """What is to be done.

    Args:
        name: for people.
        payload: what the function is called with.
        id: what it is known by.
    """

    name: str
    payload: dict[str, Any]
    id: str


@dataclass(frozen=True)
class Outcome:
    """What a worker reports.

    Args:
        kind: "done", "error", or "refused": the user's mistake, which trying again does not mend. A refusal
            may have a kind of its own.
        value: the result, or what went wrong.
    """

    kind: str
    value: Any


class Watcher(Protocol):
    """Who is told how it goes."""

    def wanted(self, task: Task) -> bool:
        """Asked just before a task starts; False passes it over."""

    def done(self, task: Task, result: Any) -> None:
        """A task's result is there."""

    def again(self, task: Task, why: str) -> None:
        """A task went wrong and will be tried once more."""

    def failed(self, task: Task, outcome: Outcome) -> None:
        """A task is given up."""


def attempt(execute: Execute, payload: dict[str, Any]) -> Outcome:
    """Run a task; whatever it raises comes back as text."""
    try:
        return Outcome("done", execute(payload))
    except PairsiftError as error:
        return Outcome(getattr(error, "kind", "refused"), str(error))
    except Exception:
        return Outcome("error", traceback.format_exc())


class Tries:
    """Counts what went wrong and decides whether a task is tried again: each task has two tries.

    Args:
        watcher: told of it.
    """

    def __init__(self, watcher: Watcher) -> None:
        self.watcher = watcher
        self._wrong: Counter[str] = Counter()

    def settle(self, task: Task, outcome: Outcome) -> bool:
        """Tell the watcher; True where the task shall run once more."""
        if outcome.kind == "done":
            self.watcher.done(task, outcome.value)
            return False
        self._wrong[task.id] += 1
        if outcome.kind != "error" or self._wrong[task.id] > 1:
            self.watcher.failed(task, outcome)
            return False
        self.watcher.again(task, outcome.value)
        return True


@dataclass
class _Worker:
    process: Any
    pipe: Connection
    task: Task | None = None


def run_local(tasks: Sequence[Task], execute: Execute, watcher: Watcher, jobs: int = 1) -> None:
    """Run tasks in ``jobs`` processes; returns when each is done, passed over or given up.

    A worker that dies (killed, out of memory) is replaced and its task run again, once.

    Args:
        tasks: started in this order.
        execute: called with each task's payload, in another process.
        watcher: told of every outcome, in this process.
        jobs: how many at a time.
    """
    if jobs < 1:
        raise PairsiftError(f"jobs must be at least 1, got {jobs}")
    waiting, tries, workers = deque(tasks), Tries(watcher), list[_Worker]()
    try:
        while True:
            for worker in workers:
                if worker.task is None:
                    _give(worker, waiting, watcher)
            while len(workers) < jobs and (task := next_wanted(waiting, watcher)) is not None:
                worker = _start(execute)
                workers.append(worker)
                worker.task = task
                worker.pipe.send(task.payload)
            busy = {w.pipe: w for w in workers if w.task is not None}
            if not busy:
                return
            for pipe in wait(list(busy)):
                worker = busy[pipe]  # type: ignore[index]
                task, worker.task = worker.task, None
                assert task is not None
                try:
                    outcome = worker.pipe.recv()
                except (EOFError, OSError):  # it died: the system closed its end
                    workers.remove(worker)
                    outcome = Outcome("error", f"its process ended with code {_stop(worker)}")
                if tries.settle(task, outcome):
                    waiting.appendleft(task)
    finally:
        for worker in workers:
            _stop(worker)


def next_wanted(waiting: deque[Task], watcher: Watcher) -> Task | None:
    """Take the next task that the watcher wants; None where there is none."""
    while waiting:
        task = waiting.popleft()
        if watcher.wanted(task):
            return task
    return None


def _give(worker: _Worker, waiting: deque[Task], watcher: Watcher) -> None:
    task = next_wanted(waiting, watcher)
    if task is None:
        return
    worker.task = task
    try:
        worker.pipe.send(task.payload)
    except OSError:
        return  # it died while idle; the wait that follows will notice


def _start(execute: Execute) -> _Worker:
    context = get_context("spawn")  # a fresh interpreter: no thread or lock of this one comes along
    ours, theirs = context.Pipe()
    process = context.Process(target=_serve, args=(theirs, execute, os.getpid()), daemon=True)
    with _environment(ONE_THREAD):
        process.start()
    theirs.close()
    return _Worker(process, ours)


def _stop(worker: _Worker) -> int | None:
    worker.pipe.close()
    if worker.task is not None or worker.process.is_alive():
        worker.process.terminate()
    worker.process.join(10)
    if worker.process.is_alive():
        worker.process.kill()
        worker.process.join()
    code: int | None = worker.process.exitcode
    return code


@contextmanager
def _environment(values: dict[str, str]) -> Iterator[None]:
    before = {name: os.environ.get(name) for name in values}
    os.environ.update(values)
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                del os.environ[name]
            else:
                os.environ[name] = value


def _serve(pipe: Connection, execute: Execute, parent: int) -> None:
    """A worker's life: tasks in, outcomes out, until the pipe ends."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is the parent's to handle
    threading.Thread(target=_leave_with, args=(parent,), daemon=True).start()
    while True:
        try:
            payload = pipe.recv()
            pipe.send(attempt(execute, payload))
        except (EOFError, OSError):
            return


def _leave_with(parent: int, every: float = 1.0) -> None:
    """End this process when its parent has ended, however that came: nobody would take its results."""
    while os.getppid() == parent:
        time.sleep(every)
    os._exit(1)
