"""What a fuzz target is: it takes bytes, and reads them or refuses them in one sentence.

A target takes bytes and may raise PairsiftError: one printable sentence. Anything else is a finding, and so
are series with a value that is no number.
"""

from __future__ import annotations

import atexit
import io
import shutil
import tempfile
import zipfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from pairsift.errors import PairsiftError

Target = Callable[[bytes], None]
HOME = Path(tempfile.mkdtemp(prefix="pairsift-fuzz-"))  # where inputs become files
atexit.register(shutil.rmtree, HOME, ignore_errors=True)


@dataclass(frozen=True)
class Fuzzed:
    """One target.

    Args:
        test: reads the bytes.
        seeds: sound and nearly sound inputs.
        longest: bytes an input may have.
    """

    test: Target
    seeds: Callable[[], list[bytes]]
    longest: int = 4096


@contextmanager
def refusals() -> Iterator[None]:
    """A refusal is fine if it is one line that a terminal can show."""
    try:
        yield
    except PairsiftError as error:
        said = str(error)
        assert said and said.isprintable(), f"the refusal cannot be printed: {said!r}"
        assert len(said) < 1000, f"the refusal is {len(said)} characters long"


def as_file(suffix: str, read: Callable[[Path], Any]) -> Target:
    path = HOME / f"x{suffix}"

    def test(data: bytes) -> None:
        path.write_bytes(data)
        with refusals():
            read(path)

    return test


def series() -> np.ndarray[Any, Any]:
    return np.random.default_rng(0).normal(size=(4, 2, 5)).astype(np.float32)


def npy(array: Any, **how: Any) -> bytes:
    stream = io.BytesIO()
    np.lib.format.write_array(stream, np.asarray(array), **how)
    return stream.getvalue()


def zipped(members: dict[str, bytes]) -> bytes:
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w") as archive:
        for name, content in members.items():
            archive.writestr(zipfile.ZipInfo(name), content)  # of a fixed date: the same bytes each time
    return stream.getvalue()


def lazily(make: Callable[[], Target]) -> Target:
    """A target that needs something made first; it is made when the first input comes."""
    made: list[Target] = []

    def test(data: bytes) -> None:
        if not made:
            made.append(make())
        made[0](data)

    return test
