"""From what the readers hand over to one `Series`: lengths evened, gaps treated, oddities said."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal

import numpy as np

from pairsift.data.join import all_or_none, check_rows, joined, joined_truth, own_ids
from pairsift.data.labels import number_classes
from pairsift.data.lengths import Lengths, Plan, even_blocks, plan
from pairsift.data.readers.raw import Array, Piece, Raw, channels_of, lengths_of, scratch
from pairsift.data.series import Series
from pairsift.data.survey import Survey
from pairsift.data.where import Where
from pairsift.errors import PairsiftError

Gaps = Literal["refuse", "interpolate"]
_LOOK = 1 << 18  # values of a memory map that are looked at together


def assemble(
    raws: Sequence[Raw],
    name: str,
    *,
    lengths: Lengths,
    window: int | None,
    gaps: Gaps,
    classes: Sequence[str] | None,
) -> tuple[Series, Array | None]:
    """Join what was read.

    Returns:
        The series, and which part of a split (train, val, test) each belongs to where the files say it.
    """
    if gaps not in ("refuse", "interpolate"):
        raise PairsiftError(f'gaps must be "refuse" or "interpolate", got {gaps!r}')
    for raw in raws:
        check_rows(raw, raws[0])
    todo = plan(np.concatenate([lengths_of(raw.x) for raw in raws]), lengths, window, name)
    if todo.length < 2:
        raise PairsiftError(
            f"{name}: its series have a single time step; there must be at least two to learn from"
        )
    ids = own_ids(raws)
    survey, where = Survey(), Where(raws, todo, ids)
    x, filled = _build([raw.x for raw in raws], todo, gaps, survey, where)
    other = None
    if (others := all_or_none(raws, "other")) is not None:
        other, more = _build(list(others), todo, gaps, Survey(), where)
        filled += more
    y, names = number_classes(raws, classes)
    group, split, truth = joined(raws, "group"), joined(raws, "split"), joined_truth(raws)
    if lengths == "window":
        owner = np.arange(len(todo.parts)) if ids is None else ids
        group = owner if group is None else group  # a split by group keeps the windows of one series together
        ids = np.array([f"{owner[s]}#{k}" for s, k in zip(todo.source, todo.part)])
        y, group, split, truth = (None if v is None else v[todo.source] for v in (y, group, split, truth))
    stored = dict(raws[0].facts) if len(raws) == 1 else {}
    called = str(stored.pop("name", name))
    facts: dict[str, Any] = {
        **stored,
        "files": [raw.file for raw in raws],
        "fingerprint": survey.fingerprint,
        "constant": survey.constant,
        "duplicates": survey.duplicates,
        "filled": filled,
        "lengths": {"how": lengths, "length": todo.length, "left_out": int((todo.parts == 0).sum())},
    }
    facts["notes"] = _notes(facts, survey, todo, x.shape[1]) + [n for raw in raws for n in raw.notes]
    return Series(x, y, other, truth, group, ids, names, called, facts), split


def _build(pieces: list[Piece], todo: Plan, gaps: Gaps, survey: Survey, where: Where) -> tuple[Array, int]:
    """The series (N, C, T) float32 and how many values were filled; a map that is fine stays a map."""
    only = pieces[0]
    if (
        len(pieces) == 1
        and isinstance(only, np.ndarray)
        and only.dtype == np.float32
        and only.shape[2] == todo.length
    ):
        step = max(1, _LOOK // (only.shape[1] * only.shape[2]))
        for start in range(0, len(only), step):
            survey.add(only[start : start + step])
        if gaps == "refuse" or not survey.missing or survey.infinite:
            where.refuse(survey)
            return only, 0
        survey.__init__()  # type: ignore[misc]  # once more, with the gaps filled
    out = scratch((int(todo.parts.sum()), channels_of(only), todo.length))
    done = first_series = filled = 0
    for piece in pieces:
        count = len(lengths_of(piece))
        part = Plan(todo.how, todo.length, todo.parts[first_series : first_series + count])
        for start, rows, more, empty in even_blocks(piece, part, gaps == "interpolate"):
            if empty.any():
                where.refuse_empty(first_series + start, empty)
            survey.add(rows)
            out[done : done + len(rows)] = rows
            done, filled = done + len(rows), filled + more
        first_series += count
    where.refuse(survey)
    return out, filled


def _notes(facts: dict[str, Any], survey: Survey, todo: Plan, channels: int) -> list[str]:
    """What a person should be told about the series."""
    left_out, count = facts["lengths"]["left_out"], len(todo.parts)
    said = [
        (survey.constant, survey.rows, "never change: nothing can be learned from them"),
        (survey.flat - survey.constant, survey.rows, "have a channel that never changes"),
        (facts["duplicates"], survey.rows, "are copies of an earlier one, bit for bit"),
        (left_out, count, f"are shorter than the window of {todo.length} time steps and were left out"),
    ]
    notes = [f"{some} of {all_} series {what}" for some, all_, what in said if some]
    if facts["filled"]:
        notes.append(f"{facts['filled']} missing values were filled from their neighbours")
    if channels > todo.length:
        notes.append(
            f"the series have {channels} channels but only {todo.length} time steps; if the axes are "
            "swapped, read them with channels last (channels_last=True, --channels-last)"
        )
    return notes
