"""The commands of docs/scaling.md start two processes that train one run: torchrun, and the SLURM script."""

from __future__ import annotations

import csv
import os
import socket
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
BIN = Path(sys.executable).parent
SMALL = ["--epochs", "2", "--batch-size", "256", "--set", "encoder_options={widths=[4, 4, 4]}"]

# What stands in for SLURM: one task a machine, all of them this one.
SRUN = """#!/usr/bin/env bash
for node in $(seq 0 $((SLURM_JOB_NUM_NODES - 1))); do SLURM_NODEID=$node "$@" & tasks="${tasks:-} $!"; done
for task in $tasks; do wait "$task" || exit 1; done
"""
SCONTROL = """#!/usr/bin/env bash
[ "$1 $2" = "show hostnames" ] && printf '%s\\n' ${3//,/ }
"""


def run(command: list[str], folder: Path, **environment: str) -> list[dict[str, str]]:
    """What the run's metrics say."""
    path = os.pathsep.join([str(folder / "bin"), str(BIN), os.environ["PATH"]])
    env = {**os.environ, "OMP_NUM_THREADS": "1", "PATH": path, **environment}
    done = subprocess.run(command, cwd=folder, env=env, capture_output=True, text=True, timeout=600)
    assert done.returncode == 0, done.stderr[-3000:]
    assert (folder / "run" / "framework.safetensors").exists()
    assert '"processes": 2' in (folder / "run" / "settings.json").read_text()
    assert (done.stdout + done.stderr).count("epoch 2/2") == 1  # one of them speaks
    with (folder / "run" / "metrics.csv").open() as file:
        return list(csv.DictReader(file))


@pytest.mark.slow
def test_torchrun_and_the_slurm_script_train_the_same_run(tmp_path: Path) -> None:
    folders = tmp_path / "torchrun", tmp_path / "slurm"
    for folder in folders:
        (folder / "bin").mkdir(parents=True)
    words = ["simulated", *SMALL, "--out", "run"]
    launch = ["torchrun", "--standalone", "--nproc-per-node", "2", "--no-python", "pairsift", "pretrain"]
    one = run([*launch, *words], folders[0])
    for name, text in {"srun": SRUN, "scontrol": SCONTROL}.items():
        program = folders[1] / "bin" / name
        program.write_text(text)
        program.chmod(0o755)
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = str(free.getsockname()[1])
    job = {"SLURM_JOB_ID": "7", "SLURM_JOB_NUM_NODES": "2", "SLURM_JOB_NODELIST": "localhost,localhost"}
    two = run(
        [str(ROOT / "examples" / "pretrain.slurm"), *words], folders[1], PROCESSES="1", PORT=port, **job
    )
    assert len(one) == 2
    for a, b in zip(one, two, strict=True):
        assert {k: v for k, v in a.items() if k != "seconds"} == {
            k: v for k, v in b.items() if k != "seconds"
        }
