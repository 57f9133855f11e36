"""Planting bad positive pairs in any dataset, the truth kept, as the paper's controlled experiments do."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Literal

import numpy as np
import torch
from numpy.typing import NDArray

from pairsift.data.damage import over_augment
from pairsift.data.kinds import FAULTY, NOISY, NORMAL
from pairsift.data.series import Series
from pairsift.errors import PairsiftError

_BLOCK = (
    64  # series damaged at a time: a full block is always drawn, so that a larger share repeats a smaller one
)


def corrupt(
    series: Series,
    noisy: float = 0.1,
    faulty: float = 0.1,
    *,
    seed: int = 0,
    snr: float = -20.0,
    keep_power: bool = False,
    segments: int = 10,
    sd: float = 2.0,
    view: Literal["second", "random"] = "second",
) -> Series:
    """Turn given shares of the pairs into bad ones.

    A noisy pair's series gets Gaussian noise that overwhelms it, and as the noise is the series' own, both
    views have it. A faulty pair's second view is drawn from an over-augmented copy (`damage.over_augment`).
    The two never meet; pairs that were bad before stay what they were. With the same seed, a larger share
    holds all pairs of a smaller one, damaged alike, so that shares can be compared.

    Args:
        series: the dataset; it is copied, also where it is a memory map.
        noisy: share of all pairs that become noisy; ``round(noisy * N)`` of them.
        faulty: share of all pairs that become faulty; ``round(faulty * N)`` of them.
        seed: the same seed plants the same pairs.
        snr: signal-to-noise ratio in dB, against each channel's own power in that series.
        keep_power: scale each noisy channel back to the power it had, so that loudness gives nothing away.
        segments: pieces that the over-augmented copy is shuffled in.
        sd: deviation of its random factors, one a value.
        view: "second" writes the damaged copy into ``other``; "random" only marks the pair in ``truth``, for
            loops that damage a random view anew each epoch (`damage.strike_views`).

    Returns:
        Series of the same size with ``truth``, and ``other`` where a second view differs; the settings are
        in ``facts["corrupt"]``.
    """
    _check(noisy, faulty, seed, snr, segments, sd, view)
    count = len(series)
    counts = {"noisy": round(noisy * count), "faulty": round(faulty * count)}
    truth = np.full(count, NORMAL, dtype=np.int8) if series.truth is None else series.truth.astype(np.int8)
    choose, noise, damage = np.random.SeedSequence(seed).spawn(3)
    free = np.random.default_rng(choose).permutation(np.flatnonzero(truth == NORMAL))
    if sum(counts.values()) > len(free):
        raise PairsiftError(
            f"{series.name}: noisy={noisy} and faulty={faulty} ask for {sum(counts.values())} pairs, but "
            f"only {len(free)} of {count} are free to become bad; lower the shares"
        )
    drowned, struck = free[: counts["noisy"]], free[::-1][: counts["faulty"]]
    truth[drowned], truth[struck] = NOISY, FAULTY

    x = np.array(series.x)
    _drown(x, drowned, snr, keep_power, np.random.default_rng(noise))
    other = None if series.other is None else np.array(series.other)
    if view == "second" and len(struck):
        other = x.copy() if other is None else other
        _strike(other, x, struck, segments, sd, int(damage.generate_state(1, np.uint64)[0] >> 1))
    if other is not None:
        other[drowned] = x[drowned]
    settings: dict[str, Any] = {
        "noisy": noisy,
        "faulty": faulty,
        "seed": seed,
        "snr": snr,
        "keep_power": keep_power,
        "segments": segments,
        "sd": sd,
        "view": view,
        "planted": counts,
    }
    return replace(series, x=x, other=other, truth=truth, facts={**series.facts, "corrupt": settings})


def _drown(x: NDArray[np.float32], rows: Any, snr: float, keep_power: bool, rng: np.random.Generator) -> None:
    """Add noise to the series at ``rows``, in place."""
    usual = np.square(x[:4096], dtype=np.float64).mean(axis=(0, 2))[:, None]  # (C, 1): for flat channels
    usual = np.where(usual > 0, usual, 1.0)
    for start in range(0, len(rows), _BLOCK):
        places = rows[start : start + _BLOCK]
        power = np.square(x[places], dtype=np.float64).mean(axis=2, keepdims=True)  # (R, C, 1)
        power = np.where(power > 0, power, usual)
        noise = rng.standard_normal((len(places), *x.shape[1:]), dtype=np.float32)
        noisy = x[places] + noise * np.sqrt(power / 10 ** (snr / 10))
        if keep_power:
            noisy *= np.sqrt(power / np.square(noisy).mean(axis=2, keepdims=True))
        x[places] = noisy


def _strike(other: NDArray[np.float32], x: Any, rows: Any, segments: int, sd: float, seed: int) -> None:
    """Write over-augmented copies of the series at ``rows`` into ``other``, in place."""
    generator = torch.Generator().manual_seed(seed)
    block = torch.zeros(_BLOCK, *x.shape[1:])
    for start in range(0, len(rows), _BLOCK):
        places = rows[start : start + _BLOCK]
        block[: len(places)] = torch.from_numpy(x[places])
        damaged = over_augment(block, segments=segments, sd=sd, generator=generator)
        other[places] = damaged[: len(places)].numpy()


def _check(noisy: float, faulty: float, seed: int, snr: float, segments: int, sd: float, view: str) -> None:
    """Refuse what cannot be planted."""
    for name, share in (("noisy", noisy), ("faulty", faulty)):
        if not 0 <= share <= 1:
            raise PairsiftError(f"{name} is a share of the pairs and must lie in [0, 1], got {share}")
    if noisy + faulty > 1 + 1e-9:
        raise PairsiftError(
            f"noisy ({noisy}) and faulty ({faulty}) together must not exceed 1; lower one of them"
        )
    if seed < 0:
        raise PairsiftError(f"seed must be at least 0, got {seed}")
    if not np.isfinite(snr):
        raise PairsiftError(f"snr must be a number in dB, got {snr}")
    if segments < 2 or not 0 < sd < float("inf"):
        raise PairsiftError(f"segments must be at least 2 and sd above 0, got {segments} and {sd}")
    if view not in ("second", "random"):
        raise PairsiftError(f'view must be "second" or "random", got {view!r}')
