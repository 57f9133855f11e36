"""The linear probe against Adam written out by hand, and its edges."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from tests.oracles.probe import probe_weights

from pairsift.errors import PairsiftError
from pairsift.evaluation import linear_probe


def clouds(rows: int, features: int, classes: int, seed: int = 0) -> tuple[torch.Tensor, torch.Tensor]:
    """One cloud of features a class, away from the origin and of unequal spreads."""
    g = torch.Generator().manual_seed(seed)
    centres = torch.randn(classes, features, generator=torch.Generator().manual_seed(99))
    y = torch.randint(0, classes, (rows,), generator=g)
    z = centres[y] + 0.5 * torch.randn(rows, features, generator=g)
    return z * torch.linspace(0.5, 4, features) + 3, y


@pytest.mark.parametrize("standardise", [True, False])
@pytest.mark.parametrize("multilabel", [True, False])
def test_the_layer_equals_adam_by_hand(standardise: bool, multilabel: bool) -> None:
    z, y = clouds(50, 7, 3)
    if multilabel:
        y = torch.stack([y == 0, y != 1, z[:, 0] > 3], dim=1).long()
    got = linear_probe(z, y, z, y, epochs=5, lr=0.01, batch_size=16, standardise=standardise, seed=4)
    weight, bias = probe_weights(
        z.numpy(), y.numpy(), 3, epochs=5, lr=0.01, batch_size=16, standardise=standardise, seed=4
    )
    np.testing.assert_allclose(got.weight.numpy(), weight, atol=1e-5)
    np.testing.assert_allclose(got.bias.numpy(), bias, atol=1e-5)


def test_separable_classes_are_found() -> None:
    (z, y), (test_z, test_y) = clouds(400, 16, 4), clouds(200, 16, 4, seed=1)
    probe = linear_probe(z, y, test_z, test_y, lr=0.01)
    assert probe.metrics["accuracy"] > 0.97
    assert probe.metrics["auroc"] > 0.99
    np.testing.assert_allclose(probe.scores.sum(axis=1), 1, atol=1e-5)


def test_labels_without_a_signal_stay_at_chance() -> None:
    g = torch.Generator().manual_seed(0)
    z, y = torch.randn(800, 4, generator=g), torch.randint(0, 2, (800,), generator=g)
    assert abs(linear_probe(z[:400], y[:400], z[400:], y[400:]).metrics["auroc"] - 0.5) < 0.1


def test_the_same_seed_repeats_and_the_global_state_is_left_alone() -> None:
    z, y = clouds(60, 5, 2)
    before = torch.get_rng_state()
    runs = [linear_probe(z, y, z, y, epochs=2, seed=seed).weight for seed in (0, 0, 1)]
    assert torch.equal(before, torch.get_rng_state())
    assert torch.equal(runs[0], runs[1])
    assert not torch.equal(runs[0], runs[2])


def test_standardised_features_make_scale_and_shift_irrelevant() -> None:
    z, y = clouds(90, 6, 3)
    plain = linear_probe(z, y, z, y, epochs=3)
    moved = linear_probe(8 * z - 4, y, 8 * z - 4, y, epochs=3)
    np.testing.assert_allclose(plain.scores, moved.scores, atol=1e-4)


@pytest.mark.parametrize("value", [0.0, 0.1, 1e6])
def test_a_constant_feature_is_harmless(value: float) -> None:
    z, y = clouds(90, 6, 3)
    z[:, 2] = value
    probe = linear_probe(z, y, z, y)
    assert np.isfinite(probe.scores).all() and probe.std[2] == 1
    other = z.clone()
    other[:, 2] += 0.01 * abs(value)
    assert np.isfinite(probe.score(other)).all()


def test_moments_come_from_the_training_rows_alone() -> None:
    z, y = clouds(60, 4, 2)
    probe = linear_probe(z, y, z + 100, y, epochs=1)
    torch.testing.assert_close(probe.mean, z.mean(dim=0))
    torch.testing.assert_close(probe.std, z.std(dim=0, correction=0))


def test_other_sets_are_scored_by_the_same_layer() -> None:
    (z, y), (val_z, val_y) = clouds(80, 5, 3), clouds(5000, 5, 3, seed=2)
    probe = linear_probe(z, y, val_z, val_y, epochs=4, classes=["a", "b", "c"])
    np.testing.assert_array_equal(probe.score(val_z), probe.scores)
    assert probe.evaluate(val_z, val_y) == probe.metrics
    assert list(probe.metrics["auroc_per_class"]) == ["a", "b", "c"]


def test_a_class_that_only_one_side_has() -> None:
    z, y = clouds(120, 5, 3)
    only_in_train = linear_probe(z, y, z[y != 1], y[y != 1])
    assert only_in_train.metrics["left_out"] == ["1"] and only_in_train.metrics["accuracy"] > 0.5
    only_in_test = linear_probe(z[y != 2], y[y != 2], z, y)
    assert only_in_test.scores.shape == (120, 3)


def test_arrays_memory_maps_and_half_precision_are_taken(tmp_path) -> None:
    z, y = clouds(64, 5, 2)
    np.save(tmp_path / "z.npy", z.numpy())
    mapped = np.load(tmp_path / "z.npy", mmap_mode="r")
    want = linear_probe(z, y, z, y, epochs=2)
    got = linear_probe(mapped, y.numpy(), mapped, y.tolist(), epochs=2)
    np.testing.assert_array_equal(got.scores, want.scores)
    half = linear_probe(z.bfloat16(), y, z.bfloat16(), y, epochs=2)
    assert half.weight.dtype == torch.float32


def test_works_where_gradients_are_off_and_leaves_none_behind() -> None:
    z, y = clouds(40, 3, 2)
    z.requires_grad_()
    with torch.no_grad():
        probe = linear_probe(z, y, z, y, epochs=1)
    assert z.grad is None and not probe.weight.requires_grad


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ({"train_z": torch.zeros(8, 2, 3)}, "train_z must be features"),
        ({"train_z": torch.full((8, 3), float("nan"))}, "train_z holds NaN"),
        ({"test_z": torch.zeros(8, 4)}, "test_z has 4"),
        ({"train_y": torch.zeros(7, dtype=torch.long)}, "train_z has 8 rows"),
        ({"train_y": torch.zeros(8, dtype=torch.long)}, "at least two"),
        ({"test_y": torch.zeros(8, 2, dtype=torch.long)}, "one form"),
        ({"classes": ["a"]}, "classes names 1"),
        ({"epochs": 0}, "at least 1"),
        ({"train_z": np.array([["a", "b", "c"]] * 8)}, "must hold numbers"),
    ],
)
def test_wrong_input_gets_a_sentence(change, says: str) -> None:
    y = torch.arange(8) % 2
    given = {"train_z": torch.randn(8, 3), "train_y": y, "test_z": torch.randn(8, 3), "test_y": y, **change}
    with pytest.raises(PairsiftError, match=says):
        linear_probe(**given)
