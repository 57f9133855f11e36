"""From embeddings to the two numbers that a contrastive loss combines: positive and negatives' logsumexp."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor
from torch.autograd.function import once_differentiable

from pairsift.losses.embeddings import brought_to

# Stands for -inf inside logsumexp, whose gradient is NaN on a row of nothing but -inf.
MASKED = -1e30


def two_sided(z: Tensor, length: float, keep: Tensor | None) -> tuple[Tensor, Tensor]:
    """Both views anchor; both views of all other series are their negatives.

    Args:
        z: first views, then second views, shape (2B, D), of any length.
        length: what rows are brought to, so that a product of two is a logit.
        keep: mask, shape (B,): where False, the series is nobody's negative.

    Returns:
        The pairs' logits, shape (B,), and the logsumexp of each anchor's negatives, shape (2B,), -inf where
        it has none. They can be differentiated once.
    """
    hidden = None if keep is None else ~keep.repeat(2)
    positive, negative = _TwoSided.apply(z, length, hidden)  # type: ignore[no-untyped-call]
    return positive, _minus_infinity(negative, keep)


def against_all(anchors: Tensor, others: Tensor, pairs: int, start: int, keep: Tensor | None) -> Tensor:
    """Logsumexp of each anchor's negatives among any candidates, shape (A,), -inf where it has none.

    Args:
        anchors: shape (A, D), A = B where only the first views anchor, 2B where both do.
        others: candidates, shape (M, D), the anchors' own from row ``start`` on.
        pairs: B.
        start: where this process' candidates begin.
        keep: mask, shape (M,): False where a candidate is nobody's negative.
    """
    logits = anchors @ others.T  # (A, M)
    # In place and out of autograd's sight: what is masked has a softmax weight of exactly 0, so the gradient
    # that logsumexp passes to it is 0 without a mask of its own.
    hidden = logits.detach()
    _hide_own(hidden[:, start : start + len(anchors)], pairs)
    if keep is not None:
        hidden.masked_fill_(~keep, MASKED)
    return _minus_infinity(logits.logsumexp(1), keep)


def _hide_own(logits: Tensor, pairs: int) -> None:
    """Mask, in logits (A, A), what is no negative: oneself and one's other view."""
    logits.diagonal().fill_(MASKED)  # one-sided: this is the other view
    if len(logits) > pairs:
        logits.diagonal(pairs).fill_(MASKED)
        logits.diagonal(-pairs).fill_(MASKED)


def _minus_infinity(negative: Tensor, keep: Tensor | None) -> Tensor:
    """Let rows that lost all their negatives to the mask say so, and pass no gradient."""
    return negative if keep is None else negative.masked_fill(negative < MASKED / 2, -torch.inf)


class _TwoSided(torch.autograd.Function):
    """The whole in one node, since S = z z^T is symmetric: dz = (dS + dS^T) z is one product, not two."""

    @staticmethod
    def forward(ctx: Any, z: Tensor, length: float, hidden: Tensor | None) -> tuple[Tensor, Tensor]:
        pairs = len(z) // 2
        z, scale = brought_to(z, length)
        logits = z @ z.T  # (2B, 2B)
        positive = logits.diagonal(pairs).clone()
        _hide_own(logits, pairs)
        if hidden is not None:
            logits.masked_fill_(hidden, MASKED)
        top = logits.amax(1, keepdim=True)
        weights = logits.sub_(top).exp_()
        total = weights.sum(1, keepdim=True)
        ctx.save_for_backward(z, scale, weights, total)
        ctx.length = length
        return positive, (top + total.log()).squeeze(1)

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, grad_positive: Tensor, grad_negative: Tensor) -> tuple[Tensor, None, None]:
        z, scale, weights, total = ctx.saved_tensors
        pairs = len(z) // 2
        grad = weights * (grad_negative[:, None] / total)  # dS
        grad.diagonal(pairs).add_(grad_positive)
        grad = grad.add_(grad.T.contiguous()) @ z
        along = (grad * z).sum(1, keepdim=True) / ctx.length**2  # a row's length is not its own to change
        return grad.addcmul_(z, along, value=-1).div_(scale), None, None
