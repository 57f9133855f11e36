"""How long a miner takes within a training, measured in that very training."""

from __future__ import annotations

import time
from typing import Any

from pairsift.mining import BadPairMiner


class MinerClock:
    """Adds up the time spent in a miner's forward and at its epochs' starts.

    Args:
        miner: measured from now on; None measures nothing.
    """

    def __init__(self, miner: BadPairMiner | None) -> None:
        self.seconds = 0.0
        self._began = 0.0
        if miner is None:
            return
        miner.register_forward_pre_hook(lambda *_: self._start())
        miner.register_forward_hook(lambda *_: self._stop())
        plain = miner.start_epoch

        def start_epoch() -> Any:
            self._start()
            try:
                return plain()
            finally:
                self._stop()

        miner.start_epoch = start_epoch  # type: ignore[method-assign]

    def _start(self) -> None:
        self._began = time.perf_counter()

    def _stop(self) -> None:
        self.seconds += time.perf_counter() - self._began
