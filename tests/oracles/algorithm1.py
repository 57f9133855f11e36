"""Algorithm 1 of the paper, statement by statement: loops, dictionaries, lists. Slow on purpose."""

from __future__ import annotations

import math


class Algorithm1:
    """The memory M is a dictionary from a pair to the list of its losses, an entry an epoch.

    Where the pseudocode is silent it does what pairsift promises: statistics are over the pairs seen at least
    once, a pair seen twice in an epoch counts as its mean, and weights are cut at 1.
    """

    def __init__(self, num_pairs, warmup_epochs, beta_np=2.0, beta_fp=3.0, weight="gaussian"):
        self.num_pairs = num_pairs
        self.warmup_epochs = warmup_epochs
        self.beta_np = beta_np
        self.beta_fp = beta_fp
        self.weight = weight
        self.M = {i: [] for i in range(num_pairs)}
        self.this_epoch = {}
        self.epoch = 0
        self.noisy_pairs = []
        self.faulty_pairs = []

    def start_epoch(self):
        for i in self.this_epoch:
            self.M[i].append(sum(self.this_epoch[i]) / len(self.this_epoch[i]))
        self.this_epoch = {}
        self.epoch += 1
        self.noisy_pairs = []
        self.faulty_pairs = []
        if self.epoch > self.warmup_epochs:
            self.identify()

    def identify(self):
        m = {}
        for i in range(self.num_pairs):
            if len(self.M[i]) > 0:
                total = 0.0
                for loss in self.M[i]:
                    total += loss
                m[i] = total / len(self.M[i])
        if len(m) == 0:
            return
        self.mu = 0.0
        for i in m:
            self.mu += m[i]
        self.mu /= len(m)
        square = 0.0
        for i in m:
            square += (m[i] - self.mu) ** 2
        self.sigma = math.sqrt(square / len(m))
        t_np = self.mu - self.beta_np * self.sigma
        t_fp = self.mu + self.beta_fp * self.sigma
        for i in m:
            if m[i] <= t_np:
                self.noisy_pairs.append(i)
            elif m[i] >= t_fp:
                self.faulty_pairs.append(i)

    def T(self, loss):
        if self.weight != "gaussian":
            return self.weight
        z = (loss - self.mu) / self.sigma
        return min(math.exp(-z * z / 2) / (self.sigma * math.sqrt(2 * math.pi)), 1.0)

    def batch(self, losses, index):
        """Lists of floats and ints in, the weighted losses out."""
        weighted = []
        for loss, i in zip(losses, index):
            if i not in self.this_epoch:
                self.this_epoch[i] = []
            self.this_epoch[i].append(loss)
            if self.epoch > self.warmup_epochs and (i in self.noisy_pairs or i in self.faulty_pairs):
                loss = self.T(loss) * loss
            weighted.append(loss)
        return weighted

    def verdict(self, i):
        return 1 if i in self.noisy_pairs else 2 if i in self.faulty_pairs else 0
