"""Does every framework learn, and at what price? Parameters, time against SimCLR, probes before and after.

PAIRSIFT_DATA=... python -m benchmarks.frameworks --out docs
"""

from __future__ import annotations

import argparse
import json
import time
from pathlib import Path
from typing import Any

import numpy as np
import torch

from pairsift.data import load_dataset
from pairsift.data.series import Splits
from pairsift.evaluation import probe_framework
from pairsift.frameworks import FRAMEWORKS, Framework
from pairsift.training import make_framework, make_settings, pretrain, versions

WHICH = (("raw", False), ("standardised", True))
TITLES = {
    "simclr": "SimCLR",
    "moco": "MoCo",
    "simsiam": "SimSiam",
    "tstcc": "TS-TCC",
    "tfc": "TF-C",
    "btsf": "BTSF (a reconstruction)",
}


def probed(framework: Framework, splits: Splits, seed: int) -> dict[str, float]:
    """Test accuracy of the linear probe on raw and on standardised features."""
    return {
        name: probe_framework(framework, splits, seed=seed, standardise=standardise)["metrics"]["accuracy"]
        for name, standardise in WHICH
    }


def measured(name: str, data: str, epochs: int, seed: int, precision: str) -> dict[str, Any]:
    """One framework, untrained and after a short run."""
    splits = load_dataset(data, seed=seed) if data == "simulated" else load_dataset(data)
    settings = make_settings(
        framework=name, dataset=data, mining="none", epochs=epochs, seed=seed, precision=precision
    )
    before = probed(make_framework(settings, splits.train).eval(), splits, seed)
    began = time.process_time()
    run = pretrain(splits.train, settings, progress=False)
    seconds = (time.process_time() - began) / epochs
    return {
        "framework": name,
        "data": data,
        "seed": seed,
        "parameters": sum(p.numel() for p in run.framework.parameters() if p.requires_grad),
        "features": run.framework.out_features,
        "cpu_seconds_an_epoch": seconds,
        "untrained": before,
        "trained": probed(run.framework, splits, seed),
    }


def table(rows: list[dict[str, Any]], data: str) -> list[str]:
    """One dataset's rows as Markdown: means over the seeds."""
    lines = [
        "| framework | parameters | features | an epoch's time, SimCLR's = 1 "
        "| raw: untrained → trained | standardised: untrained → trained |",
        "|---|---:|---:|---:|---:|---:|",
    ]
    here = [row for row in rows if row["data"] == data]
    base = np.mean([row["cpu_seconds_an_epoch"] for row in here if row["framework"] == "simclr"])
    for name in FRAMEWORKS:
        own = [row for row in here if row["framework"] == name]
        time_ = np.mean([row["cpu_seconds_an_epoch"] for row in own]) / base
        cells = [
            " → ".join(
                f"{100 * np.mean([row[when][kind] for row in own]):.1f}" for when in ("untrained", "trained")
            )
            for kind, _ in WHICH
        ]
        lines.append(
            f"| {TITLES[name]} | {own[0]['parameters']:,} | {own[0]['features']:,} | {time_:.2f} "
            f"| {cells[0]} | {cells[1]} |"
        )
    return lines


def page(result: dict[str, Any], command: str) -> str:
    """The whole page."""
    settings, lines = result["settings"], ["# Frameworks, their price and what they learn", ""]
    seeds = ", ".join(map(str, settings["seeds"]))
    means = " (means)" if len(settings["seeds"]) > 1 else ""
    lines += [
        f"Written by `{command}` with docs/frameworks.json beside it; do not edit it by hand.",
        "",
        f"Each framework with its own default settings for the dataset, without mining, {settings['epochs']} "
        f"epochs, batches of 128, Adam at 3e-4; seed {seeds}{means}. "
        "Accuracy in percent of the linear probe on the test part, on the same encoder before and after. An "
        "untrained encoder is no empty one: its random convolutions, and more so a spectrum, separate much, "
        "above all with standardised features. The probe learns for 40 epochs at one rate, so it makes "
        "little of raw features that are small, as SimSiam's and TS-TCC's are on the simulation. Time is CPU "
        "seconds of one thread, whole epochs. Longer runs are in [results.md](results.md).",
    ]
    for data in settings["data"]:
        lines += ["", f"## {data}", "", *table(result["rows"], data)]
    return "\n".join(lines) + "\n"


def kept(folder: Path | None, data: list[str]) -> list[dict[str, Any]]:
    """Rows of other datasets that the folder has already."""
    path = None if folder is None else folder / "frameworks.json"
    if path is None or not path.exists():
        return []
    rows: list[dict[str, Any]] = json.loads(path.read_text())["rows"]
    return [row for row in rows if row.get("data", data[0]) not in data]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", nargs="+", default=["har", "simulated"])
    parser.add_argument("--epochs", type=int, default=5)
    parser.add_argument("--seeds", nargs="+", type=int, default=[0])
    parser.add_argument("--precision", default="auto")
    parser.add_argument("--out", type=Path, help="the folder for frameworks.json and frameworks.md")
    chosen = parser.parse_args()
    torch.set_num_threads(1)  # so that CPU time is time
    rows = kept(chosen.out, chosen.data)
    for data in chosen.data:
        for seed in chosen.seeds:
            for name in FRAMEWORKS:
                rows.append(measured(name, data, chosen.epochs, seed, chosen.precision))
                print(json.dumps(rows[-1]), flush=True)
    settings = {k: v for k, v in vars(chosen).items() if k != "out"}
    settings["data"] = list(dict.fromkeys(row["data"] for row in rows))
    result = {"settings": settings, "versions": versions(), "rows": rows}
    if chosen.out:
        words = " ".join(
            f"--{k} {' '.join(map(str, v)) if isinstance(v, list) else v}" for k, v in settings.items()
        )
        command = f"python -m benchmarks.frameworks {words} --out {chosen.out}"
        (chosen.out / "frameworks.json").write_text(json.dumps(result, indent=2) + "\n")
        (chosen.out / "frameworks.md").write_text(page(result, command))


if __name__ == "__main__":
    main()
