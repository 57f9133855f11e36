"""Tables that are wide (one row a series) or long (one row a time step).

The rule: a table with a column called time (or timestamp, t, step) is long, any other is wide. In a long
table the column id says whose row it is (without one, the whole table is one series) and every column without
a role is a channel; if a person calls it long and it has no time, its rows are taken as they stand. In a wide
table every column without a role is a time step, and empty cells at the end of a row mean that the series is
shorter. ``orient`` and ``columns`` overrule the rule.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from pairsift.data.readers.columns import labels, numbers, times
from pairsift.data.readers.raw import Array, Options, Ragged, Raw, role
from pairsift.errors import PairsiftError, shown

_FEW = 16  # a table with no more columns of values than this looks like channels rather than like time steps

if TYPE_CHECKING:
    import pandas as pd


def from_frame(frame: pd.DataFrame, file: str, options: Options) -> Raw:
    """Series from a table, by the rule above."""
    frame.columns = [str(name) for name in frame.columns]
    names = list(frame.columns)
    if not len(frame):
        raise PairsiftError(
            f"{file}: has names but no rows; a table needs a row for each series or time step"
        )
    roles = {what: role(names, what, options, file) for what in ("id", "y", "group", "split")}
    time = role(names, "time", options, file)
    if options.orient == "long" or (time is not None and options.orient != "wide"):
        return _long(frame, file, roles, time)
    if roles["id"] is None and names[0].startswith("Unnamed: "):
        roles["id"] = names[0]  # rows that were numbered when the table was written
    return _wide(frame, file, roles, options)


def _wide(frame: pd.DataFrame, file: str, roles: dict[str, str | None], options: Options) -> Raw:
    names = [name for name in frame.columns if name not in roles.values()]
    if len(names) < 2:
        raise PairsiftError(
            f"{file}: has {len(names)} columns of values, but a wide table needs one for each time step; "
            "if its rows are the time steps, add a column called time (and one called id)"
        )
    x = numbers(frame, names, file)  # (N, C * T)
    if x.shape[1] % options.channels:
        raise PairsiftError(
            f"{file}: {x.shape[1]} columns of values cannot be {options.channels} channels of "
            "equal length; correct the number of channels"
        )
    x = x.reshape(len(x), options.channels, -1)
    known = np.logical_not(np.isnan(x).all(axis=1))  # (N, T)
    ends = x.shape[2] - known[:, ::-1].argmax(axis=1)
    raw = Raw(file, x)
    if options.orient == "auto" and x.shape[2] <= _FEW and len(x) > 4 * _FEW:
        raw.notes.append(
            f"{file}: each of its {len(x)} rows was read as a series of {x.shape[2]} time steps; if the rows "
            "are the steps, read it as long (orient='long', --orient long)"
        )
    if known.any(axis=1).all() and ends.min() < x.shape[2]:
        kept = np.arange(x.shape[2]) < ends[:, None]
        raw.x = Ragged(x.transpose(0, 2, 1)[kept], ends.astype(np.int64))
    for what, name in roles.items():
        if name is not None:
            setattr(raw, "ids" if what == "id" else what, labels(frame, name, file))
    return raw


def _long(frame: pd.DataFrame, file: str, roles: dict[str, str | None], time: str | None) -> Raw:
    import pandas as pd

    names = [name for name in frame.columns if name not in (*roles.values(), time)]
    if not names:
        raise PairsiftError(
            f"{file}: has columns but none with values; a long table needs a column for each channel"
        )
    ids = np.zeros(1) if roles["id"] is None else labels(frame, roles["id"], file)
    code, ids = (np.zeros(len(frame), np.int64), ids) if roles["id"] is None else pd.factorize(ids)
    when = np.arange(len(frame)) if time is None else times(frame[time], time, file)
    order = np.lexsort((when, code))
    code, when = code[order], when[order]
    same = code[1:] == code[:-1]
    if time is not None and (twice := same & (when[1:] == when[:-1])).any():
        at = int(order[np.flatnonzero(twice)[0] + 1])
        whose = "" if roles["id"] is None else f" of series {shown(frame[roles['id']].iloc[at])}"
        raise PairsiftError(
            f"{file}: {int(twice.sum())} rows repeat a time that came before, the first at time "
            f"{shown(frame[time].iloc[at])}{whose} (row {at + 1}); keep one row for each time"
        )
    raw = Raw(file, Ragged(numbers(frame, names, file)[order], np.bincount(code).astype(np.int64)))
    if time is None:
        raw.notes.append(f"{file}: has no column called time; its rows are taken in the order they stand in")
    elif uneven := _uneven(when, same, code):
        raw.notes.append(
            f"{file}: {uneven} series have uneven time steps; they are read as if the steps were equal"
        )
    if roles["id"] is not None:
        raw.ids = np.asarray(ids)
    starts = np.flatnonzero(np.r_[True, ~same])
    for what in ("y", "group", "split"):
        name = roles[what]
        if name is None:
            continue
        value, distinct = pd.factorize(labels(frame, name, file)[order])
        if (changed := same & (value[1:] != value[:-1])).any():
            at = code[np.flatnonzero(changed)[0]]
            raise PairsiftError(
                f"{file}: column {shown(name)} changes within series {shown(ids[at])}; a series has one "
                f"{what}"
            )
        setattr(raw, what, np.asarray(distinct)[value[starts]])
    return raw


def _uneven(when: Array, same: Array, code: Array) -> int:
    """How many series have steps that differ by more than a hundredth from their median step."""
    step = np.diff(when)[same].astype(np.float64)
    if not step.size:
        return 0
    usual = np.median(step)
    return len(np.unique(code[1:][same][np.abs(step - usual) > 0.01 * usual]))
