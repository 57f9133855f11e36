"""SimCLR on the paper's simulation: views of one series against all others of the batch, bad pairs found.

python examples/simclr.py --epochs 10
"""

import argparse

import torch

from pairsift import BadPairMiner, Sigma
from pairsift.data import simulate
from pairsift.evaluation import detection_metrics, probe_framework
from pairsift.frameworks import SimCLR
from pairsift.frameworks.simclr import SimCLRConfig


def main(epochs: int, count: int) -> None:
    torch.manual_seed(0)
    splits = simulate(n_train=count, n_test=count // 2, noisy=count // 10, faulty=count // 10, n_val=0)
    train = splits.train  # series (N, 1, 500), the second views of faulty pairs in train.other
    config = SimCLRConfig.for_dataset("simulated", temperature=0.2)
    framework = SimCLR(train.channels, train.length, config=config)
    print(f"untrained: accuracy {probe_framework(framework, splits)['metrics']['accuracy']:.3f}")

    adam = torch.optim.Adam(framework.parameters(), lr=1e-3)
    sigma = Sigma(noisy=1, faulty=1)
    miner = BadPairMiner(len(train), warmup_epochs=epochs // 3, threshold=sigma, batch_size=128)
    generator = torch.Generator().manual_seed(0)
    for epoch in range(epochs):
        framework.train()
        miner.start_epoch()
        total = 0.0
        for places in torch.randperm(len(train), generator=generator).split(128):
            batch = train[places.numpy()]
            u, v = framework.views(batch.x, batch.other, generator=generator)
            losses = framework(u, v)  # (B,): two-sided InfoNCE, each view against 2B - 2 others
            adam.zero_grad()
            miner(losses, batch.index).mean().backward()
            adam.step()
            total += float(losses.detach().sum())
        print(f"epoch {epoch + 1}: loss {total / len(train):.3f}")

    found = detection_metrics(train.truth, miner.verdicts())
    for kind in ("noisy", "faulty"):
        print(f"{kind}: {found[kind]['flagged']} flagged, F1 {found[kind]['f1']:.2f}")
    print(f"trained: accuracy {probe_framework(framework, splits)['metrics']['accuracy']:.3f}")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--epochs", type=int, default=3)
    parser.add_argument("--count", type=int, default=600, help="series to simulate")
    given = parser.parse_args()
    main(given.epochs, given.count)
