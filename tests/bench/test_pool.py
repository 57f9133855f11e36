"""The local pool: everything is done once, whatever dies, raises or is refused on the way."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest
from tests.oracles.bench_tasks import Ledger, tasks_of, work

from pairsift.bench.pool import run_local
from pairsift.errors import PairsiftError


def wait_for(path: Path, seconds: float = 300) -> str:
    end = time.monotonic() + seconds
    while not (path.exists() and path.read_text()):
        assert time.monotonic() < end, f"{path} did not come"
        time.sleep(0.05)
    return path.read_text()


def alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    stat = Path(f"/proc/{pid}/stat")  # one that has ended stays as a zombie where nobody asks how
    return not stat.exists() or ") Z " not in stat.read_text()


@pytest.mark.parametrize("jobs", [1, 3])
def test_every_task_is_done_in_another_process_on_one_thread(jobs: int) -> None:
    ledger = Ledger()
    run_local(tasks_of(*[{}] * 7), work, ledger, jobs)
    assert {k: v["twice"] for k, v in ledger.results.items()} == {str(n): 2 * n for n in range(7)}
    assert {v["threads"] for v in ledger.results.values()} == {"1"}
    pids = {v["pid"] for v in ledger.results.values()}
    assert os.getpid() not in pids and len(pids) <= jobs
    assert not ledger.tried_again and not ledger.given_up


def test_a_worker_that_is_killed_from_outside_loses_nothing(tmp_path: Path) -> None:
    ledger, pid = Ledger(), tmp_path / "pid"
    tasks = tasks_of({}, {"do": "sleep", "flag": str(tmp_path / "flag"), "pid": str(pid)}, {}, {})
    killer = threading.Thread(target=lambda: os.kill(int(wait_for(pid)), signal.SIGKILL))
    killer.start()
    run_local(tasks, work, ledger, 2)
    killer.join()
    assert set(ledger.results) == {"0", "1", "2", "3"}
    assert ledger.tried_again == ["1"] and (tmp_path / "flag").read_text() == "xx"


def test_a_task_that_kills_its_worker_each_time_is_given_up_and_the_rest_is_done() -> None:
    ledger = Ledger()
    run_local(tasks_of({"do": "die"}, {}, {}), work, ledger, 1)
    assert set(ledger.results) == {"1", "2"}
    assert ledger.tried_again == ["0"] and f"code {-signal.SIGKILL}" in ledger.given_up["0"].value


def test_an_error_is_tried_once_more_then_reported_with_its_traceback(tmp_path: Path) -> None:
    ledger = Ledger()
    once = {"do": "raise", "flag": str(tmp_path / "flag")}
    run_local(tasks_of(once, {"do": "raise"}), work, ledger)
    assert set(ledger.results) == {"0"} and ledger.tried_again == ["0", "1"]
    outcome = ledger.given_up["1"]
    assert outcome.kind == "error" and "a bad moment" in outcome.value and "Traceback" in outcome.value


def test_a_refusal_is_not_tried_again() -> None:
    ledger = Ledger()
    run_local(tasks_of({"do": "refuse"}, {}), work, ledger)
    assert not ledger.tried_again and set(ledger.results) == {"1"}
    assert (ledger.given_up["0"].kind, ledger.given_up["0"].value) == ("refused", "n: not that one")


def test_what_is_not_wanted_any_more_is_passed_over() -> None:
    ledger = Ledger(unwanted={"0", "2"})
    run_local(tasks_of({}, {}, {}), work, ledger)
    assert set(ledger.results) == {"1"}


def test_no_tasks_start_no_process_and_no_jobs_are_refused() -> None:
    run_local([], work, Ledger())
    with pytest.raises(PairsiftError, match="jobs must be at least 1, got 0"):
        run_local([], work, Ledger(), 0)


@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGTERM, signal.SIGKILL])
def test_however_the_pool_ends_its_workers_end_too(how: signal.Signals, tmp_path: Path) -> None:
    pid = tmp_path / "pid"
    program = f"""
from tests.oracles.bench_tasks import Ledger, tasks_of, work
from pairsift.bench.pool import run_local
if __name__ == "__main__":
    try:
        run_local(tasks_of({{"do": "sleep", "pid": {str(pid)!r}}}), work, Ledger())
    except KeyboardInterrupt:
        print("stopped")
"""
    script = tmp_path / "program.py"
    script.write_text(program)
    environment = {**os.environ, "PYTHONPATH": str(Path(__file__).parents[2])}
    command = [sys.executable, str(script)]
    running = subprocess.Popen(
        command, stdout=subprocess.PIPE, text=True, env=environment, start_new_session=True
    )
    worker = int(wait_for(pid))
    if how == signal.SIGINT:
        os.killpg(running.pid, how)  # as a terminal does: everybody gets it
    else:
        running.send_signal(how)
    said, _ = running.communicate(timeout=300)
    assert (said, running.returncode) == (("stopped\n", 0) if how == signal.SIGINT else ("", -how))
    end = time.monotonic() + 300
    while alive(worker):
        assert time.monotonic() < end, "the worker outlives its pool"
        time.sleep(0.1)
