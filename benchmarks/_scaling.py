"""The arithmetic of docs/scaling.md: memory and traffic by pairs and processes, from the code's constants."""

from __future__ import annotations

import math
import re

import torch

from pairsift.mining import BadPairMiner
from pairsift.mining.sync import AT_ONCE
from pairsift.training.batches import EpochBatches

PAIRS = (10**6, 10**8, 10**9)
PROCESSES = (2, 8, 100, 1000)
BATCH, EMBEDDING = 128, 128  # of SimCLR
GRADIENT = 4 * 1_331_008  # bytes: SimCLR's parameters at HAR's shape, docs/frameworks.json


def bytes_a_pair() -> int:
    """What the miner's memory holds for each pair."""
    few, more = (sum(b.nbytes for b in BadPairMiner(pairs).memory.buffers()) for pairs in (1000, 2000))
    return (more - few) // 1000


def order_bytes() -> int:
    """What the order of an epoch takes for each pair, in every process."""
    (batch,) = EpochBatches(4, 4, 0)
    return batch.element_size()


def all_reduces(pairs: int) -> int:
    """The miner's, an epoch."""
    return math.ceil(pairs / AT_ONCE)


def payload(pairs: int) -> int:
    """Bytes that they sum, an epoch: a loss and a count a pair, and one more number each."""
    return (2 * pairs + all_reduces(pairs)) * torch.float32.itemsize


def ring(payload: float, processes: int) -> float:
    """Bytes that each process sends when a payload is summed over a ring, as NCCL and gloo do it."""
    return 2 * (processes - 1) / processes * payload


def gathered(processes: int) -> tuple[float, float, float]:
    """Of a step with gathered negatives: bytes a process receives, sends back, and holds as logits."""
    rows = 2 * BATCH * EMBEDDING * 4
    return (processes - 1) * rows, ring(processes * rows, processes), 2 * BATCH * 2 * BATCH * processes * 4


def size(count: float) -> str:
    """Bytes for people."""
    for unit, worth in (("TB", 1e12), ("GB", 1e9), ("MB", 1e6), ("kB", 1e3)):
        if count >= worth:
            return f"{float(f'{count / worth:.3g}'):g} {unit}"
    return f"{count:g} B"


def memory_table() -> str:
    """By pairs: what each process holds, and what a sync sums."""
    lines = [
        "| pairs | memory | order | checkpoint | all-reduces | payload |",
        "|---:|---:|---:|---:|---:|---:|",
    ]
    for pairs in PAIRS:
        memory = size(bytes_a_pair() * pairs)
        lines.append(
            f"| {pairs:,} | {memory} | {size(order_bytes() * pairs)} | {memory} | {all_reduces(pairs)} "
            f"| {size(payload(pairs))} |"
        )
    return "\n".join(lines) + "\n"


def traffic_table() -> str:
    """By pairs and processes: what a process sends an epoch, for the miner and for gradients."""
    lines = [
        "| pairs | processes | steps an epoch | for the miner | for gradients | the miner's share |",
        "|---:|---:|---:|---:|---:|---:|",
    ]
    for pairs in PAIRS:
        for processes in PROCESSES:
            steps = pairs // (BATCH * processes)
            mining, training = ring(payload(pairs), processes), steps * ring(GRADIENT, processes)
            lines.append(
                f"| {pairs:,} | {processes:,} | {steps:,} | {size(mining)} | {size(training)} "
                f"| {100 * mining / (mining + training):.3g}% |"
            )
    return "\n".join(lines) + "\n"


def gather_table() -> str:
    """By processes: what gathering costs each of them in a step."""
    lines = ["| processes | received | sent back | logits |", "|---:|---:|---:|---:|"]
    for processes in PROCESSES:
        lines.append(f"| {processes:,} | " + " | ".join(map(size, gathered(processes))) + " |")
    return "\n".join(lines) + "\n"


TABLES = {"memory": memory_table, "traffic": traffic_table, "gather": gather_table}


def drawn(text: str) -> str:
    """A page with the tables that it names."""
    block = re.compile(r"(<!-- table: (\w+) -->\n).*?(<!-- end -->)", re.DOTALL)
    return block.sub(lambda found: found[1] + TABLES[found[2]]() + found[3], text)


if __name__ == "__main__":
    for title, written in TABLES.items():
        print(f"{title}\n\n{written()}")
