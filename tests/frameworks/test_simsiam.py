"""SimSiam against its slow oracle, its stopped gradient, and the weight that suits its narrow losses."""

from __future__ import annotations

import copy
import math

import pytest
import torch
from tests.frameworks.small import small, some_series, two_views, without_dropout
from tests.oracles.simsiam import prediction_gradient, simsiam_losses

from pairsift.errors import PairsiftError
from pairsift.frameworks import SimSiam, build_framework
from pairsift.losses import InfoNCE
from pairsift.mining import BadPairMiner, GaussianWeight, Sigma, build_miner


def test_the_loss_equals_the_oracles() -> None:
    framework = without_dropout(small("simsiam")).double().train()
    x = some_series(7).double()
    u, v = x, x + 0.5 * some_series(7, seed=4).double()
    zu, zv = framework.projector(framework.encoder(u)), framework.projector(framework.encoder(v))
    pu, pv = framework.predictor(zu), framework.predictor(zv)
    want = simsiam_losses(*(t.tolist() for t in (pu, pv, zu, zv)))
    losses = framework(u, v)
    torch.testing.assert_close(losses.detach(), torch.tensor(want, dtype=torch.float64))
    assert losses.abs().max() <= 1


def test_the_gradient_comes_through_the_predictions_alone() -> None:
    framework = without_dropout(small("simsiam")).double().train()
    x = some_series(6).double()
    u, v = x, x.flip(-1)
    twin = copy.deepcopy(framework)
    zu, zv = twin.projector(twin.encoder(u)), twin.projector(twin.encoder(v))
    pu, pv = twin.predictor(zu), twin.predictor(zv)
    by_hand = [
        torch.tensor([prediction_gradient(p, z) for p, z in zip(ps.tolist(), zs.tolist())]).double()
        for ps, zs in ((pu, zv), (pv, zu))
    ]
    torch.autograd.backward([pu, pv], by_hand)
    framework(u, v).sum().backward()
    for (name, got), want in zip(framework.named_parameters(), twin.parameters(), strict=True):
        torch.testing.assert_close(got.grad, want.grad, rtol=1e-4, atol=1e-6, msg=name)


def test_an_offset_between_the_views_does_not_satisfy_batch_norm() -> None:
    """Two points, one a view, would have statistics of their own; each view by itself must be spread."""
    framework = without_dropout(small("simsiam")).train()
    seen = []
    framework.projector.register_forward_hook(lambda module, inputs, z: seen.append(z.detach()))
    x = some_series(16)
    framework(x, x + 5)
    assert len(seen) == 2
    for z in seen:
        torch.testing.assert_close(z.mean(0), torch.zeros(z.shape[1]), atol=1e-4, rtol=0)


def test_rince_and_other_contrasts_are_refused_in_one_sentence() -> None:
    for loss in ("rince", InfoNCE()):
        with pytest.raises(PairsiftError, match="needs negative pairs and SimSiam has none"):
            build_framework("simsiam", 1, 64, loss)


def test_its_settings_name_its_own_loss() -> None:
    framework = small("simsiam")
    assert framework.settings["loss"] == "negative-cosine"
    assert build_framework(**framework.settings).loss_name == "negative-cosine"


def mined(
    weight: GaussianWeight, losses: torch.Tensor, beta: float = 2.0
) -> tuple[torch.Tensor, torch.Tensor]:
    """Weights and verdicts of pairs whose losses were and are ``losses``."""
    miner = BadPairMiner(len(losses), 1, threshold=Sigma(noisy=2, faulty=2), weight=weight)
    index = torch.arange(len(losses))
    miner.start_epoch()
    miner(losses, index)
    miner.start_epoch()
    return miner(losses, index) / losses, miner.verdicts()


def test_the_papers_density_does_nothing_where_losses_are_narrow_and_peak_one_does() -> None:
    """At z deviations the density is phi(z) / sigma: above 1 for z = 2 wherever sigma < 0.054."""
    g = torch.Generator().manual_seed(0)
    losses = -0.9 + 0.03 * torch.randn(600, generator=g)
    sigma = losses.std(correction=0).item()
    assert sigma < math.exp(-2) / math.sqrt(2 * math.pi)

    density, kinds = mined(GaussianWeight(), losses)
    peak_one, same_kinds = mined(GaussianWeight(peak_one=True), losses)
    assert torch.equal(kinds, same_kinds) and 10 < (kinds > 0).sum() < 60
    barely = (kinds > 0) & (((losses - losses.mean()) / sigma).abs() < 2.1)
    assert barely.any() and (density[barely] == 1).all()
    assert (peak_one[kinds > 0] <= math.exp(-2)).all()
    assert (peak_one[kinds == 0] == 1).all()


def test_its_mining_weight_is_one_that_the_miner_knows() -> None:
    miner = build_miner("dbpm", 10, weight=SimSiam.mining_weight)
    assert miner is not None and miner.weight == GaussianWeight(peak_one=True)


def test_a_mask_of_negatives_changes_nothing() -> None:
    framework = small("simsiam").eval()
    u, v = two_views(framework, 5)
    assert torch.equal(framework(u, v, torch.zeros(5, dtype=torch.bool)), framework(u, v))
