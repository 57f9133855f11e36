"""Everybody's rows on every process, with gradients: negatives from the whole group."""

from __future__ import annotations

from typing import Any

import torch
import torch.distributed as dist
from torch import Tensor

from pairsift.errors import PairsiftError


def processes() -> int:
    """How many processes train together; 1 where no group is up."""
    return dist.get_world_size() if dist.is_available() and dist.is_initialized() else 1


def gather(z: Tensor) -> Tensor:
    """The rows of all processes in the order of their ranks, this one's at ``rank * len(z)``.

    The gradient of this process' rows is the sum of what all processes ask of them. Every process must give
    as many rows; that is checked, at the price of one integer a process. Alone, or without a group, it is
    ``z``.

    Args:
        z: rows, shape (B, ...).

    Returns:
        Rows, shape (processes * B, ...).
    """
    if processes() == 1:
        return z
    rows = _rows_of_all(z)
    if len(set(rows)) > 1:
        raise PairsiftError(
            f"gathering across processes needs as many rows from each, got {rows}; use drop_last, or a "
            "sampler that pads"
        )
    gathered: Tensor = _Gather.apply(z)  # type: ignore[no-untyped-call]
    return gathered


@torch.no_grad()
def gather_uneven(z: Tensor) -> Tensor:
    """As ``gather``, but each process may give another number of rows; without gradient.

    Args:
        z: rows, shape (B, ...).
    """
    if processes() == 1:
        return z
    rows = _rows_of_all(z)
    padded = z.new_zeros((max(rows), *z.shape[1:]))
    padded[: len(z)] = z
    parts = [torch.empty_like(padded) for _ in rows]
    dist.all_gather(parts, padded)
    return torch.cat([part[:count] for part, count in zip(parts, rows)])


def _rows_of_all(z: Tensor) -> list[int]:
    """How many rows each process has."""
    mine = torch.tensor([len(z)], device=z.device)
    counts = [torch.empty_like(mine) for _ in range(processes())]
    dist.all_gather(counts, mine)
    rows: list[int] = torch.cat(counts).tolist()
    return rows


class _Gather(torch.autograd.Function):
    """all_gather whose backward sums every process' gradients and keeps one's own rows."""

    @staticmethod
    def forward(ctx: Any, z: Tensor) -> Tensor:
        ctx.rows = len(z)
        parts = [torch.empty_like(z, memory_format=torch.contiguous_format) for _ in range(processes())]
        dist.all_gather(parts, z.contiguous())
        return torch.cat(parts)

    @staticmethod
    def backward(ctx: Any, *grads: Tensor) -> Tensor:
        everybody = grads[0].contiguous().clone()
        dist.all_reduce(everybody)
        start = dist.get_rank() * ctx.rows
        return everybody[start : start + ctx.rows]
