"""Whether this process is one of several that train together, as torchrun starts them."""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import torch

from pairsift.errors import PairsiftError

if TYPE_CHECKING:
    from lightning.fabric.plugins.environments.cluster_environment import ClusterEnvironment


@dataclass(frozen=True)
class Processes:
    """Who trains together.

    Args:
        rank: this process's number.
        world: how many there are.
        local: how many of them are on this machine.
    """

    rank: int = 0
    world: int = 1
    local: int = 1

    @property
    def first(self) -> bool:
        """Whether this is the process that writes and speaks."""
        return self.rank == 0

    def environment(self) -> ClusterEnvironment:
        """Lightning's word for it, said and not left to be guessed.

        Else a run of one process inside a SLURM job would take itself for a part of all the job's tasks.
        """
        from lightning.fabric.plugins.environments.lightning import LightningEnvironment
        from lightning.fabric.plugins.environments.torchelastic import TorchElasticEnvironment

        return LightningEnvironment() if self.world == 1 else TorchElasticEnvironment()

    def for_trainer(self) -> dict[str, Any]:
        """What else Lightning's Trainer needs to be told."""
        if self.world == 1:
            return {"devices": 1}
        from lightning.pytorch.strategies import DDPStrategy

        backend = "nccl" if torch.cuda.is_available() else "gloo"
        strategy = DDPStrategy(process_group_backend=backend, gradient_as_bucket_view=True)
        return {"strategy": strategy, "devices": self.local, "num_nodes": self.world // self.local}


def processes() -> Processes:
    """What torchrun says in the environment; one process where it did not start this one."""
    if "RANK" not in os.environ or "LOCAL_RANK" not in os.environ:
        return Processes()
    try:
        rank, world = int(os.environ["RANK"]), int(os.environ.get("WORLD_SIZE", "1"))
        local = int(os.environ.get("LOCAL_WORLD_SIZE", "1"))
    except ValueError:
        raise PairsiftError(
            "RANK, WORLD_SIZE and LOCAL_WORLD_SIZE must be whole numbers, as torchrun sets them"
        ) from None
    return Processes(rank, world, local)
