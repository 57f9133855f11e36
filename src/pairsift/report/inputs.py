"""What the page is made from besides the table and the series: plain data, no training."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pairsift.errors import PairsiftError

Array = NDArray[Any]

Views = Callable[[Array], tuple[Any, Any]] | tuple[Any, Any]
"""Places (B,) int64 in, the two views (B, C, T) of each out; or the two views of every pair, (N, C, T)."""

_ROWS = 128  # series for which views are drawn at once


@dataclass(frozen=True)
class Boundary:
    """A line in the mean-spread plane beyond which pairs are bad.

    Args:
        kind: "noisy" or "faulty", what is beyond it.
        mean: the line's points, mean loss, (M,).
        std: the line's points, standard deviation of the loss, (M,).
    """

    kind: str
    mean: Array
    std: Array

    def __post_init__(self) -> None:
        if self.kind not in ("noisy", "faulty"):
            raise PairsiftError(f"a boundary's kind must be 'noisy' or 'faulty', got {self.kind!r}")
        if np.ndim(self.mean) != 1 or np.shape(self.mean) != np.shape(self.std):
            raise PairsiftError(
                f"a boundary's mean and std must be two equally long lists, got shapes "
                f"{np.shape(self.mean)} and {np.shape(self.std)}"
            )


@dataclass(frozen=True)
class Thresholds:
    """Where the line between normal and bad was drawn.

    Args:
        noisy: mean loss below which a pair is noisy; None where there is no such cut.
        faulty: mean loss above which a pair is faulty; None where there is no such cut.
        name: the rule in a few words, such as "Sigma(noisy=2, faulty=3)".
        boundaries: lines in the mean-spread plane, where the rule looks at both.
        rule: "auto" where scores are chances, "sigma" where they are distances; "" where nobody said.
    """

    noisy: float | None = None
    faulty: float | None = None
    name: str = ""
    boundaries: tuple[Boundary, ...] = ()
    rule: str = ""


@dataclass(frozen=True)
class PairHistory:
    """The losses of some pairs, or of all, epoch by epoch.

    Args:
        losses: (E, P); NaN where an epoch did not see the pair.
        index: which pairs these are, (P,) int64; None for 0, 1, ..., P - 1.
        epochs: the epochs' numbers, (E,); None for 1, 2, ..., E.
        warmup: the last epoch before bad pairs were weighed down.
    """

    losses: Array
    index: Array | None = None
    epochs: Array | None = None
    warmup: int | None = None

    def __post_init__(self) -> None:
        if np.ndim(self.losses) != 2:
            raise PairsiftError(
                f"history.losses must have shape (epochs, pairs), got {np.shape(self.losses)}"
            )
        for what, length, axis in (("index", self.losses.shape[1], 1), ("epochs", self.losses.shape[0], 0)):
            value = getattr(self, what)
            if value is not None and np.shape(value) != (length,):
                raise PairsiftError(
                    f"history.{what} must have the length of the losses' axis {axis} ({length}), "
                    f"got shape {np.shape(value)}"
                )


def as_array(values: Any) -> Array:
    """An array on the CPU from an array, a list or a tensor on any device."""
    if hasattr(values, "detach"):
        values = values.detach().cpu()
        values = (values.float() if values.is_floating_point() else values).numpy()  # numpy has no bfloat16
    return np.asarray(values)


def draw_views(views: Views, places: Array) -> tuple[Array, Array]:
    """The two views of the series at ``places`` (B,): two arrays (B, C, T), some at a time."""
    if not callable(views):
        first, second = views
        return as_array(first[places]), as_array(second[places])
    parts: tuple[list[Array], list[Array]] = ([], [])
    for start in range(0, len(places), _ROWS):
        some = places[start : start + _ROWS]
        drawn = views(some)
        for part, view in zip(parts, drawn, strict=True):
            view = as_array(view)
            if view.ndim != 3 or len(view) != len(some):
                raise PairsiftError(
                    f"views must give two arrays (series, channels, time) for {len(some)} series, "
                    f"got shape {view.shape}"
                )
            part.append(view)
    return np.concatenate(parts[0]), np.concatenate(parts[1])


def as_thresholds(thresholds: Thresholds | Mapping[str, Any] | None) -> Thresholds:
    """Thresholds from themselves, from what ``miner.thresholds`` says, or none.

    Of a mapping these names are read, where it has them: noisy, faulty, threshold (the rule), name (else the
    rule), and boundaries, each of them a ``Boundary`` or a mapping with its kind, mean and std.
    """
    if isinstance(thresholds, Thresholds):
        return thresholds
    known = thresholds or {}
    lines = known.get("boundaries") or ()
    return Thresholds(
        known.get("noisy"),
        known.get("faulty"),
        str(known.get("name") or known.get("threshold") or ""),
        tuple(line if isinstance(line, Boundary) else Boundary(**line) for line in lines),
        str(known.get("threshold") or ""),
    )
