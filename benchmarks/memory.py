"""Memory of its own that pretraining takes on a file far larger than that: `pairsift pretrain big.npy`.

python -m benchmarks.memory [--gigabytes 4] [--kind float32|float64|npz|windows]

What counts is anonymous memory (RssAnon) as Linux tells it: pages of a mapped file come and go as there is
room.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
import time
import zipfile
from pathlib import Path

import numpy as np
from benchmarks._report import entry, report

PAIRSIFT = str(Path(sys.executable).with_name("pairsift"))
CHANNELS, LENGTH = 8, 1000
# A small encoder: what is measured is the data's way, and it should not take an hour.
SETTINGS = """
epochs = 2
warmup = 1
batch_size = 256
[options]
hidden = 16
encoder_options = {widths = [4, 8], kernel = 8, stride = 8, pooling = "average"}
"""
KINDS = ("float32", "float64", "npz", "windows")


def write_series(path: Path, count: int, kind: str) -> Path:
    """Waves with noise (N, 8, 1000), a block at a time; an .npz has classes, windows come of longer ones."""
    dtype, length = ("<f8" if kind == "float64" else "<f4"), LENGTH * (4 if kind == "windows" else 1)
    count = count // 4 if kind == "windows" else count
    rng = np.random.default_rng(0)
    t = np.arange(length, dtype=np.float32)
    head = {"descr": dtype, "fortran_order": False, "shape": (count, CHANNELS, length)}

    def blocks(file) -> None:  # type: ignore[no-untyped-def]
        np.lib.format.write_array_header_1_0(file, head)
        for start in range(0, count, 512):
            rows = min(512, count - start)
            waves = np.sin(t * rng.uniform(0.01, 0.2, (rows, CHANNELS, 1)).astype(np.float32))
            waves += 0.1 * rng.standard_normal(waves.shape, dtype=np.float32)
            file.write(waves.astype(dtype).data)

    if kind != "npz":
        path = path.with_suffix(".npy")
        with path.open("wb") as file:
            blocks(file)
        return path
    path = path.with_suffix(".npz")
    with zipfile.ZipFile(path, "w", zipfile.ZIP_STORED, allowZip64=True) as archive:
        with archive.open("X.npy", "w", force_zip64=True) as member:
            blocks(member)
        with archive.open("y.npy", "w") as member:
            np.lib.format.write_array(member, np.arange(count) % 4)
    return path


def peaks(command: list[str]) -> tuple[dict[str, float], float]:
    """The most that a command holds of each kind of memory, in GB, and its seconds."""
    began, most = time.monotonic(), {"RssAnon": 0.0, "RssFile": 0.0}
    process = subprocess.Popen(command)
    while process.poll() is None:
        try:
            lines = Path(f"/proc/{process.pid}/status").read_text().splitlines()
        except OSError:
            break
        for line in lines:
            name, _, value = line.partition(":")
            if name in most:
                most[name] = max(most[name], int(value.split()[0]) * 1024 / 1e9)
        time.sleep(0.02)
    if process.wait():
        raise SystemExit(f"{' '.join(command)} ended with {process.returncode}")
    return most, time.monotonic() - began


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--gigabytes", type=float, default=4.0)
    parser.add_argument("--kind", choices=KINDS, default="float32")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="pairsift-memory-") as folder:
        home = Path(folder)
        width = 8 if given.kind == "float64" else 4
        count = int(given.gigabytes * 1e9) // (CHANNELS * LENGTH * width)
        data = write_series(home / "big", count, given.kind)
        (home / "settings.toml").write_text(SETTINGS)
        command = [PAIRSIFT, "pretrain", str(data), "--config", str(home / "settings.toml")]
        command += ["--window", str(LENGTH)] if given.kind == "windows" else []
        command += ["--out", str(home / "run")]
        most, seconds = peaks(command)
        size = data.stat().st_size / 1e9
    name = f"anonymous memory in GB, pretraining on {size:.1f} GB, {data.suffix} of {given.kind}"
    more = {"series": count, "mapped": round(most["RssFile"], 2), "seconds": round(seconds)}
    return report([entry(name, most["RssAnon"], 1.5, **more)])


if __name__ == "__main__":
    sys.exit(main())
