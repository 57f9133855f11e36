"""The Ray pool does what the local one does."""

from __future__ import annotations

import builtins
import os
import signal
import threading
from pathlib import Path

import pytest
from tests.bench.test_pool import wait_for
from tests.oracles.bench_tasks import Ledger, tasks_of, work

from pairsift.bench.cluster import run_ray
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


@pytest.mark.slow
def test_a_started_cluster_does_every_task_and_loses_none(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("ray", reason="needs pairsift[ray]")
    from ray.cluster_utils import Cluster

    monkeypatch.setenv("PYTHONPATH", str(Path(__file__).parents[2]))  # where workers find the tasks
    cluster = Cluster(initialize_head=True, head_node_args={"num_cpus": 2})
    try:
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
        run_ray(tasks, work, ledger, cluster.address)
        killer.join()
    finally:
        cluster.shutdown()
    assert {k: v["twice"] for k, v in ledger.results.items()} == {"0": 0, "1": 2, "4": 8}
    assert {v["threads"] for v in ledger.results.values()} == {"1"}
    assert sorted(ledger.tried_again) == ["1", "2"]
    assert "a bad moment" in ledger.given_up["2"].value and ledger.given_up["3"].kind == "refused"


@pytest.mark.slow
def test_an_address_where_nobody_answers_is_one_sentence() -> None:
    pytest.importorskip("ray", reason="needs pairsift[ray]")
    with pytest.raises(PairsiftError, match=r"no cluster answers at 'auto'"):
        run_ray([], work, Ledger(), "auto")
