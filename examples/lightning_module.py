"""Bad-pair mining in a Lightning module of one's own: a callback brings the miner, one line uses it.

The checkpoint holds what the miner remembers, so a resumed run goes on where it was; the module itself stays
as it is, and loads with or without mining.

python examples/lightning_module.py --epochs 10
"""

import argparse

import torch
from lightning import LightningModule, Trainer
from torch import Tensor, nn
from torch.utils.data import DataLoader, Dataset

from pairsift import BadPairMiner, BadPairMining
from pairsift.augment import jitter, scale
from pairsift.data import simulate
from pairsift.losses import InfoNCE


class Indexed(Dataset):
    """Series that say where they are: mining needs to know which pair a loss belongs to."""

    def __init__(self, x: Tensor) -> None:
        self.x = x

    def __len__(self) -> int:
        return len(self.x)

    def __getitem__(self, place: int) -> tuple[Tensor, int]:
        return self.x[place], place


class Contrast(LightningModule):
    """SimCLR in a page."""

    def __init__(self, channels: int, width: int = 32) -> None:
        super().__init__()
        self.encoder = nn.Sequential(
            nn.Conv1d(channels, width, 25, stride=3),
            nn.BatchNorm1d(width),
            nn.ReLU(),
            nn.Conv1d(width, width, 8, stride=2),
            nn.ReLU(),
            nn.AdaptiveAvgPool1d(4),
            nn.Flatten(),
        )
        self.head = nn.Sequential(nn.Linear(4 * width, width), nn.ReLU(), nn.Linear(width, width))
        self.criterion = InfoNCE()

    def training_step(self, batch: tuple[Tensor, Tensor], batch_idx: int) -> Tensor:
        """Views, losses, weights, mean."""
        x, index = batch
        u, v = scale(x, 0.1), jitter(x, 0.1)  # (B, C, T) each
        losses = self.criterion(self.head(self.encoder(u)), self.head(self.encoder(v)))  # (B,)
        self.log("loss", losses.mean(), on_step=False, on_epoch=True, prog_bar=True)
        return self.miner(losses, index).mean()  # the callback put the miner here

    def configure_optimizers(self) -> torch.optim.Optimizer:
        """Adam."""
        return torch.optim.Adam(self.parameters(), lr=1e-3)


def main(epochs: int, count: int) -> None:
    torch.manual_seed(0)
    series = simulate(count, 0, count // 6, count // 6, n_val=0).train
    data = Indexed(torch.from_numpy(series.x))
    # drop_last: the pairs of a short last batch would look easier than they are
    loader = DataLoader(data, batch_size=64, shuffle=True, drop_last=True)

    mining = BadPairMining(BadPairMiner(num_pairs=len(data), warmup_epochs=epochs // 3))
    trainer = Trainer(
        max_epochs=epochs,
        callbacks=[mining],
        logger=False,
        enable_checkpointing=False,
        enable_model_summary=False,
    )
    trainer.fit(Contrast(series.channels), loader)

    print({name: float(value) for name, value in trainer.callback_metrics.items()})
    table = mining.miner.table().assign(planted=series.truth)  # 0 normal, 1 noisy, 2 faulty
    print(table.groupby(["planted", "kind"], observed=True).size().to_string())


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--epochs", type=int, default=10)
    parser.add_argument("--count", type=int, default=600, help="series to simulate")
    given = parser.parse_args()
    main(given.epochs, given.count)
