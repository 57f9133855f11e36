"""How results look on a terminal, and how they are kept in a file."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from pairsift.errors import PairsiftError, shown

if TYPE_CHECKING:
    from pairsift.data.series import Series

_NOTES = 8


def echo(text: object, err: bool = False) -> None:
    """Print for a person; what a file's name or a label holds cannot steer the terminal."""
    plain = "".join(c if c.isprintable() or c == "\n" else "?" for c in str(text))
    typer.echo(plain, err=err)


def metrics_table(metrics: dict[str, Any], validation: dict[str, Any] | None = None) -> str:
    """A line a metric, in percent; metrics of single classes stay in the JSON."""
    head = f"{'':<12}{'test':>7}" + (f"{'validation':>12}" if validation else "")
    lines = []
    for name, value in metrics.items():
        if isinstance(value, float):
            other = (validation or {}).get(name)
            second = (
                ""
                if not validation
                else f"{100 * other:>12.2f}"
                if isinstance(other, float)
                else f"{'-':>12}"
            )
            lines.append(f"{name:<12}{100 * value:>7.2f}{second}")
    return "\n".join([head, *lines])


def left_out(metrics: dict[str, Any], multilabel: bool) -> list[str]:
    """What a person must know to read the table: classes without an area, and what accuracy means."""
    lines = []
    if missing := metrics["left_out"]:
        few = ", ".join(shown(name, 30) for name in missing[:8])
        lines.append(
            f"auroc and auprc are over {len(metrics['auroc_per_class']) - len(missing)} of "
            f"{len(metrics['auroc_per_class'])} classes; the test part has no series, or no other "
            f"series, of {few}{', ...' if len(missing) > 8 else ''}"
        )
    if multilabel:
        lines.append("several classes may hold at once: accuracy is the share of series where all are right")
    return lines


def describe(parts: list[tuple[str, Series]]) -> str:
    """What series are: shape, classes, groups, and what a person should know of them."""
    first = parts[0][1]
    channels = f"{first.channels} channel{'s' * (first.channels > 1)}"
    lines = [f"{shown(first.name)}: {channels} x {first.length} time steps"]
    for name, part in parts:
        lines.append(f"  {name:<10}{len(part)} series{_labels(part)}")
    return "\n".join(lines + [f"  note      {note}" for note in notes(first)])


def _labels(series: Series) -> str:
    import numpy as np

    words = ""
    if series.y is not None:
        counts = series.y.sum(axis=0) if series.multilabel else np.bincount(series.y)
        names = series.classes or tuple(str(k) for k in range(len(counts)))
        few = ", ".join(f"{shown(n, 30)} {int(c)}" for n, c in list(zip(names, counts))[:12])
        words += f"; {len(names)} classes: {few}{', ...' if len(names) > 12 else ''}"
    if series.group is not None:
        words += f"; {len(np.unique(series.group))} groups"
    if series.truth is not None:
        words += f"; planted: {int((series.truth == 1).sum())} noisy, {int((series.truth == 2).sum())} faulty"
    return words


def notes(series: Series) -> list[str]:
    """What was noticed when the series were read; of many notes (a folder's files) the first few."""
    said = series.facts.get("notes")
    lines = [shown(note, 300) for note in said] if isinstance(said, list) else []
    return (
        [*lines[:_NOTES], f"and {len(lines) - _NOTES} more like these"] if len(lines) > _NOTES + 1 else lines
    )


def tell(series: Series) -> None:
    """Say on standard error what was noticed when the series were read."""
    for note in notes(series):
        echo(f"note: {note}", err=True)


def writable(out: Path, ending: str) -> Path:
    """A file that is about to be written: its folder is made; refused before the work, not after it."""
    if out.suffix != ending:
        raise PairsiftError(f"out: {shown(out)} must end in {ending}")
    if out.is_dir():
        raise PairsiftError(f"out: {shown(out)} is a folder; give a file ending in {ending}")
    try:
        out.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise PairsiftError(f"out: cannot write {out} ({error.strerror}); choose another place") from None
    return out


@contextmanager
def bar(words: str, quiet: bool = False) -> Iterator[Callable[[int, int], None] | None]:
    """A progress bar on a terminal, nothing elsewhere; what it gives is called with (done, total)."""
    from rich.console import Console
    from rich.progress import Progress

    console = Console(stderr=True)
    if quiet or not console.is_terminal:
        yield None
        return
    with Progress(console=console, transient=True) as shown_bar:
        task = shown_bar.add_task(words, total=None)
        yield lambda done, total: shown_bar.update(task, completed=done, total=total)
