"""Fuzz every target in turn: python -m tests.fuzz.every --seconds 170 --out FOLDER.

Each target has its own process. What was executed and found goes to FOLDER/fuzz.json, one entry a target, and
the inputs that failed beside it. The exit code is 1 if anything was found.
"""

from __future__ import annotations

import argparse
import json
import re
import subprocess
import sys
import time
from pathlib import Path

from tests.fuzz.targets import TARGETS


def fuzz(target: str, seconds: int, out: Path) -> dict[str, object]:
    """Run one target.

    Returns:
        its name, seconds, executions, the most megabytes resident, and the names of its findings.
    """
    found = out / target
    found.mkdir(parents=True, exist_ok=True)
    order = [
        sys.executable,
        "-m",
        "tests.fuzz.run",
        target,
        "--seconds",
        str(seconds),
        "--collect",
        str(found),
    ]
    began = time.monotonic()
    ended = subprocess.run(order, capture_output=True, text=True, errors="replace", check=False)
    log = ended.stdout + ended.stderr
    (out / f"{target}.log").write_text(log)
    inputs = sorted(path.name for path in found.iterdir() if path.suffix != ".txt")
    if ended.returncode and not inputs:
        inputs = [f"exit code {ended.returncode}, see {target}.log"]
    return {
        "target": target,
        "seconds": round(time.monotonic() - began),
        "executions": _figure("number_of_executed_units", log),
        "peak_mb": _figure("peak_rss_mb", log),
        "findings": inputs,
    }


def _figure(name: str, log: str) -> int | None:
    said = re.search(rf"stat::{name}:\s+(\d+)", log)
    return int(said[1]) if said else None


def main() -> None:
    """Read the command line, fuzz, and write down what came of it."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=int, default=170, help="for each target")
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("targets", nargs="*", help="these alone")
    given = parser.parse_args()
    given.out.mkdir(parents=True, exist_ok=True)
    done = []
    for target in given.targets or TARGETS:
        done.append(fuzz(target, given.seconds, given.out))
        print(json.dumps(done[-1]), flush=True)
        (given.out / "fuzz.json").write_text(json.dumps(done, indent=1) + "\n")
    sys.exit(any(entry["findings"] for entry in done))


if __name__ == "__main__":
    main()
