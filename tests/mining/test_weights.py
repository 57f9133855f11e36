"""The weights against math and scikit-learn; always in [0, 1], sigma 0 defined."""

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from sklearn.mixture import GaussianMixture
from tests.oracles.weights import gaussian_density, mixture_density

from pairsift.mining import ConstantWeight, GaussianWeight, Memory, MixtureWeight, Population


def population(losses):
    memory = Memory(len(losses)).double()
    memory.add(torch.as_tensor(losses, dtype=torch.float64), torch.arange(len(losses)))
    memory.merge(1)
    return Population(memory)


@pytest.fixture
def groups():
    draw = torch.Generator().manual_seed(0)
    groups = [torch.randn(300, generator=draw) * sd + mu for mu, sd in ((0, 0.5), (4, 1), (9, 0.7))]
    return torch.cat(groups).double()


def test_gaussian_is_equation_7_cut_at_one():
    history = population(torch.linspace(-0.4, 0.6, 50))  # sigma 0.29: the density peaks above 1
    losses = torch.linspace(-3, 3, 41, dtype=torch.float64)
    expected = [gaussian_density(x, history.mu, history.sigma) for x in losses.tolist()]
    assert max(expected) > 1
    np.testing.assert_allclose(GaussianWeight().fit(history)(losses), np.clip(expected, 0, 1), rtol=1e-12)
    peak = gaussian_density(history.mu, history.mu, history.sigma)
    scaled = GaussianWeight(peak_one=True).fit(history)(losses)
    np.testing.assert_allclose(scaled, np.array(expected) / peak, rtol=1e-12)


def test_constant_is_constant_and_refuses_what_is_no_weight():
    assert ConstantWeight(0.25).fit(population([1.0, 2.0]))(torch.randn(3)).tolist() == [0.25] * 3
    for bad in (-0.1, 1.1, float("nan")):
        with pytest.raises(ValueError, match="weight must lie in"):
            ConstantWeight(bad)


def test_a_mixture_of_one_is_the_gaussian(groups):
    history = population(groups)
    losses = torch.linspace(-3, 12, 50, dtype=torch.float64)
    one, gaussian = MixtureWeight(1).fit(history)(losses), GaussianWeight().fit(history)(losses)
    torch.testing.assert_close(one, gaussian, rtol=1e-4, atol=1e-6)


def test_a_mixture_is_the_density_of_the_groups_it_finds(groups):
    losses = torch.linspace(-3, 12, 50)
    weights = MixtureWeight(3).fit(population(groups))(losses)
    found = GaussianMixture(3, random_state=0, max_iter=500).fit(groups[:, None].numpy())
    spreads = np.sqrt(found.covariances_[:, 0, 0])
    expected = [mixture_density(x, found.weights_, found.means_[:, 0], spreads) for x in losses.tolist()]
    np.testing.assert_allclose(weights, np.clip(expected, 0, 1), atol=2e-3)


def test_a_mixture_of_many_is_fitted_on_a_bounded_sample_the_same_at_each_call(groups, monkeypatch):
    sizes = []
    fit = GaussianMixture.fit
    monkeypatch.setattr(GaussianMixture, "fit", lambda self, x: sizes.append(len(x)) or fit(self, x))
    history, losses = population(groups), torch.linspace(-3, 12, 20)
    small, again = (MixtureWeight(3, max_sample=400).fit(history)(losses) for _ in range(2))
    assert max(sizes) <= 440
    assert torch.equal(small, again)
    torch.testing.assert_close(small, MixtureWeight(3).fit(history)(losses), atol=0.08, rtol=0)


def test_more_components_than_different_losses_is_no_error():
    weights = MixtureWeight(5).fit(population([1.0, 1.0, 2.0]))(torch.tensor([1.0, 1.5, 2.0]))
    assert ((weights >= 0) & (weights <= 1)).all()


@pytest.mark.parametrize("weight", [GaussianWeight(), GaussianWeight(peak_one=True), MixtureWeight(3)])
def test_where_sigma_is_zero_the_weight_is_one(weight):
    for losses in ([3.0], [0.1] * 5):
        assert weight.fit(population(losses))(torch.tensor([3.0, -9.0, 0.1])).tolist() == [1, 1, 1]


@pytest.mark.parametrize("settings", [{"components": 0}, {"components": 2, "max_sample": 0}])
def test_a_mixture_of_nothing_is_refused(settings):
    with pytest.raises(ValueError, match="must be at least 1"):
        MixtureWeight(**settings)


numbers = st.floats(-1e12, 1e12)


@given(st.lists(numbers, min_size=1, max_size=30), st.lists(numbers, min_size=1, max_size=30))
def test_weights_lie_in_0_1(history, losses):
    for weight in (GaussianWeight(), GaussianWeight(peak_one=True), ConstantWeight(1.0)):
        weights = weight.fit(population(history))(torch.tensor(losses))
        assert ((weights >= 0) & (weights <= 1)).all()
