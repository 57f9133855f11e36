"""The scikit-learn door: series in, features out, and which pairs were bad."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted, validate_data

from pairsift.data.series import Series
from pairsift.evaluation import embed_series
from pairsift.training import make_settings, pretrain

Array = NDArray[Any]


class ContrastiveEncoder(ClassNamePrefixFeaturesOutMixin, TransformerMixin, BaseEstimator):  # type: ignore[misc]
    """Learns a representation of unlabelled time series by contrast, and finds the bad pairs meanwhile.

    Args:
        framework: "simclr", "moco", "simsiam", "tstcc", "tfc" or "btsf".
        mining: "dbpm", "auto", "mend", "rince" or "none".
        epochs: passes over the data.
        batch_size: series a batch.
        lr: Adam's learning rate.
        warmup: epochs in which the miner only watches; a third of them if None.
        noisy: beta of the noisy side; None switches it off.
        faulty: beta of the faulty side; None switches it off.
        mend: which parts of "mend" are on: "negatives", "gentle", "noisy"; all if None.
        weight: how bad pairs are weighed: a name ("gaussian", "zero", ...) or a number. None: the published
            weight for "dbpm", "zero" for "auto" and "mend".
        dataset: a known dataset whose published settings are the defaults ("har", ...).
        options: the framework's options, such as ``{"temperature": 0.1}``; they win over the dataset's.
        precision: "32-true", "bf16-mixed" or "auto".
        progress: show how the training goes.
        random_state: the same number gives the same features; None draws one.

    Attributes:
        framework_: the trained framework, a torch module.
        bad_pairs_: the miner's table, a row a series of ``fit``: index, kind, score, mean_loss, std_loss,
            weight, seen, and with "mend" done. None where nothing is mined.
        metrics_: a dictionary an epoch.
        series_shape_: channels and time steps a series, (C, T).
        n_features_in_: the length of X's second axis: T if X is (N, T), C if it is (N, C, T).

    Example:
        >>> encoder = ContrastiveEncoder(epochs=20, random_state=0).fit(X)  # X: (N, C, T) or (N, T)
        >>> features = encoder.transform(X)  # (N, D)
        >>> encoder.bad_pairs_.query("kind != 'normal'")
    """

    def __init__(
        self,
        framework: str = "simclr",
        mining: str = "dbpm",
        *,
        epochs: int = 40,
        batch_size: int = 128,
        lr: float = 3e-4,
        warmup: int | None = None,
        noisy: float | None = 2.0,
        faulty: float | None = 3.0,
        mend: Sequence[str] | None = None,
        weight: str | float | None = None,
        dataset: str | None = None,
        options: dict[str, Any] | None = None,
        precision: str = "32-true",
        progress: bool = False,
        random_state: int | np.random.RandomState | None = None,
    ) -> None:
        self.framework = framework
        self.mining = mining
        self.epochs = epochs
        self.batch_size = batch_size
        self.lr = lr
        self.warmup = warmup
        self.noisy = noisy
        self.faulty = faulty
        self.mend = mend
        self.weight = weight
        self.dataset = dataset
        self.options = options
        self.precision = precision
        self.progress = progress
        self.random_state = random_state

    def fit(self, X: Any, y: Any = None) -> Self:
        """Learn from series.

        Args:
            X: series, shape (N, C, T), or (N, T) for a single channel.
            y: ignored; here for pipelines.
        """
        x = self._series(X, first=True)
        state = self.random_state
        whole = isinstance(state, int | np.integer)
        settings = make_settings(
            framework=self.framework,
            mining=self.mining,
            epochs=self.epochs,
            batch_size=self.batch_size,
            lr=self.lr,
            warmup=self.warmup,
            noisy=self.noisy,
            faulty=self.faulty,
            mend=self.mend,
            weight=None if self.weight is None else str(self.weight),
            dataset=self.dataset,
            options=dict(self.options or {}),
            precision=self.precision,
            seed=int(state) if whole else int(check_random_state(state).randint(2**31 - 1)),  # type: ignore[arg-type]
        )
        run = pretrain(Series(x), settings, progress=self.progress)
        self.framework_ = run.framework.cpu()
        self.bad_pairs_ = None if run.miner is None else run.miner.table()
        self.metrics_ = run.metrics
        self.series_shape_ = x.shape[1:]
        self._n_features_out = run.framework.out_features
        return self

    def transform(self, X: Any) -> Any:
        """Features of series.

        Args:
            X: series of the shape that ``fit`` saw, (N, C, T) or (N, T).

        Returns:
            Features, shape (N, D), float32.
        """
        check_is_fitted(self)
        x = self._series(X, first=False)
        if x.shape[1:] != self.series_shape_:
            raise ValueError(
                f"X has series of shape {x.shape[1:]}, channels and time steps, but ContrastiveEncoder was "
                f"fitted on {self.series_shape_}; bring them to that shape"
            )
        return embed_series(self.framework_, Series(x)).numpy()

    def _series(self, X: Any, *, first: bool) -> Array:
        """X as float32 (N, C, T), checked as scikit-learn checks it."""
        least = 2 if first else 1  # a contrast needs two series
        x = X
        if getattr(X, "ndim", 0) <= 3:  # else it is refused below, before scikit-learn counts its first axis
            x = validate_data(self, X, reset=first, dtype=np.float32, allow_nd=True, ensure_min_samples=least)
        if x.ndim not in (2, 3):
            raise ValueError(f"X must have shape (N, C, T) or (N, T), got {tuple(x.shape)}")
        x = np.ascontiguousarray(x if x.ndim == 3 else x[:, None, :])
        if x.shape[2] < 2:
            raise ValueError(
                f"X has series of {x.shape[2]} time step, n_features = {x.shape[2]}; give at least 2"
            )
        return x

    def __sklearn_tags__(self) -> Any:
        """What scikit-learn may expect: features are float32 whatever X is, and need no labels."""
        tags = super().__sklearn_tags__()
        tags.transformer_tags.preserves_dtype = ["float32"]
        tags.input_tags.three_d_array = True
        tags.non_deterministic = False
        return tags
