"""The fuzz targets without a fuzzer: sound files, what was once found, and some thousand damaged ones."""

from __future__ import annotations

import random
import subprocess
import sys
from pathlib import Path

import pytest
from tests.fuzz.targets import TARGETS

FOUND = sorted((Path(__file__).parent / "found").iterdir())
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


@pytest.mark.parametrize("path", FOUND, ids=lambda path: path.name)
def test_what_was_found_once_stays_mended(path: Path) -> None:
    name = max((name for name in TARGETS if path.name.startswith(name)), key=len)
    TARGETS[name].test(path.read_bytes())


@pytest.mark.slow
def test_the_fuzzer_runs_and_says_what_it_did(tmp_path: Path) -> None:
    pytest.importorskip("atheris", reason="needs atheris: pip install pairsift[fuzz]")
    order = [
        sys.executable,
        "-m",
        "tests.fuzz.run",
        "columns",
        "npy",
        "--seconds",
        "2",
        "--out",
        str(tmp_path),
    ]
    home = Path(__file__).parents[2]
    done = subprocess.run(order, capture_output=True, text=True, check=False, cwd=home)
    assert done.returncode == 0, done.stdout + done.stderr
    lines = (tmp_path / "fuzz.json").read_text().splitlines()
    assert len(lines) == 2 and '"target": "columns"' in lines[0] and '"findings": []' in lines[1]
    assert len(list((tmp_path / "corpus" / "npy").iterdir())) > 3  # more than the seeds: it was guided
