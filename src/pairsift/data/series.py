"""The dataset of everything here: series (N, C, T), read a whole batch at a time."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor
from torch.utils.data import Dataset

from pairsift.errors import PairsiftError

Array = NDArray[Any]


@dataclass(frozen=True, slots=True)
class Batch:
    """What a training step sees."""

    x: Tensor  # (B, C, T) float32
    index: Tensor  # (B,) int64, each series' place in the dataset
    other: Tensor | None = None  # (B, C, T): where the second view is drawn from, if not from x


@dataclass(frozen=True)
class Series(Dataset[Batch]):
    """Series with what is known of them; indexing with many places at once is one read.

    Args:
        x: series, shape (N, C, T), float32; an array or a memory map.
        y: classes (N,) int64, or a 0/1 table (N, K) where several hold at once.
        other: a second series for each first one, shape (N, C, T): the second view is drawn from it.
        truth: what was planted, (N,) int8: 0 normal, 1 noisy, 2 faulty.
        group: whose series it is (subject, recording), (N,); splits by group keep these together.
        ids: the user's own names, (N,).
        classes: the names of the classes.
        name: the dataset's name.
        facts: anything else worth keeping with it (how it was read, repaired, counted); JSON types.
        rows: where each series stood in the files, (N,) int64, if only a part of them is here; None for all.
    """

    x: Array
    y: Array | None = None
    other: Array | None = None
    truth: Array | None = None
    group: Array | None = None
    ids: Array | None = None
    classes: tuple[str, ...] | None = None
    name: str = "series"
    facts: dict[str, Any] = field(default_factory=dict)
    rows: Array | None = None

    def __post_init__(self) -> None:
        if self.x.ndim != 3:
            raise PairsiftError(f"x must have shape (series, channels, time), got {self.x.shape}")
        if self.x.dtype != np.float32:
            raise PairsiftError(f"x must be float32, got {self.x.dtype}; convert it with x.astype('float32')")
        for what in ("y", "other", "truth", "group", "ids", "rows"):
            value = getattr(self, what)
            if value is not None and len(value) != len(self.x):
                raise PairsiftError(f"{what} must have one row a series ({len(self.x)}), got {len(value)}")
        if self.other is not None and self.other.shape != self.x.shape:
            raise PairsiftError(f"other must have x's shape {self.x.shape}, got {self.other.shape}")

    def __len__(self) -> int:
        return len(self.x)

    @property
    def channels(self) -> int:
        """Channels a series, C."""
        return int(self.x.shape[1])

    @property
    def length(self) -> int:
        """Time steps a series, T."""
        return int(self.x.shape[2])

    @property
    def multilabel(self) -> bool:
        """Whether several classes may hold at once."""
        return self.y is not None and self.y.ndim == 2

    def __getitem__(self, index: Any) -> Batch:
        """Read the series at ``index`` (anything that numpy takes) in one go."""
        places = np.atleast_1d(np.asarray(index))
        other = None if self.other is None else torch.from_numpy(np.ascontiguousarray(self.other[places]))
        x = torch.from_numpy(np.ascontiguousarray(self.x[places]))
        return Batch(x, torch.from_numpy(places.astype(np.int64, copy=False)), other)

    def subset(self, index: Array) -> Series:
        """The series at ``index`` (places or a mask), with all that is known of them."""

        def take(values: Array | None) -> Array | None:
            return None if values is None else values[index]

        return replace(
            self,
            x=self.x[index],
            y=take(self.y),
            other=take(self.other),
            truth=take(self.truth),
            group=take(self.group),
            ids=take(self.ids),
            rows=take(self.rows),
        )


@dataclass(frozen=True)
class Splits:
    """A dataset's parts: what is learned from, chosen by, and reported on."""

    train: Series
    val: Series | None = None
    test: Series | None = None
