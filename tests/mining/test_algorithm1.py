"""The miner against Algorithm 1 in loops: the same weighted losses, the same verdicts, at every batch."""

import pytest
import torch
from tests.oracles.algorithm1 import Algorithm1

from pairsift.mining import BadPairMiner, ConstantWeight, GaussianWeight, Sigma


def run_both(miner, literal, losses_of, batches_of, epochs):
    for epoch in range(1, epochs + 1):
        miner.start_epoch()
        literal.start_epoch()
        for index in batches_of(epoch):
            losses = losses_of(epoch, index)
            weighted = miner(losses, index)
            expected = literal.batch(losses.tolist(), index.tolist())
            torch.testing.assert_close(weighted.tolist(), expected, rtol=1e-9, atol=1e-12)
        assert miner.verdicts().tolist() == [literal.verdict(i) for i in range(miner.num_pairs)]


@pytest.mark.parametrize("weight", ["gaussian", 0.0, 0.3])
@pytest.mark.parametrize("betas", [(1.0, 1.0), (0.5, 2.0), (2.0, 3.0), (0.0, 0.0)])
def test_every_batch_of_a_run_is_weighed_as_in_the_loops(betas, weight):
    pairs, draw = 97, torch.Generator().manual_seed(1)
    level = torch.randn(pairs, generator=draw, dtype=torch.float64) + 1
    level[:8] += 4
    miner = BadPairMiner(
        pairs,
        warmup_epochs=2,
        threshold=Sigma(*betas),
        weight=GaussianWeight() if weight == "gaussian" else ConstantWeight(weight),
    ).double()

    def losses_of(epoch, index):
        noise = torch.randn(len(index), generator=draw, dtype=torch.float64)
        return level[index] * (1 + 1 / epoch) + 0.3 * noise

    def batches_of(epoch):
        return torch.randperm(pairs, generator=draw).split(20)

    run_both(miner, Algorithm1(pairs, 2, *betas, weight=weight), losses_of, batches_of, epochs=7)
    assert (miner.verdicts() > 0).any()


@pytest.mark.filterwarnings("ignore:a batch of")
def test_pairs_that_come_seldom_twice_or_never_are_treated_as_in_the_loops():
    pairs, draw = 60, torch.Generator().manual_seed(2)
    level = torch.randn(pairs, generator=draw, dtype=torch.float64)
    miner = BadPairMiner(pairs, warmup_epochs=1, threshold=Sigma(1, 1)).double()
    literal = Algorithm1(pairs, 1, 1, 1)

    def batches_of(epoch):  # with repetition, pairs 50 and above never
        return [torch.randint(50, (size,), generator=draw) for size in (16, 16, 5)]

    def losses_of(epoch, index):
        return level[index] + 0.1 * torch.randn(len(index), generator=draw, dtype=torch.float64)

    run_both(miner, literal, losses_of, batches_of, epochs=6)
    assert [len(literal.M[i]) for i in range(50)] == miner.memory.seen[:50].tolist()
    assert (miner.verdicts()[50:] == 0).all()
