"""Readers, one for each kind of file, by the file's suffix."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from pairsift.data.readers.npy import read_npy, read_npz
from pairsift.data.readers.raw import Options, Raw
from pairsift.data.readers.table import read_csv, read_parquet
from pairsift.data.readers.ts import read_ts

READERS: dict[str, Callable[[Path, Options], Raw]] = {
    ".npz": read_npz,
    ".npy": read_npy,
    ".csv": read_csv,
    ".tsv": read_csv,
    ".parquet": read_parquet,
    ".ts": read_ts,
}
