"""Bad-pair mining in a plain PyTorch loop: three lines, marked below; the rest knows nothing of pairsift.

python examples/plain_pytorch.py --epochs 10
"""

import argparse

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from pairsift import BadPairMiner


def make_series(count: int, length: int = 100) -> Tensor:
    """Sine, square and sawtooth waves (N, 1, T); every tenth drowns in noise."""
    generator = torch.Generator().manual_seed(0)
    phase = torch.rand(count, 1, generator=generator)
    t = torch.linspace(0, 4, length) + phase
    waves = torch.stack(
        [torch.sin(2 * torch.pi * t), torch.sign(torch.sin(2 * torch.pi * t)), 2 * (t % 1) - 1]
    )
    x = waves[torch.arange(count) % 3, torch.arange(count)]
    x += 0.1 * torch.randn(count, length, generator=generator)
    x[::10] += 10 * torch.randn(len(x[::10]), length, generator=generator)
    return x[:, None]


def two_views(x: Tensor) -> tuple[Tensor, Tensor]:
    """A scaled and a jittered copy, each (B, 1, T)."""
    return x * (1 + 0.1 * torch.randn(len(x), 1, 1)), x + 0.05 * torch.randn_like(x)


def pair_losses(zu: Tensor, zv: Tensor, temperature: float = 0.2) -> Tensor:
    """InfoNCE, one loss a pair (B,): the one thing that mining asks for is that it is not averaged yet."""
    logits = F.normalize(zu) @ F.normalize(zv).T / temperature  # (B, B)
    return F.cross_entropy(logits, torch.arange(len(zu)), reduction="none")


def main(epochs: int, count: int) -> None:
    torch.manual_seed(0)
    x = make_series(count)
    encoder = nn.Sequential(
        nn.Conv1d(1, 16, 8, stride=2),
        nn.ReLU(),
        nn.Conv1d(16, 32, 8, stride=2),
        nn.ReLU(),
        nn.AdaptiveAvgPool1d(4),
        nn.Flatten(),
        nn.Linear(128, 32),
    )
    adam = torch.optim.Adam(encoder.parameters(), lr=1e-3)

    miner = BadPairMiner(num_pairs=len(x), warmup_epochs=epochs // 3)  # 1: it remembers every pair's losses
    for epoch in range(epochs):
        miner.start_epoch()  # 2: once an epoch, before its first batch
        total = 0.0
        for index in torch.randperm(len(x)).split(64):
            u, v = two_views(x[index])
            losses = pair_losses(encoder(u), encoder(v))  # (B,)
            loss = miner(losses, index).mean()  # 3: bad pairs are weighed down
            adam.zero_grad()
            loss.backward()
            adam.step()
            total += float(losses.detach().sum())
        print(f"epoch {epoch + 1}: loss {total / len(x):.3f}")

    table = miner.table()
    print(table["kind"].value_counts().to_string())
    print(table.sort_values("score", ascending=False).head().to_string())


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--epochs", type=int, default=10)
    parser.add_argument("--count", type=int, default=600, help="series to make up")
    given = parser.parse_args()
    main(given.epochs, given.count)
