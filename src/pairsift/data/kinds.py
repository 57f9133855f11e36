"""The three kinds of positive pair, as they stand in ``Series.truth``."""

from __future__ import annotations

NORMAL, NOISY, FAULTY = 0, 1, 2
KINDS = ("normal", "noisy", "faulty")
