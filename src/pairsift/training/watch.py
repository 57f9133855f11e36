"""Once an epoch: has the encoder collapsed, and were batches left out? Each is said once a run."""

from __future__ import annotations

import warnings
from typing import Any

import torch
from lightning import LightningModule, Trainer
from lightning.pytorch.callbacks import Callback

from pairsift.data.series import Series
from pairsift.frameworks.collapse import embedding_spread, spread_message
from pairsift.losses import NegativeCosine
from pairsift.losses.collapse import collapse_message
from pairsift.training.module import PairModule
from pairsift.training.progress import EpochLog

_LOOKED_AT = 64  # series whose embeddings are compared: a look costs as much as a sixth of a step


class Watch(Callback):
    """Warns of a collapse that lasts for two epochs, and of the first batches that had to be left out.

    Args:
        series: what is learned from; some of them are embedded after each epoch.
        batch_size: pairs a batch: how low a loss without any knowledge can be depends on it.
        kept: where the epoch's mean loss stands.
    """

    def __init__(self, series: Series, batch_size: int, kept: EpochLog) -> None:
        self.series = series
        self.batch_size = batch_size
        self.kept = kept
        self.first_spread: float | None = None
        self._before: set[str] = set()  # what the epoch before gave cause for
        self._said: set[str] = set()

    def on_train_start(self, trainer: Trainer, pl_module: LightningModule) -> None:
        """Look at the untrained encoder: what spread is small depends on the series."""
        assert isinstance(pl_module, PairModule)
        if trainer.is_global_zero and self.first_spread is None:
            self.first_spread = self._spread(pl_module)

    def on_train_epoch_end(self, trainer: Trainer, pl_module: LightningModule) -> None:
        """Look at this epoch."""
        assert isinstance(pl_module, PairModule)
        if not trainer.is_global_zero or not self.kept.rows:
            return
        row = self.kept.rows[-1]
        if row.get("skipped_batches"):
            self._say(
                "skipped",
                f"epoch {row['epoch']:.0f}: {row['skipped_batches']:.0f} batches were left out: their losses "
                f"or gradients are NaN or infinite; among their pairs are {pl_module.guard.names()}",
            )
        found = self._collapse(pl_module, row["loss"])
        for kind in found.keys() & self._before:
            self._say(kind, f"epoch {row['epoch']:.0f}: {found[kind]}")
        self._before = set(found)

    def _collapse(self, module: PairModule, loss: float) -> dict[str, str]:
        """What looks like a collapse, in words, by kind."""
        framework = module.framework
        negatives = not isinstance(framework.criterion, NegativeCosine)
        said = {
            "loss": collapse_message(loss, framework.chance_level(self.batch_size)),
            "spread": spread_message(self._spread(module), self.first_spread or 0.0, negatives=negatives),
        }
        return {kind: sentence for kind, sentence in said.items() if sentence is not None}

    def _spread(self, module: PairModule) -> float:
        rows = torch.arange(min(len(self.series), _LOOKED_AT))
        return float(embedding_spread(module.framework.embed(self.series[rows].x.to(module.device))))

    def state_dict(self) -> dict[str, Any]:
        """What a resumed run must not forget."""
        return {"first_spread": self.first_spread, "before": sorted(self._before), "said": sorted(self._said)}

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        """Go on from a checkpoint's."""
        self.first_spread = state_dict["first_spread"]
        self._before, self._said = set(state_dict["before"]), set(state_dict["said"])

    def _say(self, kind: str, sentence: str) -> None:
        if kind not in self._said:
            warnings.warn(sentence, stacklevel=2)
        self._said.add(kind)
