"""Reading tables: CSV with commas, semicolons or tabs, and Parquet."""

from __future__ import annotations

import csv
from pathlib import Path

import numpy as np

from pairsift.data.readers.raw import Array, Options, Raw
from pairsift.data.readers.shapes import from_frame
from pairsift.errors import PairsiftError, shown


def read_csv(path: Path, options: Options) -> Raw:
    """Series from text with commas, semicolons or tabs between the cells."""
    import pandas as pd

    file = shown(path.name)
    try:
        with path.open(encoding="utf-8-sig", newline="") as text:
            head = [text.readline(1 << 24), text.readline(1 << 24)]
        if not head[0].strip():
            raise PairsiftError(f"{file}: is empty; a table needs a line of names and a line for each series")
        mark = max(",;\t", key=head[0].count)
        decimal = "," if mark == ";" and "," in head[1] else "."
        first = next(csv.reader(head[:1], delimiter=mark))
        if len(next(csv.reader(head[1:], delimiter=mark), [])) > len(first):
            raise PairsiftError(
                f"{file}: its second line has more cells than its first; give every column a name"
            )
        header = 0 if _is_header(first) else None
        frame = pd.read_csv(path, sep=mark, decimal=decimal, header=header, encoding="utf-8-sig")
    except (UnicodeDecodeError, csv.Error) as error:
        raise PairsiftError(
            f"{file}: is no text table in UTF-8 ({shown(error)}); export it as CSV again"
        ) from error
    except (pd.errors.ParserError, pd.errors.EmptyDataError) as error:
        why = shown(str(error).removeprefix("Error tokenizing data. C error: "), 90)
        raise PairsiftError(
            f"{file}: is no regular table ({why}); give every line the same number of cells, empty where "
            "a series has ended"
        ) from error
    raw = from_frame(frame, file, options)
    columns = [frame.iloc[:, place].to_numpy() for place in range(min(2, frame.shape[1]))]
    if header is None and raw.y is None and [_like_classes(column) for column in columns] == [True, False]:
        raw.notes.append(
            f"{file}: its first column holds few different whole numbers; if it is the class, say so "
            "(columns={'y': 0}, --column y=0), else it is read as a time step"
        )
    return raw


def _like_classes(values: Array) -> bool:
    """Whether a column may be classes: whole numbers, few of them different, as first in UCR's own files."""
    if values.dtype.kind not in "iuf" or not np.isfinite(values).all() or (values % 1).any():
        return False
    return 1 < len(np.unique(values)) <= min(100, len(values) // 2)


def read_parquet(path: Path, options: Options) -> Raw:
    """Series from a Parquet table."""
    try:
        import pyarrow
        import pyarrow.parquet
    except ImportError as error:
        raise PairsiftError(
            f"{shown(path.name)}: Parquet needs pyarrow: pip install 'pairsift[parquet]'"
        ) from error
    try:
        table = pyarrow.parquet.read_table(path)
        table.validate(full=True)  # else text that is no text is met by whoever reads a cell
        frame = table.to_pandas()
    except (pyarrow.ArrowException, OSError, ValueError, TypeError, KeyError) as error:
        raise PairsiftError(
            f"{shown(path.name)}: is no Parquet file that can be read ({shown(error)}); write or copy it "
            "again"
        ) from error
    if not frame.columns.is_unique:
        twice = shown(frame.columns[frame.columns.duplicated()][0])
        raise PairsiftError(f"{shown(path.name)}: has two columns named {twice}; rename one of them")
    return from_frame(frame.reset_index(drop=True), shown(path.name), options)


def _is_header(cells: list[str]) -> bool:
    """Whether a first line holds names: it has a cell that is no number, or it merely counts its columns."""
    try:
        numbers = [float(cell) for cell in cells]
    except ValueError:
        return True
    return len(cells) > 1 and numbers in (
        [float(k) for k in range(start, start + len(cells))] for start in (0, 1)
    )
