"""How many pairs are bad: in all, by class, by group, and against what was planted."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from pairsift.data.kinds import KINDS
from pairsift.report.labels import Coded

if TYPE_CHECKING:
    from pandas import DataFrame


def overall(table: DataFrame) -> list[dict[str, Any]]:
    """Each kind's count, share and median loss, the bad ones first."""
    rows = []
    for kind in (*KINDS[1:], KINDS[0]):
        of_kind = table[table["kind"] == kind]
        median = of_kind["mean_loss"].median()
        rows.append(
            {
                "kind": kind,
                "count": len(of_kind),
                "share": len(of_kind) / max(len(table), 1),
                "median_loss": None if np.isnan(median) else float(median),
            }
        )
    return rows


def by_label(table: DataFrame, coded: Coded | None) -> list[dict[str, Any]]:
    """For each class or group its pairs and its bad ones; the highest share of bad pairs first.

    The order is that of the share's lower confidence bound (Wilson, 95%), so that a group of one or two pairs
    does not lead the list by chance. A pair of several classes counts in each.
    """
    if coded is None:
        return []
    # each label of each set, one after the other: there may be as many groups as pairs
    labels = np.array([label for each in coded.sets for label in each], dtype=np.int64)
    within = np.repeat(np.arange(len(coded.sets)), [len(each) for each in coded.sets])
    counts = {}
    for kind in KINDS:
        of_set = np.bincount(coded.of[(table["kind"] == kind).to_numpy()], minlength=len(coded.sets))
        counts[kind] = np.bincount(labels, weights=of_set[within], minlength=len(coded.names))
    rows = []
    for label, name in enumerate(coded.names):
        noisy, faulty = int(counts["noisy"][label]), int(counts["faulty"][label])
        pairs = noisy + faulty + int(counts["normal"][label])
        rows.append(
            {
                "name": name,
                "label": label,
                "pairs": pairs,
                "noisy": noisy,
                "faulty": faulty,
                "noisy_share": noisy / max(pairs, 1),
                "faulty_share": faulty / max(pairs, 1),
                "bad_share": (noisy + faulty) / max(pairs, 1),
            }
        )
    return sorted(rows, key=lambda row: (-_wilson(row["noisy"] + row["faulty"], row["pairs"]), row["label"]))


def _wilson(hits: int, trials: int, z: float = 1.96) -> float:
    """The lower end of a share's confidence interval."""
    if trials == 0:
        return 0.0
    share = hits / trials
    middle = share + z * z / (2 * trials)
    reach = z * np.sqrt(share * (1 - share) / trials + z * z / (4 * trials * trials))
    return float((middle - reach) / (1 + z * z / trials))


def against_planted(table: DataFrame) -> list[dict[str, Any]]:
    """Where bad pairs were planted: how many of each kind, how many were found, and how many of both."""
    if "planted" not in table or (table["planted"] == KINDS[0]).all():
        return []
    rows = []
    for kind in KINDS[1:]:
        planted, found = table["planted"] == kind, table["kind"] == kind
        both = int((planted & found).sum())
        rows.append(
            {
                "kind": kind,
                "planted": int(planted.sum()),
                "found": int(found.sum()),
                "both": both,
                "precision": both / int(found.sum()) if found.any() else None,
                "recall": both / int(planted.sum()) if planted.any() else None,
            }
        )
    return rows


def what_was_done(table: DataFrame, most: int = 20) -> list[dict[str, Any]]:
    """Where the table says what was done to each pair: each thing and its count, the commonest first."""
    if "done" not in table:
        return []
    counts = table["done"].replace("", "nothing").value_counts()
    rows = [{"done": str(done), "count": int(count)} for done, count in counts.head(most).items()]
    if len(counts) > most:
        rows.append({"done": "something else", "count": int(counts.iloc[most:].sum())})
    return rows


def sentence(table: DataFrame) -> str:
    """What was found, in one sentence."""
    pairs = len(table)
    noisy, faulty = int((table["kind"] == "noisy").sum()), int((table["kind"] == "faulty").sum())
    if not noisy + faulty:
        return f"No bad pair was found among {pairs:,}."
    parts = [
        f"{count:,} {'is' if count == 1 else 'are'} {kind} ({share_text(count / pairs)})"
        for kind, count in (("noisy", noisy), ("faulty", faulty))
        if count
    ]
    none = "" if noisy and faulty else f"; none is {'faulty' if noisy else 'noisy'}"
    return f"Of {pairs:,} pairs, {' and '.join(parts)}{none}."


def share_text(share: float | None) -> str:
    """A share as a person reads it: 12.3%, and never 0.0% for something or 100.0% for not everything."""
    if share is None:
        return "–"
    if 0 < share < 0.0005:
        return "< 0.1%"
    if 0.9995 <= share < 1:
        return "> 99.9%"
    return f"{100 * share:.1f}%"
