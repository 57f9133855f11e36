"""Detection of bad pairs against counting by hand, and its edges."""

from __future__ import annotations

import json

import numpy as np
import pytest
from tests.oracles import ranking

from pairsift.errors import PairsiftError
from pairsift.evaluation import detection_metrics


def test_everything_equals_counting() -> None:
    rng = np.random.default_rng(0)
    truth, kinds = rng.integers(0, 3, 80), rng.integers(0, 3, 80)
    loss, score = rng.integers(0, 9, 80) / 3, rng.random(80)
    got = detection_metrics(truth, kinds, loss, score)
    for name, kind, sign in (("noisy", 1, -1), ("faulty", 2, 1)):
        is_kind, called = (truth == kind).tolist(), (kinds == kind).tolist()
        either = np.isin(truth, (0, kind))
        assert got[name]["f1"] == pytest.approx(ranking.f1(is_kind, called))
        hits = sum(a and b for a, b in zip(is_kind, called))
        assert got[name]["precision"] == hits / sum(called)
        assert got[name]["recall"] == hits / sum(is_kind)
        assert got[name]["flagged"] == sum(called) and got[name]["planted"] == sum(is_kind)
        side = (truth[either] == kind).tolist()
        assert got[name]["auroc"] == pytest.approx(ranking.auroc(side, (sign * loss[either]).tolist()))
        assert got[name]["auroc_score"] == pytest.approx(ranking.auroc(side, (-score[either]).tolist()))


def test_a_perfect_miner() -> None:
    truth = np.array([0, 0, 1, 1, 2], dtype=np.int8)
    got = detection_metrics(truth, truth, mean_loss=np.array([2.0, 2.1, 0.1, 0.2, 5.0]))
    for kind in ("noisy", "faulty"):
        assert got[kind]["auroc"] == got[kind]["precision"] == got[kind]["recall"] == got[kind]["f1"] == 1.0


def test_a_bad_pair_called_by_the_other_name_is_no_hit() -> None:
    got = detection_metrics([0, 0, 1, 2], [0, 0, 2, 1])
    assert got["noisy"]["precision"] == got["noisy"]["f1"] == 0.0


def test_what_does_not_exist_is_none_and_goes_into_json() -> None:
    got = detection_metrics([0, 0, 1, 0], [0, 0, 0, 0])
    assert got["noisy"] == {
        "auroc": None,
        "auroc_score": None,
        "precision": None,
        "recall": 0.0,
        "f1": 0.0,
        "flagged": 0,
        "planted": 1,
    }
    assert got["faulty"]["recall"] is None and got["faulty"]["f1"] is None
    json.dumps(got, allow_nan=False)


def test_pairs_never_seen_take_no_part_in_the_auroc() -> None:
    truth = np.array([0, 0, 1, 1, 0, 1])
    loss = np.array([3.0, 4.0, 1.0, 2.0, np.nan, np.nan])
    assert detection_metrics(truth, truth, loss)["noisy"]["auroc"] == 1.0


def test_an_infinite_loss_is_the_highest() -> None:
    truth = np.array([0, 0, 2, 2])
    assert detection_metrics(truth, truth, np.array([1.0, 2.0, np.inf, np.inf]))["faulty"]["auroc"] == 1.0


@pytest.mark.parametrize(
    ("truth", "kinds", "loss", "says"),
    [
        ([0, 1], [0], None, "kinds must have one entry"),
        ([0, 3], [0, 0], None, "truth must be"),
        ([0, 1], [0, -1], None, "kinds must be"),
        ([0, 1], [0, 0], [1.0], "mean_loss must have one value"),
    ],
)
def test_wrong_input_gets_a_sentence(truth, kinds, loss, says: str) -> None:
    with pytest.raises(PairsiftError, match=says):
        detection_metrics(truth, kinds, loss)
