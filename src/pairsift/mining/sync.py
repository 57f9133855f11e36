"""Several processes, one memory: the sum of what each has seen, once an epoch."""

from __future__ import annotations

import torch
import torch.distributed as dist
from torch import Tensor, nn

from pairsift.mining.memory import Memory

AT_ONCE = 2**24  # pairs in one all-reduce: it needs 8 bytes for each of them while it lasts


def many_processes() -> bool:
    """Whether torch.distributed runs with more than one process."""
    return dist.is_available() and dist.is_initialized() and dist.get_world_size() > 1


@torch.no_grad()
def sum_over_processes(memory: Memory, extra: Tensor) -> Tensor:
    """Replace each process's pending losses by the sum over all processes.

    One all-reduce of 2N + 1 numbers (one for every 16 million pairs where there are more). Counts travel as
    floats, exactly: neither gloo nor NCCL sums int16.

    Args:
        memory: whose ``total`` and ``visits`` are summed, in place.
        extra: one small count to be summed too, int64, no dimensions.

    Returns:
        The summed ``extra``.
    """
    for start in range(0, max(len(memory), 1), AT_ONCE):
        total, visits = (t[start : start + AT_ONCE] for t in (memory.total, memory.visits))
        together = torch.cat([total, visits.to(total.dtype), extra.to(total.dtype).view(1)])
        shared = together.cuda() if dist.get_backend() == "nccl" else together
        dist.all_reduce(shared)
        total.copy_(shared[: len(total)])
        visits.copy_(shared[len(total) : -1].clamp(max=torch.iinfo(torch.int16).max))
        summed = shared[-1]
    return summed.to(device=extra.device, dtype=extra.dtype)


def hide_from_ddp(module: nn.Module) -> None:
    """Keep DistributedDataParallel from overwriting the memories of the miners inside ``module``.

    DDP copies rank 0's buffers to all ranks before each forward pass; a memory differs between ranks until
    the epoch ends. Call this before wrapping ``module``, or pass ``broadcast_buffers=False`` to DDP.
    """
    from pairsift.mining.miner import BadPairMiner

    names = [
        f"{prefix}.{name}" if prefix else name
        for prefix, child in module.named_modules()
        if isinstance(child, BadPairMiner)
        for name, _ in child.named_buffers()
    ]
    hidden = list(getattr(module, "_ddp_params_and_buffers_to_ignore", []))
    module._ddp_params_and_buffers_to_ignore = hidden + [n for n in names if n not in hidden]  # type: ignore[assignment]


def check_untouched(memory: Memory, written: int | None) -> None:
    """Notice that somebody else wrote into a memory: under several processes that is DDP, copying rank 0's.

    Args:
        memory: the memory.
        written: the version of ``memory.total`` after our last write, None where that is not known.
    """
    if written is not None and written != memory.total._version and many_processes():
        raise RuntimeError(
            "the miner's memory was overwritten between two batches, most likely by DistributedDataParallel "
            "copying rank 0's buffers; call pairsift.mining.hide_from_ddp(module) before wrapping the module "
            "that holds the miner, or pass broadcast_buffers=False"
        )
