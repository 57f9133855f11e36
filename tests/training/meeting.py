"""Where processes that train together find each other."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from torch.distributed import TCPStore


@contextmanager
def meeting_place() -> Iterator[dict[str, str]]:
    """The variables that torchrun would set for it.

    As with torchrun the store is there before the processes are: it listens at a port that the system has
    given it, so nobody can take that in between.
    """
    store = TCPStore("127.0.0.1", 0, is_master=True, wait_for_workers=False)
    yield {
        "MASTER_ADDR": "127.0.0.1",
        "MASTER_PORT": str(store.port),
        "TORCHELASTIC_USE_AGENT_STORE": "True",
    }
