"""Keeps the memory that a training step frees, instead of asking the kernel for it again at the next step."""

from __future__ import annotations

import ctypes
import os
import platform
from functools import cache

_TRIM_THRESHOLD, _MMAP_THRESHOLD = -1, -3  # mallopt's names for them, in malloc.h
_OWN_CHOICE = (
    "MALLOC_TRIM_THRESHOLD_",
    "MALLOC_TOP_PAD_",
    "MALLOC_MMAP_THRESHOLD_",
    "GLIBC_TUNABLES",
    "LD_PRELOAD",
)
_MOST = 2**31 - 1


@cache
def keep_freed_memory() -> bool:
    """Tell glibc's malloc to hand nothing back to the kernel, once a process.

    A step frees and takes some dozens of megabytes. Handed back each time, they come again as pages that the
    kernel clears one by one, which costs a float32 step on a CPU a tenth to a fifth of its time. The price is
    that the process keeps its largest size until it ends, as it would with jemalloc or tcmalloc. Nothing is
    done where the environment holds a choice of its own (glibc's variables, or a preloaded malloc), and where
    there is no glibc.

    Returns:
        Whether it was done.
    """
    if platform.libc_ver()[0] != "glibc" or any(name in os.environ for name in _OWN_CHOICE):
        return False
    mallopt = ctypes.CDLL(None).mallopt
    said = [mallopt(_MMAP_THRESHOLD, 2**30), mallopt(_TRIM_THRESHOLD, _MOST)]
    return said == [1, 1]
