"""The command line: `pairsift COMMAND --help` explains each command."""

from __future__ import annotations

import os
import sys

import typer

from pairsift.errors import PairsiftError

app = typer.Typer(
    name="pairsift",
    help="Learn representations of time series by contrast, and find the bad pairs while at it.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
    rich_markup_mode="markdown",
)

_GROUPS = ("demo", "train", "datasets", "audit", "bench", "export")


def _register() -> None:
    from importlib import import_module
    from importlib.util import find_spec

    for group in _GROUPS:
        if find_spec(f"pairsift.cli.{group}") is not None:
            import_module(f"pairsift.cli.{group}").register(app)


@app.callback(invoke_without_command=True)
def _top(version: bool = typer.Option(False, "--version", help="Show the version and stop.")) -> None:
    if version:
        from pairsift import __version__

        typer.echo(f"pairsift {__version__}")
        raise typer.Exit


def main() -> None:
    """Run a command; a user's mistake becomes one sentence and exit code 2, never a traceback."""
    try:
        app(standalone_mode=True)
    except PairsiftError as error:
        typer.echo(f"error: {error}", err=True)
        sys.exit(2)
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # whoever read us has gone
        sys.exit(1)


_register()
