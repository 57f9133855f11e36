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
    full = torch.iinfo(torch.int16).max
    for start in range(0, max(len(memory), 1), AT_ONCE):
        total, visits = (t[start : start + AT_ONCE] for t in (memory.total, memory.visits))
        together = torch.cat([total, visits.to(total.dtype), extra.to(total.dtype).view(1)])
        shared = together.cuda() if dist.get_backend() == "nccl" else together
        dist.all_reduce(shared)
        losses, counts = shared[: len(total)], shared[len(total) : -1]
        total.copy_(torch.where(counts > full, losses * (full / counts), losses))
        visits.copy_(counts.clamp(max=full))
        summed = shared[-1]
    return summed.to(device=extra.device, dtype=extra.dtype)


def hide_from_ddp(module: nn.Module) -> None:
    """Let DistributedDataParallel pass over the memories of the miners inside ``module``.

    Call it before ``module`` is wrapped. DDP would copy rank 0's buffers to all ranks before each forward
    pass, though a memory differs between ranks until the epoch ends, and refuses their dtype
    ("Invalid scalar type"). With ``broadcast_buffers=False`` it leaves all buffers alone, others' too.
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
