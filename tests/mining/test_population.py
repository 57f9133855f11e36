"""mu, sigma and samples of the pairs seen so far, against numpy."""

import numpy as np
import pytest
import torch

from pairsift.mining import Memory, Population
from pairsift.mining.population import BLOCK


def remembered(losses, seen=None, dtype=torch.float32):
    memory = Memory(len(losses)).to(dtype)
    index = torch.arange(len(losses)) if seen is None else seen.nonzero()[:, 0]
    memory.add(losses[index], index)
    memory.merge(1)
    return memory


@pytest.mark.parametrize("pairs", [1, 2, 1000, BLOCK, 3 * BLOCK + 17])
@pytest.mark.parametrize("offset", [0.0, 1e3])
def test_mu_and_sigma_are_numpys(pairs, offset):
    losses = torch.randn(pairs, generator=torch.Generator().manual_seed(0)) + offset
    found = Population(remembered(losses))
    exact = losses.double().numpy()
    assert found.count == pairs
    assert found.mu == pytest.approx(exact.mean(), rel=1e-12)
    assert found.sigma == pytest.approx(exact.std(), rel=1e-9)


def test_nothing_cancels_when_the_first_block_is_far_from_the_rest():
    losses = torch.randn(5 * BLOCK, generator=torch.Generator().manual_seed(0)).double()
    losses[:BLOCK] += 1e6
    found = Population(remembered(losses, dtype=torch.float64))
    assert found.sigma == pytest.approx(losses.numpy().std(), rel=1e-12)


def test_only_seen_pairs_count():
    losses = torch.randn(4 * BLOCK, generator=torch.Generator().manual_seed(0))
    seen = torch.rand(len(losses), generator=torch.Generator().manual_seed(1)) < 0.3
    seen[: BLOCK + 3] = False  # a whole block never seen
    found = Population(remembered(losses, seen))
    exact = losses[seen].double().numpy()
    assert found.count == len(exact)
    assert found.mu == pytest.approx(exact.mean(), rel=1e-12)
    assert found.sigma == pytest.approx(exact.std(), rel=1e-9)


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
@pytest.mark.parametrize("value", [0.0, 0.1, -7.3, 1e12])
def test_equal_losses_have_sigma_exactly_zero_however_often_they_came(value, dtype):
    memory = Memory(BLOCK + 100).to(dtype)
    for epoch in range(1, 4):
        index = torch.randint(len(memory), (3 * len(memory),), generator=torch.Generator().manual_seed(epoch))
        memory.add(torch.full((len(index),), value, dtype=dtype), index)
        memory.merge(epoch)
    assert Population(memory).sigma == 0.0


def test_nothing_seen_and_one_seen_are_defined():
    assert (Population(Memory(5)).count, Population(Memory(5)).mu, Population(Memory(5)).sigma) == (0, 0, 0)
    one = Population(remembered(torch.tensor([3.0, 4.0]), torch.tensor([False, True])))
    assert (one.count, one.mu, one.sigma) == (1, 4.0, 0.0)


def test_the_number_of_threads_does_not_change_a_bit():
    losses = torch.randn(200_003, generator=torch.Generator().manual_seed(0))
    before, found = torch.get_num_threads(), set()
    try:
        for threads in (1, 2, 4):
            torch.set_num_threads(threads)
            population = Population(remembered(losses))
            found.add((population.mu, population.sigma))
    finally:
        torch.set_num_threads(before)
    assert len(found) == 1


def test_a_sample_is_everybody_where_few_and_bounded_fair_and_repeatable_where_many():
    losses = torch.randn(50_000, generator=torch.Generator().manual_seed(0))
    seen = torch.rand(50_000, generator=torch.Generator().manual_seed(1)) < 0.5
    population = Population(remembered(losses, seen))
    everybody = population.sample(50_000)
    assert torch.equal(everybody.mean, losses[seen])
    sample = population.sample(5_000)
    assert 4_000 < len(sample.mean) < 6_000
    assert (sample.seen > 0).all()
    assert torch.equal(sample.mean, population.sample(5_000).mean)
    assert not torch.equal(sample.mean[:100], population.sample(5_000, seed=1).mean[:100])
    assert float(sample.mean.mean()) == pytest.approx(0, abs=0.06)


def test_blocks_are_all_pairs_in_order():
    losses = torch.randn(2 * BLOCK + 1, generator=torch.Generator().manual_seed(0))
    population = Population(remembered(losses))
    means = torch.cat([block.mean for block in population.blocks()])
    np.testing.assert_array_equal(means, losses)
    assert len(population) == len(losses)
