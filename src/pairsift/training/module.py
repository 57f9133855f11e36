"""The one equation as a Lightning module: loss = mean(miner(framework(views(x)), index))."""

from __future__ import annotations

from typing import Any

import torch
from lightning import LightningModule
from torch import Tensor

from pairsift.data.series import Batch
from pairsift.frameworks import Framework
from pairsift.mining import BadPairMiner
from pairsift.training.seeds import DROPOUT, VIEWS, derive_seed


class PairModule(LightningModule):
    """Trains a framework, with a miner between its losses and the optimiser.

    Args:
        framework: gives views and per-pair losses.
        miner: weighs the losses; None for plain training.
        lr: Adam's learning rate.
        betas: Adam's.
        weight_decay: Adam's.
        seed: views and dropout repeat with it, epoch by epoch.
    """

    def __init__(
        self,
        framework: Framework,
        miner: BadPairMiner | None = None,
        *,
        lr: float = 3e-4,
        betas: tuple[float, float] = (0.9, 0.99),
        weight_decay: float = 3e-4,
        seed: int = 0,
    ) -> None:
        super().__init__()
        self.framework = framework
        self.miner = miner
        self.lr = lr
        self.betas = betas
        self.weight_decay = weight_decay
        self.seed = seed
        self._generator: torch.Generator | None = None
        self._sums: Tensor | None = None  # this epoch's sums: raw loss, weighted loss, pairs

    def on_train_epoch_start(self) -> None:
        """Give the epoch its own randomness, so that a resumed run needs no saved random state."""
        epoch, rank = self.current_epoch, self.global_rank
        self._generator = torch.Generator(self.device).manual_seed(derive_seed(self.seed, VIEWS, epoch, rank))
        torch.manual_seed(derive_seed(self.seed, DROPOUT, epoch, rank))  # dropout has no generator of its own
        self._sums = torch.zeros(3, dtype=torch.float64, device=self.device)
        if self.miner is not None:
            self.miner.start_epoch()

    def training_step(self, batch: Batch, batch_idx: int) -> Tensor:
        """Views, losses, weights, mean."""
        u, v = self.framework.views(batch.x, batch.other, generator=self._generator)
        losses = self.framework(u, v)
        weighted = losses if self.miner is None else self.miner(losses, batch.index)
        loss: Tensor = weighted.mean()
        self._count(losses.detach(), loss.detach())
        return loss

    def _count(self, losses: Tensor, loss: Tensor) -> None:
        assert self._sums is not None  # set at the epoch's start
        self._sums += torch.stack(
            [losses.double().sum(), loss.double() * len(losses), loss.new_tensor(len(losses))]
        )

    def epoch_metrics(self) -> dict[str, float]:
        """What this epoch's batches came to; one wait for the device."""
        assert self._sums is not None
        sums = self._sums
        if self.trainer.world_size > 1:
            torch.distributed.all_reduce(sums)
        raw, weighted, pairs = sums.tolist()
        return {"loss": raw / max(pairs, 1), "weighted_loss": weighted / max(pairs, 1)}

    def transfer_batch_to_device(self, batch: Batch, device: torch.device, dataloader_idx: int) -> Batch:
        """Move the series; None stays None."""
        other = None if batch.other is None else batch.other.to(device, non_blocking=True)
        x, index = (part.to(device, non_blocking=True) for part in (batch.x, batch.index))
        return Batch(x, index, other)

    def configure_optimizers(self) -> torch.optim.Optimizer:
        """Adam over what has a gradient, in one fused call a step."""
        parameters = [p for p in self.framework.parameters() if p.requires_grad]
        options: dict[str, Any] = {"lr": self.lr, "betas": self.betas, "weight_decay": self.weight_decay}
        return torch.optim.Adam(parameters, fused=True, **options)
