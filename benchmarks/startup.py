"""How long one waits before anything happens: `pairsift --help` and `import pairsift.mining`, against torch.

python -m benchmarks.startup
"""

from __future__ import annotations

import resource
import subprocess
import sys
from pathlib import Path
from typing import Any

from benchmarks._report import entry, median, report

PAIRSIFT = str(Path(sys.executable).with_name("pairsift"))
TORCH = [sys.executable, "-c", "import torch"]


def cpu_seconds(command: list[str]) -> float:
    """User and system time of one start."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(command, check=True, capture_output=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def help_against_torch(rounds: int = 7) -> dict[str, Any]:
    """The median over some starts of each, in turn."""
    ratio, noise = median([cpu_seconds([PAIRSIFT, "--help"]) / cpu_seconds(TORCH) for _ in range(rounds)])
    return entry("pairsift --help / import torch", ratio, 0.7, noise=noise)


def mining_against_torch(rounds: int = 7) -> dict[str, Any]:
    """What importing the room costs beside importing torch, in one process each time."""
    program = (
        "import time; a = time.process_time(); import torch; b = time.process_time(); "
        "import pairsift.mining; print((time.process_time() - a) / (b - a))"
    )
    run = [sys.executable, "-c", program]
    told = [float(subprocess.run(run, capture_output=True, check=True).stdout) for _ in range(rounds)]
    ratio, noise = median(told)
    return entry("import torch and pairsift.mining / import torch", ratio, 1.1, noise=noise)


def main() -> int:
    return report([help_against_torch(), mining_against_torch()])


if __name__ == "__main__":
    sys.exit(main())
