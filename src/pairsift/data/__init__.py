"""Datasets: known ones by name, one's own files by path, the paper's simulation, planted bad pairs."""

from __future__ import annotations

from pairsift.data.catalog import CATALOG, Known, info, known
from pairsift.data.corrupt import corrupt
from pairsift.data.files import load_series, load_splits
from pairsift.data.load import load_dataset
from pairsift.data.prepare import Prepared, prepare, prepared_folder
from pairsift.data.prepared import is_prepared, load_folder, load_prepared
from pairsift.data.root import data_root
from pairsift.data.series import Batch, Series, Splits
from pairsift.data.simulated import simulate

__all__ = [
    "CATALOG",
    "Batch",
    "Known",
    "Prepared",
    "Series",
    "Splits",
    "corrupt",
    "data_root",
    "info",
    "is_prepared",
    "known",
    "load_dataset",
    "load_folder",
    "load_prepared",
    "load_series",
    "load_splits",
    "prepare",
    "prepared_folder",
    "simulate",
]
