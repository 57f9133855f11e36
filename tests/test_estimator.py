"""The estimator keeps scikit-learn's conventions, and finds the same as the loop below it."""

import pickle

import numpy as np
import pytest
import torch
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.utils.estimator_checks import parametrize_with_checks

import pairsift
from pairsift.data.series import Series
from pairsift.estimator import ContrastiveEncoder
from pairsift.training import pretrain

SMALL = {
    "epochs": 2,
    "warmup": 1,
    "batch_size": 8,
    "options": {"encoder_options": {"widths": (2, 2)}, "hidden": 4},
    "random_state": 0,
}
X = np.random.default_rng(0).normal(size=(24, 3, 20)).astype(np.float32)


# X may be (N, T), so scikit-learn's own checks, which know tables only, apply as they are. None is left out.
@parametrize_with_checks([ContrastiveEncoder(**{**SMALL, "epochs": 1, "warmup": 0})])
@pytest.mark.filterwarnings("ignore")
def test_scikit_learn_has_nothing_to_say(estimator, check) -> None:
    check(estimator)


def test_it_is_the_loop_with_the_same_settings() -> None:
    encoder = ContrastiveEncoder(**SMALL).fit(X)
    options = {**SMALL, "seed": SMALL["random_state"]}
    del options["random_state"]
    run = pretrain(Series(X), progress=False, **options)
    assert torch.equal(torch.from_numpy(encoder.transform(X)), run.framework.embed(torch.from_numpy(X)))
    assert encoder.bad_pairs_.equals(run.miner.table())
    assert [row["loss"] for row in encoder.metrics_] == [row["loss"] for row in run.metrics]


def test_bad_pairs_are_a_row_a_series() -> None:
    table = ContrastiveEncoder(**SMALL).fit(X).bad_pairs_
    assert list(table["index"]) == list(range(len(X)))
    assert {"kind", "score", "mean_loss", "weight"} <= set(table)
    assert ContrastiveEncoder(**SMALL, mining="none").fit(X).bad_pairs_ is None


def test_one_channel_may_be_a_table() -> None:
    flat, deep = X[:, 0], X[:, :1]
    a, b = ContrastiveEncoder(**SMALL).fit(flat), ContrastiveEncoder(**SMALL).fit(deep)
    assert np.array_equal(a.transform(flat), b.transform(deep))
    assert np.array_equal(a.transform(deep[:, 0]), b.transform(deep))
    assert (a.n_features_in_, b.n_features_in_) == (20, 1)
    assert a.series_shape_ == b.series_shape_ == (1, 20)


def test_the_same_number_gives_the_same_features_and_none_draws_one() -> None:
    again = [ContrastiveEncoder(**SMALL).fit_transform(X) for _ in range(2)]
    assert np.array_equal(*again)
    drawn = [ContrastiveEncoder(**{**SMALL, "random_state": None}).fit_transform(X) for _ in range(2)]
    assert not np.array_equal(*drawn)
    state = [
        ContrastiveEncoder(**{**SMALL, "random_state": np.random.RandomState(3)}).fit_transform(X)
        for _ in range(2)
    ]
    assert np.array_equal(*state)


def test_a_clone_is_unfitted_and_a_pickle_is_fitted() -> None:
    encoder = ContrastiveEncoder(**SMALL).fit(X)
    copy = clone(encoder)
    assert copy.get_params() == encoder.get_params()
    with pytest.raises(NotFittedError):
        copy.transform(X)
    back = pickle.loads(pickle.dumps(encoder))
    assert np.array_equal(back.transform(X), encoder.transform(X))
    assert back.bad_pairs_.equals(encoder.bad_pairs_)


def test_in_a_pipeline_and_a_grid_search_with_three_axes() -> None:
    y = np.arange(len(X)) % 2
    pipeline = make_pipeline(ContrastiveEncoder(**SMALL), LogisticRegression())
    search = GridSearchCV(
        pipeline, {"contrastiveencoder__mining": ["none", "dbpm"]}, cv=2, error_score="raise"
    )
    search.fit(X, y)
    assert search.predict(X).shape == (24,)
    assert len(search.cv_results_["params"]) == 2


def test_names_and_frames() -> None:
    encoder = ContrastiveEncoder(**SMALL).fit(X)
    width = encoder.framework_.out_features
    names = encoder.get_feature_names_out()
    assert list(names[:2]) == ["contrastiveencoder0", "contrastiveencoder1"] and len(names) == width
    frame = encoder.set_output(transform="pandas").transform(X)
    assert list(frame.columns) == list(names) and frame.shape == (24, width)


@pytest.mark.parametrize(
    ("change", "data", "sentence"),
    [
        ({}, X[:1], "minimum of 2"),
        ({}, X[:, :, :1], "1 time step"),
        ({}, X[None], r"must have shape \(N, C, T\) or \(N, T\)"),
        ({}, X[:, None].tolist(), r"must have shape \(N, C, T\) or \(N, T\), got \(24, 1, 3, 20\)"),
        ({}, np.where(X > 3, np.nan, X), "NaN"),
        ({"framework": "simclir"}, X, "unknown framework 'simclir'"),
        ({"mining": "gold"}, X, "mining must be one of"),
        ({"epochs": 0}, X, "epochs: .*got 0"),
        ({"weight": "heavy"}, X, "weight must be a number or one of"),
        ({"dataset": "harr"}, X, "did you mean 'har'"),
        ({"options": {"temprature": 1}}, X, "unknown framework option"),
        ({"options": {"hidden": "many"}}, X, "options: hidden: .*got 'many'"),
    ],
)
def test_mistakes_are_value_errors_and_construction_never_fails(change: dict, data, sentence: str) -> None:
    if sentence == "NaN":
        data = data.copy()
        data[3, 1, 4] = np.nan
    encoder = ContrastiveEncoder(**{**SMALL, **change})
    with pytest.raises(ValueError, match=sentence):
        encoder.fit(data)


def test_series_of_another_length_are_refused() -> None:
    encoder = ContrastiveEncoder(**SMALL).fit(X)
    with pytest.raises(ValueError, match=r"\(3, 10\), channels and time steps, but .* fitted on \(3, 20\)"):
        encoder.transform(X[:, :, :10])


def test_it_is_a_public_name() -> None:
    assert pairsift.ContrastiveEncoder is ContrastiveEncoder
