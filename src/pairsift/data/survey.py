"""Looking once at every value: what is missing, infinite, constant or there twice, and a fingerprint."""

from __future__ import annotations

from hashlib import blake2b

import numpy as np
from numpy.typing import NDArray

from pairsift.data.readers.raw import Array

Place = tuple[int, int, int]  # row, channel, step


class Survey:
    """Counts what is odd about series, block by block.

    Args:
        missing: values that are NaN, in ``missing_rows`` series, from ``first_missing`` on.
        infinite: where the first infinite value is.
        constant: series that never change in any channel; ``flat`` have some channel that never changes.
    """

    def __init__(self) -> None:
        self.rows = 0
        self.missing = self.missing_rows = 0
        self.first_missing: Place | None = None
        self.infinite: Place | None = None
        self.constant = self.flat = 0
        self._digests: list[NDArray[np.uint64]] = []

    def add(self, rows: Array) -> None:
        """Look at the next rows (R, C, T)."""
        rows = np.ascontiguousarray(rows)
        if not np.isfinite(rows).all():
            missing = np.isnan(rows)
            self.missing += int(missing.sum())
            self.missing_rows += int(missing.any(axis=(1, 2)).sum())
            self.first_missing = self.first_missing or self._first(missing)
            self.infinite = self.infinite or self._first(np.isinf(rows))
        flat = (rows == rows[:, :, :1]).all(axis=2)  # (R, C)
        self.constant += int(flat.all(axis=1).sum())
        self.flat += int(flat.any(axis=1).sum())
        self._digests.append(_digests(rows))
        self.rows += len(rows)

    @property
    def duplicates(self) -> int:
        """How many series are copies of an earlier one, bit for bit."""
        digests = np.sort(np.concatenate(self._digests))
        return int((digests[1:] == digests[:-1]).sum())

    @property
    def fingerprint(self) -> str:
        """A name for exactly these values in exactly this order."""
        return blake2b(np.concatenate(self._digests).tobytes(), digest_size=16).hexdigest()

    def _first(self, wrong: Array) -> Place | None:
        places = np.argwhere(wrong)
        if not len(places):
            return None
        row, channel, step = (int(k) for k in places[0])
        return self.rows + row, channel, step


def _digests(rows: Array) -> NDArray[np.uint64]:
    """64 bits that stand for all bits of each row (R,): its words times fixed odd numbers, summed."""
    words = rows.reshape(len(rows), rows.shape[1] * rows.shape[2])
    if words.shape[1] % 2:
        words = np.pad(words, ((0, 0), (0, 1)))
    bits = words.view(np.uint64)
    factors = np.random.PCG64(0).random_raw(bits.shape[1]) | np.uint64(1)
    # without the shift, series that differ in the sign of two values would look alike
    digests: NDArray[np.uint64] = (bits ^ (bits >> np.uint64(33))) @ factors
    return digests
