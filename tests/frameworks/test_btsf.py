"""BTSF: its fusion and its loss against every pair of step and frequency, its causality, its views."""

import pytest
import torch
from tests.oracles import two_sided
from tests.oracles.btsf import fused_pairs, pooled

from pairsift.augment.dropout import drop
from pairsift.encoders.fusion import BilinearFusion, BothWays, CausalConv, Round
from pairsift.errors import PairsiftError
from pairsift.frameworks.btsf import BTSF, BTSFConfig


def some(batch=5, channels=2, length=40, seed=0):
    return torch.randn(batch, channels, length, generator=torch.Generator().manual_seed(seed))


def small(loss="infonce", **options):
    torch.manual_seed(0)
    options = {"encoder_options": {"width": 4, "rank": 6, "rounds": 1}, **options}
    return BTSF(2, 40, loss, BTSFConfig(**options)).eval()


def test_the_fused_vector_is_the_mean_over_all_pairs():
    torch.manual_seed(0)
    fusion = BilinearFusion(2, width=4, rank=6, rounds=0).double().eval()
    x = some().double()
    with torch.no_grad():
        t, s = fusion.branches(x)
        expected = [pooled(fused_pairs(t[b], s[b], fusion.u.weight, fusion.v.weight)) for b in range(len(x))]
        torch.testing.assert_close(fusion(x), torch.tensor(expected, dtype=torch.float64))


def test_a_round_refines_by_the_fusion_summed_over_the_other_axis():
    torch.manual_seed(0)
    refine = Round(4).double().eval()
    t, s = torch.randn(2, 4, 7).double(), torch.randn(2, 4, 5).double()
    with torch.no_grad():
        refined = refine(t, s)
        for b in range(2):
            pairs = fused_pairs(t[b], s[b], refine.u.weight.squeeze(2), refine.v.weight.squeeze(2))
            over_time, over_frequencies = pairs.mean(1).T[None], pairs.mean(0).T[None]  # (1, W, L), (1, W, M)
            time = t[b] + refine.to_time.norm(refine.to_time.layer(over_time)).relu()[0]
            spectrum = s[b] + refine.to_spectrum.norm(refine.to_spectrum.layer(over_frequencies)).relu()[0]
            torch.testing.assert_close(refined[0][b], time)
            torch.testing.assert_close(refined[1][b], spectrum)


@pytest.mark.parametrize("loss", ["infonce", "rince"])
@pytest.mark.parametrize("masked", [(), (0, 3)])
def test_the_loss_is_the_contrast_of_the_fused_vectors(loss, masked):
    framework = small(loss)
    u, v = some(), some(seed=1)
    keep = torch.ones(len(u), dtype=torch.bool)
    keep[list(masked)] = False
    with torch.no_grad():
        fused = framework.encoder(u), framework.encoder(v)
        losses = framework(u, v, keep)
    expected = two_sided.two_sided(*fused, keep.tolist(), getattr(two_sided, loss))
    torch.testing.assert_close(losses, torch.tensor(expected), atol=1e-5, rtol=1e-5)


def moved(layer, at=10):
    """Which of 20 output steps change when input step ``at`` does."""
    x = some(1, 3, 20)
    changed = x.clone()
    changed[:, :, at] += 1
    with torch.no_grad():
        return (layer(changed) - layer(x)).abs().sum((0, 1)).nonzero().flatten().tolist()


def test_a_causal_convolution_reaches_only_ahead_of_its_input():
    assert moved(CausalConv(3, 2, kernel=3, dilation=2)) == [10, 12, 14]
    assert moved(CausalConv(3, 2, kernel=3, dilation=2, backward=True)) == [6, 8, 10]
    assert moved(BothWays(3, 2, kernel=3)) == [8, 9, 10, 11, 12]


def test_the_temporal_branch_is_causal_and_dilated():
    torch.manual_seed(0)
    branch = BilinearFusion(3, width=4, rank=6, levels=3, pool=1).temporal.eval()
    reached = moved(branch, at=2)
    assert reached[0] == 2 and max(reached) == 19


def test_what_is_compared_has_length_one_and_features_are_both_domains_as_refined():
    framework, x = small(), some()
    with torch.no_grad():
        fused, (t, s) = framework.encoder(x), framework.encoder.branches(x)
        t, s = framework.encoder.rounds[0](t, s)
    torch.testing.assert_close(fused.norm(dim=1), torch.ones(len(x)))
    assert framework.out_features == 8
    torch.testing.assert_close(framework.embed(x), torch.cat([t.mean(2), s.mean(2)], dim=1))


def test_dropout_drops_its_rate_and_keeps_the_mean():
    x = torch.ones(50, 4, 500)
    dropped = drop(x, 0.1, generator=torch.Generator().manual_seed(0))
    assert dropped.unique().tolist() == pytest.approx([0, 1 / 0.9])
    assert abs((dropped == 0).float().mean() - 0.1) < 0.005
    assert abs(dropped.mean() - 1) < 0.01


def test_dropout_follows_its_strength_and_its_generator():
    x = some(4, 2, 400)
    strength = torch.tensor([0.0, 0.5, 1.0, 1.0])
    once = drop(x, 0.4, strength=strength, generator=torch.Generator().manual_seed(1))
    assert torch.equal(once, drop(x, 0.4, strength=strength, generator=torch.Generator().manual_seed(1)))
    assert torch.equal(once[0], x[0])
    share = (once == 0).float().mean((1, 2))
    assert abs(share[1] - 0.2) < 0.05 and abs(share[2] - 0.4) < 0.05


def test_both_views_are_dropouts_and_differ():
    x = some()
    u, v = small(rate=0.3).views(x, generator=torch.Generator().manual_seed(0))
    assert not torch.equal(u, v)
    for view in (u, v):
        kept = view != 0
        assert 0.5 < kept.float().mean() < 0.9
        torch.testing.assert_close(view[kept], x[kept] / 0.7)


def test_other_augmentations_may_take_the_place_of_dropout():
    x = some()
    assert all(torch.equal(view, x) for view in small(augmentation="none").views(x))
    u, v = small(augmentation="har").views(x)
    assert not torch.equal(u, x) and not torch.equal(v, x)


def test_mistakes_get_a_sentence():
    with pytest.raises(PairsiftError, match="encoder='conv'"):
        BTSF(1, 40, config=BTSFConfig(encoder="conv"))
    with pytest.raises(PairsiftError, match=r"rate must lie in \[0, 1\), got 1"):
        drop(some(), 1.0)
