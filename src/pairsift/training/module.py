"""The one equation as a Lightning module: loss = mean(miner(framework(views(x)), index))."""

from __future__ import annotations

import math
from typing import Any

import torch
from lightning import LightningModule
from torch import Tensor

from pairsift.data.series import Batch
from pairsift.frameworks import Framework
from pairsift.mining import FAULTY, NOISY, BadPairMiner, MendingMiner, hide_from_ddp
from pairsift.training.drawn import Strike, take_step
from pairsift.training.guard import Guard
from pairsift.training.moment import moment, take_up
from pairsift.training.seeds import DROPOUT, VIEWS, derive_seed

_NO_LOSS = {"loss": math.nan, "weighted_loss": math.nan}


class PairModule(LightningModule):
    """Trains a framework, with a miner between its losses and the optimiser.

    A step whose gradient is NaN or infinite is not taken; ten in a row end the training (``Guard``).

    Args:
        framework: gives views and per-pair losses.
        miner: weighs the losses; None for plain training.
        lr: Adam's learning rate.
        betas: Adam's.
        weight_decay: Adam's.
        seed: views and dropout repeat with it, epoch by epoch.
        strike: damages views of planted pairs after they are drawn, where an experiment wants that.
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
        strike: Strike | None = None,
    ) -> None:
        super().__init__()
        self.framework = framework
        self.miner = miner
        self.lr = lr
        self.betas = betas
        self.weight_decay = weight_decay
        self.seed = seed
        self.strike = strike
        self.guard = Guard()
        hide_from_ddp(self)
        hidden: Any = getattr(self, "_ddp_params_and_buffers_to_ignore", [])
        own = [f"guard.{name}" for name, _ in self.guard.named_buffers()]
        self._ddp_params_and_buffers_to_ignore: Any = [*hidden, *own]
        self._skipped_before = 0
        self._parameters_trained = [p for p in framework.parameters() if p.requires_grad]
        self._last: tuple[Tensor, Tensor] | None = None  # the batch's losses and index, for the guard
        self._generator: torch.Generator | None = None
        self._sums: Tensor | None = None  # this epoch's sums: raw loss, weighted loss, pairs
        self._taken_up: dict[str, Any] | None = None  # the middle of an epoch, from a checkpoint

    def __setattr__(self, name: str, value: Any) -> None:
        """Set an attribute; at once where it is the name of a hook, which Lightning notes 40 times a batch.

        torch's way for modules first asks whether a value is a parameter, a buffer or a module.
        """
        if name == "_current_fx_name":
            self.__dict__[name] = value
        else:
            super().__setattr__(name, value)

    def on_save_checkpoint(self, checkpoint: dict[str, Any]) -> None:
        """Add what the middle of an epoch needs; between epochs there is nothing to add."""
        if self._generator is not None and self._sums is not None:
            checkpoint["moment"] = moment(self._generator, self._sums, self._skipped_before)

    def on_load_checkpoint(self, checkpoint: dict[str, Any]) -> None:
        """Remember it until the training starts, and with it torch's randomness."""
        self._taken_up = checkpoint.get("moment")

    def on_train_start(self) -> None:
        """Go on in the middle of an epoch, whose start Lightning does not announce again."""
        if self._taken_up is not None:
            self._generator, self._sums, self._skipped_before = take_up(self._taken_up, self.device)
            self.guard.watch(self.framework.buffers())
            self._taken_up = None

    def on_train_epoch_start(self) -> None:
        """Give the epoch its own randomness, so that a resumed run needs no saved random state."""
        epoch, rank = self.current_epoch, self.global_rank
        self._generator = torch.Generator(self.device).manual_seed(derive_seed(self.seed, VIEWS, epoch, rank))
        torch.manual_seed(derive_seed(self.seed, DROPOUT, epoch, rank))  # dropout has no generator of its own
        self._sums = torch.zeros(3, dtype=torch.float64, device=self.device)
        self.guard.watch(self.framework.buffers())
        self._skipped_before = int(self.guard.skipped)
        if self.miner is not None:
            self.miner.start_epoch()

    def training_step(self, batch: Batch, batch_idx: int) -> Tensor:
        """Views, losses, weights, mean."""
        self.guard.before()
        step = take_step(self.framework, self.miner, batch, self._generator, self.strike)
        self._last = step.losses.detach(), step.index
        self._count(step.losses.detach(), step.loss.detach())
        return step.loss

    def on_before_optimizer_step(self, optimizer: torch.optim.Optimizer) -> None:
        """Tell Adam to leave out a step whose gradient is no number."""
        assert self._last is not None  # set by the step before
        gradients = [p.grad for p in self._parameters_trained if p.grad is not None]
        scaled = getattr(self.trainer.precision_plugin, "scaler", None) is not None
        found = self.guard.judge(gradients, *self._last, scaled=scaled)
        if not scaled:
            optimizer.found_inf = found  # type: ignore[attr-defined]

    def on_train_batch_end(self, outputs: Any, batch: Batch, batch_idx: int) -> None:
        """End a training that has stopped to learn."""
        self.guard.stop_if_hopeless(batch_idx, self.lr)

    def on_train_epoch_end(self) -> None:
        """Fold the epoch into the memory, on all processes alike, before a checkpoint is written."""
        self.guard.stop_if_hopeless(0, self.lr)
        if self.miner is not None:
            self.miner.end_epoch()
        self._generator = None

    def _count(self, losses: Tensor, loss: Tensor) -> None:
        assert self._sums is not None  # set at the epoch's start
        if losses.device.type == "cpu":  # where a number can be looked at without waiting for it
            told = float(losses.sum(dtype=torch.float64)), float(loss) * len(losses), float(len(losses))
            if math.isfinite(told[0] + told[1]):
                self._sums += torch.tensor(told, dtype=torch.float64)
                return
        finite = losses.isfinite() & loss.isfinite()
        pairs = finite.sum()
        whole = torch.where(finite, losses, 0).double().sum()
        self._sums += torch.stack([whole, torch.where(pairs > 0, loss, 0).double() * pairs, pairs.double()])

    def epoch_metrics(self) -> dict[str, float]:
        """What this epoch's batches came to; the miner's memory is closed for it.

        ``loss`` and ``weighted_loss`` are means over the pairs whose loss is a number (NaN if there is none),
        ``noisy`` and ``faulty`` count the bad pairs by all epochs so far (none in the warm-up), and where
        mending is on ``left_out`` and ``milder`` what was done with how many; ``skipped_batches`` those
        that gave no gradient to go by.
        """
        assert self._sums is not None
        sums = self._sums
        if self.trainer.world_size > 1:
            torch.distributed.all_reduce(sums)
        raw, weighted, pairs = sums.tolist()
        found = {"loss": raw / pairs, "weighted_loss": weighted / pairs} if pairs else _NO_LOSS
        if self.miner is not None:
            self.miner.end_epoch()
            kinds = self.miner.verdicts()
            found |= {
                name: int((kinds == kind).sum()) for name, kind in (("noisy", NOISY), ("faulty", FAULTY))
            }
        if isinstance(self.miner, MendingMiner):
            care = self.miner.care
            found |= {"left_out": int(care.left_out.sum()), "milder": int(care.milder.sum())}
        return {**found, "skipped_batches": int(self.guard.skipped) - self._skipped_before}

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
