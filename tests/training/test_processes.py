"""Two processes that train together reach what one does: losses, weights, memory and verdicts."""

from __future__ import annotations

import multiprocessing
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import torch
from tests.training import two_processes
from tests.training.meeting import meeting_place
from tests.training.two_processes import EPOCHS, PAIRS, WORLD, Recording, series, trained
from torch import equal
from torch.testing import assert_close

from pairsift.errors import PairsiftError
from pairsift.training import pretrain
from pairsift.training.processes import Processes, processes

pytestmark = pytest.mark.filterwarnings("ignore:a batch of")  # a sampler that pads leaves a short last batch

# A server imports torch once; each process is a fork of it.
FORKS = multiprocessing.get_context("forkserver")
FORKS.set_forkserver_preload(["tests.training.two_processes", "pairsift.cli.train"])


def together(work: Callable[..., None], *more: Any) -> None:
    """Run ``work(rank, where they meet, ...)`` in two processes."""
    with meeting_place() as where:
        group = [FORKS.Process(target=work, args=(rank, where, *more)) for rank in range(WORLD)]
        for process in group:
            process.start()
        for process in group:
            process.join(300)
    assert [process.exitcode for process in group] == [0] * WORLD


@pytest.fixture(scope="module")
def two(tmp_path_factory: pytest.TempPathFactory) -> list[dict[str, Any]]:
    folder = tmp_path_factory.mktemp("two")
    together(two_processes.work, folder)
    return [torch.load(folder / f"{rank}.pt", weights_only=True) for rank in range(WORLD)]


def replayed(results: list[dict[str, Any]]) -> tuple[Recording, list[list[Any]]]:
    """One process that is given all processes' batches; what it gave back, process by process."""
    miner, given = Recording(), [[] for _ in results]
    for epoch in range(1, EPOCHS + 1):
        miner.start_epoch()
        for back, result in zip(given, results):
            back += [miner(losses, index) for e, losses, index, _ in result["given"] if e == epoch]
    miner.end_epoch()
    return miner, given


@pytest.mark.parametrize("which", ["ours", "apart", "theirs"])
def test_on_the_same_losses_two_processes_judge_bit_for_bit_as_one(two: list[Any], which: str) -> None:
    results = [half[which] for half in two]
    miner, given = replayed(results)
    for result, back in zip(results, given):
        assert all(equal(result["miner"][name], value) for name, value in miner.state_dict().items())
        assert equal(result["verdicts"], miner.verdicts())
        assert all(equal(a, b) for a, (*_, b) in zip(back, result["given"], strict=True))
    assert len(miner.verdicts().unique()) > 1


def test_with_gathered_negatives_two_processes_learn_what_one_does_with_the_whole_batch(
    two: list[Any],
) -> None:
    one = trained(WORLD * two_processes.BATCH)
    for half in two:
        ours = half["ours"]
        assert equal(ours["verdicts"], one["verdicts"]) and len(one["verdicts"].unique()) == 3
        assert_close(ours["weights"], one["weights"], rtol=1e-4, atol=1e-5)
        assert_close(ours["miner"], one["miner"], rtol=1e-4, atol=1e-5)
        assert_close(ours["history"], one["history"], rtol=1e-4, atol=1e-5, equal_nan=True)
        for here, there in zip(ours["metrics"], one["metrics"], strict=True):
            assert here == pytest.approx(there, rel=1e-4)
    # Without gathering there are fewer negatives, so losses are lower.
    assert two[0]["apart"]["metrics"][0]["loss"] < one["metrics"][0]["loss"] - 0.3


def test_processes_hold_the_same_weights_and_tell_the_same(two: list[Any]) -> None:
    for which in ("ours", "apart"):
        a, b = (half[which] for half in two)
        assert all(equal(value, b["weights"][name]) for name, value in a["weights"].items())
        assert a["metrics"] == b["metrics"]


def test_what_distributed_sampler_pads_counts_as_the_mean_of_its_visits(two: list[Any]) -> None:
    for epoch in range(1, EPOCHS + 1):
        visits = torch.cat([i for half in two for e, _, i, _ in half["theirs"]["given"] if e == epoch])
        assert len(visits) == PAIRS + 1 and (visits.bincount(minlength=PAIRS) == 2).sum() == 1
    assert (two[0]["theirs"]["miner"]["memory.seen"] == EPOCHS).all()


def test_only_the_first_process_speaks(tmp_path: Path) -> None:
    words = ["pretrain", "simulated", "--epochs", "2", "--batch-size", "512", "--out", str(tmp_path / "run")]
    words += ["--set", "encoder_options={widths=[4, 4, 4]}", "--set", "gather=true"]
    together(two_processes.command, tmp_path, words)
    said = [(tmp_path / f"{rank}.txt").read_text() for rank in range(WORLD)]
    assert "written to" in said[0] and "epoch 2/2" in said[0]
    assert said[1] == ""
    assert (tmp_path / "run" / "framework.safetensors").exists()


def test_torchruns_variables_are_read(monkeypatch: pytest.MonkeyPatch) -> None:
    assert processes() == Processes(0, 1, 1)
    for name, value in {"RANK": "5", "LOCAL_RANK": "1", "WORLD_SIZE": "8", "LOCAL_WORLD_SIZE": "4"}.items():
        monkeypatch.setenv(name, value)
    assert processes() == Processes(5, 8, 4) and not processes().first
    told = processes().for_trainer()
    assert (told["devices"], told["num_nodes"]) == (4, 2)
    monkeypatch.setenv("WORLD_SIZE", "many")
    with pytest.raises(PairsiftError, match="must be whole numbers, as torchrun sets them"):
        processes()


def test_a_lone_run_inside_a_slurm_job_stays_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    """A job of two tasks is no group of processes: Lightning would wait for the other, or refuse."""
    for name, value in {"SLURM_NTASKS": "2", "SLURM_PROCID": "1", "SLURM_JOB_NAME": "many"}.items():
        monkeypatch.setenv(name, value)
    small = {"encoder_options": {"widths": (4, 4, 8)}, "hidden": 8}
    run = pretrain(series(), epochs=2, batch_size=16, progress=False, options=small)
    assert len(run.metrics) == 2
