"""One door to all data: known datasets by name, one's own files by path, the simulation."""

from __future__ import annotations

from inspect import signature
from pathlib import Path
from typing import Any

from pairsift.data.catalog import CATALOG, Known, known
from pairsift.data.files import load_splits
from pairsift.data.prepare import prepared_folder
from pairsift.data.prepared import is_prepared, load_folder, load_prepared
from pairsift.data.root import data_root
from pairsift.data.series import Splits
from pairsift.data.simulated import simulate
from pairsift.errors import PairsiftError, shown


def load_dataset(
    name_or_path: str | Path,
    *,
    root: str | Path | None = None,
    split: str | None = None,
    task: str | None = None,
    **options: Any,
) -> Splits:
    """Load a dataset by its name, or series from files of one's own by their path.

    A known dataset is taken from what ``prepare`` wrote below the data root; if it is not prepared but a raw
    copy lies there (``<root>/har`` and so on), that is read into memory instead.

    Args:
        name_or_path: a name of the catalog (``har``), a prepared folder, or a file or folder of series.
        root: the data root; else what PAIRSIFT_DATA says, else the user's cache folder.
        split: of a known dataset: ``published`` (the default; what published numbers use) or ``grouped``
            (a person, patient or recording is on one side only).
        task: of a known dataset with several tasks (ptb-xl): which labels.
        **options: for simulated, what ``simulate`` takes; for files, what ``load_splits`` takes.

    Returns:
        Its parts.
    """
    name = str(name_or_path)
    if name in CATALOG:
        return _load_known(CATALOG[name], root, split, task, options)
    path = Path(name_or_path).expanduser()
    if not path.exists():
        if len(path.parts) == 1 and not path.suffix:
            known(name)  # it looks like a name, so say which names there are
        raise PairsiftError(
            f"there is no file or folder {shown(path, 120)}, and no dataset of that name; check the path"
        )
    if is_prepared(path):
        _refuse(options, name)
        return load_folder(path, split, task)
    if split is not None or task is not None:
        raise PairsiftError(
            f"split and task are for known datasets, got them for the files {shown(path)}; leave them out "
            "(a column named split in the files, or the shares val and test, split these)"
        )
    return load_splits(path, **options)


def _load_known(
    entry: Known, root: str | Path | None, split: str | None, task: str | None, options: dict[str, Any]
) -> Splits:
    if entry.name == "simulated":
        if split is not None or task is not None:
            raise PairsiftError("simulated has one split and one task; leave split and task out")
        _refuse(
            {name: options[name] for name in options if name not in signature(simulate).parameters},
            "simulated",
        )
        return simulate(**options)
    _refuse(options, entry.name)
    if not is_prepared(prepared_folder(entry.name, root)):
        for folder in entry.folders:
            raw = data_root(root) / folder
            if raw.exists():
                return entry.scan(raw).read(split, task)
    return load_prepared(entry.name, root, split, task)


def _refuse(options: dict[str, Any], name: str) -> None:
    if options:
        raise PairsiftError(
            f"{shown(next(iter(options)))} is not an option of the dataset {shown(name)}; leave it out"
        )
