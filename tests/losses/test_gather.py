"""Negatives from all processes: two processes reach the losses and gradients of one."""

from __future__ import annotations

from pathlib import Path

import pytest
import torch
import torch.distributed as dist
import torch.multiprocessing as mp

from pairsift.errors import PairsiftError
from pairsift.losses import RINCE, Contrast, InfoNCE, gather
from pairsift.losses.gather import gather_uneven

CRITERIA: list[type[Contrast]] = [InfoNCE, RINCE]
KEEP = [True, False, True, True, True, False, True, True]


def embeddings() -> tuple[torch.Tensor, torch.Tensor]:
    generator = torch.Generator().manual_seed(0)
    zu, zv = (torch.randn(8, 5, generator=generator, dtype=torch.float64) for _ in range(2))
    return zu, zv


def one_process(rank: int, folder: str) -> None:
    """What each of two processes does with its half of the batch; results go to a file."""
    dist.init_process_group("gloo", init_method=f"file://{folder}/meet", rank=rank, world_size=2)
    torch.set_num_threads(1)
    mine = slice(4 * rank, 4 * rank + 4)
    results = {}
    for kind in CRITERIA:
        for one_sided in (False, True):
            for keep in (None, torch.tensor(KEEP)[mine]):
                zu, zv = (z[mine].clone().requires_grad_() for z in embeddings())
                criterion = kind(0.2, one_sided=one_sided, gather=True)
                losses = criterion(zu, zv, keep)
                losses.sum().backward()
                key = (kind.__name__, one_sided, keep is None)
                results[key] = (losses.detach(), zu.grad, zv.grad, criterion.chance_level(4))
    try:
        gather(torch.ones(2 + rank, 3))
    except PairsiftError as error:
        results["uneven"] = str(error)
    mine_alone = torch.arange(6.0).view(3, 2)[: 1 + 2 * rank] + 10 * rank
    results["rows"] = [gather_uneven(rows) for rows in (mine_alone, mine_alone[:, 0] > 3)]
    torch.save(results, f"{folder}/{rank}.pt")
    dist.destroy_process_group()


def test_two_processes_equal_one(tmp_path: Path) -> None:
    mp.spawn(one_process, args=(str(tmp_path),), nprocs=2)
    halves = [torch.load(tmp_path / f"{rank}.pt", weights_only=False) for rank in range(2)]
    for kind in CRITERIA:
        for one_sided in (False, True):
            for keep in (None, torch.tensor(KEEP)):
                zu, zv = (z.requires_grad_() for z in embeddings())
                criterion = kind(0.2, one_sided=one_sided)
                losses = criterion(zu, zv, keep)
                losses.sum().backward()
                key = (kind.__name__, one_sided, keep is None)
                for place, expected in enumerate((losses.detach(), zu.grad, zv.grad)):
                    both = torch.cat([half[key][place] for half in halves])
                    torch.testing.assert_close(both, expected)
                assert halves[0][key][3] == criterion.chance_level(8)
    for half in halves:
        assert half["rows"][0].tolist() == [[0, 1], [10, 11], [12, 13], [14, 15]]
        assert half["rows"][1].tolist() == [False, True, True, True]
    assert all("as many rows from each, got [2, 3]" in half["uneven"] for half in halves)


def test_alone_it_is_the_tensor_itself() -> None:
    z = torch.ones(3, 2)
    assert gather(z) is z and gather_uneven(z) is z
    zu, zv = embeddings()
    assert torch.equal(InfoNCE(gather=True)(zu, zv), InfoNCE()(zu, zv))


def test_alone_a_batch_of_one_is_still_refused() -> None:
    with pytest.raises(PairsiftError, match="a batch of 1 has no negatives"):
        InfoNCE(gather=True)(torch.ones(1, 2), torch.ones(1, 2))
