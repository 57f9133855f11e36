"""The demo: SimCLR on the paper's simulation three ways, a table, and Figure 2."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from pairsift.bench.figures import dynamics_figure
from pairsift.data.series import Series, Splits
from pairsift.data.simulated import simulate
from pairsift.evaluation import detection_metrics, probe_framework
from pairsift.training import Run, Settings, pretrain, versions, write_json
from pairsift.training.folder import prepare_folder

# No augmentation: both views of a clean series are the series itself, so that what a pair has to agree on is
# what was planted, and a probe is not saturated. beta 1: with a sixth of the pairs bad on each side, a whole
# group lies at most 1.73 sigma from the mean, which larger betas cannot catch.
SETTINGS = Settings(
    framework="simclr", dataset="simulated", mining="dbpm", noisy=1.0, faulty=1.0, epochs=18, precision="auto"
)
ARMS = ("none", "dbpm", "oracle")


def run_demo(out: Path, seed: int = 0, say: Callable[[str], None] = print, **options: Any) -> dict[str, Any]:
    """Train without mining, with DBPM, and without the planted pairs; write metrics.json and dynamics.png.

    Args:
        out: the folder for both.
        seed: of data, weights, views and probe.
        say: where progress goes.
        options: fields of ``Settings`` in place of the demo's own.

    Returns:
        What metrics.json holds.
    """
    began = time.perf_counter()
    prepare_folder(out)
    settings = SETTINGS.model_copy(update={"seed": seed, **options})
    splits = simulate(seed=seed)
    result: dict[str, Any] = {}
    mined: Run | None = None
    for arm in ARMS:
        say(f"training: {arm}")
        run = pretrain(_learned_from(splits, arm), settings, mining="dbpm" if arm == "dbpm" else "none")
        metrics = probe_framework(run.framework, splits, seed=seed)["metrics"]
        result[arm] = {"accuracy": metrics["accuracy"], "auprc": metrics["auprc"]}
        mined = run if arm == "dbpm" else mined
    assert mined is not None and mined.miner is not None
    result["detection"] = _detection(out, mined, splits.train)
    result["settings"] = {**settings.model_dump(), "simulation": splits.train.facts["settings"]}
    result["versions"] = versions()
    result["seconds"] = round(time.perf_counter() - began, 1)
    write_json(out / "metrics.json", result)
    return result


def _learned_from(splits: Splits, arm: str) -> Series:
    train = splits.train
    if arm != "oracle":
        return train
    assert train.truth is not None  # the simulation always says
    return train.subset(np.flatnonzero(train.truth == 0))


def _detection(out: Path, run: Run, train: Series) -> dict[str, Any]:
    assert run.miner is not None
    table = run.miner.table()
    codes = table["kind"].map({"normal": 0, "noisy": 1, "faulty": 2}).to_numpy()
    dynamics_figure(
        out / "dynamics.png",
        table["mean_loss"],
        table["std_loss"],
        train.truth,
        run.miner.thresholds,
        f"SimCLR with DBPM on the simulation, {run.settings.epochs} epochs",
    )
    return detection_metrics(train.truth, codes, table["mean_loss"].to_numpy())


def demo_table(result: dict[str, Any]) -> str:
    """The demo's result for a terminal."""
    names = {"none": "no mining", "dbpm": "DBPM", "oracle": "oracle (planted pairs dropped)"}
    lines = [f"{'linear probe on the test set':<34}{'accuracy':>10}{'AUPRC':>8}"]
    lines += [
        f"{names[a]:<34}{100 * result[a]['accuracy']:>10.2f}{100 * result[a]['auprc']:>8.2f}" for a in ARMS
    ]
    lines += ["", f"{'bad pairs that DBPM found':<34}{'AUROC':>10}{'precision':>11}{'recall':>8}{'F1':>7}"]
    for kind in ("noisy", "faulty"):
        found = result["detection"][kind]
        shown = [("auroc", 10), ("precision", 11), ("recall", 8), ("f1", 7)]
        cells = "".join(
            f"{'-' if found[k] is None else format(found[k], '.3f'):>{width}}" for k, width in shown
        )
        lines.append(f"{kind:<34}{cells}")
    return "\n".join(lines)
