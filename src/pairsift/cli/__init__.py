"""The command line: `pairsift COMMAND --help` explains each command."""

from __future__ import annotations

import os
import sys
import warnings
from typing import Any

import typer

from pairsift.cli.stop import Stopped, is_help, is_usage
from pairsift.errors import PairsiftError

app = typer.Typer(
    name="pairsift",
    help="Learn representations of time series by contrast, and find the bad pairs while at it.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
    rich_markup_mode="markdown",
)

_GROUPS = ("demo", "train", "use", "datasets", "audit", "bench", "export")


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
    """Run a command; a user's mistake becomes one sentence and exit code 2, never a traceback.

    What is not the user's doing keeps its traceback, for whoever reports it.
    """
    try:
        with warnings.catch_warnings():
            warnings.showwarning = _warn
            code = app(standalone_mode=False)
        if code == 130:
            _say("stopped")
        sys.exit(code if isinstance(code, int) else 0)
    except (KeyboardInterrupt, typer.Abort):
        _say("stopped")
        sys.exit(130)
    except Stopped as stopped:
        _say(str(stopped))
        sys.exit(stopped.code)
    except PairsiftError as error:
        _say(f"error: {error}")
        sys.exit(2)
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # whoever read us has gone
        sys.exit(1)
    except OSError as error:  # a full disk, a folder that went away: nothing that a traceback would explain
        where = f"{error.filename}: " if error.filename else ""
        _say(f"error: {where}{error.strerror or error}")
        sys.exit(2)
    except Exception as error:
        if is_help(error):
            error.show()  # type: ignore[attr-defined]
        elif is_usage(error):
            _say(f"error: {error.format_message()}")  # type: ignore[attr-defined]
        else:
            raise
        sys.exit(2)


def _warn(message: Warning | str, category: type[Warning], *where: Any, **more: Any) -> None:
    """A warning as one line, without the line of source, which says nothing to whoever typed a command."""
    _say(f"warning: {message}")


def _say(sentence: str) -> None:
    from pairsift.cli.show import echo

    echo(" ".join(sentence.split("\n")), err=True)


_register()
