"""TS-TCC: its loss against a loop, what its context may see, and how its settings follow the dataset."""

import pytest
import torch
from tests.oracles import two_sided
from tests.oracles.tstcc import tstcc

from pairsift.errors import PairsiftError
from pairsift.frameworks.tstcc import TSTCC, TSTCCConfig


def views(batch=6, channels=2, length=64, seed=0):
    generator = torch.Generator().manual_seed(seed)
    u = torch.randn(batch, channels, length, generator=generator)
    return u, u + 0.5 * torch.randn(u.shape, generator=generator)


def small(loss="infonce", length=64, **options):
    torch.manual_seed(0)
    framework = TSTCC(2, length, loss, TSTCCConfig(**{"steps": 3, "hidden": 12, "layers": 1, **options}))
    return framework.eval()


@pytest.mark.parametrize("loss", ["infonce", "rince"])
@pytest.mark.parametrize("masked", [(), (1, 4), (0, 1, 2, 3, 4, 5)])
def test_the_loss_is_the_loops(loss, masked):
    framework = small(loss).double()
    u, v = (x.double() for x in views())
    keep = torch.ones(len(u), dtype=torch.bool)
    keep[list(masked)] = False
    with torch.no_grad():
        losses = framework(u, v, keep)
        maps = framework.encoder.maps(u), framework.encoder.maps(v)
        t = (framework.encoder.map_length - 3) // 2
        seen = [torch.nn.functional.normalize(m.transpose(1, 2), dim=2)[:, : t + 1] for m in maps]
        contexts = [framework.summary(s) for s in seen]
        projected = [framework.head(c) for c in contexts]
        weights = framework.predict.weight.view(3, 128, 12)
        biases = framework.predict.bias.view(3, 128)

    def dot(a, b):
        return sum(x * y for x, y in zip(a, b, strict=True))

    def bounded(a, b):
        return two_sided.cosine(a, b) / 0.2

    scores = dot if loss == "infonce" else bounded
    expected = tstcc(
        contexts, maps, projected, t, weights, biases, keep.tolist(), getattr(two_sided, loss), scores
    )
    torch.testing.assert_close(losses, torch.tensor(expected, dtype=losses.dtype), atol=1e-5, rtol=1e-5)


def test_masked_series_leave_every_denominator():
    framework = small()
    u, v = views()
    keep = torch.tensor([True, True, False, True, False, True])
    with torch.no_grad():
        masked = framework(u, v, keep)[keep]
        without = framework(u[keep], v[keep])
    torch.testing.assert_close(masked, without)


def test_no_negatives_at_all_is_no_loss_and_no_gradient():
    framework = small()
    u, v = views()
    losses = framework(u, v, torch.zeros(len(u), dtype=torch.bool))
    losses.sum().backward()
    assert torch.equal(losses.detach(), torch.zeros(len(u)))
    assert all(p.grad is None or not p.grad.any() for p in framework.parameters())


def test_with_equal_features_the_temporal_contrast_is_the_log_of_the_candidates():
    framework = small()
    same = torch.nn.functional.normalize(torch.ones(5, 3, 128), dim=2)
    with torch.no_grad():
        losses = framework.predictive(torch.randn(5, 3, 128), same)
    torch.testing.assert_close(losses, torch.full((5,), 5.0).log())


def test_each_candidate_is_a_coming_step_and_not_another_prediction():
    """A series whose prediction fits everybody's future harms only itself, not the others' losses."""
    framework = small()
    coming = torch.nn.functional.normalize(torch.randn(4, 3, 8), dim=2)
    ahead = 10 * coming
    alike = ahead.clone()
    alike[0] = 10 * coming.sum(0)
    with torch.no_grad():
        before, after = framework.predictive(ahead, coming), framework.predictive(alike, coming)
    assert torch.equal(before[1:], after[1:])
    assert after[0] > before[0]


def test_the_step_is_random_in_training_and_fixed_in_evaluation():
    framework = small(length=178, steps=10)
    length = framework.encoder.map_length
    assert length == 24
    assert {framework.draw_step(length) for _ in range(20)} == {7}
    framework.train()
    torch.manual_seed(0)
    drawn = [framework.draw_step(length) for _ in range(400)]
    assert set(drawn) == set(range(length - 10))  # from a context of one step to ten steps before the end
    torch.manual_seed(0)
    assert drawn[:5] == [framework.draw_step(length) for _ in range(5)]


def test_the_context_sees_no_step_that_is_predicted():
    framework = small()
    z = torch.randn(2, 11, 128, requires_grad=True)
    t = framework.draw_step(11)
    framework.summary(z[:, : t + 1]).sum().backward()
    assert not z.grad[:, t + 1 :].any()
    assert z.grad[:, : t + 1].abs().sum(2).gt(0).all()


@pytest.mark.parametrize(
    ("dataset", "length", "steps", "hidden"),
    [("har", 128, 6, 100), ("epilepsy", 178, 10, 100), ("sleep-edf", 3000, 50, 64), (None, 32, 3, 100)],
)
def test_published_settings(dataset, length, steps, hidden):
    config = TSTCCConfig.for_dataset(dataset)
    framework = TSTCC(1, length, config=config)
    assert framework.steps == steps  # half of a map of 6 steps at length 32
    assert framework.summary.token.shape == (hidden,)
    assert framework.predict.out_features == steps * 128


def test_a_residual_encoder_is_averaged_over_time_and_leaves_nothing_untrained():
    framework = TSTCC(2, 64, config=TSTCCConfig(encoder="resnet18", steps=2))
    u, v = views(4)
    assert framework.embed(u).shape == (4, framework.out_features) == (4, 512)
    framework(u, v).sum().backward()
    assert all(p.grad is not None for p in framework.parameters() if p.requires_grad)


def test_a_series_too_short_for_a_next_step_is_refused():
    with pytest.raises(PairsiftError, match="length 8"):
        TSTCC(1, 8, config=TSTCCConfig(encoder="resnet18"))
