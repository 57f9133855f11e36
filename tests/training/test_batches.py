"""The order of the series: all seen, no pair twice, known from seed and epoch, shared among processes."""

import numpy as np
import torch

from pairsift.data.series import Series
from pairsift.training.batches import EpochBatches, batch_loader


def drawn(batches: EpochBatches, epoch: int = 0) -> list[list[int]]:
    batches.set_epoch(epoch)
    return [b.tolist() for b in batches]


def test_batches_are_full_and_no_series_comes_twice() -> None:
    order = drawn(EpochBatches(103, 10, seed=0))
    assert [len(b) for b in order] == [10] * 10
    assert len({i for b in order for i in b}) == 100


def test_the_order_depends_on_seed_and_epoch_and_on_nothing_else() -> None:
    first = drawn(EpochBatches(50, 10, seed=3), epoch=4)
    torch.randn(7)
    assert drawn(EpochBatches(50, 10, seed=3), epoch=4) == first
    assert drawn(EpochBatches(50, 10, seed=3), epoch=5) != first
    assert drawn(EpochBatches(50, 10, seed=4), epoch=4) != first


def test_every_series_is_left_out_in_some_epoch_and_none_in_all() -> None:
    batches = EpochBatches(25, 10, seed=0)
    seen = [{i for b in drawn(batches, epoch) for i in b} for epoch in range(40)]
    assert set.union(*seen) == set(range(25))
    assert set.intersection(*seen) == set()


def test_two_processes_share_the_batches_of_one() -> None:
    both = [drawn(EpochBatches(100, 10, seed=1, rank=r, world=2), epoch=2) for r in (0, 1)]
    alone = drawn(EpochBatches(100, 20, seed=1), epoch=2)
    assert [a + b for a, b in zip(*both, strict=True)] == alone


def test_fewer_series_than_a_batch_make_one_batch_of_all() -> None:
    assert [sorted(b) for b in drawn(EpochBatches(7, 128, seed=0))] == [list(range(7))]


def test_the_loader_reads_what_the_batches_say() -> None:
    x = np.arange(40, dtype=np.float32).reshape(20, 1, 2)
    series = Series(x, other=x + 100)
    state = torch.get_rng_state()
    for batch in batch_loader(series, EpochBatches(20, 4, seed=0)):
        assert torch.equal(batch.x[:, 0, 0], 2.0 * batch.index)
        assert torch.equal(batch.other, batch.x + 100)
    assert torch.equal(torch.get_rng_state(), state)  # nothing was drawn from the global stream
