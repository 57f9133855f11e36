"""A run that is killed at any moment goes on as if nothing had happened, bit for bit."""

from __future__ import annotations

import csv
import json
import multiprocessing
import os
import random
import re
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest
from safetensors.torch import load_file
from tests.training.run_small import command, run
from torch import equal

from pairsift.training import load_miner
from pairsift.training.checkpoint import checkpoints, load_checkpoint, newest_checkpoint

SCRIPT = Path(__file__).with_name("run_small.py")
ONE_THREAD = {**os.environ, "OMP_NUM_THREADS": "1", "PYTHONPATH": str(Path(__file__).parents[2])}
# A server imports torch once; each run is a fork of it.
FORKS = multiprocessing.get_context("forkserver")
FORKS.set_forkserver_preload(["tests.training.run_small", "pairsift.cli.train"])


def start(folder: Path, resume: bool) -> multiprocessing.process.BaseProcess:
    """A run in a process of its own, at work when this returns."""
    ours, theirs = FORKS.Pipe()
    process = FORKS.Process(target=run, args=(folder, resume, theirs))
    process.start()
    theirs.close()
    assert ours.recv() == "at work"
    return process


def finish(folder: Path, resume: bool = False) -> None:
    process = FORKS.Process(target=run, args=(folder, resume))
    process.start()
    process.join()
    assert process.exitcode == 0


def left_behind(folder: Path) -> dict:
    """All that must not depend on whether a run was killed."""
    rows = list(csv.DictReader((folder / "metrics.csv").open()))
    files = {name: load_file(folder / f"{name}.safetensors") for name in ("framework", "miner", "history")}
    return {"metrics": [{k: v for k, v in row.items() if k != "seconds"} for row in rows], **files}


def assert_same(killed: Path, whole: Path) -> None:
    a, b = left_behind(killed), left_behind(whole)
    assert a["metrics"] == b["metrics"]
    for part in ("framework", "miner", "history"):
        assert a[part].keys() == b[part].keys()
        for name, tensor in a[part].items():
            other = b[part][name]
            assert equal(tensor.isnan(), other.isnan()), (part, name)
            assert equal(tensor.nan_to_num(), other.nan_to_num()), (part, name)
    path, passed = newest_checkpoint(killed / "checkpoints")
    assert path is not None and not passed
    ours, theirs = load_checkpoint(path), load_checkpoint(whole / "checkpoints" / path.name)
    assert all(equal(ours["state_dict"][k], v) for k, v in theirs["state_dict"].items())
    assert equal(load_miner(killed).verdicts(), load_miner(whole).verdicts())
    assert not list(killed.rglob(".*.part"))  # what killed writers have left aside is gone


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("whole") / "run"
    finish(folder)
    return folder


def a_while(seconds: float) -> Callable[[Path], None]:
    return lambda folder: time.sleep(seconds)


def while_writing(folder: Path) -> None:
    """Wait until a checkpoint is being written aside, or a second has passed."""
    until = time.monotonic() + 1
    while time.monotonic() < until and not any((folder / "checkpoints").glob(".*.part")):
        time.sleep(0.0002)


@dataclass
class Kills:
    """How many found a run at work, and how many of these while a checkpoint was being written."""

    found: int = 0
    writing: int = 0


def kill_and_resume(folder: Path, moments: list[Callable[[Path], None]], kills: Kills) -> None:
    """Kill the run at each of the moments, go on, and finish it."""
    for number, wait in enumerate(moments):
        process = start(folder, resume=number > 0)
        wait(folder)
        process.kill()
        process.join()
        assert process.exitcode in (0, -signal.SIGKILL)
        if process.exitcode == 0:
            break
        kills.found += 1
        kills.writing += bool(list((folder / "checkpoints").glob(".*.part")))  # nobody renames it any more
    finish(folder, resume=True)


def test_killed_at_four_moments_and_resumed_it_equals_the_uninterrupted_run(
    tmp_path: Path, whole: Path
) -> None:
    """Before there is any checkpoint, in a batch, while one is written, and between two epochs."""
    folder = tmp_path / "run"
    moments = [((0, 1), 0), ((1, 2), 1), ((3, None), 3), ((4, -1), 4)]
    for moment, done in moments:
        process = FORKS.Process(target=run, args=(folder, moment[0] > 0, None, moment))
        process.start()
        process.join()
        assert process.exitcode == -signal.SIGKILL
        names = [path.name for path in checkpoints(folder / "checkpoints")]
        assert names == [f"epoch-{number:06d}.ckpt" for number in range(max(1, done - 1), done + 1)]
        assert bool(list((folder / "checkpoints").glob(".*.part"))) == (moment[1] is None)
    finish(folder, resume=True)
    assert_same(folder, whole)


@pytest.mark.slow
def test_killed_at_20_random_moments_it_equals_the_uninterrupted_run(tmp_path: Path, whole: Path) -> None:
    drawn, kills = random.Random(20), Kills()
    for number in range(20):
        moments = [
            a_while(drawn.uniform(0, 0.5)) if drawn.random() < 0.7 else while_writing for _ in range(3)
        ]
        folder = tmp_path / f"run{number}"
        kill_and_resume(folder, moments, kills)
        assert_same(folder, whole)
        if kills.found >= 20 and kills.writing >= 3:
            break
    print(kills)
    assert kills.found >= 20 and kills.writing >= 3


@pytest.mark.parametrize(("sent", "code"), [(signal.SIGTERM, 143), (signal.SIGINT, 130)])
def test_a_stop_says_what_is_kept_and_how_to_go_on(tmp_path: Path, sent: int, code: int) -> None:
    """At the command line: one line, and the exit code that shells expect."""
    words = ["pretrain", "simulated", "--out", str(tmp_path / "run"), "--epochs", "500", "--batch-size", "64"]
    words += ["--set", "encoder_options={widths=[4, 4, 8]}"]
    process = FORKS.Process(target=command, args=(words, tmp_path / "said"))
    process.start()
    until = time.monotonic() + 300
    while not list(tmp_path.glob("run/checkpoints/epoch-000002.ckpt")) and time.monotonic() < until:
        time.sleep(0.01)
    assert process.pid is not None
    os.kill(process.pid, sent)
    process.join(300)
    said = (tmp_path / "said").read_text().splitlines()
    assert process.exitcode == code, said
    says = r"stopped; .*run holds all up to (the end|batch \d+) of epoch \d+; go on from there with --resume"
    assert re.fullmatch(says, said[-1]), said
    assert "Traceback" not in "".join(said)
    assert newest_checkpoint(tmp_path / "run" / "checkpoints")[0] is not None


def torchrun(folder: Path, **how: object) -> int:
    """Two processes that train together; what they end with."""
    meet = [
        "--rdzv-backend=c10d",
        "--rdzv-endpoint=127.0.0.1:0",
        "--local-addr=127.0.0.1",
    ]  # a port of its own
    launch = [sys.executable, "-m", "torch.distributed.run", "--nproc-per-node=2", *meet, str(SCRIPT)]
    command = [*launch, str(folder), json.dumps(how)]
    done = subprocess.run(command, capture_output=True, text=True, env=ONE_THREAD, check=False, timeout=1200)
    print(done.stdout[-500:] + done.stderr[-1500:])
    return done.returncode


BOTH = [0, 1]


@pytest.mark.slow
def test_two_processes_killed_three_times_and_resumed_equal_two_that_were_not(tmp_path: Path) -> None:
    """Both in the middle of an epoch, the second one alone, and the first while it writes a checkpoint."""
    whole, killed = tmp_path / "whole", tmp_path / "killed"
    assert torchrun(whole) == 0
    moments = [(BOTH, 1, 0), ([1], 2, 0), ([0], 3, None)]
    for number, moment in enumerate(moments):
        assert torchrun(killed, resume=number > 0, dies=moment) != 0
        names = [path.name for path in checkpoints(killed / "checkpoints")]
        assert names[-1] == f"epoch-{moment[1]:06d}.ckpt"
        if moment[2] is None:
            assert list(killed.rglob(".*.part"))  # it was writing
    assert torchrun(killed, resume=True) == 0
    assert_same(killed, whole)
