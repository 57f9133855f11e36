"""All speed claims beside their bars: `make bench`. Exit code 1 where one is missed by more than noise."""

from __future__ import annotations

import subprocess
import sys

ALL = ("startup", "miner", "augment", "step", "epoch")


def main() -> int:
    failed = []
    for name in ALL:
        print(f"# benchmarks.{name}", flush=True)
        if subprocess.run([sys.executable, "-m", f"benchmarks.{name}"], check=False).returncode:
            failed.append(name)
    print(f"# bars missed by more than noise: {', '.join(failed) or 'none'}")
    return int(bool(failed))


if __name__ == "__main__":
    sys.exit(main())
