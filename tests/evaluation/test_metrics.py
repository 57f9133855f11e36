"""Metrics against counting by hand, and what is said where a metric does not exist."""

from __future__ import annotations

import json

import numpy as np
import pytest
import torch
from tests.oracles import ranking

from pairsift.errors import PairsiftError
from pairsift.evaluation import classification_metrics


def some_scores(rows: int, classes: int, seed: int = 0) -> np.ndarray:
    return np.random.default_rng(seed).integers(0, 12, size=(rows, classes)) / 12  # with ties


def test_single_label_metrics_equal_counting() -> None:
    rng = np.random.default_rng(1)
    y, scores = rng.integers(0, 4, 60), some_scores(60, 4)
    got = classification_metrics(scores, y, ["a", "b", "c", "d"])
    guess = scores.argmax(axis=1)
    per_class = {
        name: ranking.auroc((y == k).tolist(), scores[:, k].tolist()) for k, name in enumerate("abcd")
    }
    precision = [ranking.average_precision((y == k).tolist(), scores[:, k].tolist()) for k in range(4)]
    f1 = [ranking.f1((y == k).tolist(), (guess == k).tolist()) for k in range(4)]
    assert got["auroc_per_class"] == pytest.approx(per_class)
    assert got["auroc"] == pytest.approx(np.mean(list(per_class.values())))
    assert got["auprc"] == pytest.approx(np.mean(precision))
    assert got["f1"] == pytest.approx(np.mean(f1))
    assert got["accuracy"] == np.mean(guess == y)
    assert got["left_out"] == [] and got["rows"] == 60


def test_multilabel_metrics_equal_counting() -> None:
    rng = np.random.default_rng(2)
    y, scores = rng.integers(0, 2, (40, 3)), some_scores(40, 3)
    got = classification_metrics(scores, y)
    called = scores >= 0.5
    auroc = [ranking.auroc((y[:, k] == 1).tolist(), scores[:, k].tolist()) for k in range(3)]
    f1 = [ranking.f1((y[:, k] == 1).tolist(), called[:, k].tolist()) for k in range(3)]
    assert got["auroc"] == pytest.approx(np.mean(auroc))
    assert got["f1"] == pytest.approx(np.mean(f1))
    assert got["accuracy"] == np.mean([(called[i] == y[i]).all() for i in range(40)])


def test_a_class_missing_from_the_truth_is_named_and_left_out_of_the_averages() -> None:
    y, scores = np.array([0, 0, 1, 1]), np.array([[0.9, 0.1, 0], [0.6, 0.4, 0], [0.1, 0.9, 0], [0.2, 0.8, 0]])
    got = classification_metrics(scores, y, ["x", "y", "z"])
    assert got["left_out"] == ["z"]
    assert got["auroc_per_class"] == {"x": 1.0, "y": 1.0, "z": None}
    assert got["auroc"] == got["auprc"] == got["f1"] == 1.0
    json.dumps(got, allow_nan=False)


def test_a_truth_of_one_class_has_no_auroc() -> None:
    got = classification_metrics(np.array([[0.9, 0.1], [0.4, 0.6]]), np.array([0, 0]))
    assert got["auroc"] is None and got["auprc"] is None
    assert got["accuracy"] == 0.5
    assert got["f1"] == pytest.approx(2 / 3)


def test_shuffling_the_rows_changes_nothing() -> None:
    rng = np.random.default_rng(3)
    y, scores, order = rng.integers(0, 3, 50), rng.random((50, 3)), rng.permutation(50)
    shuffled, straight = classification_metrics(scores[order], y[order]), classification_metrics(scores, y)
    for name in ("accuracy", "auroc", "auprc", "f1", "auroc_per_class", "auprc_per_class"):
        assert shuffled[name] == pytest.approx(straight[name])


def test_half_precision_tensors_are_taken() -> None:
    scores = torch.tensor([[0.75, 0.25], [0.25, 0.75]])
    y = torch.tensor([0, 1])
    assert classification_metrics(scores.bfloat16(), y) == classification_metrics(scores, y)


@pytest.mark.parametrize(
    ("scores", "y", "classes", "says"),
    [
        (np.zeros((3, 2)), np.zeros(4, int), None, "one row a label"),
        (np.zeros((3, 2)), np.array([0, 1, 2]), None, "class 2"),
        (np.zeros((3, 2)), np.zeros(3, int), ["a"], "classes names 1"),
        (np.full((3, 2), np.nan), np.zeros(3, int), None, "NaN"),
        (np.zeros((3, 2)), np.zeros((3, 4), int), None, "4 columns"),
        (np.zeros((3, 2)), np.full((3, 2), 2), None, "0 and 1 only"),
        (np.zeros((3, 2)), np.array([0.5, 1, 0]), None, "whole numbers"),
        (np.zeros((3, 2)), np.array([-1, 1, 0]), None, "from 0"),
        (np.zeros((3, 2)), np.zeros((3, 2, 2), int), None, "(N, K)"),
    ],
)
def test_wrong_input_gets_a_sentence(scores, y, classes, says: str) -> None:
    with pytest.raises(PairsiftError, match=says.replace("(", r"\(").replace(")", r"\)")):
        classification_metrics(scores, y, classes)
