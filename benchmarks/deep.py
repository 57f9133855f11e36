"""The network's share of a step at PTB-XL's shape: with PTB-XL's own encoder, a ResNet-34, and with HAR's.

A step takes seconds, so an epoch is one batch; what it does once counts as in one of the dataset's size.

    python -m benchmarks.deep
"""

from __future__ import annotations

import argparse
import sys

import torch
from benchmarks._loads import BATCH, PTB_XL, PTB_XL_BATCHES, noise
from benchmarks._report import report
from benchmarks.step import shares


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--epochs", type=int, default=4, help="measured ones")
    epochs = parser.parse_args().epochs
    torch.set_num_threads(1)
    one, ten = noise(BATCH, PTB_XL), noise(10 * BATCH, PTB_XL)
    results = []
    for precision in ("32-true", "auto"):
        results += shares("PTB-XL", one, PTB_XL_BATCHES, epochs, precision, dataset="ptb-xl")
        results += shares("PTB-XL, HAR's encoder", ten, PTB_XL_BATCHES, 2, precision, (None, None))[:1]
    return report(results)


if __name__ == "__main__":
    sys.exit(main())
