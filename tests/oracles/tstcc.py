"""TS-TCC's loss, a prediction and a candidate at a time, from what its networks gave out."""

import math

from tests.oracles.two_sided import two_sided


def predictive(context, maps, t, weights, biases, keep, loss, scores):
    """Temporal contrast of one direction: contexts (B, H) predict the other view's steps t+1 .. t+K.

    maps: the other view's feature map, (B, F, L); weights, biases: those of the maps W_k, (K, F, H), (K, F).
    """
    n, total = len(context), [0.0] * len(context)
    for k in range(len(weights)):
        ahead = [(weights[k] @ context[i] + biases[k]).tolist() for i in range(n)]
        coming = []
        for j in range(n):
            step = maps[j, :, t + 1 + k].tolist()
            length = math.sqrt(sum(x * x for x in step))
            coming.append([x / length for x in step])
        for i in range(n):
            logits = [scores(ahead[i], coming[j]) for j in range(n)]
            total[i] += loss(logits[i], [logits[j] for j in range(n) if j != i and keep[j]])
    return [value / len(weights) for value in total]


def tstcc(contexts, maps, projected, t, weights, biases, keep, loss, scores, lambdas=(1.0, 0.7)):
    """Per-pair losses; contexts, maps and projected are pairs, of the first and of the second view."""
    from_u = predictive(contexts[0], maps[1], t, weights, biases, keep, loss, scores)
    from_v = predictive(contexts[1], maps[0], t, weights, biases, keep, loss, scores)
    contextual = two_sided(*projected, keep, loss)
    return [lambdas[0] * (a + b) + lambdas[1] * c for a, b, c in zip(from_u, from_v, contextual, strict=True)]
