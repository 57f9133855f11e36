"""The fuzz targets without a fuzzer: sound files, what was once found, and some thousand damaged ones."""

from __future__ import annotations

import json
import random
import subprocess
import sys
from pathlib import Path

import pytest
from tests.fuzz.targets import FOUND, TARGETS, target_of

STRANGE = [b"-1", b"1e999", b"\x00", b"\xff", b"NaN", b"[", b'"', b"\n", b"9" * 30]
pytestmark = pytest.mark.filterwarnings("ignore")


def damaged(seed: bytes, draw: random.Random) -> bytes:
    """A copy with one to four accidents."""
    data = bytearray(seed)
    for _ in range(draw.randint(1, 4)):
        at = draw.randrange(len(data) + 1)
        match draw.randrange(5):
            case 0:
                del data[at:]
            case 1:
                data[at : at + draw.randint(1, 9)] = b""
            case 2:
                data[at:at] = draw.choice(
                    [b"-1", b"1e999", b"\x00", b"\xff", b"NaN", b"[", b'"', b"\n", b"9" * 30]
                )
            case 3 if at < len(data):
                data[at] = draw.randrange(256)
            case _:
                start = draw.randrange(len(data) + 1)
                data[at:at] = data[start : start + draw.randint(1, 40)]
    return bytes(data)


@pytest.mark.parametrize("name", TARGETS)
def test_sound_and_damaged_files_are_read_or_refused_in_a_sentence(name: str) -> None:
    target, draw = TARGETS[name], random.Random(name)
    seeds = target.seeds()
    for seed in seeds:
        assert len(seed) <= target.longest or name == "run-folder"
        target.test(seed)
    for number in range(60):
        data = damaged(seeds[number % len(seeds)], draw)
        try:
            target.test(data)
        except Exception as error:
            raise AssertionError(f"{name} fails on {data!r}") from error


@pytest.mark.parametrize("path", sorted(FOUND.iterdir()), ids=lambda path: path.name)
def test_what_was_found_once_stays_mended(path: Path) -> None:
    TARGETS[target_of(path)].test(path.read_bytes())


@pytest.mark.slow
def test_the_fuzzer_is_guided_and_draws_the_same_again(tmp_path: Path) -> None:
    pytest.importorskip("atheris", reason="needs atheris: pip install pairsift[fuzz]")
    drawn = []
    for folder in (tmp_path / "first", tmp_path / "again"):
        targets = ["columns", "npz", "checkpoint", "run-folder"]
        order = [sys.executable, "-m", "tests.fuzz.run", *targets, "--runs", "150", "--out", str(folder)]
        home = Path(__file__).parents[2]
        done = subprocess.run(order, capture_output=True, text=True, check=False, cwd=home)
        assert done.returncode == 0, done.stdout + done.stderr
        entries = [json.loads(line) for line in (folder / "fuzz.json").read_text().splitlines()]
        assert [entry["target"] for entry in entries] == targets
        assert all(entry["executions"] == 150 and not entry["findings"] for entry in entries)
        drawn.append(
            {path.name: path.read_bytes() for path in (folder / "corpus").rglob("*") if path.is_file()}
        )
        assert len(list((folder / "corpus" / "npz").iterdir())) > 3  # more than the seeds: it was guided
    assert drawn[0] == drawn[1]
