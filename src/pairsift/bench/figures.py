"""The paper's figures, drawn from our own numbers."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from pairsift.training.checkpoint import write_whole

# Told apart without colour too: each kind has its own marker.
KINDS = (("normal", "#9aa5b1", "o"), ("noisy", "#0f766e", "^"), ("faulty", "#c2410c", "s"))


def dynamics_figure(
    path: Path, mean: Any, std: Any, truth: Any, thresholds: dict[str, Any], title: str
) -> None:
    """Figure 2: each pair's mean loss against its spread, by what it truly is, thresholds drawn.

    Args:
        path: the PNG to write.
        mean: mean loss of each pair, shape (N,).
        std: spread of each pair's loss, shape (N,).
        truth: what each pair is, shape (N,).
        thresholds: the miner's, such as ``{"noisy": 2.1, "faulty": 4.0}``; None where a side is off.
        title: what it is of.
    """
    import io

    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    figure = Figure(figsize=(6.4, 4.4), layout="constrained", dpi=150)
    FigureCanvasAgg(figure)
    axes = figure.add_subplot()
    mean, std, truth = np.asarray(mean), np.asarray(std), np.asarray(truth)
    for kind, (name, colour, marker) in enumerate(KINDS):
        own = truth == kind
        label = f"{name} ({int(own.sum())})"
        axes.scatter(std[own], mean[own], s=9, c=colour, marker=marker, alpha=0.55, linewidths=0, label=label)
    for name, style in (("noisy", "--"), ("faulty", ":")):
        if isinstance(thresholds.get(name), float):
            axes.axhline(
                thresholds[name], color="#111827", linestyle=style, linewidth=1, label=f"threshold, {name}"
            )
    axes.set_xlabel("spread of the loss over the epochs")
    axes.set_ylabel("mean loss over the epochs")
    axes.set_title(title, loc="left", fontsize=10)
    axes.spines[["top", "right"]].set_visible(False)
    axes.legend(frameon=False, fontsize=8)
    buffer = io.BytesIO()
    figure.savefig(buffer, format="png")
    write_whole(path, buffer.getvalue())
