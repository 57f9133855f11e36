"""The paper's simulation: three waveforms, with noisy and faulty positive pairs planted and known.

What the paper leaves open is settled here: the segments never overlap (every placement is equally
likely), each segment has its own scale, the SNR is in dB over the whole series' power, noise lies in the
series itself, so both views share it, and a faulty pair's second series differs from its first in the
waveform alone: same places, same scales, same noise.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pairsift.data.kinds import FAULTY, NOISY, NORMAL
from pairsift.data.series import Series, Splits
from pairsift.errors import PairsiftError

WAVEFORMS = ("sine", "square", "sawtooth")
Floats = NDArray[np.float32]
Ints = NDArray[np.int64]


def simulate(
    n_train: int = 3600,
    n_test: int = 1800,
    noisy: int = 600,
    faulty: int = 600,
    *,
    n_val: int = 600,
    length: int = 500,
    segment: int = 100,
    segments: int = 2,
    cycles: float = 5,
    scale: tuple[float, float] = (0.5, 2.0),
    snr: Sequence[float] = (50, 40, 30, 20, 10),
    noisy_snr: float = -30,
    standardise: bool = False,
    seed: int = 0,
) -> Splits:
    """Draw the simulated dataset, the bad pairs in its training part only.

    Each part has a random stream of its own: changing ``n_val`` changes neither train nor test, and planting
    more or fewer bad pairs leaves every other series as it was (the fewer are among the more).

    Args:
        n_train: training series, the planted ones among them.
        n_test: test series, all normal.
        noisy: training pairs whose series drowns in noise.
        faulty: training pairs whose second view is drawn from a series with another waveform.
        n_val: validation series, all normal, to choose settings by (the paper has none); 0 for none.
        length: time steps a series.
        segment: time steps a segment that holds the waveform; all else is zero (before noise).
        segments: such segments a series.
        cycles: periods of the waveform a segment.
        scale: each segment's amplitude is uniform between these two.
        snr: signal-to-noise ratios in dB; each normal or faulty pair draws one of them.
        noisy_snr: the noisy pairs' ratio in dB.
        standardise: z-score every series afterwards (the hard case: it hides the noise's power).
        seed: the same seed gives the same numbers.

    Returns:
        Splits of Series (N, 1, length) float32 with ``y`` the waveform and ``truth`` the kind of pair.
    """
    settings = dict(locals())
    settings.update(scale=[float(s) for s in scale], snr=[float(s) for s in snr])
    _check(settings)
    train, test, val = (np.random.default_rng(child) for child in np.random.SeedSequence(seed).spawn(3))
    return Splits(
        train=_draw(train, n_train, noisy, faulty, settings),
        val=_draw(val, n_val, 0, 0, settings) if n_val else None,
        test=_draw(test, n_test, 0, 0, settings) if n_test else None,
    )


def _draw(rng: np.random.Generator, n: int, noisy: int, faulty: int, settings: dict[str, Any]) -> Series:
    """One part of the dataset. All draws are made, and in one order, whatever is planted."""
    length, segment, segments = settings["length"], settings["segment"], settings["segments"]
    y = rng.permutation(np.arange(n) % len(WAVEFORMS))  # equal shares, in random order
    starts = _placements(rng, n, segments, segment, length)  # (N, K)
    low, high = settings["scale"]
    scales = rng.uniform(low, high, size=(n, segments)).astype(np.float32)
    ratio = rng.choice(np.asarray(settings["snr"], dtype=np.float64), size=n)
    order = rng.permutation(n)
    step = rng.integers(1, len(WAVEFORMS), size=n)  # how many waveforms further a faulty pair's other one is
    noise = rng.standard_normal((n, length), dtype=np.float32)

    truth = np.full(n, NORMAL, dtype=np.int8)
    truth[order[:noisy]] = NOISY
    truth[order[n - faulty :]] = FAULTY
    ratio[truth == NOISY] = settings["noisy_snr"]

    table = _waveforms(segment, settings["cycles"])
    clean = _place(table[y], starts, scales, length)
    power = np.square(clean).mean(axis=1, dtype=np.float64)  # over the whole series
    noise *= np.sqrt(power / 10 ** (ratio / 10)).astype(np.float32)[:, None]
    x = clean + noise

    other = None
    if faulty:
        bad = np.flatnonzero(truth == FAULTY)
        altered = table[(y[bad] + step[bad]) % len(WAVEFORMS)]
        other = x.copy()
        other[bad] = _place(altered, starts[bad], scales[bad], length) + noise[bad]
    if settings["standardise"]:
        x = _standardise(x)
        other = None if other is None else _standardise(other)
    return Series(
        x=x[:, None, :],
        y=y.astype(np.int64),
        other=None if other is None else other[:, None, :],
        truth=truth,
        classes=WAVEFORMS,
        name="simulated",
        facts={"settings": settings},
    )


def _waveforms(segment: int, cycles: float) -> Floats:
    """One segment of each waveform, amplitude 1, shape (3, segment)."""
    turn = cycles * np.arange(segment) / segment
    phase = turn % 1.0
    return np.stack([np.sin(2 * np.pi * turn), np.where(phase < 0.5, 1.0, -1.0), 2 * phase - 1]).astype("f4")


def _placements(rng: np.random.Generator, n: int, segments: int, segment: int, length: int) -> Ints:
    """Where the segments start, (N, K), each row sorted and free of overlap, all placements equally likely.

    K disjoint segments among the free places are K distinct numbers, which Floyd's algorithm draws for all
    series at once, with a loop over segments only.
    """
    places = length - segments * segment + segments
    chosen = np.full((n, segments), -1, dtype=np.int64)
    for k in range(segments):
        last = places - segments + k
        draw = rng.integers(0, last + 1, size=n)
        taken = (chosen == draw[:, None]).any(axis=1)
        chosen[:, k] = np.where(taken, last, draw)
    chosen.sort(axis=1)
    return chosen + (segment - 1) * np.arange(segments)


def _place(patterns: Floats, starts: Ints, scales: Floats, length: int) -> Floats:
    """Series (N, length) of zeros with the patterns (N, S) at starts (N, K), times scales (N, K)."""
    n, segment = patterns.shape
    out = np.zeros((n, length), dtype=np.float32)
    at = (starts[:, :, None] + np.arange(segment)).reshape(n, -1)  # (N, K * S)
    np.put_along_axis(out, at, (scales[:, :, None] * patterns[:, None, :]).reshape(n, -1), axis=1)
    return out


def _standardise(x: Floats) -> Floats:
    """Each series with mean 0 and deviation 1."""
    x = x - x.mean(axis=1, keepdims=True)
    x /= np.maximum(x.std(axis=1, keepdims=True), np.finfo(np.float32).tiny)
    return x


def _check(settings: dict[str, Any]) -> None:
    """Refuse what cannot be drawn."""
    for name, least in (
        ("n_train", 2),
        ("n_test", 0),
        ("n_val", 0),
        ("noisy", 0),
        ("faulty", 0),
        ("seed", 0),
    ):
        _whole(name, settings[name], least)
    for name in ("length", "segment", "segments"):
        _whole(name, settings[name], 1)
    if settings["noisy"] + settings["faulty"] > settings["n_train"]:
        raise PairsiftError(
            f"noisy ({settings['noisy']}) and faulty ({settings['faulty']}) pairs are planted among n_train "
            f"({settings['n_train']}) series: plant fewer or draw more"
        )
    if settings["segments"] * settings["segment"] > settings["length"]:
        raise PairsiftError(
            f"{settings['segments']} segments of {settings['segment']} do not fit into a length of "
            f"{settings['length']} without overlap: make segment smaller or length larger"
        )
    if not settings["cycles"] > 0:
        raise PairsiftError(f"cycles must be above 0, got {settings['cycles']}")
    low, high = settings["scale"] if len(settings["scale"]) == 2 else (0.0, 0.0)
    if not 0 < low <= high < float("inf"):
        raise PairsiftError(f"scale must be two numbers with 0 < low <= high, got {settings['scale']}")
    if not settings["snr"] or not np.isfinite([*settings["snr"], settings["noisy_snr"]]).all():
        raise PairsiftError(
            f"snr must be one or more numbers in dB and noisy_snr one, got {settings['snr']} and "
            f"{settings['noisy_snr']}"
        )


def _whole(name: str, value: Any, least: int) -> None:
    if isinstance(value, bool) or not isinstance(value, (int, np.integer)) or value < least:
        raise PairsiftError(f"{name} must be a whole number of at least {least}, got {value!r}")
