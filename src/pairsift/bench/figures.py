"""The paper's figures, drawn from our own numbers."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from pairsift.training.checkpoint import write_whole

# Told apart without colour too: each kind has its own marker.
KINDS = (("normal", "#9aa5b1", "o"), ("noisy", "#0f766e", "^"), ("faulty", "#c2410c", "s"))
LOOKS = {
    "no mining": ("#6b7280", "o", "-"),
    "RINCE": ("#7c3aed", "s", "-"),
    "DBPM": ("#c2410c", "^", "-"),
    "Auto": ("#0f766e", "D", "-"),
    "Mend": ("#0369a1", "v", "-"),
    "oracle": ("#111827", "", "--"),
    "clean": ("#111827", "", ":"),
}
Bars = dict[str, dict[str, list[float]]]
Curves = dict[str, dict[float, list[float]]]


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
    figure, (axes,) = _canvas(1, (6.4, 4.4))
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
    axes.legend(frameon=False, fontsize=8)
    _save(figure, path)


def classes_figure(path: Path, bars: Bars, title: str, top: int = 15) -> list[str]:
    """Figure 4: AUROC a class, base beside variant, the classes that gained most first.

    Args:
        path: the PNG to write.
        bars: for two runs' names, base and variant, each class's AUROC over seeds in percent.
        title: what it is of.
        top: how many classes are shown.

    Returns:
        The classes shown.
    """
    (base, first), (variant, second) = bars.items()
    both = [name for name in first if first[name] and second.get(name)]
    both.sort(key=lambda name: np.mean(first[name]) - np.mean(second[name]))
    shown = both[:top]
    figure, (axes,) = _canvas(1, (max(4.8, 0.55 * len(shown) + 1.2), 4.2))
    at = np.arange(len(shown))
    for shift, label, values, colour in ((-0.2, base, first, "#9aa5b1"), (0.2, variant, second, "#0f766e")):
        mean = [float(np.mean(values[name])) for name in shown]
        spread = [float(np.std(values[name], ddof=1)) if len(values[name]) > 1 else 0.0 for name in shown]
        axes.bar(at + shift, mean, 0.38, yerr=spread, label=label, color=colour, ecolor="#111827", capsize=2)
    lowest = min([float(np.mean(v[n])) for v in (first, second) for n in shown], default=0.0)
    axes.set_ylim(max(0.0, lowest - 10), 102)
    axes.set_xticks(at, shown, rotation=60, ha="right", fontsize=8)
    axes.set_ylabel("AUROC (%), mean and deviation over seeds")
    axes.set_title(title, loc="left", fontsize=10)
    axes.legend(frameon=False, fontsize=8, loc="lower right")
    _save(figure, path)
    return shown


def curves_figure(path: Path, panels: dict[str, Curves], metric: str) -> None:
    """Figure 5: a metric against the share of planted pairs, a line a variant, a panel for each dataset.

    Args:
        path: the PNG to write.
        panels: title -> variant -> share -> the values over seeds, in percent.
        metric: its name, for the axis.
    """
    columns = min(3, len(panels))
    rows = -(-len(panels) // columns)
    figure, all_axes = _canvas(len(panels), (3.6 * columns + 1.2, 3.1 * rows), columns)
    for axes, (title, curves) in zip(all_axes, panels.items()):
        for variant, points in curves.items():
            colour, marker, style = LOOKS.get(variant, ("#111827", "x", "-"))
            shares = sorted(points)
            mean = np.array([np.mean(points[share]) for share in shares])
            spread = np.array([np.std(points[s], ddof=1) if len(points[s]) > 1 else 0.0 for s in shares])
            percent = 100 * np.array(shares)
            axes.plot(
                percent, mean, color=colour, marker=marker, linestyle=style, markersize=4, label=variant
            )
            axes.fill_between(percent, mean - spread, mean + spread, color=colour, alpha=0.12, linewidth=0)
        axes.set_title(title, loc="left", fontsize=10)
        axes.set_xlabel("bad pairs planted (%)")
        axes.set_ylabel(f"{metric} (%)")
    all_axes[0].legend(frameon=False, fontsize=8)
    _save(figure, path)


def map_figure(path: Path, maps: dict[str, dict[str, Any]]) -> None:
    """The appendix's t-SNE: where noisy and faulty pairs' features lie, a panel a run.

    Args:
        path: the PNG to write.
        maps: title -> ``{"x", "y", "truth"}``, a value a series.
    """
    figure, all_axes = _canvas(len(maps), (4.2 * len(maps), 4.0), len(maps))
    for axes, (title, held) in zip(all_axes, maps.items()):
        x, y, truth = np.asarray(held["x"]), np.asarray(held["y"]), np.asarray(held["truth"])
        for kind, (name, colour, marker) in enumerate(KINDS):
            own = truth == kind
            axes.scatter(x[own], y[own], s=7, c=colour, marker=marker, alpha=0.6, linewidths=0, label=name)
        axes.set_title(title, loc="left", fontsize=10)
        axes.set_xticks([])
        axes.set_yticks([])
    all_axes[0].legend(frameon=False, fontsize=8)
    _save(figure, path)


def cost_figure(path: Path, costs: dict[str, dict[str, float]]) -> None:
    """Extra time, as a share of training, and extra memory.

    Args:
        path: the PNG to write.
        costs: name -> ``{"share": percent, "megabytes": MB}``.
    """
    figure, (left, right) = _canvas(2, (9.0, 0.34 * len(costs) + 1.4), 2)
    at = np.arange(len(costs))[::-1]
    for axes, key, label in (
        (left, "share", "miner's share of training (%)"),
        (right, "megabytes", "memory (MB)"),
    ):
        axes.barh(at, [cost[key] for cost in costs.values()], color="#0f766e", height=0.6)
        axes.set_yticks(at, list(costs), fontsize=8)
        axes.set_xlabel(label)
    _save(figure, path)


def _canvas(panels: int, size: tuple[float, float], columns: int = 1) -> tuple[Any, list[Any]]:
    """A figure without a window, and its panels."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    figure = Figure(figsize=size, layout="constrained", dpi=150)
    FigureCanvasAgg(figure)
    rows = -(-panels // columns)
    all_axes = [figure.add_subplot(rows, columns, number + 1) for number in range(panels)]
    for axes in all_axes:
        axes.spines[["top", "right"]].set_visible(False)
    return figure, all_axes


def _save(figure: Any, path: Path) -> None:
    import io

    buffer = io.BytesIO()
    figure.savefig(buffer, format="png")
    write_whole(path, buffer.getvalue())
