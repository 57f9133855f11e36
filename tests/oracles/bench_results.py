"""Made-up results in the form that cells have, and tiny cells that can really be run."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from pairsift.bench.cell import Cell, make_cell
from pairsift.bench.matrix import Spec, expand
from pairsift.bench.store import Store

TINY: dict[str, Any] = {
    "dataset": "simulated",
    "data": {"n_train": 64, "n_test": 30, "n_val": 30, "length": 60, "segment": 20},
    "epochs": 3,
    "batch_size": 16,
    "noisy": 1.0,
    "faulty": 1.0,
}
MINED = ("dbpm", "auto", "mend")  # the others have no miner, and so no thresholds and no pairs


def tiny_cell(**settings: Any) -> Cell:
    """A cell of a second or two."""
    return make_cell(**{**TINY, **settings})


def made_up(
    cell: Cell, accuracy: float, validation: float | None = None, raw: float | None = None
) -> dict[str, Any]:
    """A result as ``run_cell`` would give it, its metrics as told (shares of 1)."""
    from dataclasses import asdict

    from pairsift.frameworks import FRAMEWORKS

    def metrics(value: float) -> dict[str, Any]:
        per_class = {"a": value, "b": value / 2, "c": None}
        return dict.fromkeys(("accuracy", "auprc", "auroc", "f1"), value) | {"auroc_per_class": per_class}

    def judged(value: float) -> dict[str, Any]:
        return {"test": metrics(value), "validation": metrics(value if validation is None else validation)}

    result: dict[str, Any] = {
        "settings": cell.model_dump(mode="json"),
        "made": asdict(FRAMEWORKS[cell.framework].Config.for_dataset(cell.dataset, **cell.options)),
        "probes": {"raw": judged(accuracy if raw is None else raw), "standardised": judged(accuracy)},
        "seconds": {"train": 10.0, "miner": 0.4, "total": 12.0},
        "memory": {"miner_bytes": 2_000_000},
    }
    if cell.mining in MINED:
        found = {"auroc": 0.9, "precision": 0.5, "recall": 0.25, "planted": 10}
        result["mined"] = {
            "counts": {"normal": 70, "noisy": 20, "faulty": 10},
            "by_class": {"a": [30, 20, 0], "b": [40, 0, 10]},
            "mean_weight": {"normal": 1.0, "noisy": 0.25, "faulty": None},
            "thresholds": {"noisy": 1.0, "faulty": 3.0},
            "detection": {"noisy": found, "faulty": {**found, "planted": 0}},
        }
    if "pairs" in cell.keep and cell.mining in MINED:
        result["pairs"] = {
            "mean": [1.0, 2.0, 3.0],
            "std": [0.1, 0.2, 0.3],
            "truth": [0, 1, 2],
            "kinds": [0, 1, 2],
        }
    if "tsne" in cell.keep:
        result["tsne"] = {
            "x": [0.0, 1.0, 2.0],
            "y": [0.0, 1.0, 0.0],
            "truth": [0, 1, 2],
            "classes": [0, 1, 2],
        }
    return result


def fill(folder: Path, spec: Spec, accuracy: Any, **more: Any) -> Store:
    """Write a made-up result for each cell of a spec; ``accuracy`` takes a place and may give None."""
    store = Store(folder)
    store.keep_spec(spec)
    for planned in expand(spec):
        value = accuracy(planned.place)
        if planned.cell is not None and value is not None:
            extra = {name: function(planned.place) for name, function in more.items()}
            store.write(planned.cell, made_up(planned.cell, value, **extra))
    return store
