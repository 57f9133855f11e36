"""TF-C: its loss against its terms, its spectrum against the definition, its views."""

import math

import pytest
import torch
from tests.oracles import two_sided
from tests.oracles.tfc import magnitudes, tfc

from pairsift.augment.spectrum import perturb_spectrum
from pairsift.encoders.spectral import magnitude_spectrum
from pairsift.errors import PairsiftError
from pairsift.frameworks.tfc import TFC, TFCConfig


def views(batch=6, channels=2, length=40, seed=0):
    generator = torch.Generator().manual_seed(seed)
    u = torch.randn(batch, channels, length, generator=generator)
    return u, u + 0.5 * torch.randn(u.shape, generator=generator)


def small(loss="infonce", **options):
    torch.manual_seed(0)
    options = {"hidden": 16, "projection": 8, "encoder_options": {"widths": (4, 8)}, **options}
    return TFC(2, 40, loss, TFCConfig(**options)).eval()


@pytest.mark.parametrize("triplet", [False, True])
@pytest.mark.parametrize("loss", ["infonce", "rince"])
@pytest.mark.parametrize("masked", [(), (1, 4)])
def test_the_loss_is_the_sum_of_its_terms(loss, triplet, masked):
    framework = small(loss, triplet=triplet, within=0.3, margin=0.5).double()
    u, v = (x.double() for x in views())
    keep = torch.ones(len(u), dtype=torch.bool)
    keep[list(masked)] = False
    with torch.no_grad():
        losses = framework(u, v, keep)
        h_time = framework.time(u), framework.time(v)
        h_spectrum = tuple(framework.spectrum(magnitude_spectrum(x)) for x in (u, v))
        z_time = tuple(framework.time_head(h) for h in h_time)
        z_spectrum = tuple(framework.spectrum_head(h) for h in h_spectrum)
    expected = tfc(
        h_time,
        h_spectrum,
        z_time,
        z_spectrum,
        keep.tolist(),
        getattr(two_sided, loss),
        within=0.3,
        triplet=triplet,
        margin=0.5,
    )
    torch.testing.assert_close(losses, torch.tensor(expected, dtype=losses.dtype))


@pytest.mark.parametrize("length", [12, 15])
def test_the_spectrum_is_the_definitions(length):
    x = views(2, 2, length)[0]
    expected = [[[math.log1p(a) for a in magnitudes(c)] for c in series] for series in x.tolist()]
    torch.testing.assert_close(magnitude_spectrum(x), torch.tensor(expected))


def test_the_spectrum_is_float32_under_autocast():
    x = views()[0]
    with torch.autocast("cpu", torch.bfloat16):
        seen = magnitude_spectrum(x.bfloat16())
    assert seen.dtype == torch.float32
    torch.testing.assert_close(seen, magnitude_spectrum(x), atol=0.05, rtol=0.05)


def test_a_shift_in_time_is_nothing_to_the_spectral_encoder():
    framework = small()
    x = views()[0]
    with torch.no_grad():
        before = framework.spectrum(magnitude_spectrum(x))
        after = framework.spectrum(magnitude_spectrum(x.roll(7, dims=2)))
    torch.testing.assert_close(before, after, atol=1e-4, rtol=1e-4)


def amplitudes_and_phases(x):
    spectrum = torch.fft.rfft(x.double())
    return spectrum.abs(), spectrum.angle()


@pytest.mark.parametrize("length", [64, 65])
def test_a_perturbed_spectrum_loses_and_gains_the_share_asked_for(length):
    generator = torch.Generator().manual_seed(0)
    x = 3 + torch.randn(200, 3, length, generator=generator)
    before, phase = amplitudes_and_phases(x)
    after, new_phase = amplitudes_and_phases(perturb_spectrum(x, 0.2, 0.5, generator=generator))
    torch.testing.assert_close(after[:, :, 0], before[:, :, 0])  # the mean stays
    before, after = before[:, :, 1:], after[:, :, 1:]
    largest = before.amax(2, keepdim=True)
    gone = after < 1e-4 * largest
    more = after > before + 1e-4 * largest
    assert abs(gone.double().mean() - 0.2 * 0.8) < 0.01  # taken out, and nothing put in
    assert abs((gone | more | (after < 0.999 * before)).double().mean() - 0.36) < 0.01
    assert (after - before).div(largest).max() <= 0.5 + 1e-4
    turned = (new_phase - phase)[:, :, 1:][~gone].cos()
    assert turned.min() > 0.99  # phases are kept


def test_perturbation_follows_its_strength_and_its_generator():
    x = views(8)[0]
    strength = torch.tensor([0.0, 1.0] * 4)
    first = perturb_spectrum(x, 0.5, strength=strength, generator=torch.Generator().manual_seed(3))
    again = perturb_spectrum(x, 0.5, strength=strength, generator=torch.Generator().manual_seed(3))
    assert torch.equal(first, again)
    assert torch.equal(first[::2], x[::2])
    assert (first[1::2] != x[1::2]).any(2).all()


def test_only_the_strong_view_is_perturbed_and_a_gentle_pair_is_left_alone():
    framework = small(share=0.5)
    x = views(8)[0]
    gentle = torch.tensor([True, False] * 4)
    u, v = framework.views(x, gentle=gentle, generator=torch.Generator().manual_seed(0))
    assert torch.equal(u[::2], x[::2]) and torch.equal(v[::2], x[::2])
    bare = small(share=0.0)
    same_u, other_v = bare.views(x, gentle=gentle, generator=torch.Generator().manual_seed(0))
    assert torch.equal(u, same_u)
    assert not torch.equal(v, other_v)


def test_in_time_the_strong_view_is_a_permutation_unless_jitter_is_asked_for():
    x = views(8)[0]
    u, v = small(share=0.0).views(x, generator=torch.Generator().manual_seed(0))
    torch.testing.assert_close(v.sort(2).values, x.sort(2).values)
    assert not torch.equal(v, x) and not torch.equal(u, x)
    jittered = small(share=0.0, jitter=True).views(x, generator=torch.Generator().manual_seed(0))[1]
    assert (jittered.sort(2).values - x.sort(2).values).abs().max() > 0.1


def test_no_augmentation_means_none_in_the_spectrum_either():
    x = views()[0]
    u, v = small(augmentation="none").views(x)
    assert torch.equal(u, x) and torch.equal(v, x)


def test_features_are_those_of_both_encoders():
    framework = small()
    x = views()[0]
    assert framework.embed(x).shape == (6, framework.out_features)
    assert framework.out_features == framework.time.out_features + framework.spectrum.out_features


def test_a_share_that_is_no_share_is_refused():
    with pytest.raises(PairsiftError, match=r"share must lie in \[0, 1\], got 1.5"):
        perturb_spectrum(views()[0], 1.5)
