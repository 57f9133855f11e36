"""A spec, run: what is there is skipped, what goes wrong is no result, and nothing is ever half written."""

from __future__ import annotations

import json
import os
import signal
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from tests.oracles.bench_machine import pretend, run_here

from pairsift.bench import machine
from pairsift.bench.cell import make_cell
from pairsift.bench.machine import Progress, run_specs, spoken
from pairsift.bench.matrix import cells_of, expand, make_spec
from pairsift.bench.pool import run_local
from pairsift.bench.store import Store
from pairsift.errors import PairsiftError

SPEC = make_spec(
    "small", {"matrix": {"dataset": ["har", "epilepsy"], "mining": ["none", "rince"], "seed": [0, 1]}}
)


def run(out: Path, calls: Path, **options: Any) -> tuple[list[str], list[str]]:
    """Run it with made-up cells; failures, and what was said."""
    said: list[str] = []
    wrong = options.pop("wrong", {})
    execute = partial(pretend, calls=str(calls), wrong=wrong)
    return run_specs([SPEC], out, say=said.append, execute=execute, **options), said


@pytest.fixture(autouse=True)
def in_this_process(monkeypatch: pytest.MonkeyPatch) -> None:
    """The pool has tests of its own; here it would only cost time."""
    monkeypatch.setattr(machine, "run_local", run_here)


def test_with_the_real_pool(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(machine, "run_local", run_local)
    out, calls = tmp_path / "results", tmp_path / "calls"
    failures, _ = run(out, calls, jobs=2, wrong={"har simclr none seed 0": "error"})
    assert failures == ["har simclr none seed 0: RuntimeError: made to fail"]
    assert len(called(calls)) == 9 and len(Store(out).results()) == 7


def called(calls: Path) -> list[str]:
    return calls.read_text().splitlines() if calls.exists() else []


def test_all_is_run_once_seed_by_seed_and_then_never_again(tmp_path: Path) -> None:
    out, calls = tmp_path / "results", tmp_path / "calls"
    failures, said = run(out, calls)
    assert failures == [] and len(called(calls)) == 8
    assert [line.split()[-1] for line in called(calls)] == ["0"] * 4 + ["1"] * 4
    assert (
        said[0] == "8 cells, 0 of them there; 8 left" and "[8/8]" in said[-1] and "nothing left" in said[-1]
    )
    assert "about" in said[1] and "left for 7" in said[1]
    results = Store(out).results()
    assert set(results) == {c.key for c in cells_of(expand(SPEC))}
    assert all(make_cell(**r["settings"]).key == key for key, r in results.items())
    assert Store(out).specs() == [SPEC]

    failures, said = run(out, calls)
    assert failures == [] and len(called(calls)) == 8 and said == ["8 cells, 8 of them there; nothing left"]


def test_it_goes_on_where_it_stopped_and_leaves_no_scraps(tmp_path: Path) -> None:
    out, calls = tmp_path / "results", tmp_path / "calls"
    run(out, calls, only=["seed=0"])
    kept = {path: path.stat().st_mtime_ns for path in (out / "cells").iterdir()}
    assert len(kept) == 4
    run(out, calls)
    assert len(called(calls)) == 8 == len(list((out / "cells").iterdir()))
    assert kept.items() <= {path: path.stat().st_mtime_ns for path in (out / "cells").iterdir()}.items()


def test_a_plan_runs_nothing(tmp_path: Path) -> None:
    failures, said = run(tmp_path / "r", tmp_path / "calls", plan=True)
    assert failures == [] and called(tmp_path / "calls") == []
    assert said[1] == "har simclr none seed 0" and len(said) == 9


def test_what_fails_is_tried_twice_logged_and_no_result(tmp_path: Path) -> None:
    out, calls = tmp_path / "r", tmp_path / "calls"
    failures, said = run(out, calls, wrong={"har simclr rince seed 0": "error"})
    assert failures == ["har simclr rince seed 0: RuntimeError: made to fail"]
    assert called(calls).count("har simclr rince seed 0") == 2
    assert len(list((out / "cells").iterdir())) == 7
    log = (out / "errors.log").read_text()
    assert log.count("made to fail") >= 2 and "Traceback" in log and "given up" in log
    assert any("tried again" in line for line in said)
    failures, _ = run(out, calls)  # mended: only that one is left
    assert failures == [] and len(called(calls)) == 10


def test_without_its_data_a_dataset_s_other_cells_do_not_try(tmp_path: Path) -> None:
    out, calls = tmp_path / "r", tmp_path / "calls"
    failures, _ = run(out, calls, wrong={"har simclr none seed 0": "no data"})
    assert len(failures) == 4 and failures[0] == "har simclr none seed 0: har is not here"
    assert all("passed over" in failure for failure in failures[1:])
    assert sum(line.startswith("har") for line in called(calls)) == 1
    assert len(list((out / "cells").iterdir())) == 4


def test_a_refused_cell_does_not_hold_back_the_others(tmp_path: Path) -> None:
    failures, _ = run(tmp_path / "r", tmp_path / "calls", wrong={"har simclr none seed 0": "refused"})
    assert failures == ["har simclr none seed 0: not so"]


def test_a_cell_made_under_other_published_defaults_is_run_again(tmp_path: Path) -> None:
    out, calls = tmp_path / "r", tmp_path / "calls"
    run(out, calls)
    path = next((out / "cells").glob("har-simclr-none-s0-*"))
    result = json.loads(path.read_text())
    path.write_text(json.dumps({**result, "made": {**result["made"], "temperature": 0.5}}))
    run(out, calls)
    assert called(calls).count("har simclr none seed 0") == 2 and len(called(calls)) == 9
    del result["made"]["temperature"]  # a default that did not exist then says nothing of that run
    path.write_text(json.dumps(result))
    run(out, calls)
    assert len(called(calls)) == 9


def test_a_damaged_file_is_named_not_taken_for_a_result(tmp_path: Path) -> None:
    run(tmp_path / "r", tmp_path / "calls")
    path = next((tmp_path / "r" / "cells").iterdir())
    path.write_text(path.read_text()[:100])
    with pytest.raises(PairsiftError, match=f"{path.name} cannot be read"):
        run(tmp_path / "r", tmp_path / "calls")


def test_a_kill_while_a_result_is_written_leaves_none(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store, cell = Store(tmp_path), cells_of(expand(SPEC))[0]
    if (child := os.fork()) == 0:  # pragma: no cover
        monkeypatch.setattr(os, "fsync", lambda file: os.kill(os.getpid(), signal.SIGKILL))
        store.write(cell, pretend(cell.model_dump(mode="json")))
        os._exit(0)
    _, status = os.waitpid(child, 0)
    assert os.WTERMSIG(status) == signal.SIGKILL
    assert not store.has(cell) and store.results() == {}
    store.write(cell, pretend(cell.model_dump(mode="json")))
    assert store.has(cell) and set(store.results()) == {cell.key}


def test_the_time_left_is_what_like_cells_took(tmp_path: Path) -> None:
    cells = cells_of(expand(SPEC))
    store = Store(tmp_path)
    for cell, seconds in ((cells[0], 100.0), (cells[2], 1000.0)):  # one of HAR, one of Epilepsy
        result = pretend(cell.model_dump(mode="json"))
        store.write(cell, {**result, "seconds": {**result["seconds"], "total": seconds}})
    assert [c.dataset for c in (cells[0], cells[2])] == ["har", "epilepsy"]
    for jobs, total in ((1, 3300), (3, 1100)):
        assert Progress(store, cells, jobs, print).left() == f"about {spoken(total)} left for 6"


@pytest.mark.parametrize(
    ("seconds", "words"), [(5, "5 s"), (125, "2 min"), (5400, "1 h 30 min"), (89.4, "89 s")]
)
def test_durations_are_for_people(seconds: float, words: str) -> None:
    assert spoken(seconds) == words
