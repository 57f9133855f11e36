"""The linear probe by hand: gradients written out, Adam written out, all in float64."""

from __future__ import annotations

import numpy as np
import torch


def probe_weights(z, y, count, *, epochs, lr, batch_size, standardise, seed):
    """Weight (K, D) and bias (K,) after training; y is (N,) or a table (N, K)."""
    z = np.asarray(z, dtype=np.float64)
    if standardise:
        std = z.std(axis=0)
        std[std < 1e-6 * np.abs(z.mean(axis=0)) + 1e-30] = 1.0
        z = (z - z.mean(axis=0)) / std
    generator = torch.Generator().manual_seed(seed)
    bound = z.shape[1] ** -0.5
    start = torch.empty(count, z.shape[1] + 1).uniform_(-bound, bound, generator=generator).double().numpy()
    table = y if y.ndim == 2 else np.eye(count)[y]
    theta, first, second, step = start, np.zeros_like(start), np.zeros_like(start), 0
    for _ in range(epochs):
        order = torch.randperm(len(z), generator=generator).numpy()
        for begin in range(0, len(z), batch_size):
            rows = order[begin : begin + batch_size]
            inputs = np.hstack([z[rows], np.ones((len(rows), 1))])
            logits = inputs @ theta.T
            if y.ndim == 2:
                error = (1 / (1 + np.exp(-logits)) - table[rows]) / table[rows].size
            else:
                likely = np.exp(logits - logits.max(axis=1, keepdims=True))
                error = (likely / likely.sum(axis=1, keepdims=True) - table[rows]) / len(rows)
            gradient = error.T @ inputs
            step += 1
            first = 0.9 * first + 0.1 * gradient
            second = 0.999 * second + 0.001 * gradient**2
            theta = theta - lr * (first / (1 - 0.9**step)) / (np.sqrt(second / (1 - 0.999**step)) + 1e-8)
    return theta[:, :-1], theta[:, -1]
