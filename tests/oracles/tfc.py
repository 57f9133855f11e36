"""TF-C's loss, term by term, from the features and projections of its two encoders."""

import cmath

from tests.oracles.two_sided import two_sided


def tfc(h_time, h_spectrum, z_time, z_spectrum, keep, loss, within=0.2, triplet=False, margin=1.0):
    """Per-pair losses; each of the first four is a pair, of the first and of the second view."""
    in_time = two_sided(*h_time, keep, loss)
    in_spectrum = two_sided(*h_spectrum, keep, loss)
    agree = two_sided(z_time[0], z_spectrum[0], keep, loss)
    mixed = [
        two_sided(z_time[0], z_spectrum[1], keep, loss),
        two_sided(z_time[1], z_spectrum[0], keep, loss),
        two_sided(z_time[1], z_spectrum[1], keep, loss),
    ]
    losses = []
    for i in range(len(keep)):
        inside = in_time[i] + in_spectrum[i]
        if triplet:
            consistency = sum(agree[i] - other[i] + margin for other in mixed)
            losses.append(within * inside + (1 - within) * consistency)
        else:
            losses.append(within * inside + agree[i])
    return losses


def magnitudes(series):
    """|DFT| / sqrt(T) of one channel, from the definition, frequencies 0 .. T // 2."""
    n = len(series)
    return [
        abs(sum(x * cmath.exp(-2j * cmath.pi * f * t / n) for t, x in enumerate(series))) / n**0.5
        for f in range(n // 2 + 1)
    ]
