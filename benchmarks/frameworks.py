"""Does every framework learn, and at what price? Parameters, time against SimCLR, probe before and after.

PAIRSIFT_DATA=... python -m benchmarks.frameworks --data har --epochs 5 --out docs/frameworks.json
"""

from __future__ import annotations

import argparse
import json
import time
from pathlib import Path
from typing import Any

import torch

from pairsift.data import load_dataset
from pairsift.evaluation import probe_framework
from pairsift.frameworks import FRAMEWORKS
from pairsift.training import make_framework, make_settings, pretrain, versions


def measured(name: str, data: str, epochs: int, seed: int, precision: str) -> dict[str, Any]:
    """One framework: untrained and after a short run, probed on standardised features."""
    splits = load_dataset(data)
    settings = make_settings(
        framework=name, dataset=data, mining="none", epochs=epochs, seed=seed, precision=precision
    )
    untrained = make_framework(settings, splits.train).eval()
    before = probe_framework(untrained, splits, seed=seed)["metrics"]["accuracy"]
    began = time.process_time()
    run = pretrain(splits.train, settings, progress=False)
    seconds = (time.process_time() - began) / epochs
    after = probe_framework(run.framework, splits, seed=seed)["metrics"]["accuracy"]
    return {
        "framework": name,
        "parameters": sum(p.numel() for p in run.framework.parameters() if p.requires_grad),
        "features": run.framework.out_features,
        "cpu_seconds_an_epoch": seconds,
        "untrained": before,
        "trained": after,
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", default="har")
    parser.add_argument("--epochs", type=int, default=5)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--precision", default="auto")
    parser.add_argument("--out", type=Path)
    chosen = parser.parse_args()
    torch.set_num_threads(1)  # so that CPU time is time
    rows = []
    for name in FRAMEWORKS:
        rows.append(measured(name, chosen.data, chosen.epochs, chosen.seed, chosen.precision))
        rows[-1]["epoch_relative_to_simclr"] = (
            rows[-1]["cpu_seconds_an_epoch"] / rows[0]["cpu_seconds_an_epoch"]
        )
        print(json.dumps(rows[-1]), flush=True)
    result = {"settings": {**vars(chosen), "out": None}, "versions": versions(), "rows": rows}
    if chosen.out:
        chosen.out.write_text(json.dumps(result, indent=2) + "\n")


if __name__ == "__main__":
    main()
