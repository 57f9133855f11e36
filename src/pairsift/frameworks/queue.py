"""MoCo's queue: the keys of the latest series, first in, first out."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from pairsift.errors import PairsiftError


class KeyQueue(nn.Module):
    """The latest ``size`` keys, in buffers: it travels with checkpoints and never makes a device wait.

    It starts empty: ``valid`` says which rows hold a key. A key that shall be nobody's negative takes its
    place as an invalid row, so the queue always spans the latest ``size`` series; so does a key that is
    NaN or infinite.

    Args:
        size: how many rows, K.
        features: size of a key, D.
    """

    keys: Tensor  # (K, D)
    valid: Tensor  # (K,) bool
    pointer: Tensor  # () int64, the row that is written next

    def __init__(self, size: int, features: int) -> None:
        super().__init__()
        if size < 1:
            raise PairsiftError(f"queue must have at least one row, got {size}")
        self.size = size
        self.register_buffer("keys", torch.zeros(size, features))
        self.register_buffer("valid", torch.zeros(size, dtype=torch.bool))
        self.register_buffer("pointer", torch.zeros((), dtype=torch.int64))

    @torch.no_grad()
    def push(self, keys: Tensor, negatives: Tensor | None = None) -> None:
        """Let keys in and the oldest out.

        Args:
            keys: shape (B, D); of more than ``size`` the last ones stay.
            negatives: mask, shape (B,): False for a key that is no negative.
        """
        if negatives is None:
            negatives = torch.ones(len(keys), dtype=torch.bool, device=keys.device)
        keys, negatives = keys[-self.size :], negatives[-self.size :]
        finite = keys.isfinite().all(1)  # one NaN would make every later loss one
        keys, negatives = keys.masked_fill(~finite[:, None], 0), negatives & finite
        rows = (self.pointer + torch.arange(len(keys), device=keys.device)) % self.size
        self.keys.index_copy_(0, rows, keys.to(self.keys.dtype))
        self.valid.index_copy_(0, rows, negatives)
        self.pointer.copy_((self.pointer + len(keys)) % self.size)

    def extra_repr(self) -> str:
        """What ``print`` shows between the parentheses."""
        return f"size={self.size}"
