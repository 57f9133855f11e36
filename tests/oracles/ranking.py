"""AUROC, average precision and F1 by counting, one pair or one threshold at a time."""

from __future__ import annotations


def auroc(positive: list[bool], scores: list[float]) -> float:
    """The share of (positive, negative) pairs that the scores put in the right order; a tie counts half."""
    right = total = 0.0
    for i, this in enumerate(positive):
        for j, that in enumerate(positive):
            if this and not that:
                total += 1
                right += 1.0 if scores[i] > scores[j] else 0.5 if scores[i] == scores[j] else 0.0
    return right / total


def average_precision(positive: list[bool], scores: list[float]) -> float:
    """Precision at each threshold, weighted by the recall gained there."""
    area, found_before = 0.0, 0
    for threshold in sorted(set(scores), reverse=True):
        taken = [is_positive for is_positive, score in zip(positive, scores) if score >= threshold]
        area += (sum(taken) - found_before) / sum(positive) * (sum(taken) / len(taken))
        found_before = sum(taken)
    return area


def f1(positive: list[bool], called: list[bool]) -> float:
    """The harmonic mean of precision and recall, 0 if nothing was called rightly."""
    hits = sum(a and b for a, b in zip(positive, called))
    if hits == 0:
        return 0.0
    precision, recall = hits / sum(called), hits / sum(positive)
    return 2 * precision * recall / (precision + recall)
