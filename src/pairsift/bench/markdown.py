"""How numbers look on the results page."""

from __future__ import annotations

from collections.abc import Sequence

from pairsift.bench.paper import Number
from pairsift.bench.stats import Difference, Summary

NAMES = {
    "simclr": "SimCLR",
    "moco": "MoCo",
    "simsiam": "SimSiam",
    "tstcc": "TS-TCC",
    "tfc": "TF-C",
    "btsf": "BTSF",
    "none": "no mining",
    "rince": "RINCE",
    "dbpm": "DBPM",
    "auto": "Auto",
    "mend": "Mend",
    "known": "kinds known",
    "oracle": "oracle",
    "clean": "clean",
    "har": "HAR",
    "epilepsy": "Epilepsy",
    "epilepsy-grouped": "Epilepsy, split by recording",
    "har-grouped": "HAR, split by person",
    "sleep-edf": "Sleep-EDF",
    "simulated": "simulation",
    "ptb-xl-diagnostic": "PTB-XL diagnostic",
    "ptb-xl-form": "PTB-XL form",
    "ptb-xl-rhythm": "PTB-XL rhythm",
    "accuracy": "accuracy",
    "auprc": "AUPRC",
    "auroc": "AUROC",
    "f1": "F1",
}
NOT_RUN = "not run"


def named(word: str) -> str:
    """A word as people write it."""
    return NAMES.get(word, word)


def table(head: Sequence[str], rows: Sequence[Sequence[str]], left: int = 1) -> list[str]:
    """A Markdown table and an empty line; the first ``left`` columns are text, the others numbers."""
    rule = ["---" if column < left else "---:" for column in range(len(head))]
    return [*("| " + " | ".join(row) + " |" for row in [head, rule, *rows]), ""]


def number(value: float | None, sign: bool = False) -> str:
    """Two digits."""
    if value is None:
        return "-"
    text = f"{value:{'+' if sign else ''}.2f}"
    return text.replace("-0.00", "0.00").replace("+0.00", "0.00")


def ours(summary: Summary | None) -> str:
    """Mean, deviation and number of seeds."""
    if summary is None:
        return NOT_RUN
    spread = "" if summary.sd is None else f" ± {number(summary.sd)}"
    return f"{number(summary.mean)}{spread} ({summary.n})"


def papers(value: Number | None) -> str:
    """The paper's mean and deviation."""
    if value is None:
        return "-"
    mean, sd = value
    return number(mean) if sd is None else f"{number(mean)} ± {number(sd)}"


def per_seed(difference: Difference | None) -> str:
    """Each seed's difference."""
    return "-" if difference is None else ", ".join(number(v, sign=True) for v in difference.values.values())


def interval(difference: Difference | None) -> str:
    """The mean difference and its interval."""
    if difference is None:
        return "-"
    if difference.low is None:
        return f"{number(difference.mean, True)} (one seed: no interval)"
    return (
        f"{number(difference.mean, True)} ({number(difference.low, True)} to {number(difference.high, True)})"
    )
