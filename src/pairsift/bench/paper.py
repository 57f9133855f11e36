"""The paper's own numbers, in percent: mean and standard deviation over five seeds, or a mean alone."""

from __future__ import annotations

from collections.abc import Mapping

Number = tuple[float, float | None]
Row = tuple[str, ...]

MINING = ("none", "rince", "dbpm")
_T1 = """
simclr none   80.50 2.16 77.16 1.58 80.18 5.22
simclr rince  78.64 3.63 77.97 1.22 80.82 6.01
simclr dbpm   81.56 1.84 78.07 1.01 80.89 3.85
moco none     76.41 1.86 67.98 2.69 77.99 2.57
moco rince    72.85 1.79 68.49 1.82 74.98 3.70
moco dbpm     77.32 1.65 68.28 1.16 80.31 0.47
simsiam none  65.95 2.06 63.77 0.48 68.57 2.25
simsiam dbpm  67.00 1.42 63.90 1.34 69.14 1.59
tstcc none    77.34 0.32 69.75 0.40 84.58 0.21
tstcc rince   76.91 0.22 69.35 0.68 84.49 0.33
tstcc dbpm    77.46 0.37 69.81 0.42 84.70 0.17
tfc none      71.31 3.30 70.98 2.60 80.46 2.69
tfc rince     73.63 2.92 71.18 1.57 78.38 3.37
tfc dbpm      74.04 1.03 72.03 1.92 82.10 1.88
btsf none     69.48 2.52 70.61 1.89 67.75 3.60
btsf rince    69.37 2.31 70.02 2.28 68.22 3.41
btsf dbpm     73.32 3.08 71.67 0.71 67.90 3.66
"""
_T2 = """
simclr none   90.20 0.65 95.00 0.60 77.25 0.82 73.26 0.95 97.15 0.16 98.97 0.02
simclr rince  90.07 0.90 95.07 0.55 77.60 0.81 72.85 0.71 96.99 0.19 98.91 0.05
simclr dbpm   90.42 0.50 95.16 0.48 77.59 1.28 73.55 1.24 97.27 0.07 98.97 0.01
moco none     85.48 0.61 90.82 1.60 69.74 0.70 64.57 1.05 96.77 0.26 98.70 0.16
moco rince    85.56 0.72 90.89 1.76 69.02 1.46 64.00 1.06 96.64 0.25 98.67 0.17
moco dbpm     86.39 0.59 91.80 1.63 70.04 0.83 65.10 0.96 96.77 0.14 98.73 0.16
simsiam none  87.44 1.43 93.44 0.95 67.20 0.83 61.30 0.62 96.61 0.24 98.60 0.23
simsiam dbpm  87.78 1.31 93.72 0.85 67.50 0.58 61.65 0.64 96.71 0.23 98.65 0.14
tstcc none    87.51 0.90 92.63 1.10 83.99 0.30 79.45 0.12 97.46 0.08 99.21 0.04
tstcc rince   88.76 0.58 93.07 1.71 84.03 0.56 79.47 0.28 97.37 0.18 99.22 0.01
tstcc dbpm    88.11 0.85 93.22 1.18 84.17 0.26 79.68 0.15 97.46 0.05 99.25 0.06
tfc none      87.16 1.37 93.92 0.61 77.71 0.66 73.69 0.68 96.01 0.17 98.43 0.11
tfc rince     87.03 1.47 92.93 1.05 77.71 0.78 74.22 0.59 96.50 0.34 98.43 0.44
tfc dbpm      88.43 0.89 94.42 1.08 78.85 0.81 74.67 0.28 96.37 0.24 98.58 0.10
btsf none     84.24 0.29 89.44 1.01 72.75 0.32 67.40 0.48 95.26 0.20 97.98 0.06
btsf rince    83.96 0.49 89.41 1.03 72.80 0.23 67.54 0.41 95.37 0.10 98.00 0.04
btsf dbpm     85.70 0.74 92.97 0.56 74.37 0.21 69.10 0.37 95.85 0.14 98.15 0.10
"""
# The paper calls this base "the simplest InfoNCE-based framework"; SimCLR is ours. w = 0 is also "without T".
_WEIGHTS = """
none       82.95 1.93 86.18 2.44 82.82 0.74 78.30 0.24 97.03 0.09 98.85 0.04
w=0        83.34 1.85 86.32 1.85 82.88 0.72 78.36 0.21 97.03 0.08 98.82 0.05
w=0.25     83.31 1.84 86.41 2.08 82.86 0.71 78.36 0.22 97.07 0.10 98.82 0.05
w=0.5      83.12 1.88 86.30 2.18 82.80 0.76 78.34 0.23 97.06 0.06 98.84 0.04
P=1        83.29 1.79 86.35 1.89 82.90 0.72 78.36 0.20 97.04 0.09 98.87 0.04
P=2        83.26 1.79 86.37 1.92 82.87 0.70 78.37 0.21 97.07 0.08 98.82 0.07
P=3        83.27 1.77 86.33 1.88 82.87 0.69 78.37 0.21 97.03 0.09 98.81 0.07
P=4        83.27 1.77 86.34 1.87 82.85 0.67 78.35 0.22 97.08 0.04 98.76 0.18
"""
_ABLATION = """
none       80.50 2.16 77.16 1.58 80.18 5.22
without-M  81.54 1.82 77.62 1.83 79.94 3.75
without-T  81.21 2.05 77.72 1.08 80.54 3.69
dbpm       81.56 1.84 78.07 1.01 80.89 3.85
"""
# Mean accuracy. Rows: beta of the faulty side 1, 2, 3, off; columns: of the noisy side 1, 2, 3, off.
BETA_NAMES = ("1", "2", "3", "off")
BETAS: Mapping[str, tuple[tuple[float, ...], ...]] = {
    "har": (
        (82.10, 81.86, 81.55, 81.56),
        (83.22, 83.06, 82.93, 82.92),
        (83.29, 83.05, 82.95, 82.95),
        (83.28, 83.02, 82.97, 82.95),
    ),
    "sleep-edf": (
        (82.41, 82.64, 82.68, 82.71),
        (82.58, 82.89, 82.87, 82.79),
        (82.56, 82.87, 82.90, 82.83),
        (82.56, 82.87, 82.90, 82.82),
    ),
    "epilepsy": (
        (97.02, 97.03, 97.06, 97.07),
        (97.01, 97.09, 97.06, 97.05),
        (97.01, 97.04, 97.04, 97.04),
        (97.01, 97.04, 97.04, 97.03),
    ),
}
TASKS = (("ptb-xl-diagnostic", "auroc"), ("ptb-xl-form", "auroc"), ("ptb-xl-rhythm", "auroc"))
SETS = tuple((name, metric) for name in ("har", "sleep-edf", "epilepsy") for metric in ("accuracy", "auprc"))

# Extra seconds an epoch that DBPM took (diagnostic, form, rhythm), and extra memory in MB, on an A100.
EXTRA_SECONDS: Mapping[str, tuple[float, float, float]] = {
    "simclr": (0.74, 0.42, 0.54),
    "moco": (0.40, 0.37, 0.89),
    "simsiam": (0.92, 0.64, 0.93),
    "tstcc": (0.27, 0.31, 0.73),
    "tfc": (0.94, 0.39, 1.52),
    "btsf": (1.34, 0.26, 0.81),
}
EXTRA_MEGABYTES: Mapping[str, float] = {
    "ptb-xl-diagnostic": 1.40,
    "ptb-xl-form": 0.57,
    "ptb-xl-rhythm": 1.40,
    "har": 0.58,
    "sleep-edf": 2.60,
    "epilepsy": 0.72,
}


def _read(text: str, labels: int, columns: tuple[tuple[str, str], ...]) -> dict[Row, Number]:
    """Lines of labels, then mean and deviation for each column: {(labels..., dataset, metric): number}."""
    found: dict[Row, Number] = {}
    for line in text.strip().splitlines():
        words = line.split()
        head, numbers = tuple(words[:labels]), [float(word) for word in words[labels:]]
        if len(numbers) != 2 * len(columns):
            raise AssertionError(f"{line!r} has {len(numbers)} numbers for {len(columns)} columns")
        for column, mean, sd in zip(columns, numbers[::2], numbers[1::2]):
            found[(*head, *column)] = (mean, sd)
    return found


# table -> (framework, variant, dataset or dataset-task, metric) -> mean and deviation, in percent
PAPER: Mapping[str, Mapping[Row, Number]] = {
    "table1": _read(_T1, 2, TASKS),
    "table2": _read(_T2, 2, SETS),
    "weights": {("simclr", *row): number for row, number in _read(_WEIGHTS, 1, SETS).items()},
    "ablation": {("simclr", *row): number for row, number in _read(_ABLATION, 1, TASKS).items()},
}


def paper_number(table: str | None, framework: str, variant: str, dataset: str, metric: str) -> Number | None:
    """What the paper says, None where it says nothing."""
    return PAPER.get(table or "", {}).get((framework, variant, dataset, metric))
