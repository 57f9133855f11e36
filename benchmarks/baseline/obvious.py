"""SimCLR with DBPM as one would first write it: a transform a sample, a DataLoader, dictionaries and lists.

The numbers it computes are those of the paper; only the way is the straightforward one. The encoder, its
head and the optimiser are the library's, so that what differs is everything around them.
"""

from __future__ import annotations

import math

import numpy as np
import torch
from torch import Tensor, nn
from torch.utils.data import DataLoader, Dataset


class TwoViewsDataset(Dataset):
    """Augments one series at a time, in numpy."""

    def __init__(self, x: np.ndarray, scale: float, jitter: float, segments: int, seed: int = 0) -> None:
        self.x, self.scale, self.jitter, self.segments = x, scale, jitter, segments
        self.rng = np.random.default_rng(seed)

    def __len__(self) -> int:
        return len(self.x)

    def weak(self, x: np.ndarray) -> np.ndarray:
        return x * self.rng.normal(1.0, self.scale, size=(len(x), 1))

    def strong(self, x: np.ndarray) -> np.ndarray:
        pieces = np.array_split(np.arange(x.shape[1]), self.rng.integers(1, self.segments + 1))
        self.rng.shuffle(pieces := list(pieces))
        moved = x[:, np.concatenate(pieces)]
        return moved + self.rng.normal(0.0, self.jitter, size=x.shape)

    def __getitem__(self, i: int) -> tuple[Tensor, Tensor, int]:
        u, v = self.weak(self.x[i]), self.strong(self.x[i])
        return torch.from_numpy(u).float(), torch.from_numpy(v).float(), i


def info_nce(zu: Tensor, zv: Tensor, temperature: float = 0.2) -> Tensor:
    """Two-sided InfoNCE by exponentials and masks: one loss a pair."""
    z = nn.functional.normalize(torch.cat([zu, zv]), dim=1)
    similarity = torch.exp(z @ z.T / temperature)
    n = len(zu)
    own = torch.eye(2 * n, dtype=torch.bool)
    partner = torch.roll(own, n, dims=0)
    positive = similarity[partner]
    negative = similarity.masked_fill(own | partner, 0).sum(1)
    return (-torch.log(positive / (positive + negative))).view(2, n).mean(0)


class ObviousMiner:
    """Algorithm 1 with a dictionary of lists, and lists of bad pairs."""

    def __init__(self, num_pairs: int, warmup: int, noisy: float, faulty: float) -> None:
        self.memory: dict[int, list[float]] = {i: [] for i in range(num_pairs)}
        self.warmup, self.noisy, self.faulty, self.epoch = warmup, noisy, faulty, 0
        self.bad_noisy: list[int] = []
        self.bad_faulty: list[int] = []
        self.mu, self.sigma = 0.0, 1.0

    def start_epoch(self) -> None:
        self.epoch += 1
        if self.epoch <= self.warmup:
            return
        means = {i: float(np.mean(losses)) for i, losses in self.memory.items() if losses}
        self.mu, self.sigma = float(np.mean(list(means.values()))), float(np.std(list(means.values())))
        self.bad_noisy = [i for i, m in means.items() if m <= self.mu - self.noisy * self.sigma]
        self.bad_faulty = [i for i, m in means.items() if m >= self.mu + self.faulty * self.sigma]

    def weigh(self, losses: Tensor, index: Tensor) -> Tensor:
        weights = []
        for loss, i in zip(losses.tolist(), index.tolist()):
            self.memory[i].append(loss)
            weight = 1.0
            if self.epoch > self.warmup and (i in self.bad_noisy or i in self.bad_faulty):
                z = (loss - self.mu) / self.sigma
                weight = min(1.0, math.exp(-0.5 * z * z) / (self.sigma * math.sqrt(2 * math.pi)))
            weights.append(weight)
        return losses * torch.tensor(weights)


def train_epoch(
    network: nn.Module, adam: torch.optim.Optimizer, loader: DataLoader, miner: ObviousMiner
) -> None:
    """One epoch."""
    miner.start_epoch()
    for u, v, index in loader:
        losses = info_nce(network(u), network(v))
        loss = miner.weigh(losses, index).mean()
        adam.zero_grad()
        loss.backward()
        adam.step()
