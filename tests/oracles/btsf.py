"""Bilinear fusion as it is defined: every step with every frequency, one pair at a time."""

import math

import torch


def fused_pairs(t, s, u, v):
    """All (U t_i) * (V s_j), shape (L, M, R), of one series' features t (W, L) and s (W, M)."""
    steps, frequencies = t.shape[1], s.shape[1]
    pairs = torch.empty(steps, frequencies, len(u), dtype=t.dtype)
    for i in range(steps):
        for j in range(frequencies):
            for r in range(len(u)):
                # t_i' W_r s_j with W_r of rank one: the outer product of row r of U and row r of V
                pairs[i, j, r] = t[:, i] @ torch.outer(u[r], v[r]) @ s[:, j]
    return pairs


def pooled(pairs, flat=1e-4):
    """The mean over all pairs, its signed square root (softened below ``flat``), at length 1."""
    mean = pairs.mean((0, 1)).tolist()
    root = [math.copysign(abs(m) / math.sqrt(abs(m) + flat), m) for m in mean]
    length = math.sqrt(sum(r * r for r in root))
    return [r / length for r in root]
