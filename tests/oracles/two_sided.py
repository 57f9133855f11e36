"""InfoNCE and RINCE over the 2B views of a batch, one similarity at a time, in plain Python floats."""

import math


def cosine(a, b):
    dot = sum(x * y for x, y in zip(a, b, strict=True))
    return dot / math.sqrt(sum(x * x for x in a) * sum(y * y for y in b))


def infonce(own, others):
    """own: the positive's logit; others: the negatives' logits."""
    return -math.log(math.exp(own) / (math.exp(own) + sum(math.exp(o) for o in others)))


def rince(own, others, q=0.1, lam=0.01):
    total = math.exp(own) + sum(math.exp(o) for o in others)
    return -(math.exp(own) ** q) / q + (lam * total) ** q / q


def two_sided(zu, zv, keep, loss, temperature=0.2):
    """One loss a pair: the mean of u's and of v's; keep[j] False: no view of series j is a negative."""
    zu, zv, n = zu.tolist(), zv.tolist(), len(zu)
    losses = []
    for i in range(n):
        sides = []
        for anchor, partner in ((zu[i], zv[i]), (zv[i], zu[i])):
            others = [view[j] for view in (zu, zv) for j in range(n) if j != i and keep[j]]
            logits = [cosine(anchor, other) / temperature for other in others]
            sides.append(loss(cosine(anchor, partner) / temperature, logits))
        losses.append(sum(sides) / 2)
    return losses
