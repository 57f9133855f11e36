"""Which pairs the page carries: all bad ones and a fair sample of the rest, within a bound."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from pairsift.data.kinds import KINDS, NOISY

if TYPE_CHECKING:
    from pandas import DataFrame

Places = NDArray[np.int64]

_NORMAL_SHARE = 0.2  # of the drawn series, for comparison


def worst_first(table: DataFrame, kind: str) -> Places:
    """The indices of a kind's pairs, the worst first; for normal ones the least doubtful first.

    Pairs of equal score: noisy by smallest mean loss, faulty by largest, normal by nearness to the median.
    """
    rows = np.flatnonzero((table["kind"] == kind).to_numpy())
    score = np.nan_to_num(table["score"].to_numpy(np.float64)[rows], nan=0.5)
    mean = table["mean_loss"].to_numpy(np.float64)[rows]
    if kind == KINDS[0]:
        centre = np.nanmedian(mean) if np.isfinite(mean).any() else 0.0
        order = np.lexsort((np.abs(mean - centre), score))
    else:
        order = np.lexsort((mean if kind == KINDS[NOISY] else -mean, -score))
    return rows[order]


def choose_series(
    table: DataFrame, most: int, classes: Places | None, groups: Places | None
) -> dict[str, Places]:
    """The pairs whose series are drawn, by kind, each the worst first; at most ``most`` in all.

    Half of a kind's places go to its worst pairs, a tenth to those nearest to the threshold, which a person
    must judge, the rest in turn to each class's and each group's worst, so that a filter finds something.
    What one kind does not need the other gets. Where no pair is bad, the threshold's tenth goes to the lowest
    and to the highest mean losses.

    Args:
        table: of ``pairs_table``.
        most: how many series the page carries.
        classes: each pair's class or set of classes by number, (N,).
        groups: each pair's group by number, (N,).
    """
    ranked = {kind: worst_first(table, kind) for kind in KINDS}
    normal, noisy, faulty = (len(ranked[kind]) for kind in KINDS)
    if not noisy + faulty:
        ranked[KINDS[0]] = _ends_last(table, ranked[KINDS[0]], most // 20)
    bad_room = most - min(normal, int(most * _NORMAL_SHARE))
    of_noisy = min(noisy, max(bad_room - faulty, bad_room // 2))
    of_faulty = min(faulty, bad_room - of_noisy)
    room = dict(zip(KINDS, (most - of_noisy - of_faulty, of_noisy, of_faulty)))
    return {kind: _spread(ranked[kind], room[kind], classes, groups) for kind in KINDS}


def _ends_last(table: DataFrame, ranked: Places, each: int) -> Places:
    """The same with the ``each`` lowest and ``each`` highest mean losses moved to the end."""
    mean = table["mean_loss"].to_numpy(np.float64)[ranked]
    order = np.argsort(mean, kind="stable")[: np.isfinite(mean).sum()]  # what is unknown comes last
    end = np.zeros(len(ranked), dtype=bool)
    end[order[:each]] = end[order[max(len(order) - each, 0) :]] = True
    return np.concatenate([ranked[~end], ranked[end]])


def _spread(ranked: Places, room: int, *labels: Places | None) -> Places:
    """``room`` of the ranked pairs: half as they come, a tenth from the end, the rest in turn by label."""
    if len(ranked) <= room:
        return ranked
    known = [label for label in labels if label is not None]
    taken = np.zeros(len(ranked), dtype=bool)
    last = room // 10
    taken[: room - (room // 2 if known else last)] = True
    taken[len(ranked) - last :] = True
    for at, label in enumerate(known):
        left = np.flatnonzero(~taken)
        turn = _turn(label[ranked[left]])
        share = (room - int(taken.sum())) // (len(known) - at)
        taken[left[np.argsort(turn, kind="stable")[:share]]] = True
    return ranked[taken]


def _turn(label: Places) -> Places:
    """Each entry's count of earlier entries with its label: 0 for a label's first, 1 for its second, ..."""
    order = np.argsort(label, kind="stable")
    ordered = label[order]
    starts = np.flatnonzero(np.r_[True, ordered[1:] != ordered[:-1]]) if len(label) else np.zeros(0, np.int64)
    lengths = np.diff(np.r_[starts, len(label)])
    turn = np.empty(len(label), dtype=np.int64)
    turn[order] = np.arange(len(label)) - np.repeat(starts, lengths)
    return turn


def choose_points(table: DataFrame, most: int, always: Places) -> Places:
    """The pairs that the plane shows, ascending; at most ``most``, among them all of ``always``.

    Every bad pair while they fill at most three quarters (else half of that for the worst of each kind, half
    for an even sample of its others), then an even sample of the normal ones. Pairs without a mean loss have
    no place on the plane and are left out unless they are in ``always``.
    """
    shown = np.isfinite(table["mean_loss"].to_numpy()) & np.isfinite(table["std_loss"].to_numpy())
    shown[always] = False
    free = max(most - len(always), 0)
    kinds = table["kind"].to_numpy()
    ranked = (worst_first(table, kind) for kind in KINDS[1:])
    bad = [each[shown[each]] for each in ranked]
    total = sum(len(each) for each in bad)
    normal = np.flatnonzero(shown & (kinds == KINDS[0]))
    room = min(total, max(free - len(normal), free * 3 // 4))
    chosen: list[Places] = [always]
    for each in bad:
        share = room * len(each) // max(total, 1)
        worst = share if share == len(each) else share // 2
        chosen += [each[:worst], _even(table, each[worst:], share - worst)]
    chosen.append(_even(table, normal, free - sum(len(part) for part in chosen[1:])))
    return np.unique(np.concatenate(chosen).astype(np.int64))


def _even(table: DataFrame, rows: Places, room: int) -> Places:
    """``room`` of the rows, evenly over the mean-spread plane: every k-th along strips of equal mean loss."""
    if len(rows) <= room:
        return rows
    mean, std = table["mean_loss"].to_numpy()[rows], table["std_loss"].to_numpy()[rows]
    strip = np.argsort(np.argsort(mean, kind="stable"), kind="stable") * 64 // len(rows)
    order = np.lexsort((std, strip))
    steps = np.floor((np.arange(room) + 0.5) * len(rows) / max(room, 1)).astype(np.int64)
    return rows[order[steps]]
