"""What comes into the miner is refused here, in one sentence that says what came and what to do."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor


def whole_number(name: str, value: object, least: int) -> int:
    """The value as an int of at least ``least``."""
    if isinstance(value, bool) or not hasattr(value, "__index__"):
        raise TypeError(f"{name} must be a whole number, got {value!r}")
    number = int(value)
    if number < least:
        raise ValueError(f"{name} must be at least {least}, got {number}")
    return number


def checked_losses(losses: Tensor, device: torch.device) -> None:
    """Refuse what is not one floating-point loss a pair, on the miner's device."""
    if not isinstance(losses, Tensor) or not losses.is_floating_point():
        came = str(losses.dtype) if isinstance(losses, Tensor) else type(losses).__name__
        raise TypeError(f"losses must be a floating-point tensor, one loss a pair, got {came}")
    if losses.ndim != 1:
        raise ValueError(
            f"losses must have shape (batch,), one loss a pair, got {tuple(losses.shape)}; do not reduce "
            "the loss before the miner has weighed it"
        )
    if losses.device != device:
        raise ValueError(
            f"losses are on {losses.device} and the miner on {device}; call miner.to(losses.device) once"
        )


def _as_tensor(index: Any) -> Tensor:
    tensor: Tensor = torch.as_tensor(index)
    return tensor if isinstance(index, Tensor) or tensor.numel() else tensor.to(torch.int64)  # [] is float


def _readable(table: Tensor, places: Tensor) -> bool:
    """Whether all places are in a table on the CPU; False where that is not known."""
    if table.device.type != "cpu" or places.device.type != "cpu":
        return False
    try:
        table.index_select(0, places)
    except (IndexError, RuntimeError):
        return False
    return True


def checked_index(
    index: Any, num_pairs: int, device: torch.device, length: int | None = None, table: Tensor | None = None
) -> Tensor:
    """The index as int64 on ``device``, shape (B,), every entry in [0, num_pairs).

    Args:
        index: pairs' numbers: a tensor, an array or a list of integers.
        num_pairs: N.
        device: where the memory is. On a GPU the range is checked there, without waiting for the answer.
        length: how many are expected.
        table: something with a row a pair, shape (N,), on ``device``: on a CPU to read from it is the
            quickest way to know that all is in its range.
    """
    places = _as_tensor(index)
    if places.is_floating_point() or places.is_complex() or places.dtype == torch.bool:
        raise TypeError(f"index must hold integers, the pairs' places in the dataset, got {places.dtype}")
    if places.ndim != 1:
        raise ValueError(f"index must have shape (batch,), got {tuple(places.shape)}")
    if length is not None and len(places) != length:
        raise ValueError(
            f"losses and index must have one length, got {length} losses and {len(places)} indices"
        )
    places = places.to(torch.int64)
    if len(places) == 0:
        return places.to(device)
    if places.device.type == "cuda":
        inside = ((places >= 0) & (places < num_pairs)).all()
        torch._assert_async(inside, f"index must lie in [0, {num_pairs}): num_pairs is the dataset's length")
    elif table is None or not _readable(table, places):
        low, high = torch.aminmax(places)
        if int(low) < 0 or int(high) >= num_pairs:
            raise ValueError(
                f"index must lie in [0, {num_pairs}), got {int(low)} to {int(high)}; num_pairs is the length "
                "of the whole dataset that index counts in"
            )
    return places.to(device, non_blocking=True)
