"""The Ray pool does what the local one does."""

from __future__ import annotations

import builtins
import os
import signal
import threading
from collections.abc import Iterator
from functools import partial
from pathlib import Path

import pytest
from tests.bench.test_pool import wait_for
from tests.oracles.bench_machine import pretend
from tests.oracles.bench_tasks import Ledger, tasks_of, work

from pairsift.bench.cluster import run_ray
from pairsift.bench.machine import run_specs
from pairsift.bench.matrix import make_spec
from pairsift.bench.store import Store
from pairsift.errors import PairsiftError


def test_without_ray_one_sentence_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    plain = builtins.__import__

    def without(name: str, *rest: object, **more: object) -> object:
        if name == "ray":
            raise ImportError(name)
        return plain(name, *rest, **more)  # type: ignore[arg-type]

    monkeypatch.setattr(builtins, "__import__", without)
    with pytest.raises(PairsiftError, match=r"pip install 'pairsift\[ray\]'"):
        run_ray([], work, Ledger())


@pytest.mark.parametrize("address", ["127.0.0.1:1", "ray://127.0.0.1:1", "127.0.0.1:99999"])
def test_an_address_where_nobody_answers_is_one_sentence(address: str) -> None:
    pytest.importorskip("ray", reason="needs pairsift[ray]")
    with pytest.raises(PairsiftError, match=rf"no cluster answers at '{address}'.*ray start --head"):
        run_ray([], work, Ledger(), address)


@pytest.fixture(scope="module")
def cluster() -> Iterator[str]:
    """A Ray cluster on this machine, started for these tests: its address."""
    pytest.importorskip("ray", reason="needs pairsift[ray]")
    from ray.cluster_utils import Cluster

    with pytest.MonkeyPatch.context() as patch:
        found = [str(Path(__file__).parents[2]), os.environ.get("PYTHONPATH", "")]
        patch.setenv("PYTHONPATH", os.pathsep.join(filter(None, found)))  # where workers find the tasks
        started = Cluster(initialize_head=True, head_node_args={"num_cpus": 2})
        yield started.address
        started.shutdown()


@pytest.mark.slow
def test_a_started_cluster_does_every_task_and_loses_none(tmp_path: Path, cluster: str) -> None:
    ledger, pid = Ledger(), tmp_path / "pid"
    tasks = tasks_of(
        {},
        {"do": "sleep", "flag": str(tmp_path / "flag"), "pid": str(pid)},
        {"do": "raise"},
        {"do": "refuse"},
        {},
    )
    killer = threading.Thread(target=lambda: os.kill(int(wait_for(pid, 300)), signal.SIGKILL))
    killer.start()
    run_ray(tasks, work, ledger, cluster)
    killer.join()
    assert {k: v["twice"] for k, v in ledger.results.items()} == {"0": 0, "1": 2, "4": 8}
    assert {v["threads"] for v in ledger.results.values()} == {"1"}
    assert sorted(ledger.tried_again) == ["1", "2"]
    assert "a bad moment" in ledger.given_up["2"].value and ledger.given_up["3"].kind == "refused"


@pytest.mark.slow
def test_a_matrix_on_a_cluster_is_whole_though_a_worker_was_killed(tmp_path: Path, cluster: str) -> None:
    cells = {"dataset": ["har"], "mining": ["none", "rince"], "seed": [0]}
    out, calls, killed = tmp_path / "results", tmp_path / "calls", "har simclr rince seed 0"
    said: list[str] = []
    execute = partial(pretend, calls=str(calls), wrong={killed: "killed"})
    assert (
        run_specs([make_spec("s", {"matrix": cells})], out, ray=cluster, say=said.append, execute=execute)
        == []
    )
    assert len(Store(out).results()) == 2
    assert sorted(calls.read_text().splitlines()).count(killed) == 2
    assert any(line.startswith(f"{killed} went wrong and is tried again") for line in said)
    assert "its process ended" in (out / "errors.log").read_text()
