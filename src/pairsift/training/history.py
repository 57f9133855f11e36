"""How the losses went, epoch by epoch, of a bounded sample of the pairs: for figures and the audit page."""

from __future__ import annotations

from typing import Any

import torch
from lightning import LightningModule, Trainer
from lightning.pytorch.callbacks import Callback
from torch import Tensor

from pairsift.mining import BadPairMiner
from pairsift.training.seeds import HISTORY, derive_seed


class LossHistory(Callback):
    """Keeps each epoch's loss of at most ``most`` pairs; it travels in the checkpoint.

    Args:
        miner: whose memory is read, once an epoch.
        most: pairs to follow; drawn once when there are more.
        seed: of that draw.
    """

    def __init__(self, miner: BadPairMiner, most: int = 5000, seed: int = 0) -> None:
        self.miner = miner
        generator = torch.Generator().manual_seed(derive_seed(seed, HISTORY))
        followed = torch.randperm(miner.num_pairs, generator=generator)[:most]
        self.index: Tensor = followed.sort().values  # (P,)
        self.losses: list[Tensor] = []  # an epoch each, (P,); NaN where an epoch did not see the pair

    def on_train_epoch_end(self, trainer: Trainer, pl_module: LightningModule) -> None:
        """Read the epoch's losses before the miner folds them into its means."""
        memory, index = self.miner.memory, self.index.to(pl_module.device)
        total, visits = memory.total[index].double(), memory.visits[index].double()
        if trainer.world_size > 1:
            for part in (total, visits):
                torch.distributed.all_reduce(part)
        self.losses.append((total / visits).float().cpu())

    def table(self) -> Tensor:
        """All epochs' losses, shape (E, P)."""
        return torch.stack(self.losses) if self.losses else torch.empty(0, len(self.index))

    def state_dict(self) -> dict[str, Any]:
        """The losses so far."""
        return {"losses": self.table()}

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        """Go on from a checkpoint's."""
        self.losses = list(state_dict["losses"].unbind())
