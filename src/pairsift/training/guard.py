"""Numbers that go wrong: a step whose gradient is no number is left out and counted, its pairs are named."""

from __future__ import annotations

import math
from collections.abc import Iterable

import torch
from torch import Tensor, nn

from pairsift.errors import PairsiftError
from pairsift.mining.watch import Nonfinite

IN_A_ROW = 10  # batches without a usable gradient, one after the other, that end a run
_SMALL = 2**16  # buffers up to this many numbers (a batch norm's) are kept from before the batch
_LOOK_EVERY = 64  # batches between two looks at a GPU's counters; on a CPU a look costs nothing


class Guard(nn.Module):
    """Watches each step of a training.

    Adam itself leaves out a step for which ``found_inf`` is 1, on whatever device, so nothing has to be
    waited for. What a forward pass with such numbers has done to batch norms' statistics is undone too.
    """

    skipped: Tensor
    streak: Tensor
    longest: Tensor

    def __init__(self) -> None:
        super().__init__()
        for name in ("skipped", "streak", "longest"):  # bad batches: all, in a row now, in a row at most
            self.register_buffer(name, torch.zeros((), dtype=torch.int64))
        self.noted = Nonfinite()
        self._watched: list[Tensor] = []
        self._before: list[Tensor] = []

    def watch(self, buffers: Iterable[Tensor]) -> None:
        """Say which buffers are put back after a bad batch; large ones are not."""
        self._watched = [b for b in buffers if b.is_floating_point() and b.numel() <= _SMALL]
        self._before = [torch.empty_like(b) for b in self._watched]

    @torch.no_grad()
    def before(self) -> None:
        """Keep the buffers as they are before a batch."""
        if self._before:
            torch._foreach_copy_(self._before, self._watched)

    @torch.no_grad()
    def judge(
        self, gradients: list[Tensor], losses: Tensor, index: Tensor, scaled: bool = False
    ) -> Tensor | None:
        """Look at a batch after its backward pass.

        Args:
            gradients: of all parameters.
            losses: the batch's, shape (B,).
            index: whose they are, shape (B,).
            scaled: whether a gradient scaler, which looks for infinities itself, will take the step.

        Returns:
            1.0 where the step must not be taken, else 0.0; what Adam takes as ``found_inf``. None where that
            is known on the host to be 0.
        """
        looked_at = losses if scaled else torch.nn.utils.get_total_norm(gradients)
        if looked_at.device.type == "cpu" and math.isfinite(looked_at.sum()):
            if self.streak:
                self.streak.zero_()
            return None
        bad = ~looked_at.isfinite().all()
        self.streak.copy_(torch.where(bad, self.streak + 1, 0))
        if bad.device.type != "cpu" or bool(bad):
            self.skipped.add_(bad)
            self.longest.copy_(torch.maximum(self.longest, self.streak))
            wrong = ~losses.isfinite()
            self.noted.note(torch.where(wrong.any(), wrong, True) & bad, index)
            for now, then in zip(self._watched, self._before):
                now.copy_(torch.where(bad, then, now))
        return bad.float()

    def stop_if_hopeless(self, batch: int, lr: float) -> None:
        """Raise where too many batches in a row were bad."""
        if self.longest.device.type != "cpu" and batch % _LOOK_EVERY:
            return
        if int(self.longest) >= IN_A_ROW:
            raise PairsiftError(
                f"training stopped: {IN_A_ROW} batches in a row gave losses or gradients that are NaN or "
                f"infinite, so nothing was learned from them; start again with a lower lr (it was {lr:g}), "
                f"or look for huge values in the series of pairs {self.names()}"
            )

    def names(self, most: int = 8) -> str:
        """The last pairs whose batches were bad, in words."""
        pairs = self.noted.pairs()
        return ", ".join(map(str, pairs[:most])) + (" and others" if len(pairs) > most else "")
