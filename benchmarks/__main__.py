"""All speed claims beside their bars: `make bench`. Exit code 1 where one is missed by more than noise.

python -m benchmarks [NAME ...] [--out docs]
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

from benchmarks import _page
from benchmarks._report import line, missed

ALL = ("startup", "miner", "augment", "step", "deep", "precision", "epoch", "processes")
ALSO = ("parts", "compiled")  # which have no bars


def entries(name: str) -> list[dict[str, Any]] | None:
    """What a benchmark printed, in a process of its own; None where it broke."""
    done = subprocess.run(
        [sys.executable, "-m", f"benchmarks.{name}"], stdout=subprocess.PIPE, text=True, check=False
    )
    print(done.stdout, end="", flush=True)
    try:
        found: list[dict[str, Any]] = json.loads(done.stdout)
    except json.JSONDecodeError:
        return None
    return found


def main(argv: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("only", nargs="*", default=ALL, choices=[*ALL, *ALSO, ALL], help="some of them")
    parser.add_argument(
        "--out", type=Path, help="a folder whose performance.json and .md take the figures up"
    )
    chosen = parser.parse_args(argv)
    failed, lines = [], []
    for name in chosen.only:
        print(f"# benchmarks.{name}", flush=True)
        found = entries(name)
        if found is None:
            failed.append(f"{name} broke")
            continue
        if chosen.out:
            _page.take_up(chosen.out, name, found)
        failed += [result["name"] for result in found if missed(result)]
        lines += [line(result) for result in found if result["bar"] is not None]
    print("\n".join(["# all bars", *lines]))
    print(f"# missed by more than noise: {'; '.join(failed) or 'none'}")
    return int(bool(failed))


if __name__ == "__main__":
    sys.exit(main())
