"""What a file may say, by type: the tables of commands that train nothing, where flags win, and [data]."""

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
# How DATA is read: of what type each option is where a TOML file or a run's settings.json says it.
_READING: dict[str, type] = {
    **dict.fromkeys(("root", "split", "task", "lengths", "gaps", "orient"), str),
    **dict.fromkeys(("window", "channels", "data_seed", "seed"), int),
    **dict.fromkeys(("val", "test"), float),
    "channels_last": bool,
}
_WORDS: dict[type | None, str] = {
    bool: "true or false",
    int: "a whole number",
    float: "a number",
    str: "text",
}


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


def checked_reading(said: dict[str, Any], where: str) -> dict[str, Any]:
    """Reading options from a file, refused where one has another type than it must have.

    Args:
        said: the options by name; None says nothing.
        where: the file, for the sentence.
    """
    for name, value in said.items():
        if name == "columns":
            whole = isinstance(value, dict) and all(_is(v, str) or _is(v, int) for v in value.values())
            words = "a table, such as {y = 'activity'}"
        elif name == "classes":
            whole = _is(value, str) or (isinstance(value, list) and all(_is(v, str) for v in value))
            words = "a list of names"
        else:
            kind = _READING.get(name)
            whole, words = kind is None or _is(value, kind), _WORDS.get(kind, "")
        if value is not None and not whole:
            raise PairsiftError(f"{where}: {name} must be {words}, got {shown(repr(value))}")
    return said


def _is(value: Any, kind: type) -> bool:
    """Whether a TOML value is of a type; a whole number is a number, true and false are none."""
    if isinstance(value, bool):
        return kind is bool
    return isinstance(value, (int, float) if kind is float else kind)
