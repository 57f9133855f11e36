"""Many cells on a Ray cluster: the same tasks and the same watcher as the local pool."""

from __future__ import annotations

import logging
import socket
from collections import deque
from collections.abc import Sequence
from typing import Any

from pairsift.bench.pool import ONE_THREAD, Execute, Outcome, Task, Tries, Watcher, attempt, next_wanted
from pairsift.errors import PairsiftError


def run_ray(
    tasks: Sequence[Task], execute: Execute, watcher: Watcher, address: str = "auto", jobs: int | None = None
) -> None:
    """Run tasks on a Ray cluster, one CPU each; a killed worker's task is run again.

    Args:
        tasks: started in this order.
        execute: called with each task's payload, wherever Ray puts it.
        watcher: told of every outcome, in this process.
        address: of the cluster; "auto" finds the one of this machine, "local" starts one.
        jobs: how many at a time; as many as the cluster has CPUs if None.
    """
    try:
        import ray
    except ImportError:
        raise PairsiftError("ray: Ray is not installed; pip install 'pairsift[ray]'") from None
    _knock(address)
    started = not ray.is_initialized()
    try:
        ray.init(
            address=address, ignore_reinit_error=True, log_to_driver=False, logging_level=logging.WARNING
        )
    except (ConnectionError, ValueError, RuntimeError) as error:
        raise _silent(address, error) from None
    try:
        resources: dict[str, float] = ray.cluster_resources()  # type: ignore[no-untyped-call]
        most = jobs or max(1, int(resources.get("CPU", 1)))
        # Ray itself would try a killed task again; we do, so that the watcher hears of it.
        remote = ray.remote(num_cpus=1, max_retries=0, runtime_env={"env_vars": ONE_THREAD})(attempt)
        _drive(ray, remote, deque(tasks), execute, watcher, most)
    finally:
        if started:
            ray.shutdown()


def _knock(address: str) -> None:
    """Refuse an address where nothing listens; Ray itself would try it for minutes."""
    host, _, port = address.removeprefix("ray://").rpartition(":")
    if not host or not port.isdecimal():
        return  # "auto", "local": Ray's own words
    try:
        socket.create_connection((host, int(port)), timeout=10).close()
    except (OSError, OverflowError) as error:
        raise _silent(address, error) from None


def _silent(address: str, error: Exception) -> PairsiftError:
    return PairsiftError(f"ray: no cluster answers at {address!r} ({error}); start one with ray start --head")


def _drive(
    ray: Any, remote: Any, waiting: deque[Task], execute: Execute, watcher: Watcher, most: int
) -> None:
    tries, running = Tries(watcher), dict[Any, Task]()
    try:
        while True:
            while len(running) < most and (task := next_wanted(waiting, watcher)) is not None:
                running[remote.remote(execute, task.payload)] = task
            if not running:
                return
            finished, _ = ray.wait(list(running), num_returns=1)
            for reference in finished:
                task = running.pop(reference)
                try:
                    outcome = ray.get(reference)
                except ray.exceptions.RayError as error:
                    outcome = Outcome("error", f"its process ended: {type(error).__name__}")
                if tries.settle(task, outcome):
                    waiting.appendleft(task)
    except BaseException:
        for reference in running:
            ray.cancel(reference, force=True)
        raise
