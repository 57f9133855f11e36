"""demo: the whole idea in three minutes."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from pairsift.cli.show import echo


def register(app: typer.Typer) -> None:
    """Add this command."""
    app.command()(demo)


def demo(
    out: Annotated[Path, typer.Option("--out", "-o", help="Where metrics.json and dynamics.png go.")] = Path(
        "demo"
    ),
    seed: Annotated[int, typer.Option("--seed", "-s", help="The same seed gives the same numbers.")] = 0,
) -> None:
    """Train SimCLR on the paper's simulation three ways and show what bad pairs cost.

    Example: `pairsift demo --out demo`
    """
    from pairsift.bench.demo import demo_table, run_demo

    result = run_demo(out, seed, say=lambda line: echo(line, err=True))
    echo(demo_table(result))
    echo(f"\n{result['seconds']:.0f} s; written to {out / 'metrics.json'} and {out / 'dynamics.png'}")
