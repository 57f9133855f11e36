"""A large memory lies on large pages where Linux grants them; values and types are those of torch.zeros."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
import torch

from pairsift.mining import BadPairMiner
from pairsift.mining.pages import HUGE, zeros

THP = Path("/sys/kernel/mm/transparent_hugepage/enabled")


@pytest.mark.parametrize("count", [0, 1, 1000, HUGE // 4, 3 * HUGE])
@pytest.mark.parametrize("dtype", [torch.float32, torch.int16])
def test_they_are_zeros(count: int, dtype: torch.dtype) -> None:
    made = zeros(count, dtype)
    assert made.dtype == dtype and made.shape == (count,)
    assert not made.any()


def flags_at(address: int) -> set[str]:
    """What the kernel says of the mapping that holds an address."""
    inside = False
    for line in Path("/proc/self/smaps").read_text().splitlines():
        head = line.split()[0]
        if "-" in head and not head.endswith(":"):
            begin, end = (int(part, 16) for part in head.split("-"))
            inside = begin <= address < end
        elif inside and head == "VmFlags:":
            return set(line.split()[1:])
    return set()


@pytest.mark.skipif(not THP.exists(), reason="this system knows no transparent large pages")
def test_the_kernel_is_asked_for_a_large_memory() -> None:
    large = BadPairMiner(4 * HUGE).memory
    for name, buffer in large.named_buffers():
        assert "hg" in flags_at(buffer.data_ptr() + buffer.nbytes // 2), name


def test_for_a_small_memory_nothing_is_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    """What the kernel says of it tells nothing: it may lie where a large one has been."""
    from pairsift.mining import pages

    asked = []
    monkeypatch.setattr(pages, "_ask", lambda tensor: asked.append(len(tensor)))
    BadPairMiner(100)
    assert not asked
    BadPairMiner(4 * HUGE)
    assert asked


def test_without_linux_nothing_is_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    from pairsift.mining import pages

    pages._madvise.cache_clear()
    with monkeypatch.context() as patch:
        patch.setattr(sys, "platform", "elsewhere")
        assert not pages._ask(torch.empty(2 * HUGE))
        assert not zeros(3 * HUGE).any()
    pages._madvise.cache_clear()
