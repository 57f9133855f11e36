"""The room is usable alone: what importing and using it brings in."""

import subprocess
import sys

import pytest

LOOP = """
import sys, torch
from pairsift.mining import BadPairMiner, Sigma
miner = BadPairMiner(8, warmup_epochs=1, threshold=Sigma(1, 1))
for _ in range(3):
    miner.start_epoch()
    miner(torch.arange(8.0, requires_grad=True), torch.arange(8)).mean().backward()
assert (miner.verdicts() > 0).any() and miner.thresholds
"""


@pytest.mark.parametrize("program", ["import sys, pairsift.mining", LOOP], ids=["imported", "used"])
def test_nothing_heavy_and_no_other_room_comes_with_it(program):
    ask = "\nprint(*sorted(m for m in sys.modules if m.split('.')[0] in heavy or m.startswith('pairsift.')))"
    heavy = "\nheavy = ('lightning', 'sklearn', 'pandas', 'scipy', 'matplotlib')"
    done = subprocess.run([sys.executable, "-c", program + heavy + ask], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert {name.split(".")[1] for name in done.stdout.split() if name.startswith("pairsift.")} == {"mining"}
    assert all(name.startswith("pairsift.") for name in done.stdout.split())
