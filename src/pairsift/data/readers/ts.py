"""Reading .ts, the UCR/UEA format: steps apart by commas, channels by colons, the class last."""

from __future__ import annotations

from pathlib import Path
from typing import IO

import numpy as np

from pairsift.data.readers.raw import Array, Options, Ragged, Raw
from pairsift.errors import PairsiftError, shown


def read_ts(path: Path, options: Options) -> Raw:
    """Series of equal or unequal length, missing values written ``?`` or ``NaN``."""
    file = shown(path.name)
    try:
        with path.open(encoding="utf-8-sig") as lines:
            facts, at = _header(lines, file)
            return _data(lines, at, facts, file)
    except UnicodeDecodeError as error:
        raise PairsiftError(f"{file}: is no text in UTF-8; export it as .ts again") from error


def _header(lines: IO[str], file: str) -> tuple[dict[str, list[str]], int]:
    """What stands before ``@data``, and in which line that is."""
    facts: dict[str, list[str]] = {}
    for at, line in enumerate(lines, 1):
        words = line.split()
        if not words or words[0].startswith("#"):
            continue
        if not words[0].startswith("@"):
            raise PairsiftError(
                f"{file}: line {at} comes before @data but is no @tag; a .ts file starts with @tags and "
                "the line @data"
            )
        if words[0].lower() == "@data":
            return facts, at
        facts[words[0].lower()[1:]] = words[1:]
    raise PairsiftError(
        f"{file}: has no line @data, after which the series stand; it was cut off or is no .ts file"
    )


def _data(lines: IO[str], at: int, facts: dict[str, list[str]], file: str) -> Raw:
    """The series after ``@data``."""
    if _says(facts, "timestamps"):
        raise PairsiftError(
            f"{file}: has time stamps in its cells, which are not read; export it with @timeStamps false"
        )
    labelled = _says(facts, "classlabel")
    classes = facts.get("classlabel", [])[1:] if labelled else []
    target = _says(facts, "targetlabel")  # a regression's number: read past, it is no class
    rows: list[Array] = []  # (L, C) each
    y: list[str] = []
    for number, line in enumerate(lines, at + 1):
        if not line.strip() or line.startswith("#"):
            continue
        cells = line.strip().split(":")
        if labelled or target:
            y.append(cells.pop().strip())
        if labelled and classes and y[-1] not in classes:
            raise PairsiftError(
                f"{file}: line {number} ends with the class {shown(y[-1])!r}, but @classLabel lists "
                f"{shown(' '.join(classes))}; correct the line or the list"
            )
        rows.append(_row(cells, rows[0].shape[1] if rows else None, number, file))
    if not rows:
        raise PairsiftError(f"{file}: has no series after @data; it was cut off or is empty")
    promised = (facts.get("dimensions") or facts.get("dimension") or [""])[0]
    if promised.isdecimal() and promised.lstrip("0") != str(rows[0].shape[1]):
        raise PairsiftError(
            f"{file}: promises {shown(promised)} channels (@dimensions), but its lines have "
            f"{rows[0].shape[1]}; correct one of them"
        )
    lengths = np.array([len(row) for row in rows], dtype=np.int64)
    if (lengths == lengths[0]).all():
        raw = Raw(file, np.stack(rows).transpose(0, 2, 1))
    else:
        raw = Raw(file, Ragged(np.concatenate(rows), lengths))
    if labelled:
        raw.classes = tuple(classes) if classes else tuple(sorted(set(y)))
        place = {name: code for code, name in enumerate(raw.classes)}
        raw.y = np.array([place[name] for name in y], dtype=np.int64)
    if target:
        raw.notes.append(f"{file}: its target numbers are no classes and are not used")
    return raw


def _row(cells: list[str], channels: int | None, number: int, file: str) -> Array:
    """One series (L, C) from one line."""
    try:
        row = [[float(value) for value in cell.replace("?", "nan").split(",")] for cell in cells]
    except ValueError as error:
        why = str(error).removeprefix("could not convert string to float: ")
        raise PairsiftError(
            f"{file}: line {number} holds {shown(why)}, which is no number; missing values are written ?"
        ) from error
    lengths = sorted({len(channel) for channel in row})
    if len(lengths) != 1 or len(row) != (channels or len(row)):
        found = ", ".join(map(str, lengths[:4])) or "0"
        raise PairsiftError(
            f"{file}: line {number} has {len(row)} channels of length {found}, but the line before had "
            f"{channels or 'none'}; every line needs the same channels, all of one length, and a class if "
            "@classLabel is true"
        )
    with np.errstate(over="ignore"):  # too large becomes infinite, which is refused later
        return np.array(row, dtype=np.float32).T


def _says(facts: dict[str, list[str]], tag: str) -> bool:
    """Whether a tag is there and true."""
    return bool(facts.get(tag)) and facts[tag][0].lower() == "true"
