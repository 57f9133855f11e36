"""Two gloo processes, each with its share of the pairs, know and judge as one process with all."""

import pytest
import torch
import torch.multiprocessing as mp
from tests.mining.two_processes import EPOCHS, PAIRS, WORLD, new_miner, run, share, work

from pairsift.mining import BadPairMiner, hide_from_ddp
from pairsift.mining.sync import sum_over_processes

pytestmark = pytest.mark.filterwarnings("ignore:a batch of")


@pytest.fixture(scope="module")
def two(tmp_path_factory):
    folder = str(tmp_path_factory.mktemp("two"))
    mp.spawn(work, args=(folder,), nprocs=WORLD)
    return [torch.load(f"{folder}/{rank}.pt", weights_only=True) for rank in range(WORLD)]


@pytest.fixture(scope="module")
def one():
    miner = new_miner()
    return miner, run(miner, range(WORLD))


def test_the_shares_are_uneven_overlap_and_leave_a_process_without_easy_pairs():
    shares = [{int(i) for batch in share(1, rank) for i in batch} for rank in range(WORLD)]
    assert len(shares[0]) != len(shares[1])
    assert shares[0] & shares[1]
    assert not shares[1] & set(range(8))
    padded = torch.cat([torch.cat(share(3, rank)) for rank in range(WORLD)])
    assert (padded.bincount() == 2).sum() == 1


def test_two_processes_remember_bit_for_bit_what_one_does(two, one):
    miner, _ = one
    for name, value in miner.memory.state_dict().items():
        for result in two:
            assert torch.equal(result["state"][f"memory.{name}"], value), name
    assert miner.memory.seen[70:].max() < miner.memory.seen[:8].min()


def test_two_processes_judge_and_weigh_as_one_does(two, one):
    _, epochs = one
    for epoch in range(EPOCHS):
        for result in two:
            assert torch.equal(result["epochs"][epoch]["verdicts"], epochs[epoch]["verdicts"])
        weighed = [w for result in two for w in result["epochs"][epoch]["weighed"]]
        assert all(torch.equal(a, b) for a, b in zip(weighed, epochs[epoch]["weighed"], strict=True))
    assert set(epochs[-1]["verdicts"].tolist()) == {0, 1, 2}


def test_bad_numbers_are_counted_over_all_processes_and_named_where_they_were(two):
    assert [int(result["state"]["_nonfinite.count"]) for result in two] == [1, 1]
    assert [result["named"] for result in two] == [[], [60]]


def test_there_is_one_all_reduce_an_epoch(two):
    for result in two:
        assert result["calls"] == [2 * PAIRS + 1] * EPOCHS


def test_a_miner_hidden_from_ddp_keeps_its_own_memory(two):
    expected = torch.zeros(PAIRS, dtype=torch.int16)
    expected[:40] = 1
    for result in two:
        assert torch.equal(result["hidden"], expected)


def test_hiding_names_the_miners_buffers_alone_and_once():
    module = torch.nn.Sequential(torch.nn.BatchNorm1d(3), torch.nn.ModuleDict({"m": BadPairMiner(4)}))
    module._ddp_params_and_buffers_to_ignore = ["mine"]
    for _ in range(2):
        hide_from_ddp(module)
    expected = {"mine", *(name for name, _ in module.named_buffers() if name.startswith("1.m."))}
    assert sorted(module._ddp_params_and_buffers_to_ignore) == sorted(expected)
    miner = BadPairMiner(4)
    hide_from_ddp(miner)
    assert miner._ddp_params_and_buffers_to_ignore == [name for name, _ in miner.named_buffers()]


@pytest.mark.parametrize("at_once", [1, 7, 10, 100])
def test_more_pairs_than_go_at_once_are_summed_in_parts(monkeypatch, at_once):
    """One process plays two: each sum doubles what is there."""
    monkeypatch.setattr("pairsift.mining.sync.AT_ONCE", at_once)
    monkeypatch.setattr("torch.distributed.all_reduce", lambda tensor: tensor.mul_(2))
    monkeypatch.setattr("torch.distributed.get_backend", lambda: "gloo")
    memory = BadPairMiner(10).memory
    memory.add(torch.arange(1.0, 11.0), torch.arange(10))
    memory.visits[3] = 32_000
    assert sum_over_processes(memory, torch.tensor(3)) == 6
    assert memory.visits.tolist() == [2, 2, 2, 32_767] + [2] * 6
    memory.merge(1)
    means = torch.arange(1.0, 11.0)
    means[3] = 4 / 32_000
    torch.testing.assert_close(memory.mean, means)
