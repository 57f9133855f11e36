"""What each of two processes does in test_processes.py, with the environment that torchrun would give it."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager, redirect_stdout
from pathlib import Path
from unittest import mock

import torch
from lightning import LightningModule, Trainer
from lightning.pytorch.strategies import DDPStrategy
from torch import Tensor, nn
from torch.utils.data import DataLoader

from pairsift.data.series import Series
from pairsift.data.simulated import simulate
from pairsift.frameworks import SimCLR, SimCLRConfig
from pairsift.mining import BadPairMiner, Sigma
from pairsift.training import BadPairMining, pretrain

WORLD, PAIRS, EPOCHS = 2, 67, 4
BATCH = 8  # a process: an epoch is 4 batches of 16 and leaves out 3 pairs


@contextmanager
def as_torchrun(rank: int, where: dict[str, str]) -> Iterator[None]:
    """The variables that torchrun sets for each process; where they meet is given."""
    said = {"RANK": rank, "LOCAL_RANK": rank, "WORLD_SIZE": WORLD, "LOCAL_WORLD_SIZE": WORLD, "GROUP_RANK": 0}
    with mock.patch.dict(os.environ, {k: str(v) for k, v in said.items()} | where):
        yield


def series() -> Series:
    return simulate(n_train=PAIRS, n_test=0, n_val=0, noisy=6, faulty=6, length=60, segment=20, seed=1).train


class Linear(nn.Sequential):
    """An encoder without batch norm: each series by itself, so that how a batch is cut shows nowhere."""

    def __init__(self) -> None:
        super().__init__(nn.Flatten(), nn.Linear(60, 8))


def plain(gather: bool = True) -> SimCLR:
    """SimCLR with that encoder and without augmentation; the same weights each time."""
    with torch.random.fork_rng():
        torch.manual_seed(0)
        config = SimCLRConfig(augmentation="none", gather=gather)
        framework = SimCLR(1, 60, config=config)
        framework.encoder, framework.head = Linear(), nn.Linear(8, 4)
    return framework


class Recording(BadPairMiner):
    """A miner that keeps what it was given and what it gave back."""

    def __init__(self, num_pairs: int = PAIRS) -> None:
        super().__init__(num_pairs, warmup_epochs=1, threshold=Sigma(0.5, 1))
        self.given: list[tuple[int, Tensor, Tensor, Tensor]] = []  # epoch, losses, index, weighed

    def forward(self, losses: Tensor, index: Tensor) -> Tensor:
        weighed = super().forward(losses, index)
        self.given.append((self.epoch, losses.detach().clone(), index.clone(), weighed.detach().clone()))
        return weighed


def trained(batch: int, gather: bool = True) -> dict[str, object]:
    """Train on the simulation in however many processes there are."""
    torch.set_num_threads(1)
    framework, miner = plain(gather), Recording()
    more = {"epochs": EPOCHS, "warmup": 1, "batch_size": batch, "lr": 0.01}
    run = pretrain(series(), framework=framework, miner=miner, progress=False, **more)
    return {
        "weights": framework.state_dict(),
        "miner": miner.state_dict(),
        "verdicts": miner.verdicts(),
        "given": miner.given,
        "metrics": [{k: v for k, v in row.items() if k != "seconds"} for row in run.metrics],
        "history": run.history.table(),
    }


class Theirs(LightningModule):
    """Somebody's own module: a pair's loss is its own number times a weight that is learned."""

    def __init__(self, level: Tensor) -> None:
        super().__init__()
        self.level = level
        self.factor = nn.Parameter(torch.ones(()))

    def training_step(self, batch: Tensor, batch_idx: int) -> Tensor:
        return self.miner(self.level[batch] * self.factor, batch).mean()

    def configure_optimizers(self) -> torch.optim.Optimizer:
        return torch.optim.SGD(self.parameters(), lr=0.01)


def theirs() -> dict[str, object]:
    """Their module under Lightning, whose DistributedSampler pads 67 pairs to 34 for each process."""
    torch.set_num_threads(1)
    level = 3 + 0.3 * torch.randn(PAIRS, generator=torch.Generator().manual_seed(0))
    level[:5] -= 2
    mining = BadPairMining(Recording(), log=False)
    trainer = Trainer(
        max_epochs=EPOCHS,
        accelerator="cpu",
        devices=WORLD,
        strategy=DDPStrategy(process_group_backend="gloo"),
        callbacks=[mining],
        logger=False,
        enable_checkpointing=False,
        enable_progress_bar=False,
        enable_model_summary=False,
    )
    trainer.fit(Theirs(level), DataLoader(torch.arange(PAIRS), batch_size=BATCH, shuffle=True))
    miner = mining.miner
    return {"miner": miner.state_dict(), "verdicts": miner.verdicts(), "given": miner.given}


def work(rank: int, where: dict[str, str], folder: Path) -> None:
    """Both trainings, one after the other; what came of them goes to a file."""
    with as_torchrun(rank, where):
        results = {"ours": trained(BATCH), "apart": trained(BATCH, gather=False), "theirs": theirs()}
    torch.save(results, folder / f"{rank}.pt")


def command(rank: int, where: dict[str, str], folder: Path, words: list[str]) -> None:
    """The command line, with what it says in a file; ends the process with its exit code."""
    torch.set_num_threads(1)
    from pairsift.cli import main

    sys.argv = ["pairsift", *words]
    with as_torchrun(rank, where), (folder / f"{rank}.txt").open("w") as file, redirect_stdout(file):
        os.dup2(file.fileno(), 2)
        main()
