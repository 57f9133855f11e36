"""What InfoNCE and RINCE share: the logits of each anchor's positive and of all its negatives."""

from __future__ import annotations

from abc import ABC, abstractmethod

import torch
from torch import Tensor, nn

from pairsift.errors import PairsiftError
from pairsift.losses.embeddings import check_embeddings, unit
from pairsift.losses.gather import gather, processes

# Stands for -inf inside logsumexp, whose gradient is NaN on a row of nothing but -inf.
MASKED = -1e30


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
            negative: logsumexp of its negatives' logits, shape (A,); -inf where there is none.

        Returns:
            Losses, shape (A,).
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
            z = self._scaled(torch.cat([zu, zv]))  # (2B, D)
            u, v = z[:pairs], z[pairs:]
            positive = (u * v).sum(1)  # (B,)
            anchors, others = (u, v) if self.one_sided else (z, z)  # (A, D), A = B or 2B
            keep = negatives if negatives is None or self.one_sided else negatives.repeat(2)
            start = 0  # where this process' views begin among all candidates
            if spread > 1:
                start = torch.distributed.get_rank() * len(others)
                others = gather(others)
                keep = None if keep is None else gather(keep)
            negative = _negative(anchors @ others.T, pairs, start, keep)  # (A,)
            if self.one_sided:
                return self.combine(positive, negative)
            return self.combine(positive.repeat(2), negative).view(2, pairs).mean(0)

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
        """Rows of such a length that a product of two is their cosine divided by the temperature."""
        return unit(z, length=self.temperature**-0.5)

    def extra_repr(self) -> str:
        """What ``print`` shows between the parentheses."""
        return f"temperature={self.temperature}, one_sided={self.one_sided}"


def _negative(logits: Tensor, pairs: int, start: int, keep: Tensor | None) -> Tensor:
    """Logsumexp over each anchor's negatives, shape (A,).

    Masks the logits in place and out of autograd's sight: what is masked has a softmax weight of exactly 0,
    so the gradient that logsumexp passes to it is 0 without a mask of its own.
    """
    hidden = logits.detach()
    anchors = len(logits)
    hidden[:, start : start + anchors].fill_diagonal_(MASKED)  # oneself (one-sided: one's positive)
    if anchors > pairs:  # two-sided: one's positive lies B columns on, or back
        hidden[:pairs, start + pairs : start + anchors].fill_diagonal_(MASKED)
        hidden[pairs:, start : start + pairs].fill_diagonal_(MASKED)
    if keep is not None:
        hidden.masked_fill_(~keep, MASKED)
    negative = logits.logsumexp(1)
    # A row may have lost all its negatives; -inf says so, and stops its gradient.
    return negative if keep is None else negative.masked_fill(negative < MASKED / 2, -torch.inf)
