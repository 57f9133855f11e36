"""A publisher's files, in a folder or in a zip (or a zip in that zip), read by name and safely."""

from __future__ import annotations

import io
import lzma
import re
import struct
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path, PurePosixPath
from types import TracebackType

from pairsift.errors import PairsiftError, shown

MEGABYTE = 1 << 20
# What opening and reading a broken zip can raise; RuntimeError stands for a password, OSError for bad bzip2.
ZIP_ERRORS = (
    zipfile.BadZipFile,
    zlib.error,
    lzma.LZMAError,
    struct.error,
    EOFError,
    NotImplementedError,
    RuntimeError,
    UnicodeDecodeError,
    OSError,
)
ZIP_DAMAGE = tuple(kind for kind in ZIP_ERRORS if kind is not OSError)  # the file itself could be read
# Text of numbers shrinks about five times; a zip that says it unpacks to far more is a trap, not data.
LARGEST_RATIO, LARGEST_WHOLE, ALWAYS_FINE = 100, 8 << 30, 64 * MEGABYTE


def check_zip(archive: zipfile.ZipFile, where: str, size: int) -> None:
    """Refuse a zip whose names leave it or whose declared size is out of all proportion.

    Args:
        archive: the open zip; reading a member never yields more than its declared size.
        where: its name, for messages.
        size: its own size in bytes.
    """
    for entry in archive.infolist():
        name = entry.filename
        parts = PurePosixPath(name.replace("\\", "/")).parts
        if ".." in parts or name.startswith(("/", "\\")) or re.match(r"[A-Za-z]:", name):
            raise PairsiftError(
                f"{where} has an entry that leads out of it ({shown(name)}); do not trust this zip"
            )
        if entry.flag_bits & 1:
            raise PairsiftError(f"{where} is locked with a password; unpack it and give the folder")
    whole = sum(entry.file_size for entry in archive.infolist())
    if whole > ALWAYS_FINE and whole > min(LARGEST_WHOLE, LARGEST_RATIO * size):
        raise PairsiftError(
            f"{where} says that its {size / MEGABYTE:.1f} MB unpack to {whole / MEGABYTE:.0f} MB, "
            "which no such dataset does; do not trust this zip, or unpack it yourself and give the folder"
        )


class Tree:
    """Named files below one place. Open it with ``with``.

    Args:
        where: a folder, or a zip file.
        inside: the zip's bytes, when it lies inside another zip; ``where`` is then only its name.
        outermost: the zip on the disk, when this one lies inside another.
    """

    def __init__(self, where: Path, inside: bytes | None = None, outermost: Path | None = None) -> None:
        self.where = where
        self._outermost = outermost or where
        self._zip: zipfile.ZipFile | None = None
        if inside is None and not where.exists():
            raise PairsiftError(f"there is no file or folder {where}; check the path")
        if inside is None and where.is_dir():
            found = (path for path in where.rglob("*") if path.is_file())
            self.names = sorted(path.relative_to(where).as_posix() for path in found)
            return
        try:
            self._zip = zipfile.ZipFile(where if inside is None else io.BytesIO(inside))
        except ZIP_ERRORS as error:
            raise PairsiftError(
                f"{where} is no whole zip file ({shown(error)}); download it again"
            ) from error
        try:
            check_zip(self._zip, str(where), where.stat().st_size if inside is None else len(inside))
        except PairsiftError:
            self._zip.close()
            raise
        plain = (name for name in self._zip.namelist() if not name.endswith("/"))
        self.names = sorted(name for name in plain if not name.startswith("__MACOSX/"))

    def __enter__(self) -> Tree:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None
    ) -> None:
        if self._zip is not None:
            self._zip.close()

    def called(self, name: str) -> str:
        """What messages call a file of this tree."""
        place = self.where / name if self._zip is None else f"{self.where}: {name}"
        return shown(place, 300)

    def read(self, name: str) -> bytes:
        """A file's bytes."""
        if name not in self.names:
            raise PairsiftError(
                f"{self.called(name)} is missing; download the dataset again or give its whole folder"
            )
        try:
            return (self.where / name).read_bytes() if self._zip is None else self._zip.read(name)
        except ZIP_ERRORS as error:
            raise PairsiftError(
                f"{self.called(name)} cannot be read ({shown(error, 120)}); download it again"
            ) from error

    def on_disk(self, name: str) -> Path:
        """The file on the disk that this file is read from: itself, or the zip that it lies in."""
        return self.where / name if self._zip is None else self._outermost

    def find(self, pattern: str) -> list[str]:
        """The names that a regular expression matches from some folder on, in order, in any letter case."""
        return [name for name in self.names if re.search(rf"(?:^|/){pattern}$", name, re.IGNORECASE)]

    def inner(self) -> Iterator[Tree]:
        """The zips in this tree."""
        for name in self.find(r"[^/]+\.zip"):
            if self._zip is None:
                yield Tree(self.where / name)
            else:
                yield Tree(self.where / name, self.read(name), self._outermost)


@contextmanager
def open_trees(where: Path) -> Iterator[list[Tree]]:
    """The place itself, every zip in it and every zip in those, each as a tree."""
    with ExitStack() as stack:
        trees = layer = [stack.enter_context(Tree(where))]
        for _ in range(2):
            layer = [stack.enter_context(inner) for tree in layer for inner in tree.inner()]
            trees = trees + layer
        yield trees
