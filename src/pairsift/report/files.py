"""Files that are whole or not there: written aside in the same folder, then renamed."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from pairsift.errors import PairsiftError


@contextmanager
def written_aside(path: str | os.PathLike[str]) -> Iterator[Path]:
    """A path to write to; it becomes ``path`` when the block ends well, and vanishes when it does not."""
    path = Path(path)
    if path.is_dir():
        raise PairsiftError(f"{path} is a folder; name a file to write to")
    path.parent.mkdir(parents=True, exist_ok=True)
    aside = path.with_name(f".{path.name}.{os.getpid()}.part")
    try:
        yield aside
        with aside.open("rb+") as file:
            os.fsync(file.fileno())
        aside.replace(path)
    finally:
        aside.unlink(missing_ok=True)


@contextmanager
def folder_aside(folder: str | os.PathLike[str], last: str = "") -> Iterator[Path]:
    """A folder to write files to; they move into ``folder`` if the block ends well, else they vanish.

    The file named ``last`` moves after the others, so that where it stands all stand; other files in
    ``folder`` stay as they are.
    """
    folder = Path(folder)
    if folder.exists() and not folder.is_dir():
        raise PairsiftError(f"{folder} is a file; name a folder to write to")
    folder.mkdir(parents=True, exist_ok=True)
    aside = Path(tempfile.mkdtemp(prefix=".audit-", suffix=".part", dir=folder))
    try:
        yield aside
        for file in sorted(aside.iterdir(), key=lambda file: (file.name == last, file.name)):
            file.replace(folder / file.name)
    finally:
        shutil.rmtree(aside, ignore_errors=True)
