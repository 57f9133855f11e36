"""The card of a prepared dataset: its shape, classes, counts, checksums and licence."""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

import pairsift
from pairsift.data.catalog import Known
from pairsift.data.holdout import PARTS, PUBLISHED
from pairsift.data.published import Published, Task

Array = NDArray[Any]

CARD = "card.json"
FORMAT = 1
LISTED = 64  # more source files than this are summed up in one checksum


def sha256(path: Path) -> str:
    """A file's checksum."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def counts(task: Task, rows: Array) -> dict[str, Any]:
    """How many series there are in ``rows``, and in each class."""
    y = task.y[rows]
    per_class = y.sum(axis=0) if y.ndim == 2 else np.bincount(y, minlength=len(task.classes))
    return {"series": len(rows), "classes": dict(zip(task.classes, (int(count) for count in per_class)))}


def differences(entry: Known, published: Published) -> list[str]:
    """A sentence for each count that is not the published one."""
    said = []
    for label, task in published.tasks.items():
        facts = entry.tasks[label]
        if PUBLISHED not in task.splits:
            said.append(f"{entry.name}, {label}: {task.missing[PUBLISHED]}")
            continue
        split = task.splits[PUBLISHED]
        got = tuple(len(split.part(part)) for part in PARTS)
        if got != facts.counts:
            said.append(
                f"{entry.name}, {label}: {'/'.join(map(str, got))} series in train/val/test where "
                f"{'/'.join(map(str, facts.counts))} are published"
            )
        whole = counts(task, np.concatenate([split.part(part) for part in PARTS]))["classes"]
        said += [
            f"{entry.name}, {label}: {count} series of {name} where {expected} are published"
            for (name, count), expected in zip(whole.items(), facts.per_class)
            if count != expected
        ]
    return said


def make_card(
    entry: Known, published: Published, source: Path, fingerprint: str, notes: tuple[str, ...]
) -> dict[str, Any]:
    """Everything about a prepared dataset that is no array; JSON types."""
    return {
        "format": FORMAT,
        "name": entry.name,
        "title": entry.title,
        "shape": list(published.shape),
        "tasks": {
            label: {
                "classes": list(task.classes),
                "splits": {
                    kind: {
                        "scaling": split.scaling,
                        **{part: counts(task, split.part(part)) for part in PARTS},
                    }
                    for kind, split in task.splits.items()
                },
                "missing": task.missing,
            }
            for label, task in published.tasks.items()
        },
        "facts": published.facts,
        "notes": list(notes),
        "sha256": fingerprint,
        "source": {"path": str(source.expanduser().resolve()), **checksums(published.files)},
        "licence": entry.licence,
        "citation": entry.citation,
        "pairsift": pairsift.__version__,
    }


def checksums(files: tuple[Path, ...]) -> dict[str, Any]:
    """The sources' checksums, one by one, or summed up in one where there are very many."""
    sums = {str(path): sha256(path) for path in files}
    if len(sums) <= LISTED:
        return {"files": sums}
    lines = "".join(f"{value}  {Path(name).name}\n" for name, value in sorted(sums.items()))
    return {"count": len(sums), "sha256_of_sums": hashlib.sha256(lines.encode()).hexdigest()}
