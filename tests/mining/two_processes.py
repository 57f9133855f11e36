"""What each of two gloo processes does in test_processes.py: the same run, each with its own share."""

import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel
from torch.utils.data import DistributedSampler

from pairsift.mining import BadPairMiner, Sigma, hide_from_ddp

PAIRS, EPOCHS, WORLD = 101, 4, 2


def loss_of(epoch, rank, index):
    """A pair's loss; each process draws its own. Pairs below 8 are easy; one loss is no number."""
    draw = torch.Generator().manual_seed(100 * epoch + rank)
    losses = torch.randn(PAIRS, generator=draw) * 0.3 + 3
    losses[:8] -= 2.5
    if (epoch, rank) == (2, 1):
        losses[60] = float("nan")
    return losses[index]


def share(epoch, rank):
    """A process's batches: shares of unequal size, as padded by repetition, and no easy pair on process 1."""
    if epoch == 3:  # shuffled, 101 padded to 102 with one of them again
        sampler = DistributedSampler(range(PAIRS), WORLD, rank)
        sampler.set_epoch(epoch)
        return torch.tensor(list(sampler)).split(17)
    return [torch.arange(0, 50), torch.arange(40, 70)][rank].split(16 if rank == 0 else 30)


def new_miner():
    return BadPairMiner(PAIRS, warmup_epochs=1, threshold=Sigma(1.2, 1.2))


def run(miner, ranks):
    """All epochs of the given processes' shares; what each epoch weighed and judged."""
    seen = []
    for epoch in range(1, EPOCHS + 1):
        miner.start_epoch()
        batches = [(rank, index) for rank in ranks for index in share(epoch, rank)]
        weighed = [miner(loss_of(epoch, rank, index), index) for rank, index in batches]
        seen.append({"verdicts": miner.verdicts(), "weighed": weighed})
    miner.end_epoch()
    return seen


class Model(nn.Module):
    """A loss with a parameter, and the miner inside the module that is wrapped."""

    def __init__(self):
        super().__init__()
        self.level = nn.Parameter(torch.tensor(1.0))
        self.miner = new_miner()

    def forward(self, losses, index):
        return self.miner(losses * self.level, index).mean()


@torch.no_grad()
def wrapped(rank):
    """Two batches through DistributedDataParallel: how often each pair was seen."""
    model = Model()
    hide_from_ddp(model)
    parallel = DistributedDataParallel(model)
    model.miner.start_epoch()
    for index in torch.arange(20 * rank, 20 * rank + 20).split(10):
        parallel(loss_of(1, rank, index), index)
    model.miner.end_epoch()
    return model.miner.memory.seen.clone()


def work(rank, folder):
    """One process: writes what it saw to ``folder``."""
    torch.set_num_threads(1)
    dist.init_process_group("gloo", init_method=f"file://{folder}/meet", rank=rank, world_size=WORLD)
    calls, plain = [], dist.all_reduce
    dist.all_reduce = lambda tensor: calls.append(tensor.numel()) or plain(tensor)
    miner = new_miner()
    epochs = run(miner, [rank])
    dist.all_reduce = plain
    result = {"state": miner.state_dict(), "epochs": epochs, "calls": calls, "named": miner.nonfinite_pairs()}
    result["hidden"] = wrapped(rank)
    torch.save(result, f"{folder}/{rank}.pt")
    dist.barrier()
    dist.destroy_process_group()
