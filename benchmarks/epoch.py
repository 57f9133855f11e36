"""A whole epoch of SimCLR with DBPM at HAR's size against the obvious way to write it; the gap as N grows.

Both train the same encoder and head, each as its user would run it, in a process of its own on one
thread; the two take turns, and CPU seconds of an epoch that mines are compared.

    python -m benchmarks.epoch
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import time
from typing import Any

import numpy as np
import torch
from benchmarks._loads import BATCH, HAR, HAR_PAIRS, noise
from benchmarks._report import entry, median, report
from benchmarks.baseline.obvious import ObviousMiner, TwoViewsDataset, train_epoch
from benchmarks.baseline.plain import plain_encoder
from benchmarks.precision import EpochSeconds
from torch import nn
from torch.utils.data import DataLoader

from pairsift.augment import STRENGTHS
from pairsift.frameworks import SimCLR
from pairsift.mining import BadPairMiner, Sigma
from pairsift.training import Settings, make_framework, make_settings, pretrain

EPOCHS = 3  # the first one only watches
# A small encoder, so that what surrounds it shows and large N can be had.
SMALL = {"encoder_options": {"widths": [4, 4, 4]}, "hidden": 8}


def settings_of(way: dict[str, Any]) -> Settings:
    options = SMALL if way["small"] else {}
    return make_settings(
        epochs=EPOCHS, warmup=1, precision=way["precision"], dataset="har", batch_size=BATCH, options=options
    )


def ours(way: dict[str, Any]) -> list[float]:
    """Epochs by the library."""
    watch, miner = EpochSeconds(), BadPairMiner(way["pairs"], 1, Sigma(1, 1), batch_size=BATCH)
    series = noise(way["pairs"], HAR)
    pretrain(series, settings_of(way), miner=miner, progress=False, callbacks=[watch])
    return watch.taken


def obvious(way: dict[str, Any]) -> list[float]:
    """Epochs by the obvious way."""
    series, har = noise(way["pairs"], HAR), STRENGTHS["har"]
    data = TwoViewsDataset(series.x, har.scale, har.jitter, har.segments)
    loader = DataLoader(data, batch_size=BATCH, shuffle=True, drop_last=True)
    like = make_framework(settings_of(way), series)
    assert isinstance(like, SimCLR)
    encoder = plain_encoder(HAR[0], 8, 0.35, [32, 64, 128]) if way["plain"] else like.encoder
    network = nn.Sequential(encoder, like.head)
    adam = torch.optim.Adam(network.parameters(), lr=3e-4)
    miner, taken = ObviousMiner(len(series), 1, 1.0, 1.0), []
    for _ in range(EPOCHS):
        began = time.process_time()
        train_epoch(network, adam, loader, miner)
        taken.append(time.process_time() - began)
    return taken


WAYS = {"ours": ours, "obvious": obvious}


def seconds(name: str, pairs: int, precision: str, small: bool, plain: bool = False) -> float:
    """The median epoch that mines, in a fresh process."""
    way = {"name": name, "pairs": pairs, "precision": precision, "small": small, "plain": plain}
    run = [sys.executable, "-W", "ignore", "-m", "benchmarks.epoch", "--one", json.dumps(way)]
    taken = json.loads(subprocess.run(run, stdout=subprocess.PIPE, check=True).stdout)
    return float(np.median(taken[1:]))


def ratio(
    pairs: int, precision: str, rounds: int, small: bool = False, plain: bool = False
) -> tuple[float, float, dict[str, Any]]:
    """How many of our epochs fit into one of the obvious way's, its noise, and both in seconds."""
    turns = [
        (seconds("obvious", pairs, "32-true", small, plain), seconds("ours", pairs, precision, small))
        for _ in range(rounds)
    ]
    value, spread = median([theirs / own for theirs, own in turns])
    told = {"obvious": round(min(t[0] for t in turns), 2), "ours": round(min(t[1] for t in turns), 2)}
    return value, spread, {"pairs": pairs, "precision": precision, "seconds": told}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--one", help=argparse.SUPPRESS)
    chosen = parser.parse_args()
    torch.set_num_threads(1)
    if chosen.one:
        way = json.loads(chosen.one)
        print(json.dumps(WAYS[way["name"]](way)))
        return 0
    value, spread, about = ratio(HAR_PAIRS, "auto", chosen.rounds)
    results = [entry("obvious way / ours, an epoch at HAR's size", value, 3.0, "at least", spread, **about)]
    value, spread, about = ratio(HAR_PAIRS, "32-true", max(1, chosen.rounds - 1))
    results.append(entry("the same, both in float32", value, **about))
    value, spread, about = ratio(HAR_PAIRS, "auto", max(1, chosen.rounds - 1), plain=True)
    name = "obvious way, its encoder in torch's own one-dimensional layers / ours"
    results.append(entry(name, value, **about))
    gaps = [ratio(pairs, "32-true", 1, small=True) for pairs in (5_000, 20_000, 40_000)]
    told = {str(about["pairs"]): round(value, 2) for value, _, about in gaps}
    name = "how the ratio grows, 40,000 pairs / 5,000, small encoder"
    results.append(entry(name, gaps[-1][0] / gaps[0][0], 1.0, "at least", ratios=told))
    return report(results)


if __name__ == "__main__":
    sys.exit(main())
