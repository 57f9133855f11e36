"""The demo: SimCLR on the paper's simulation three ways, a table, and Figure 2."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from pairsift.bench.figures import dynamics_figure
from pairsift.data.kinds import NOISY
from pairsift.data.series import Series, Splits
from pairsift.data.simulated import simulate
from pairsift.evaluation import detection_metrics, probe_framework
from pairsift.training import Run, Settings, make_settings, pretrain, versions, write_json
from pairsift.training.folder import prepare_folder

# Chosen by the validation part so that bad pairs visibly hurt: a small encoder that averages over time, views
# by scaling, permutation and jitter, 15 epochs. beta 1: with a sixth of the pairs bad on each side, a whole
# group lies at most 1.73 sigma from the mean, which larger betas cannot catch.
SETTINGS = Settings(
    framework="simclr",
    dataset="simulated",
    options={
        "augmentation": "simulated",
        "encoder_options": {"widths": [8, 16, 32], "stride": 3, "dropout": 0.0, "pooling": "average"},
    },
    mining="dbpm",
    noisy=1.0,
    faulty=1.0,
    epochs=15,
    precision="auto",
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
    settings = make_settings(SETTINGS, seed=seed, **options)
    splits = simulate(seed=seed)
    result: dict[str, Any] = {}
    mined: Run | None = None
    for arm in ARMS:
        say(f"training: {arm}")
        run = pretrain(_learned_from(splits, arm), settings, mining="dbpm" if arm == "dbpm" else "none")
        result[arm] = _probed(run, splits, seed)
        mined = run if arm == "dbpm" else mined
    assert mined is not None and mined.miner is not None
    result["detection"] = _detection(out, mined, splits.train)
    result["settings"] = {**settings.model_dump(), "simulation": splits.train.facts["settings"]}
    result["versions"] = versions()
    result["seconds"] = round(time.perf_counter() - began, 1)
    write_json(out / "metrics.json", result)
    return result


def _probed(run: Run, splits: Splits, seed: int) -> dict[str, Any]:
    """The paper's probe, and a second one that no drowned series has a part in.

    A series that drowns in noise has a label but nothing to read it from, and in an encoder that never met
    such a series (the oracle's) its features lie far from all others and decide how those are standardised.
    """
    train = splits.train
    assert train.truth is not None  # the simulation always says
    readable = replace(splits, train=train.subset(np.flatnonzero(train.truth != NOISY)))
    paper = probe_framework(run.framework, splits, seed=seed)["metrics"]
    second = probe_framework(run.framework, readable, seed=seed, standardise=False)["metrics"]
    return {
        "accuracy": paper["accuracy"],
        "auprc": paper["auprc"],
        "readable_raw": {"accuracy": second["accuracy"], "auprc": second["auprc"]},
    }


def _learned_from(splits: Splits, arm: str) -> Series:
    train = splits.train
    if arm != "oracle":
        return train
    assert train.truth is not None
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
    lines = [f"{'linear probe on the test set':<34}{'accuracy':>10}{'AUPRC':>8}{'accuracy*':>12}"]
    for arm in ARMS:
        found = (result[arm]["accuracy"], result[arm]["auprc"], result[arm]["readable_raw"]["accuracy"])
        cells = "".join(f"{100 * value:>{width}.2f}" for value, width in zip(found, (10, 8, 12)))
        lines.append(f"{names[arm]:<34}{cells}")
    lines.append("* probe fitted without the series that drown in noise, on raw features")
    lines += ["", f"{'bad pairs that DBPM found':<34}{'AUROC':>10}{'precision':>11}{'recall':>8}{'F1':>7}"]
    for kind in ("noisy", "faulty"):
        found = result["detection"][kind]
        shown = [("auroc", 10), ("precision", 11), ("recall", 8), ("f1", 7)]
        cells = "".join(
            f"{'-' if found[k] is None else format(found[k], '.3f'):>{width}}" for k, width in shown
        )
        lines.append(f"{kind:<34}{cells}")
    return "\n".join(lines)
