"""Pretraining on a file far larger than the memory that it may take."""

import json
import subprocess
import sys
from pathlib import Path

import pytest


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["float32", "float64", "npz", "windows"])
def test_four_gigabytes_take_less_than_one_and_a_half(kind: str) -> None:
    command = [sys.executable, "-m", "benchmarks.memory", "--gigabytes", "4", "--kind", kind]
    home = Path(__file__).parents[2]
    done = subprocess.run(command, cwd=home, stdout=subprocess.PIPE, text=True, check=True)
    (measured,) = json.loads(done.stdout[done.stdout.index("[\n") :])
    assert measured["value"] < 1.5 and measured["bar"] == 1.5
