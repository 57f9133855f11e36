"""The miner reproduces the golden numbers: the paper's history and the released code's."""

from pathlib import Path

import numpy as np
import pytest
import torch

from pairsift.mining import BadPairMiner, GaussianWeight, Ramp, Sigma

pytestmark = pytest.mark.filterwarnings("ignore:a batch of")

GOLDEN = np.load(Path(__file__).parents[1] / "golden" / "mining.npz")
LOSSES = torch.from_numpy(GOLDEN["losses"])  # (12, 400)
EPOCHS, PAIRS = LOSSES.shape


def fed(history, beta, dtype, batch):
    """A miner before the last epoch's first batch; the pairs came in another order each epoch."""
    miner = BadPairMiner(
        PAIRS, warmup_epochs=EPOCHS - 1, threshold=Sigma(beta, beta), weight=GaussianWeight(), history=history
    )
    if dtype == torch.float64:
        miner.double()
    for epoch in range(EPOCHS - 1):
        miner.start_epoch()
        for index in torch.randperm(PAIRS, generator=torch.Generator().manual_seed(epoch)).split(batch):
            miner(LOSSES[epoch, index].to(dtype), index)
    miner.start_epoch()
    return miner


@pytest.mark.parametrize("batch", [400, 64, 7])
@pytest.mark.parametrize("dtype, tolerance", [(torch.float64, 1e-6), (torch.float32, 1e-5)])
@pytest.mark.parametrize("name, history", [("paper", "mean"), ("released", Ramp(int(GOLDEN["max_epochs"])))])
def test_statistics_and_weights_are_the_golden_ones(name, history, dtype, tolerance, batch):
    miner = fed(history, 1, dtype, batch)
    mean, _, seen = miner.statistics()
    np.testing.assert_allclose(mean, GOLDEN[f"{name}_mean"], rtol=tolerance, atol=tolerance)
    assert (seen == EPOCHS - 1).all()
    cuts = miner.thresholds
    assert cuts["mu"] == pytest.approx(GOLDEN[f"{name}_mu"], rel=tolerance)
    assert cuts["sigma"] == pytest.approx(GOLDEN[f"{name}_sigma"], rel=tolerance)
    now = LOSSES[-1].to(dtype)
    bad = GOLDEN[f"{name}_noisy_beta1"] | GOLDEN[f"{name}_faulty_beta1"]
    weights = np.where(bad, GOLDEN[f"{name}_density"].clip(0, 1), 1.0)
    weighted = miner(now, torch.arange(PAIRS))
    np.testing.assert_allclose(weighted, weights * now.numpy(), rtol=tolerance, atol=tolerance)


@pytest.mark.parametrize("beta", [1, 2, 3])
@pytest.mark.parametrize("dtype", [torch.float64, torch.float32])
@pytest.mark.parametrize("name, history", [("paper", "mean"), ("released", Ramp(int(GOLDEN["max_epochs"])))])
def test_verdicts_are_the_golden_ones(name, history, dtype, beta):
    kinds = fed(history, beta, dtype, 64).verdicts().numpy()
    np.testing.assert_array_equal(kinds == 1, GOLDEN[f"{name}_noisy_beta{beta}"])
    np.testing.assert_array_equal(kinds == 2, GOLDEN[f"{name}_faulty_beta{beta}"])
