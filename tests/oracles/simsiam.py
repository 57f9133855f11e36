"""SimSiam's loss by loops, and its gradient with respect to the predictions and projections, by hand."""

from __future__ import annotations

import math


def cosine(a, b):
    dot = sum(x * y for x, y in zip(a, b))
    return dot / math.sqrt(sum(x * x for x in a)) / math.sqrt(sum(y * y for y in b))


def simsiam_losses(pu, pv, zu, zv):
    """Half the negative cosine of u's prediction and v's projection, and half that of the other way round."""
    return [-cosine(pu[i], zv[i]) / 2 - cosine(pv[i], zu[i]) / 2 for i in range(len(pu))]


def prediction_gradient(p, z):
    """Of -cos(p, z) / 2 with respect to p; the target z is a constant to it."""
    norm_p, norm_z = math.sqrt(sum(x * x for x in p)), math.sqrt(sum(x * x for x in z))
    c = cosine(p, z)
    return [-(b / (norm_p * norm_z) - c * a / norm_p**2) / 2 for a, b in zip(p, z)]
