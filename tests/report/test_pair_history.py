from __future__ import annotations

import base64

import numpy as np
import pytest
import torch

from pairsift.errors import PairsiftError
from pairsift.report import PairHistory
from pairsift.report.history import QUANTILES, history_for_page

KINDS = np.array(["normal", "noisy", "faulty"], dtype=object)


def test_bands_are_the_quantiles_of_each_kind_and_epoch():
    rng = np.random.default_rng(0)
    kinds, index = KINDS[rng.integers(0, 3, 90)], rng.permutation(90)[:60]
    losses = rng.normal(size=(7, 60))
    losses[rng.random(losses.shape) < 0.2] = np.nan
    page = history_for_page(PairHistory(losses, index=index, warmup=3), kinds, np.array([]))
    assert page["epochs"] == list(range(1, 8)) and page["warmup"] == 3 and page["pairs"] == 60
    for kind, band in page["bands"].items():
        columns = [at for at in range(60) if kinds[index[at]] == kind]
        assert band["pairs"] == len(columns)
        for epoch in range(7):
            seen = [losses[epoch, at] for at in columns if not np.isnan(losses[epoch, at])]
            for row, level in zip(band["quantiles"], QUANTILES):
                assert row[epoch] == pytest.approx(np.quantile(seen, level), rel=1e-3, abs=1e-4)


def test_an_epoch_that_saw_no_pair_of_a_kind_is_empty():
    page = history_for_page(PairHistory(np.array([[1.0], [np.inf], [2.0]])), KINDS[:1], np.array([]))
    assert page["bands"]["normal"]["quantiles"][2] == [1.0, None, 2.0]
    assert list(page["bands"]) == ["normal"]


def test_lines_are_those_of_the_drawn_pairs():
    losses = torch.arange(12.0).reshape(3, 4)
    history = PairHistory(losses, index=torch.tensor([5, 6, 7, 8]))
    page = history_for_page(history, np.repeat(KINDS[:1], 9), np.array([6, 1]))
    assert list(page["lines"]) == ["6"]
    assert np.frombuffer(base64.b64decode(page["lines"]["6"]), np.float32).tolist() == [1.0, 5.0, 9.0]


def test_long_runs_are_thinned_with_their_ends():
    page = history_for_page(PairHistory(np.zeros((5000, 2))), KINDS[:2], np.array([0]))
    assert len(page["epochs"]) == 200 and page["epochs"][0] == 1 and page["epochs"][-1] == 5000


def test_no_epochs_give_nothing():
    assert history_for_page(PairHistory(np.empty((0, 3))), KINDS, np.array([])) is None
    assert history_for_page(None, KINDS, np.array([])) is None


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: PairHistory(np.zeros(3)), "shape"),
        (lambda: PairHistory(np.zeros((2, 3)), index=np.arange(2)), "index"),
        (lambda: PairHistory(np.zeros((2, 3)), epochs=np.arange(3)), "epochs"),
        (
            lambda: history_for_page(PairHistory(np.zeros((2, 3)), index=np.array([0, 1, 9])), KINDS, []),
            "0 to 2",
        ),
    ],
)
def test_a_history_that_does_not_fit_is_refused(make, words):
    with pytest.raises(PairsiftError, match=words):
        make()
