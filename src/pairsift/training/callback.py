"""A miner for other people's Lightning modules."""

from __future__ import annotations

from typing import Any

from lightning import LightningModule, Trainer
from lightning.pytorch.callbacks import Callback

from pairsift.errors import PairsiftError
from pairsift.mining import FAULTY, NOISY, BadPairMiner


class BadPairMining(Callback):
    """Gives a module a miner, for ``training_step`` to call with per-pair losses and the pairs' places.

        class Contrast(LightningModule):
            def training_step(self, batch, batch_idx):
                x, index = batch                            # index: places in the dataset, (B,)
                losses = self.losses(x)                     # (B,), not yet averaged
                return self.miner(losses, index).mean()

        mining = BadPairMining(BadPairMiner(num_pairs=len(dataset), warmup_epochs=10))
        Trainer(callbacks=[mining]).fit(Contrast(), loader)
        mining.miner.table()

    With a ``MendingMiner`` the step asks first how to draw the views and whom to keep out of the negatives:

                plan = self.miner.plan(index)
                losses = self.losses(x, plan.gentle, plan.negatives)
                return self.miner(losses, index).mean()

    During ``fit`` the module has the miner as an attribute; it never becomes a part of the module. So the
    module's parameters and ``state_dict`` are what they were, a checkpoint loads with or without mining, and
    DistributedDataParallel does not see the memory. The callback starts and ends the epochs, keeps the
    miner on the module's device, lets losses pass unchanged in validation, saves the memory in the
    checkpoint, so that a resumed run goes on where it was, and logs ``noisy_pairs`` and ``faulty_pairs``
    after each epoch. From a checkpoint in the middle of an epoch Lightning goes on with the next batch only
    where the loader has ``state_dict`` and ``load_state_dict``; else it warns, and begins the loader anew.

    Args:
        miner: how pairs are judged and weighed.
        attribute: the module's name for it.
        log: whether to log how many pairs are bad.
    """

    def __init__(self, miner: BadPairMiner, attribute: str = "miner", log: bool = True) -> None:
        if not isinstance(miner, BadPairMiner):
            raise PairsiftError(
                f"miner must be a BadPairMiner, such as BadPairMiner(num_pairs=len(dataset)), got {miner!r}"
            )
        self.miner = miner
        self.attribute = attribute
        self.log = log
        self._within: int | None = None  # the epoch that has begun and not ended

    def setup(self, trainer: Trainer, pl_module: LightningModule, stage: str) -> None:
        """Give the module its miner."""
        if stage != "fit":
            return
        if getattr(pl_module, self.attribute, self.miner) is not self.miner:
            raise PairsiftError(
                f"{type(pl_module).__name__} has an attribute {self.attribute!r} already; give "
                "BadPairMining another name, attribute=..."
            )
        # Past nn.Module's own __setattr__, which would make it a part of the module.
        object.__setattr__(pl_module, self.attribute, self.miner)

    def on_fit_start(self, trainer: Trainer, pl_module: LightningModule) -> None:
        """Follow the module to its device."""
        self.miner.to(pl_module.device).train()

    def on_train_epoch_start(self, trainer: Trainer, pl_module: LightningModule) -> None:
        """Begin an epoch, unless a checkpoint was taken in the middle of this one."""
        if self._within != trainer.current_epoch:
            self.miner.start_epoch()
            self._within = trainer.current_epoch

    def on_train_batch_start(
        self, trainer: Trainer, pl_module: LightningModule, batch: Any, batch_idx: int
    ) -> None:
        """Begin an epoch that Lightning did not, as it resumes from a checkpoint at an epoch's last batch."""
        self.on_train_epoch_start(trainer, pl_module)

    def on_train_epoch_end(self, trainer: Trainer, pl_module: LightningModule) -> None:
        """End the epoch on all processes, before anybody writes a checkpoint, and count the bad pairs."""
        self.miner.end_epoch()
        self._within = None
        if self.log:
            kinds = self.miner.verdicts()
            for name, kind in (("noisy_pairs", NOISY), ("faulty_pairs", FAULTY)):
                pl_module.log(name, (kinds == kind).sum().float())

    def on_validation_start(self, trainer: Trainer, pl_module: LightningModule) -> None:
        """Let losses pass: nothing is learned from them."""
        self.miner.eval()

    def on_validation_end(self, trainer: Trainer, pl_module: LightningModule) -> None:
        """Go on mining."""
        self.miner.train()

    def teardown(self, trainer: Trainer, pl_module: LightningModule, stage: str) -> None:
        """Take the miner from the module; the callback keeps it."""
        pl_module.__dict__.pop(self.attribute, None)

    def state_dict(self) -> dict[str, Any]:
        """The memory, for the checkpoint."""
        return {"miner": self.miner.state_dict(), "within": self._within}

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        """Go on from a checkpoint's."""
        held = state_dict["miner"]["memory.mean"]
        if len(held) != self.miner.num_pairs:
            raise PairsiftError(
                f"the checkpoint was made with {len(held)} pairs, the miner has num_pairs="
                f"{self.miner.num_pairs}; go on with the dataset that it was made with"
            )
        self.miner.load_state_dict(state_dict["miner"])
        self._within = state_dict["within"]
