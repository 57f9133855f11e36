"""The memory: means, spreads and counts against numpy on the full history; its size; its limits."""

import numpy as np
import pytest
import torch

from pairsift.mining import BadPairMiner, Memory, Ramp
from pairsift.mining.memory import BLOCK, MOST_EPOCHS, MOST_VISITS


def everybody(pairs):
    return torch.arange(pairs)


@pytest.mark.parametrize("dtype, tolerance", [(torch.float32, 1e-5), (torch.float64, 1e-12)])
def test_means_and_spreads_are_those_of_the_whole_history(dtype, tolerance):
    losses = torch.randn(9, 50, dtype=torch.float64, generator=torch.Generator().manual_seed(0)) + 5
    memory = Memory(50).to(dtype)
    for epoch, row in enumerate(losses, 1):
        memory.add(row, everybody(50))
        memory.merge(epoch)
    mean, std, seen = memory.rows(slice(None))
    np.testing.assert_allclose(mean, losses.mean(0), rtol=tolerance)
    np.testing.assert_allclose(std, losses.std(0, correction=0), rtol=10 * tolerance)
    assert mean.dtype == std.dtype == dtype
    assert (seen == 9).all()


def test_a_pair_seen_twice_in_an_epoch_counts_as_its_mean_within_and_across_batches():
    memory = Memory(3)
    memory.add(torch.tensor([1.0, 3.0, 7.0]), torch.tensor([0, 0, 1]))
    memory.add(torch.tensor([8.0]), torch.tensor([0]))
    memory.merge(1)
    assert memory.mean.tolist() == [4.0, 7.0, 0.0]
    assert memory.seen.tolist() == [1, 1, 0]
    assert memory.rows(slice(None)).std.tolist() == [0.0, 0.0, 0.0]


def test_a_pair_that_an_epoch_skips_keeps_its_own_count_and_its_numbers():
    memory = Memory(2)
    for epoch, (loss, index) in enumerate([([2.0, 5.0], [0, 1]), ([9.0], [1]), ([4.0], [0])], 1):
        memory.add(torch.tensor(loss), torch.tensor(index))
        memory.merge(epoch)
    mean, std, seen = memory.rows(slice(None))
    assert mean.tolist() == [3.0, 7.0]
    assert std.tolist() == [1.0, 2.0]
    assert seen.tolist() == [2, 2]


def test_last_remembers_the_last_loss_alone_and_no_spread():
    memory = Memory(2, "last")
    for epoch, row in enumerate([[1e8, 2.0], [0.1, 3.0]], 1):
        memory.add(torch.tensor(row), everybody(2))
        memory.merge(epoch)
    memory.add(torch.tensor([0.7]), torch.tensor([1]))
    memory.merge(3)
    mean, std, seen = memory.rows(slice(None))
    assert torch.equal(mean, torch.tensor([0.1, 0.7]))  # exactly, whatever stood there before
    assert std.tolist() == [0.0, 0.0]
    assert seen.tolist() == [2, 3]


def test_the_ramp_counts_an_epoch_by_its_number_not_by_the_pairs_count():
    memory = Memory(1, Ramp(10))
    for epoch in (1, 2, 3):
        if epoch != 2:
            memory.add(torch.tensor([4.0]), torch.tensor([0]))
        memory.merge(epoch)
    assert memory.mean.item() == pytest.approx((4.0 * 1 / 10 + 4.0 * 3 / 10) / 2)
    with pytest.raises(ValueError, match="max_epochs must be at least 1"):
        Ramp(0)


@pytest.mark.parametrize("history", ["mean", "last", Ramp(5)])
def test_a_pair_takes_at_most_16_bytes_whatever_is_remembered(history):
    miner = BadPairMiner(10_000, history=history)
    few = sum(buffer.numel() * buffer.element_size() for buffer in miner.buffers())
    more = sum(b.numel() * b.element_size() for b in BadPairMiner(20_000, history=history).buffers())
    assert more - few <= 16 * 10_000
    for _ in range(2):
        miner.start_epoch()
        miner(torch.rand(10_000), everybody(10_000))
    miner.verdicts()
    assert sum(buffer.numel() * buffer.element_size() for buffer in miner.buffers()) == few
    kept = [v for module in miner.modules() for v in vars(module).values() if isinstance(v, torch.Tensor)]
    assert kept == []


def test_blocks_do_not_show_in_the_numbers():
    pairs = BLOCK + 5
    losses = torch.randn(3, pairs, generator=torch.Generator().manual_seed(0))
    whole, tail = Memory(pairs), Memory(10)
    for epoch, row in enumerate(losses, 1):
        whole.add(row, everybody(pairs))
        whole.add(row[:1], torch.tensor([0]))  # the first block takes the longer way
        whole.merge(epoch)
        tail.add(row[-10:], everybody(10))
        tail.merge(epoch)
    assert torch.equal(whole.mean[-10:], tail.mean)
    assert torch.equal(whole.squares[-10:], tail.squares)
    assert torch.equal(whole.seen, torch.full((pairs,), 3, dtype=torch.int16))


def test_skipping_work_does_not_change_a_bit(monkeypatch):
    """On a GPU every block takes the way that supposes skipped and repeated pairs."""
    losses = torch.randn(4, 100, generator=torch.Generator().manual_seed(0))
    memories = []
    for longest in (False, True):
        if longest:
            monkeypatch.setattr("pairsift.mining.memory._least_and_most", lambda visits: (0, MOST_VISITS))
        memory = Memory(100)
        for epoch, row in enumerate(losses, 1):
            memory.add(row, everybody(100))
            memory.merge(epoch)
        memories.append(memory)
    for short, long in zip(memories[0].buffers(), memories[1].buffers()):
        assert torch.equal(short, long)


def test_counts_stop_at_their_limits_and_the_mean_stays_a_mean():
    memory = Memory(2)
    memory.seen.fill_(MOST_EPOCHS)
    memory.mean.fill_(1.0)
    memory.squares.fill_(4.0 * MOST_EPOCHS)
    memory.add(torch.tensor([1.0]), torch.tensor([0]))
    memory.merge(MOST_EPOCHS + 1)
    assert memory.seen.tolist() == [MOST_EPOCHS, MOST_EPOCHS]
    assert memory.mean.tolist() == [1.0, 1.0]
    assert memory.rows(slice(None)).std.tolist() == pytest.approx([2.0, 2.0], rel=1e-4)

    memory = Memory(2)
    for size in (MOST_VISITS - 1, 3 * MOST_VISITS, 10):
        memory.add(torch.full((size,), 2.0), torch.zeros(size, dtype=torch.int64))
    assert MOST_VISITS <= int(memory.visits[0]) <= 2 * MOST_VISITS
    memory.merge(1)
    assert memory.mean.tolist() == [2.0, 0.0]


def test_huge_losses_leave_every_number_finite():
    memory = Memory(2)
    for epoch in range(1, 5):
        memory.add(torch.tensor([3e38, -3e38]) * (-1) ** epoch, everybody(2))
        memory.merge(epoch)
    assert all(column.isfinite().all() for column in memory.rows(slice(None)))


def test_halves_are_not_enough_to_remember_in():
    memory = Memory(1)
    memory.add(torch.tensor([1 / 3]), torch.tensor([0]))
    memory.merge(1)
    exactly = memory.mean.clone()
    for convert in (Memory.half, Memory.bfloat16, lambda m: m.to(torch.float16)):
        convert(memory)
        assert memory.mean.dtype == torch.float32
        assert torch.equal(memory.mean, exactly)
    assert memory.double().mean.dtype == torch.float64
    assert memory.seen.dtype == torch.int16
