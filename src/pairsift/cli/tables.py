"""Settings of commands that train nothing: their tables in a TOML file, and the flags, which win."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from pairsift.errors import PairsiftError, nearest, shown

# What a command's table may say, and what holds where nobody says anything.
TABLES: dict[str, dict[str, Any]] = {
    "corrupt": {"noisy": 0.1, "faulty": 0.1, "seed": 0, "snr": -20.0},
    "evaluate": {"seed": 0, "raw": False},
    "embed": {"part": "all"},
}
_WORDS = {bool: "true or false", int: "a whole number", float: "a number", str: "text"}


def take_tables(found: dict[str, Any], path: Path | None) -> dict[str, dict[str, Any]]:
    """Take the commands' tables out of a TOML file's content; what they cannot say is refused.

    Args:
        found: the content; the tables are removed from it.
        path: the file, for the sentence.
    """
    tables = {}
    for command, usual in TABLES.items():
        said = found.pop(command, {})
        if not isinstance(said, dict):
            raise PairsiftError(
                f"config: {path}: {command} must be a table, [{command}], got {shown(repr(said))}"
            )
        for key, value in said.items():
            if key not in usual:
                raise PairsiftError(
                    f"config: {path} has an unknown key {shown(key)!r} in [{command}]{nearest(key, usual)}"
                )
            kind = type(usual[key])
            if not _is(value, kind):
                raise PairsiftError(
                    f"config: {path}: {key} in [{command}] must be {_WORDS[kind]}, got {shown(repr(value))}"
                )
        tables[command] = said
    return tables


def choose(command: str, config: Path | None, **flags: Any) -> dict[str, Any]:
    """A command's settings: its flags, else what its table in the TOML file says, else what is usual.

    Args:
        command: a name in ``TABLES``.
        config: the TOML file, or None.
        **flags: as they were given; None was not.
    """
    from pairsift.cli.options import read_toml

    said = take_tables({} if config is None else read_toml(config), config)[command]
    given = {name: value for name, value in flags.items() if value is not None}
    return {**TABLES[command], **said, **given}


def _is(value: Any, kind: type) -> bool:
    """Whether a TOML value is of a type; a whole number is a number, true and false are none."""
    if isinstance(value, bool):
        return kind is bool
    return isinstance(value, (int, float) if kind is float else kind)
