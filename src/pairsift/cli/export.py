"""export: a run's encoder for use elsewhere."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from pairsift.cli import options as opt
from pairsift.cli.show import echo, writable
from pairsift.errors import PairsiftError, shown


def register(app: typer.Typer) -> None:
    """Add this command."""
    app.command()(export)


def export(
    run: opt.RunFolder,
    format: Annotated[str, typer.Option("--format", help="onnx, safetensors, or hub (a folder).")],
    out: Annotated[
        Path | None, typer.Option("--out", "-o", help="Where to; in the run folder if left out.")
    ] = None,
) -> None:
    """Write a run's encoder as ONNX, safetensors, or a folder for the Hugging Face hub (nothing is uploaded).

    Example: `pairsift export run --format onnx`
    """
    from pairsift.training import export_hub, export_onnx, export_safetensors, load_framework, read_settings

    ways = {"onnx": export_onnx, "safetensors": export_safetensors, "hub": export_hub}
    if format not in ways:
        raise PairsiftError(f"format must be onnx, safetensors or hub, got {shown(format)!r}")
    about, framework = read_settings(run), load_framework(run)
    if format == "hub":
        out = out or run / "hub"
        if out.exists() and not out.is_dir():
            raise PairsiftError(f"out: {shown(out)} is a file; a hub layout is a folder")
    else:
        out = writable(out or run / f"encoder.{format}", f".{format}")
    for path in ways[format](framework, about, out):
        echo(f"written: {path}")
