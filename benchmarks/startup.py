"""How long one waits before anything happens: `pairsift --help`, against `import torch`.

python -m benchmarks.startup
"""

from __future__ import annotations

import resource
import subprocess
import sys
from pathlib import Path

from benchmarks._report import entry, report

PAIRSIFT = str(Path(sys.executable).with_name("pairsift"))
TORCH = [sys.executable, "-c", "import torch"]


def cpu_seconds(command: list[str]) -> float:
    """User and system time of one start."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(command, check=True, capture_output=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def least(command: list[str], against: list[str], rounds: int = 7) -> float:
    """The best of some starts of ``command``, relative to the best of as many of ``against``, in turn."""
    pairs = [(cpu_seconds(command), cpu_seconds(against)) for _ in range(rounds)]
    return min(p[0] for p in pairs) / min(p[1] for p in pairs)


def main() -> int:
    return report([entry("pairsift --help / import torch", least([PAIRSIFT, "--help"], TORCH), 0.7)])


if __name__ == "__main__":
    sys.exit(main())
