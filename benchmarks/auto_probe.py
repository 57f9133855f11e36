"""What share of the gap to the oracle does Auto close? Linear probes on the simulation, as JSON.

python -m benchmarks.auto_probe                      # z-scored, views without augmentation
python -m benchmarks.auto_probe --setting demo       # raw, the demo's views
"""

from __future__ import annotations

import argparse
import json
from dataclasses import replace
from typing import Any

import numpy as np
from benchmarks._losses import SEEDS, SMALL

from pairsift.data.kinds import NOISY, NORMAL
from pairsift.data.simulated import simulate
from pairsift.evaluation import probe_framework
from pairsift.training import Settings, pretrain, versions

SETTINGS = {  # whether series are z-scored, views, epochs
    "z-scored": (True, "none", 24),
    "demo": (False, "simulated", 15),
}
ARMS: dict[str, dict[str, Any]] = {
    "none": {"mining": "none"},
    "auto": {"mining": "auto"},
    "auto, weight of Eq. 7": {"mining": "auto", "weight": "gaussian"},
    "oracle": {"mining": "none"},
}
# Whether the probe learns from all series or from those that do not drown in noise; whether it standardises.
PROBES = {"paper's": (False, True), "raw": (False, False), "readable": (True, True)}


def probed(setting: str, arm: str, seed: int) -> dict[str, float]:
    """Accuracies of one training, a probe each, and the paper's on the validation part."""
    scaled, views, epochs = SETTINGS[setting]
    splits = simulate(standardise=scaled, seed=seed)
    truth = splits.train.truth
    assert truth is not None  # the simulation always says
    options = {"augmentation": views, "encoder_options": SMALL}
    settings = Settings(dataset="simulated", options=options, epochs=epochs, seed=seed, **ARMS[arm])
    series = splits.train if arm != "oracle" else splits.train.subset(np.flatnonzero(truth == NORMAL))
    framework = pretrain(series, settings, progress=False).framework
    readable = replace(splits, train=splits.train.subset(np.flatnonzero(truth != NOISY)))
    found = {}
    for name, (some, standardise) in PROBES.items():
        judged = probe_framework(framework, readable if some else splits, seed=seed, standardise=standardise)
        found[name] = judged["metrics"]["accuracy"]
        if name == "paper's":
            found["validation"] = judged["validation"]["accuracy"]
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--setting", choices=SETTINGS, default="z-scored")
    parser.add_argument("--seeds", nargs="+", type=int, default=SEEDS)
    chosen = parser.parse_args()
    found = {arm: {seed: probed(chosen.setting, arm, seed) for seed in chosen.seeds} for arm in ARMS}
    means = {
        arm: {name: float(np.mean([one[name] for one in seeds.values()])) for name in (*PROBES, "validation")}
        for arm, seeds in found.items()
    }
    closed = {
        arm: {
            name: (means[arm][name] - means["none"][name]) / (means["oracle"][name] - means["none"][name])
            for name in PROBES
        }
        for arm in ARMS
        if arm not in ("none", "oracle")
    }
    result = {"setting": chosen.setting, "versions": versions(), "seeds": found, "means": means}
    print(json.dumps(result | {"share_of_the_gap_closed": closed}, indent=1))


if __name__ == "__main__":
    main()
