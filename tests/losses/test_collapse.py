"""The warning of collapse: given where the loss says so, and nowhere else."""

from __future__ import annotations

import pytest
import torch

from pairsift.losses import InfoNCE, NegativeCosine, collapse_message


def test_one_point_for_all_is_called_collapse() -> None:
    z = torch.ones(16, 8) + 1e-4 * torch.randn(16, 8, generator=torch.Generator().manual_seed(0))
    criterion = InfoNCE()
    message = collapse_message(float(criterion(z, z.flip(0)).mean()), criterion.chance_level(16))
    assert message is not None and "collapse" in message and "learning rate" in message


def test_embeddings_that_say_something_are_not() -> None:
    z = torch.randn(16, 8, generator=torch.Generator().manual_seed(0))
    criterion = InfoNCE()
    assert collapse_message(float(criterion(z, z).mean()), criterion.chance_level(16)) is None


@pytest.mark.parametrize(
    ("mean_loss", "warns"), [(4.0, True), (4.03, True), (3.97, True), (4.05, False), (3.95, False)]
)
def test_a_hundredth_is_the_limit(mean_loss: float, warns: bool) -> None:
    assert (collapse_message(mean_loss, 4.0) is not None) == warns


def test_losses_that_cannot_show_it_and_nan_stay_silent() -> None:
    assert collapse_message(-1.0, NegativeCosine().chance_level(16)) is None
    assert collapse_message(float("nan"), 4.0) is None
