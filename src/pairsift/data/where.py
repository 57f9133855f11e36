"""Saying where in a person's files a value lies that cannot be used."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from pairsift.data.lengths import Plan
from pairsift.data.readers.raw import Array, Raw, lengths_of
from pairsift.data.survey import Survey
from pairsift.errors import PairsiftError, shown


class Where:
    """Finds a row's file and name, and refuses what cannot be used.

    Args:
        raws: what was read.
        todo: how its series became rows.
        ids: the series' names, if they have any.
    """

    def __init__(self, raws: Sequence[Raw], todo: Plan, ids: Array | None) -> None:
        self.ends = np.cumsum([len(lengths_of(raw.x)) for raw in raws])
        self.files = [raw.file for raw in raws]
        self.todo, self.ids = todo, ids

    def series(self, series: int) -> tuple[str, str]:
        """The file and the name of a series."""
        file = int(np.searchsorted(self.ends, series, side="right"))
        number = series - (int(self.ends[file - 1]) if file else 0)
        name = number if self.ids is None else str(self.ids[series]).removeprefix(f"{self.files[file]}:")
        return self.files[file], shown(name)

    def refuse(self, survey: Survey) -> None:
        """Refuse series with infinite or missing values."""
        place = survey.infinite or survey.first_missing
        if place is None:
            return
        row, channel, step = place
        file, name = self.series(int(self.todo.source[row]))
        step += int(self.todo.part[row]) * self.todo.length
        at = f"series {name}, channel {channel}, step {step}"
        if survey.infinite:
            raise PairsiftError(
                f"{file}: {at} is infinite or too large for float32; correct the value or leave the "
                "series out"
            )
        raise PairsiftError(
            f"{file}: {survey.missing} values are missing (NaN) in {survey.missing_rows} series, the "
            f"first in {at}; choose as gaps interpolate to fill them from their neighbours, or leave "
            "those series out"
        )

    def refuse_empty(self, first: int, empty: Array) -> None:
        """Refuse a series with a channel that has nothing to interpolate from."""
        series, channel = (int(k) for k in np.argwhere(empty)[0])
        file, name = self.series(first + series)
        raise PairsiftError(
            f"{file}: series {name} has no value at all in channel {channel}, so nothing can be "
            "interpolated; leave the series or the channel out"
        )
