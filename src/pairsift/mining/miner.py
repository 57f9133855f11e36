"""The miner: per-pair losses in, the same losses with the bad pairs' weighed down out (Algorithm 1)."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import torch
from torch import Tensor, nn

from pairsift.mining.checks import checked_index, checked_losses, whole_number
from pairsift.mining.memory import History, Memory, Ramp, Statistics
from pairsift.mining.panel import Panel
from pairsift.mining.population import Population
from pairsift.mining.sync import many_processes, sum_over_processes
from pairsift.mining.table import pairs_table
from pairsift.mining.thresholds import Sigma, Threshold
from pairsift.mining.watch import BatchSizes, Nonfinite
from pairsift.mining.weights import GaussianWeight, Weigher, Weight

if TYPE_CHECKING:
    from pandas import DataFrame

BLOCK = 2**16  # pairs judged at once
FEW = 2**20  # up to so many, who is normal is noted once an epoch: a byte a pair, until the next


class BadPairMiner(nn.Module):
    """Remembers every pair's losses, judges which pairs are noisy or faulty, and weighs their losses down.

        miner = BadPairMiner(num_pairs=len(dataset))
        for epoch in range(epochs):
            miner.start_epoch()
            for x, index in loader:
                loss = miner(losses_of(x), index).mean()   # (B,) in, (B,) out

    In epoch e > ``warmup_epochs`` pairs are judged by their mean losses in the epochs before e (Eq. 3-5),
    and a bad pair's loss is multiplied by its weight (Eq. 6-8), through which no gradient flows. The
    defaults are the paper's Algorithm 1.

    What happens at the edges:

    - a pair that an epoch skips keeps its own count; one seen several times in an epoch counts as its mean;
    - a pair never seen is normal; with sigma 0 (one pair, all losses equal) all are;
    - a NaN or infinite loss is not remembered and comes back as 0; it is counted in ``nonfinite`` and its
      pair named by ``nonfinite_pairs()``. The gradient behind a NaN loss is NaN all the same: skip the step;
    - in eval mode losses pass unchanged and nothing is remembered;
    - half-precision losses are remembered in float32, which ``miner.half()`` does not change;
      ``miner.double()`` remembers in float64;
    - under torch.distributed every process must call ``start_epoch`` and ``end_epoch`` (one all-reduce an
      epoch); a miner inside a module that DDP wraps needs ``hide_from_ddp(module)``.

    Args:
        num_pairs: how many pairs the dataset has, N.
        warmup_epochs: epochs in which losses are only remembered.
        threshold: what is bad; ``Sigma(noisy=2, faulty=3)`` if None.
        weight: what a bad pair's weight is; ``GaussianWeight()`` if None.
        history: what a pair is judged by: "mean" (Eq. 3), "last" (the last epoch's loss alone: the paper's
            ablation "without M"), or ``Ramp(max_epochs)`` (the released code).
        batch_size: None remembers every batch. A number leaves shorter batches unremembered (they are still
            weighed): a contrastive loss depends on how many negatives its batch holds, so the pairs of
            a short last batch would look noisy.
    """

    def __init__(
        self,
        num_pairs: int,
        warmup_epochs: int = 10,
        threshold: Threshold | None = None,
        weight: Weight | None = None,
        history: History = "mean",
        batch_size: int | None = None,
    ) -> None:
        super().__init__()
        self.num_pairs = whole_number("num_pairs", num_pairs, 1)
        self.warmup_epochs = whole_number("warmup_epochs", warmup_epochs, 0)
        self.threshold = Sigma() if threshold is None else threshold
        self.weight = GaussianWeight() if weight is None else weight
        self.batch_size = None if batch_size is None else whole_number("batch_size", batch_size, 1)
        if not isinstance(self.threshold, Threshold):
            raise TypeError(f"threshold must be one such as Sigma(noisy=2, faulty=3), got {threshold!r}")
        if not isinstance(self.weight, Weight):
            raise TypeError(f"weight must be one such as GaussianWeight(), got {weight!r}")
        if history not in ("mean", "last") and not isinstance(history, Ramp):
            raise ValueError(f'history must be "mean", "last" or Ramp(max_epochs), got {history!r}')

        self.memory = Memory(self.num_pairs, history)
        self._nonfinite = Nonfinite()
        self._progress: Tensor
        self.register_buffer("_progress", torch.zeros(2, dtype=torch.int64))  # epoch, whether it is running
        self._epoch, self._running = 0, False  # the same on the host
        self._fitted: tuple[Panel, Weigher, Tensor | None] | None = None
        self._sizes = BatchSizes(self.batch_size)
        self.register_load_state_dict_post_hook(_after_load)  # type: ignore[no-untyped-call]

    @property
    def epoch(self) -> int:
        """The running epoch, from 1; 0 before the first ``start_epoch``."""
        return self._epoch

    @property
    def active(self) -> bool:
        """Whether the warm-up is over, so that bad pairs are weighed down."""
        return self._epoch > self.warmup_epochs

    @property
    def nonfinite(self) -> Tensor:
        """How many losses were NaN or infinite so far; int64, no dimensions.

        Under several processes the running epoch's are this process's own.
        """
        return self._nonfinite.count

    def nonfinite_pairs(self) -> list[int]:
        """The last pairs, at most 32, whose loss was NaN or infinite in this process."""
        return self._nonfinite.pairs()

    def start_epoch(self) -> None:
        """Begin an epoch, before its first batch. Closes the epoch before, unless ``end_epoch`` did."""
        self.end_epoch()
        self._set_progress(self._epoch + 1, True)

    def end_epoch(self) -> None:
        """Fold the epoch's losses into the memory, with those that other processes have seen.

        Call it under several processes before a checkpoint is written and after the last epoch: until then
        a process knows only its own share of the epoch. Elsewhere it is not needed. After it,
        ``verdicts`` go by all epochs so far.
        """
        if not self._running:
            return
        noted = self._nonfinite
        if many_processes():
            noted.count.copy_(noted.before + sum_over_processes(self.memory, noted.count - noted.before))
        noted.before.copy_(noted.count)
        self._fold(self.memory)
        self._sizes.end_epoch()
        self._set_progress(self._epoch, False)
        self._fitted = None

    def forward(self, losses: Tensor, index: Tensor) -> Tensor:
        """Remember a batch's losses and weigh the bad pairs' down.

        Args:
            losses: one loss a pair, any float dtype, shape (B,).
            index: the pairs' places in the dataset, integers in [0, num_pairs), shape (B,).

        Returns:
            The losses times their weights, shape and dtype as ``losses``; the weight of a normal pair, and
            of all pairs in the warm-up, is 1.
        """
        if not self.training:
            return losses
        losses, index, finite = self._checked(losses, index)
        self._record(losses, index, finite)
        return self._weigh(losses, index)

    def record(self, losses: Tensor, index: Tensor) -> None:
        """Only remember: the first half of ``forward``, in eval mode too, for losses nobody trains on."""
        self._record(*self._checked(losses, index))

    def weigh(self, losses: Tensor, index: Tensor) -> Tensor:
        """Only weigh: the other half of ``forward``, in eval mode too."""
        losses, index, _ = self._checked(losses, index)
        return self._weigh(losses, index)

    def verdicts(self, index: Tensor | None = None) -> Tensor:
        """The kinds in force in this epoch: 0 normal, 1 noisy, 2 faulty; all 0 in the warm-up.

        They come from the epochs before, so they are the same at every batch of an epoch.

        Args:
            index: which pairs, shape (B,); all if None.

        Returns:
            Kinds, int8, shape (B,) or (N,).
        """
        device = self.memory.mean.device
        where = None if index is None else checked_index(index, self.num_pairs, device)
        if not self.active:
            count = self.num_pairs if where is None else len(where)
            return torch.zeros(count, dtype=torch.int8, device=device)
        panel = self._fit()[0]
        if where is not None:
            return panel.kinds(self.memory, where)
        return self._judged(panel)

    def statistics(self) -> Statistics:
        """Mean, spread and count of each pair's loss, shapes (N,), the running epoch's losses included."""
        mean, squares, seen = (t.clone() for t in vars(self._so_far().rows(slice(None))).values())
        return Statistics(mean, squares, seen)

    @property
    def thresholds(self) -> dict[str, Any]:
        """Where the threshold cuts ``statistics()``: JSON types, with Sigma mu, sigma, noisy and faulty."""
        return self.threshold.fit(Population(self._so_far())).describe()

    def table(self) -> DataFrame:
        """Every pair as a row: index, kind, score, mean_loss, std_loss, weight, seen.

        It is made from everything remembered so far, the running epoch included, and judged by that, in the
        warm-up too: it is what the next epoch would go by. ``score`` is at least 0.5 for bad pairs,
        ``weight`` is what a loss as large as the pair's mean would get. A pair never seen has mean and
        spread NaN.
        """
        memory = self._so_far()
        return pairs_table(memory, self._convene(memory), self.weight)

    def extra_repr(self) -> str:
        """What print(miner) shows."""
        return (
            f"num_pairs={self.num_pairs}, warmup_epochs={self.warmup_epochs}, threshold={self.threshold}, "
            f"weight={self.weight}, history={self.memory.history!r}, batch_size={self.batch_size}"
        )

    def _checked(self, losses: Tensor, index: Tensor) -> tuple[Tensor, Tensor, Tensor | None]:
        """Losses with 0 where not finite, index as int64 beside them, which are finite (None: all)."""
        checked_losses(losses, self.memory.mean.device)
        if not self._running:
            raise RuntimeError("call miner.start_epoch() before an epoch's first batch")
        index = checked_index(index, self.num_pairs, losses.device, len(losses), self.memory.visits)
        values = losses.detach()
        if values.device.type == "cpu" and math.isfinite(values.sum()):  # a GPU would have to be waited for
            return losses, index, None
        finite = values.isfinite()
        return torch.where(finite, losses, 0.0), index, finite

    def _record(self, losses: Tensor, index: Tensor, finite: Tensor | None, size: int | None = None) -> None:
        if len(losses) == 0:
            return
        if self._sizes.long_enough(len(losses) if size is None else size):
            self.memory.add(losses.detach(), index, finite)
        if finite is not None:
            self._nonfinite.note(~finite, index)

    def _weigh(self, losses: Tensor, index: Tensor) -> Tensor:
        if not self.active:
            return losses
        panel, weigher, good = self._fit()
        normal = panel.kinds(self.memory, index) == 0 if good is None else good.index_select(0, index)
        weight = weigher(losses.detach()).masked_fill_(normal, 1)  # Eq. 6
        return losses * weight.to(losses.dtype)  # Eq. 8

    def _convene(self, memory: Memory) -> Panel:
        """Fit the threshold to the memory, or to a copy of it."""
        return Panel.convene(self.threshold, memory)

    def _fit(self) -> tuple[Panel, Weigher, Tensor | None]:
        """Threshold and weight from the epochs before this one: fitted once an epoch, and after loading.

        Of few pairs, who is normal too, bool (N,): a batch then looks it up in one step.
        """
        if self._fitted is None:
            panel = self._convene(self.memory)
            normal = self._judged(panel) == 0 if self.num_pairs <= FEW else None
            self._fitted = panel, self.weight.fit(panel.population), normal
        return self._fitted

    def _judged(self, panel: Panel) -> Tensor:
        """Kinds of all pairs, int8 (N,)."""
        starts = range(0, self.num_pairs, BLOCK)
        return torch.cat([panel.kinds(self.memory, slice(start, start + BLOCK)) for start in starts])

    def _fold(self, memory: Memory) -> None:
        """Fold the running epoch into the memory, or into a copy of it."""
        memory.merge(self._epoch)

    def _so_far(self) -> Memory:
        if not self._running:
            return self.memory
        memory = self.memory.copied()
        self._fold(memory)
        return memory

    def _set_progress(self, epoch: int, running: bool) -> None:
        self._epoch, self._running = epoch, running
        self._progress.copy_(torch.tensor([epoch, running]))

    def __getstate__(self) -> dict[str, Any]:
        """Pickled and copied without what is fitted anew when next asked for."""
        return {**self.__dict__, "_fitted": None}

    def _apply(self, fn: Any, recurse: bool = True) -> BadPairMiner:
        super()._apply(fn, recurse)  # type: ignore[no-untyped-call]
        self._fitted = None
        return self


def _after_load(miner: BadPairMiner, _: object) -> None:
    """Take up a loaded state: counters on the host follow, thresholds are fitted when next asked for."""
    epoch, running = miner._progress.tolist()
    miner._epoch, miner._running = epoch, bool(running)
    miner._fitted = None
