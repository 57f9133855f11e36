"""MoCo by loops: a list of keys, first in first out, and one softmax a query."""

from __future__ import annotations

import math
from collections import deque


def cosine(a, b):
    dot = sum(x * y for x, y in zip(a, b))
    return dot / math.sqrt(sum(x * x for x in a)) / math.sqrt(sum(y * y for y in b))


class SlowMoCo:
    """What the loss of each batch must be, given the queries and keys of all batches so far."""

    def __init__(self, size, temperature, loss="infonce", q=0.1, lam=0.01):
        self.line = deque(maxlen=size)  # a masked series stands in line as None
        self.size, self.temperature, self.loss, self.q, self.lam = size, temperature, loss, q, lam

    def batch(self, queries, keys, negatives=None):
        """Losses of one batch; its keys enter afterwards."""
        negatives = [True] * len(keys) if negatives is None else negatives
        losses = []
        for i, query in enumerate(queries):
            against = [key for key in self.line if key is not None]
            if not against:
                against = [keys[j] for j in range(len(keys)) if j != i and negatives[j]]
            positive = math.exp(cosine(query, keys[i]) / self.temperature)
            negative = sum(math.exp(cosine(query, key) / self.temperature) for key in against)
            if against:
                negative *= self.size / len(against)
            losses.append(self.combine(positive, negative))
        self.line.extend(list(key) if kept else None for key, kept in zip(keys, negatives))
        return losses

    def combine(self, positive, negative):
        if self.loss == "infonce":
            return -math.log(positive / (positive + negative))
        return -(positive**self.q) / self.q + (self.lam * (positive + negative)) ** self.q / self.q
