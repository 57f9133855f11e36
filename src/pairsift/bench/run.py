"""One cell, executed: pretrain, probe, and what the miner did; nothing is chosen by the test set."""

from __future__ import annotations

import resource
import time
from dataclasses import asdict
from typing import Any

import torch

from pairsift.bench.cell import FORMAT, Cell, make_cell
from pairsift.bench.clock import MinerClock
from pairsift.bench.materials import Materials, materials
from pairsift.bench.mined import kept_map, kept_pairs, mined_facts
from pairsift.bench.told import ToldMiner
from pairsift.data.series import Series
from pairsift.data.strikes import RandomStrikes
from pairsift.evaluation import embed_series, linear_probe
from pairsift.frameworks import Framework
from pairsift.mining import BadPairMiner, MixtureWeight, Ramp, build_miner, usual_weight
from pairsift.mining.weights import Weight
from pairsift.training import Settings, make_framework, make_settings, pretrain, versions
from pairsift.training.pretrain import fingerprint, resolve_precision


def run_cell(settings: dict[str, Any], root: str | None = None) -> dict[str, Any]:
    """Execute a cell on one thread.

    Args:
        settings: a ``Cell``'s fields.
        root: the data root.

    Returns:
        The result, JSON types: settings, probes (accuracy, AUPRC, AUROC, AUROC per class on validation and on
        test, from features as they are and standardised), detection where something was planted, which pairs
        were flagged, seconds, memory, versions.
    """
    torch.set_num_threads(1)
    began = time.perf_counter()
    cell = make_cell(**settings)
    held = materials(cell, root)
    wanted = training_settings(cell)
    framework = make_framework(wanted, held.learned)
    miner = make_miner(cell, wanted, framework, len(held.learned), held.learned.truth)
    clock = MinerClock(miner)
    start, start_cpu = time.perf_counter(), time.process_time()
    strike = RandomStrikes(held.learned.truth) if cell.damage == "random" else None
    run = pretrain(held.learned, wanted, framework=framework, miner=miner, progress=False, strike=strike)
    train, train_cpu = time.perf_counter() - start, time.process_time() - start_cpu
    result: dict[str, Any] = {
        "format": FORMAT,
        "settings": cell.model_dump(mode="json"),
        "made": asdict(framework.config),
        "data": {"learned": fingerprint(held.learned), **_sizes(held)},
        "arithmetic": resolve_precision(wanted.precision),
        "probes": probes(framework, held, cell.seed),
        "loss": [round(row["loss"], 5) for row in run.metrics],
    }
    if miner is not None:
        result["mined"] = rounded(mined_facts(miner, held.learned))
        if "pairs" in cell.keep:
            result["pairs"] = kept_pairs(miner, held.learned)
    if "tsne" in cell.keep:
        result["tsne"] = kept_map(framework, held.learned, cell.seed)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    result["seconds"] = {
        "train": round(train, 2),
        "train_cpu": round(train_cpu, 2),
        "miner": round(clock.seconds, 4),
        "total": round(time.perf_counter() - began, 2),
    }
    result["memory"] = {"miner_bytes": miner_bytes(miner), "process_peak_mb": round(peak, 1)}
    result["versions"] = versions()
    return result


def training_settings(cell: Cell) -> Settings:
    """The cell's settings as the training loop takes them."""
    mined = cell.mining in ("rince", "dbpm", "auto", "mend")
    return make_settings(
        framework=cell.framework,
        dataset=cell.dataset,
        options=cell.options,
        mining=cell.mining if mined else "none",
        noisy=_beta(cell.noisy),
        faulty=_beta(cell.faulty),
        history=cell.history or "mean",
        warmup=cell.warmup,
        epochs=cell.epochs,
        batch_size=cell.batch_size,
        lr=cell.lr,
        weight_decay=cell.weight_decay,
        seed=cell.seed,
        precision=cell.precision,
    )


def make_miner(
    cell: Cell, wanted: Settings, framework: Framework, num_pairs: int, truth: Any = None
) -> BadPairMiner | None:
    """The cell's miner, None where nothing is mined; ``truth`` is for the one that is told."""
    if cell.mining == "known":
        return ToldMiner(truth, batch_size=min(cell.batch_size, num_pairs))
    if cell.mining not in ("dbpm", "auto", "mend"):
        return None
    return build_miner(
        cell.mining,
        num_pairs,
        warmup_epochs=wanted.warmup_epochs,
        noisy=wanted.noisy,
        faulty=wanted.faulty,
        weight=_weight(cell.weight or usual_weight(cell.mining, framework.mining_weight)),
        history=Ramp(cell.epochs) if cell.history == "ramp" else wanted.history,  # type: ignore[arg-type]
        batch_size=min(cell.batch_size, num_pairs),
        parts=cell.parts,
    )


def _beta(beta: float | str | None) -> float | None:
    return None if isinstance(beta, str) else beta


def _weight(name: str) -> Weight | str | float:
    if name.startswith("mixture-"):
        return MixtureWeight(int(name.removeprefix("mixture-")))
    try:
        return float(name)
    except ValueError:
        return name


def probes(framework: Framework, held: Materials, seed: int) -> dict[str, Any]:
    """Linear probes on features as they are and standardised; trained on the undamaged training series.

    Where something is planted, two more are trained on the series as they were pretrained on.
    """
    parts = {"validation": held.splits.val, "test": held.splits.test}
    judged = {name: (embed_series(framework, s), s.y) for name, s in parts.items() if s is not None}
    found = {}
    for name, train in (("", held.splits.train), ("_planted", held.planted)):
        if train is None:
            continue
        z = embed_series(framework, train)
        for form in ("raw", "standardised"):
            probe = linear_probe(
                z,
                train.y,
                *judged["test"],
                seed=seed,
                standardise=form == "standardised",
                classes=train.classes,
            )
            found[form + name] = {part: _slim(probe.evaluate(*judged[part])) for part in judged}
    return found


def _slim(metrics: dict[str, Any]) -> dict[str, Any]:
    kept = {k: metrics[k] for k in ("accuracy", "auprc", "auroc", "f1", "rows")}
    slim: dict[str, Any] = rounded({**kept, "auroc_per_class": metrics["auroc_per_class"]})
    return slim


def rounded(value: Any) -> Any:
    """Six digits are plenty, and keep files small and comparable."""
    if isinstance(value, dict):
        return {k: rounded(v) for k, v in value.items()}
    return round(value, 6) if isinstance(value, float) else value


def _sizes(held: Materials) -> dict[str, int]:
    parts: dict[str, Series | None] = {
        "train": held.splits.train,
        "val": held.splits.val,
        "test": held.splits.test,
    }
    return {name: 0 if part is None else len(part) for name, part in parts.items()}


def miner_bytes(miner: BadPairMiner | None) -> int:
    """What the miner keeps, in bytes."""
    return 0 if miner is None else sum(b.numel() * b.element_size() for b in miner.buffers())
