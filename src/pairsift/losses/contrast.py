"""What InfoNCE and RINCE share: the logits of each anchor's positive and of all its negatives."""

from __future__ import annotations

from abc import ABC, abstractmethod

import torch
from torch import Tensor, nn

from pairsift.errors import PairsiftError
from pairsift.losses.embeddings import check_embeddings, unit
from pairsift.losses.gather import gather, processes
from pairsift.losses.logits import against_all, two_sided


class Contrast(nn.Module, ABC):
    """A loss that sets each anchor's positive against its negatives.

    Two-sided: both views are anchors, the negatives of each are the 2B - 2 views of other series, and a
    pair's loss is the mean of its two. One-sided: u is the anchor, the negatives are the other series' v
    (Eq. 1).

    Similarities are computed in float32, or float64 for float64 input, whatever autocast says, and the
    losses come back so: half precision cannot hold logits at a temperature of 0.01. A zero vector is as far
    from everything as an orthogonal one (similarity 0) and gets no gradient.

    Args:
        temperature: what similarities are divided by.
        one_sided: only u is an anchor, and only v serves as negatives.
        gather: under several processes, let every process' views serve as negatives (with gradients).
    """

    def __init__(self, temperature: float = 0.2, *, one_sided: bool = False, gather: bool = False) -> None:
        super().__init__()
        if not temperature > 0:
            raise PairsiftError(f"temperature must be above 0, got {temperature}")
        self.temperature = temperature
        self.one_sided = one_sided
        self.gather = gather

    @abstractmethod
    def combine(self, positive: Tensor, negative: Tensor) -> Tensor:
        """Turn logits into losses.

        Args:
            positive: logit of each anchor's positive, shape (A,).
            negative: logsumexp of its negatives' logits, shape (A,); -inf where there is none. Both views'
                anchors may come as (2, A).

        Returns:
            Losses, in ``negative``'s shape.
        """

    @abstractmethod
    def chance_level(self, batch_size: int, *, bank: int | None = None) -> float | None:
        """The loss of an encoder that maps everything to one point; None where that says nothing.

        Args:
            batch_size: pairs in a batch.
            bank: rows of the bank, if the negatives come from one (``against``).
        """

    def candidates(self, batch_size: int, *, bank: int | None = None) -> int:
        """How many views each anchor chooses among, its positive included."""
        if bank is not None:
            return 1 + bank
        everybody = batch_size * (processes() if self.gather else 1)
        return everybody if self.one_sided else 2 * everybody - 1

    def forward(self, zu: Tensor, zv: Tensor, negatives: Tensor | None = None) -> Tensor:
        """One loss a pair.

        Args:
            zu: embeddings of the first views, shape (B, D); their length does not matter.
            zv: embeddings of the second views, shape (B, D).
            negatives: mask, shape (B,): where False, neither view of that series is a negative of any anchor.
                It stays an anchor, with its own positive.

        Returns:
            Losses, shape (B,), float32 (float64 for float64 input).
        """
        spread = processes() if self.gather else 1
        check_embeddings(zu, zv, negatives, least=1 if spread > 1 else 2)
        pairs = len(zu)
        with torch.autocast(zu.device.type, enabled=False):
            z = torch.cat([zu, zv])  # (2B, D)
            if spread == 1 and not self.one_sided:
                z = z if z.dtype == torch.float64 else z.float()
                positive, negative = two_sided(z, self._length, negatives)
            else:
                positive, negative = self._other(self._scaled(z), negatives, spread)
            if self.one_sided:
                return self.combine(positive, negative)
            return self.combine(positive, negative.view(2, pairs)).mean(0)

    def _other(self, z: Tensor, negatives: Tensor | None, spread: int) -> tuple[Tensor, Tensor]:
        """Positive logits (B,) and negatives' logsumexp (A,) one-sided, or with other processes' views."""
        pairs = len(z) // 2
        u, v = z[:pairs], z[pairs:]
        anchors, others = (u, v) if self.one_sided else (z, z)  # (A, D), A = B or 2B
        keep = negatives if negatives is None or self.one_sided else negatives.repeat(2)
        start = 0
        if spread > 1:
            start = torch.distributed.get_rank() * len(others)
            others = gather(others)
            keep = None if keep is None else gather(keep)
        return (u * v).sum(1), against_all(anchors, others, pairs, start, keep)

    def against(self, queries: Tensor, keys: Tensor, bank: Tensor) -> Tensor:
        """One-sided loss whose negatives are the rows of a bank, as MoCo's queue.

        Args:
            queries: anchors, shape (B, D).
            keys: their positives, shape (B, D).
            bank: negatives of all of them, shape (K, D); K may be 0, and then there are none.

        Returns:
            Losses, shape (B,).
        """
        check_embeddings(queries, keys, None, least=1)
        if bank.ndim != 2 or bank.shape[1] != queries.shape[1]:
            raise PairsiftError(f"bank must have shape (rows, {queries.shape[1]}), got {tuple(bank.shape)}")
        with torch.autocast(queries.device.type, enabled=False):
            q, k, negatives = self._scaled(queries), self._scaled(keys), self._scaled(bank)
            logits = q @ negatives.to(q.dtype).T  # (B, K)
            return self.combine((q * k).sum(1), logits.logsumexp(1))

    def _scaled(self, z: Tensor) -> Tensor:
        return unit(z, self._length)

    @property
    def _length(self) -> float:
        """Of rows, so that a product of two is their cosine divided by the temperature."""
        return float(self.temperature**-0.5)

    def extra_repr(self) -> str:
        """What ``print`` shows between the parentheses."""
        return f"temperature={self.temperature}, one_sided={self.one_sided}"
