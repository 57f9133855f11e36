"""The callback: somebody else's module, mined, checkpointed, resumed, and otherwise left alone."""

from pathlib import Path

import pytest
import torch
from lightning import LightningModule, Trainer
from lightning.pytorch.callbacks import ModelCheckpoint
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

from pairsift.errors import PairsiftError
from pairsift.mining import BadPairMiner, ConstantWeight, MendingMiner, Sigma
from pairsift.training.callback import BadPairMining

N = 24
DATA = TensorDataset(torch.randn(N, 4, generator=torch.Generator().manual_seed(0)), torch.arange(N))


class Theirs(LightningModule):
    """Loss a pair: the squared distance of a linear map from 1, so that it is known in closed form."""

    def __init__(self, mined: bool = True, broken_at: tuple[int, int] | None = None) -> None:
        super().__init__()
        self.map = nn.Linear(4, 1)
        nn.init.constant_(self.map.weight, 0.1)
        nn.init.zeros_(self.map.bias)
        self.mined, self.broken_at, self.seen_in_validation = mined, broken_at, []

    def losses(self, x):
        return (self.map(x)[:, 0] - 1) ** 2

    def training_step(self, batch, batch_idx):
        if self.broken_at == (self.current_epoch, batch_idx):
            raise RuntimeError("power cut")
        losses = self.losses(batch[0])
        return self.miner(losses, batch[1]).mean() if self.mined else losses.mean()

    def validation_step(self, batch, batch_idx):
        losses = self.losses(batch[0])
        self.seen_in_validation.append(torch.equal(self.miner(losses, batch[1]), losses))

    def configure_optimizers(self):
        return torch.optim.SGD(self.parameters(), lr=0.05)


def miner(**how) -> BadPairMiner:
    return BadPairMiner(
        N, **{"warmup_epochs": 1, "threshold": Sigma(0.5, 0.5), "weight": ConstantWeight(0.25), **how}
    )


def loader() -> DataLoader:
    return DataLoader(DATA, batch_size=6)  # in order: the same batches in every epoch


class Resumable(DataLoader):
    """A loader that can say where in an epoch it is, and begin there: what Lightning asks of one.

    Without it Lightning goes on from the middle of an epoch with that epoch's first batches.
    """

    given = start = 0

    def __iter__(self):
        start, self.start = self.start, 0
        for self.given, batch in enumerate(super().__iter__(), 1):
            if self.given > start:
                yield batch

    def state_dict(self) -> dict[str, int]:
        return {"given": self.given % len(self)}

    def load_state_dict(self, state: dict[str, int]) -> None:
        self.start = state["given"]


def trainer(epochs: int, *callbacks, **how) -> Trainer:
    return Trainer(
        max_epochs=epochs,
        callbacks=list(callbacks),
        logger=False,
        enable_progress_bar=False,
        enable_model_summary=False,
        accelerator="cpu",
        **{"enable_checkpointing": any(isinstance(c, ModelCheckpoint) for c in callbacks), **how},
    )


def by_hand(epochs: int) -> tuple[Theirs, BadPairMiner]:
    """The same training, written out."""
    module, own = Theirs(), miner()
    sgd = module.configure_optimizers()
    for _ in range(epochs):
        own.start_epoch()
        for x, index in loader():
            sgd.zero_grad()
            own(module.losses(x), index).mean().backward()
            sgd.step()
        own.end_epoch()
    return module, own


def test_it_is_the_loop_written_out() -> None:
    mining, module = BadPairMining(miner()), Theirs()
    done = trainer(4, mining)
    done.fit(module, loader())
    expected, own = by_hand(4)
    assert torch.equal(module.map.weight, expected.map.weight)
    assert torch.equal(mining.miner.statistics().mean, own.statistics().mean)
    assert not torch.equal(by_hand(1)[0].map.weight, expected.map.weight)
    kinds = own.verdicts()
    assert done.callback_metrics["noisy_pairs"] == (kinds == 1).sum() > 0
    assert done.callback_metrics["faulty_pairs"] == (kinds == 2).sum() > 0


def test_the_module_stays_what_it_was() -> None:
    module, before = Theirs(), set(Theirs().state_dict())
    inside: list[set[str]] = []

    class Look(BadPairMining):
        def on_train_epoch_end(self, trainer, pl_module) -> None:
            inside.append(set(pl_module.state_dict()))
            assert all(m is not self.miner for m in pl_module.modules())
            super().on_train_epoch_end(trainer, pl_module)

    trainer(1, Look(miner())).fit(module, loader())
    assert inside == [before]
    assert not hasattr(module, "miner")


@pytest.mark.parametrize("broken_at", [(2, 0), (2, 3), (3, 1)])
@pytest.mark.parametrize("every", ["epoch", "step"])
def test_a_resumed_run_goes_on_where_it_was(tmp_path: Path, broken_at: tuple[int, int], every: str) -> None:
    how = {"every_n_epochs": 1} if every == "epoch" else {"every_n_train_steps": 1}
    keep = ModelCheckpoint(tmp_path, filename="last", save_top_k=1, enable_version_counter=False, **how)
    with pytest.raises(RuntimeError, match="power cut"):
        broken = Theirs(broken_at=broken_at)
        trainer(5, BadPairMining(miner()), keep).fit(broken, Resumable(DATA, batch_size=6))
    mining, module = BadPairMining(miner()), Theirs()
    trainer(5, mining).fit(module, Resumable(DATA, batch_size=6), ckpt_path=tmp_path / "last.ckpt")
    expected, own = by_hand(5)
    assert torch.equal(module.map.weight, expected.map.weight)
    assert torch.equal(mining.miner.statistics().mean, own.statistics().mean)
    assert torch.equal(mining.miner.statistics().seen, own.statistics().seen)


def test_a_loader_that_cannot_resume_gets_lightnings_warning_and_no_pair_counts_twice(tmp_path: Path) -> None:
    keep = ModelCheckpoint(tmp_path, filename="last", every_n_train_steps=1, enable_version_counter=False)
    with pytest.raises(RuntimeError, match="power cut"):
        trainer(2, BadPairMining(miner()), keep).fit(Theirs(broken_at=(1, 1)), loader())
    mining = BadPairMining(miner())
    with pytest.warns(UserWarning, match="your dataloader is not resumable"):
        trainer(2, mining).fit(Theirs(), loader(), ckpt_path=tmp_path / "last.ckpt")
    # one batch before the cut and three after it, which begin with that batch again: the last is not seen
    assert mining.miner.statistics().seen.tolist() == [2] * 18 + [1] * 6
    assert mining.miner.epoch == 2


def test_a_checkpoint_loads_without_mining(tmp_path: Path) -> None:
    done = trainer(2, BadPairMining(miner()))
    module = Theirs()
    done.fit(module, loader())
    done.save_checkpoint(tmp_path / "x.ckpt")
    assert torch.equal(Theirs.load_from_checkpoint(tmp_path / "x.ckpt").map.weight, module.map.weight)


def test_validation_passes_losses_unchanged_and_leaves_no_trace() -> None:
    module, mining = Theirs(), BadPairMining(miner())
    trainer(3, mining, num_sanity_val_steps=2).fit(module, loader(), loader())
    assert len(module.seen_in_validation) == 2 + 3 * 4 and all(module.seen_in_validation)
    assert torch.equal(mining.miner.statistics().mean, by_hand(3)[1].statistics().mean)


def test_mistakes_get_one_sentence(tmp_path: Path) -> None:
    with pytest.raises(PairsiftError, match="miner must be a BadPairMiner"):
        BadPairMining(N)
    with pytest.raises(PairsiftError, match=r"Theirs has an attribute 'map' already; give .* another name"):
        trainer(1, BadPairMining(miner(), attribute="map")).fit(Theirs(), loader())
    done = trainer(1, BadPairMining(miner()))
    done.fit(Theirs(), loader())
    done.save_checkpoint(tmp_path / "x.ckpt")
    with pytest.raises(PairsiftError, match="made with 24 pairs, the miner has num_pairs=30"):
        trainer(2, BadPairMining(BadPairMiner(30))).fit(Theirs(), loader(), ckpt_path=tmp_path / "x.ckpt")


class Mended(Theirs):
    """A module that asks the miner how to draw: "views" are the series, brought nearer to 0 where gentle."""

    def training_step(self, batch, batch_idx):
        x, index = batch
        plan = self.miner.plan(index)
        self.plans = [*getattr(self, "plans", []), (self.current_epoch, plan)]
        return self.miner(self.losses(x * (1 - plan.gentle[:, None])), index).mean()


def test_a_mending_miner_travels_and_resumes_like_any_other(tmp_path: Path) -> None:
    def mending() -> BadPairMining:
        return BadPairMining(MendingMiner(N, warmup_epochs=1, threshold=Sigma(0.5, 0.5), interval=2))

    straight, module = mending(), Mended()
    trainer(6, straight).fit(module, loader())
    care = straight.miner.care
    assert care.left_out.any() and care.milder.any()
    assert any(not plan.negatives.all() and plan.gentle.any() for epoch, plan in module.plans if epoch > 0)
    assert all(plan.negatives.all() and not plan.gentle.any() for epoch, plan in module.plans if epoch == 0)

    first = mending()
    begun = trainer(3, first)
    begun.fit(Mended(), loader())
    begun.save_checkpoint(tmp_path / "cut.ckpt")
    second = mending()
    trainer(6, second).fit(Mended(), loader(), ckpt_path=tmp_path / "cut.ckpt", weights_only=False)
    ours, theirs = straight.miner.state_dict(), second.miner.state_dict()
    assert [name for name, value in ours.items() if not torch.equal(value, theirs[name])] == []
    assert set(second.miner.table()["done"]) - {""}
