"""What a finished run knows of its pairs comes back from its folder."""

from pathlib import Path

import pytest
import torch
from safetensors.torch import save_file

from pairsift.data.simulated import simulate
from pairsift.errors import PairsiftError
from pairsift.mining import BadPairMiner, ConstantWeight, Sigma
from pairsift.training import load_history, load_miner, pretrain

SMALL = {"epochs": 3, "batch_size": 16, "options": {"encoder_options": {"widths": (4, 4, 8)}, "hidden": 8}}


def series():
    return simulate(n_train=40, n_test=0, n_val=0, noisy=4, faulty=4, length=60, segment=20, seed=1).train


@pytest.mark.parametrize(
    "how",
    [{}, {"weight": "zero", "noisy": None}, {"history": "ramp", "weight": "0.25", "framework": "simsiam"}],
)
def test_the_miner_comes_back_with_settings_and_memory(tmp_path: Path, how: dict) -> None:
    options = (
        {**SMALL, "options": {"encoder_options": {"widths": (4, 4, 8)}}} if "framework" in how else SMALL
    )
    run = pretrain(series(), out=tmp_path / "run", progress=False, **options, **how)
    back = load_miner(tmp_path / "run")
    assert back.extra_repr() == run.miner.extra_repr()
    assert back.state_dict().keys() == run.miner.state_dict().keys()
    assert all(torch.equal(back.state_dict()[k], v) for k, v in run.miner.state_dict().items())
    assert torch.equal(back.verdicts(), run.miner.verdicts())
    assert back.table().equals(run.miner.table())
    kept = load_history(tmp_path / "run")
    assert kept.losses.shape == (3, 40) and torch.equal(kept.index, run.history.index)
    assert torch.allclose(kept.losses, run.history.table(), rtol=0, atol=0, equal_nan=True)


def test_where_nothing_was_mined_there_is_no_miner(tmp_path: Path) -> None:
    pretrain(series(), out=tmp_path / "run", progress=False, mining="none", **SMALL)
    with pytest.raises(PairsiftError, match="mining none: there is no miner"):
        load_miner(tmp_path / "run")


def test_a_miner_of_ones_own_is_asked_for_and_filled(tmp_path: Path) -> None:
    def own() -> BadPairMiner:
        return BadPairMiner(40, 1, Sigma(1.0, None), ConstantWeight(0.5))

    run = pretrain(series(), miner=own(), out=tmp_path / "run", progress=False, **SMALL)
    with pytest.raises(PairsiftError, match="a miner of one's own"):
        load_miner(tmp_path / "run")
    assert torch.equal(load_miner(tmp_path / "run", own()).verdicts(), run.miner.verdicts())


def test_files_from_elsewhere_are_refused_in_a_sentence(tmp_path: Path) -> None:
    pretrain(series(), out=tmp_path / "run", progress=False, **SMALL)
    save_file({"index": torch.zeros(3)}, tmp_path / "run" / "history.safetensors")
    with pytest.raises(PairsiftError, match="not what pairsift writes"):
        load_history(tmp_path / "run")
    save_file({"memory.mean": torch.zeros(3)}, tmp_path / "run" / "miner.safetensors")
    with pytest.raises(PairsiftError, match="does not fit"):
        load_miner(tmp_path / "run")
    (tmp_path / "run" / "miner.safetensors").unlink()
    with pytest.raises(PairsiftError, match="is not there"):
        load_miner(tmp_path / "run")
