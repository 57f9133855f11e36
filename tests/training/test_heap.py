"""Freed memory stays with the process, unless the environment wants it otherwise."""

from __future__ import annotations

import os
import platform
import subprocess
import sys

import pytest

pytestmark = pytest.mark.skipif(platform.libc_ver()[0] != "glibc", reason="glibc's malloc is meant")

PROGRAM = """
import ctypes, resource, torch
from pairsift.training.heap import keep_freed_memory

ctypes.CDLL(None).prctl(41, 1, 0, 0, 0)  # no huge pages, of which it would take few

def faults():
    before = resource.getrusage(resource.RUSAGE_SELF).ru_minflt
    for _ in range(20):
        parts = [torch.empty(2**20).fill_(1.0) for _ in range(12)]  # 48 MB in all, freed together
        del parts
    return resource.getrusage(resource.RUSAGE_SELF).ru_minflt - before

torch.empty(2**20).fill_(1.0)
without = faults()
done = keep_freed_memory()
faults()
print(int(done), without, faults())
"""


def measured(**environment: str) -> tuple[int, int, int]:
    own = {k: v for k, v in os.environ.items() if not k.startswith("MALLOC_")}
    run = [sys.executable, "-c", PROGRAM]
    done = subprocess.run(run, env={**own, **environment}, capture_output=True, text=True, check=True)
    kept, without, with_it = map(int, done.stdout.split())
    return kept, without, with_it


def test_a_loop_that_frees_and_takes_faults_no_more() -> None:
    kept, without, with_it = measured()
    assert kept == 1
    assert with_it < 1000 < without  # a page is 4 kB: 48 MB are 12,288 of them


def test_the_environments_own_choice_stays() -> None:
    assert measured(MALLOC_TRIM_THRESHOLD_="131072")[0] == 0
