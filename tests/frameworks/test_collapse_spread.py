"""The spread of embeddings in closed form, and when it warns."""

from __future__ import annotations

import math

import pytest
import torch

from pairsift.frameworks.collapse import LEAST, LEFT, embedding_spread, spread_message


def test_one_point_has_none_and_opposite_points_have_all() -> None:
    assert embedding_spread(torch.ones(5, 3)) == 0
    assert embedding_spread(torch.tensor([[2.0, 0.0], [-3.0, 0.0]])) == 1


def test_it_is_the_deviation_of_directions() -> None:
    angle = 0.1
    z = torch.tensor([[math.cos(angle), math.sin(angle)], [math.cos(angle), -math.sin(angle)]])
    assert embedding_spread(z).item() == pytest.approx(math.sin(angle))
    scales = torch.tensor([[0.1], [50.0]])
    assert embedding_spread(z * scales).item() == pytest.approx(math.sin(angle), rel=1e-5)


def test_random_directions_have_nearly_all() -> None:
    z = torch.randn(4000, 64, generator=torch.Generator().manual_seed(0))
    assert embedding_spread(z).item() == pytest.approx(1, abs=1e-3)


def test_it_keeps_its_digits_near_a_collapse() -> None:
    z = torch.ones(1000, 8) + 1e-5 * torch.randn(1000, 8, generator=torch.Generator().manual_seed(0))
    want = 1e-5 * math.sqrt(7 / 8)  # 7 of 8 directions are across
    assert embedding_spread(z).item() == pytest.approx(want, rel=0.05)


def test_half_precision_and_gradients_are_no_matter() -> None:
    z = torch.randn(6, 4, dtype=torch.bfloat16, requires_grad=True)
    spread = embedding_spread(z)
    assert spread.dtype == torch.float32 and not spread.requires_grad


@pytest.mark.parametrize("negatives", [True, False])
@pytest.mark.parametrize(("first", "line"), [(0.0, LEAST), (0.5, 0.5 * LEFT), (LEAST, LEAST)])
def test_it_warns_below_the_line_only(first: float, line: float, negatives: bool) -> None:
    assert spread_message(line, first, negatives=negatives) is None
    message = spread_message(0.99 * line, first, negatives=negatives)
    assert message is not None and "learning rate" in message
    assert ("batch norm" in message) == (not negatives)


def test_nan_is_named() -> None:
    message = spread_message(math.nan)
    assert message is not None and "NaN" in message
