"""How many times faster `precision="auto"` trains than float32, and what the arithmetic units allow.

Whole epochs in turn, in CPU seconds of one thread. The floor: the convolutions and the linear map alone,
forward and backward, in both types. What `torch.compile` would bring is benchmarks/compiled.py.

    python -m benchmarks.precision
"""

from __future__ import annotations

import argparse
import copy
import sys
import time
from collections.abc import Callable
from typing import Any

import numpy as np
import torch
from benchmarks._loads import BATCH, HAR, HAR_PAIRS, PTB_XL, noise
from benchmarks._report import entry, median, report
from lightning.pytorch.callbacks import Callback
from torch import Tensor, nn

from pairsift.data import Series
from pairsift.mining import BadPairMiner, Sigma
from pairsift.training import make_framework, make_settings, pretrain
from pairsift.training.pretrain import resolve_precision


class EpochSeconds(Callback):
    """CPU seconds of each epoch."""

    def __init__(self) -> None:
        self.taken: list[float] = []

    def on_train_epoch_start(self, trainer: Any, pl_module: Any) -> None:
        self._began = time.process_time()

    def on_train_epoch_end(self, trainer: Any, pl_module: Any) -> None:
        self.taken.append(time.process_time() - self._began)


def epoch_seconds(series: Series, precision: str, **settings: Any) -> float:
    """The second epoch of a run, which mines."""
    wanted = make_settings(epochs=2, warmup=1, batch_size=BATCH, precision=precision, **settings)
    watch, miner = EpochSeconds(), BadPairMiner(len(series), 1, Sigma(1, 1), batch_size=BATCH)
    pretrain(series, wanted, miner=miner, progress=False, callbacks=[watch])
    return watch.taken[-1]


def whole_epochs(
    name: str, series: Series, rounds: int, bar: float | None, **settings: Any
) -> dict[str, Any]:
    """A float32 epoch over one of "auto"."""
    pairs = [[epoch_seconds(series, p, **settings) for p in ("32-true", "auto")] for _ in range(rounds)]
    ratio, spread = median([full / fast for full, fast in pairs])
    chosen = resolve_precision("auto")
    seconds = {"float32": round(min(p[0] for p in pairs), 2), chosen: round(min(p[1] for p in pairs), 2)}
    if chosen == "32-true":
        bar = None  # this machine has nothing faster
    return entry(
        f"{name}: a float32 epoch / one in {chosen}", ratio, bar, "at least", spread, seconds=seconds
    )


def in_turn(arms: dict[str, Callable[[], object]], rounds: int) -> dict[str, float]:
    """Median CPU seconds of each, one after the other, round after round."""
    taken: dict[str, list[float]] = {name: [] for name in arms}
    for _ in range(rounds + 1):
        for name, work in arms.items():
            began = time.process_time()
            work()
            taken[name].append(time.process_time() - began)
    return {name: float(np.median(values[1:])) for name, values in taken.items()}


def products_alone(series: Series, rounds: int) -> dict[str, Any]:
    """The convolutions and matrix products of encoder and head, each on its own input, and nothing else."""
    framework = make_framework(make_settings(dataset="har", epochs=2, warmup=1), series)
    layers: list[nn.Module] = []
    inputs: list[Tensor] = []

    def keep(module: nn.Module, given: tuple[Tensor, ...], out: Tensor) -> None:
        layers.append(module)
        inputs.append(given[0].detach())

    kinds = (nn.Conv2d, nn.Linear)
    hooks = [m.register_forward_hook(keep) for m in framework.modules() if isinstance(m, kinds)]
    framework(*framework.views(series[np.arange(BATCH)].x))
    for hook in hooks:
        hook.remove()

    def arm(kind: torch.dtype) -> Callable[[], object]:
        mine = [
            (m.to(kind), x.to(kind).requires_grad_())
            for m, x in zip(copy.deepcopy(layers), inputs, strict=True)
        ]

        def work() -> None:
            for module, x in mine:
                out = module(x)
                out.backward(out.detach())

        return work

    seconds = in_turn({"float32": arm(torch.float32), "bfloat16": arm(torch.bfloat16)}, rounds)
    ratio = seconds["float32"] / seconds["bfloat16"]
    told = {name: round(1e3 * value, 2) for name, value in seconds.items()}
    return entry("HAR: products alone in float32 / in bfloat16", ratio, milliseconds=told)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=5)
    chosen = parser.parse_args()
    torch.set_num_threads(1)
    har, ecg = noise(HAR_PAIRS, HAR), noise(8 * BATCH, PTB_XL)
    results = [
        whole_epochs("HAR", har, chosen.rounds, 1.7, dataset="har"),
        whole_epochs("PTB-XL, HAR's encoder", ecg, 3, None),
        products_alone(har, 10 * chosen.rounds),
    ]
    return report(results)


if __name__ == "__main__":
    sys.exit(main())
