"""The table: its columns, what it is made from, and that it agrees with verdicts and weights."""

import numpy as np
import pytest
import torch

from pairsift.mining import KINDS, BadPairMiner, ConstantWeight, GaussianWeight, MixtureWeight, Sigma

COLUMNS = ["index", "kind", "score", "mean_loss", "std_loss", "weight", "seen"]


def miner_after(epochs, pairs=200, weight=None, warmup_epochs=1, skip=()):
    draw = torch.Generator().manual_seed(0)
    miner = BadPairMiner(pairs, warmup_epochs, Sigma(1.5, 1.5), weight or GaussianWeight())
    level = torch.randn(pairs, generator=draw)
    index = torch.tensor([i for i in range(pairs) if i not in skip])
    for _ in range(epochs):
        miner.start_epoch()
        miner(level[index] + 0.1 * torch.randn(len(index), generator=draw), index)
    return miner


@pytest.mark.parametrize("weight", [GaussianWeight(), ConstantWeight(0.2), MixtureWeight(2)])
def test_the_table_is_what_the_next_epoch_goes_by(weight):
    miner = miner_after(4, weight=weight)
    table = miner.table()
    assert list(table.columns) == COLUMNS
    mean, std, seen = miner.statistics()
    miner.start_epoch()
    kinds = miner.verdicts().numpy()
    assert table["kind"].tolist() == [KINDS[k] for k in kinds]
    assert set(kinds) == {0, 1, 2}
    np.testing.assert_array_equal(table["score"] >= 0.5, kinds > 0)
    np.testing.assert_array_equal(table["index"], np.arange(200))
    for column, values in (("mean_loss", mean), ("std_loss", std), ("seen", seen)):
        np.testing.assert_array_equal(table[column], values)
    applied = miner.weigh(mean, torch.arange(200)) / mean
    np.testing.assert_allclose(table["weight"], applied, rtol=1e-5)


def test_it_judges_in_the_warm_up_too_and_changes_nothing():
    miner = miner_after(2, warmup_epochs=10)
    before = [buffer.clone() for buffer in miner.buffers()]
    assert (miner.table()["kind"] != "normal").any()
    assert (miner.verdicts() == 0).all()
    assert all(torch.equal(a, b) for a, b in zip(before, miner.buffers()))


def test_a_pair_never_seen_has_no_numbers_and_no_blame():
    row = miner_after(2, skip=(5,)).table().iloc[5]
    assert (row["kind"], row["score"], row["weight"], row["seen"]) == ("normal", 0, 1, 0)
    assert np.isnan(row["mean_loss"])
    assert np.isnan(row["std_loss"])


def test_before_the_first_epoch_it_is_a_table_of_unseen_pairs():
    table = BadPairMiner(3).table()
    assert list(table.columns) == COLUMNS
    assert table["kind"].tolist() == ["normal"] * 3
    assert table["mean_loss"].isna().all()
