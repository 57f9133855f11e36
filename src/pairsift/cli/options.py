"""Options that several commands share, and how flags and a TOML file become settings."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from pairsift.cli.reading import READING, Config, Root, Split, Task, tidy
from pairsift.cli.tables import checked_reading, take_tables
from pairsift.errors import PairsiftError, nearest, shown

if TYPE_CHECKING:
    from pairsift.training.settings import Settings

__all__ = ["Config", "Data", "Root", "RunFolder", "Set", "Split", "Task"]

Data = Annotated[
    str, typer.Argument(help="A dataset's name (simulated, har, epilepsy, sleep-edf, ptb-xl) or a path.")
]
RunFolder = Annotated[Path, typer.Argument(help="A run folder, as pretrain makes it.")]
Set = Annotated[
    list[str] | None,
    typer.Option(
        "--set", metavar="KEY=VALUE", help="A framework option, such as temperature=0.1; repeatable."
    ),
]


def read_config(path: Path | None) -> tuple[dict[str, Any], dict[str, Any]]:
    """A TOML file's settings and, from its table [data], how DATA is read; unknown keys are refused.

    The tables of other commands ([corrupt] and so on) are checked and left out.

    Args:
        path: the file; nothing is said if None.
    """
    from pairsift.training.settings import Settings

    found = {} if path is None else read_toml(path)
    take_tables(found, path)
    how = found.pop("data", {})
    if not isinstance(how, dict):
        raise PairsiftError(
            f"config: {path}: data must be a table, [data], of reading options, got {shown(how)!r}"
        )
    # in TOML a mapping and a list can be written as what they are
    named = set(READING) - {"column"} | {"columns"}
    for key, known in [*((k, Settings.model_fields) for k in found), *((k, named) for k in how)]:
        if key not in known:
            raise PairsiftError(f"config: {path} has an unknown key {shown(key)!r}{nearest(key, known)}")
    if not isinstance(found.get("options", {}), dict):
        raise PairsiftError(
            f"config: {path}: options must be a table, [options], got {shown(found['options'])!r}"
        )
    return found, tidy(checked_reading(how, f"config: {path}"))


def read_toml(path: Path) -> dict[str, Any]:
    """A TOML file's content, or one sentence."""
    try:
        return tomllib.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise PairsiftError(f"config: cannot read {path} ({error.strerror})") from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise PairsiftError(f"config: {path} is not TOML: {error}") from None
    except RecursionError:
        raise PairsiftError(f"config: {path} is nested too deep to be settings") from None


def merge(
    config: Path | None,
    flags: dict[str, Any],
    options: list[str] | None,
    usual: dict[str, Any] | None = None,
) -> Settings:
    """Settings from a TOML file and the flags; flags win, and ``usual`` holds where neither speaks."""
    from pairsift.training.settings import make_settings

    found = read_config(config)[0]
    said = {**(usual or {}), **found, **{key: value for key, value in flags.items() if value is not None}}
    sides = {side: beta(said[side]) for side in ("noisy", "faulty") if isinstance(said.get(side), str)}
    extra = {**found.get("options", {}), **dict(map(_pair, options or []))}
    return make_settings(**{**said, **sides, "options": extra})


def beta(text: str) -> float | None:
    """A threshold's beta: a number, or off."""
    if text == "off":
        return None
    try:
        return float(text)
    except ValueError:
        raise PairsiftError(f"a threshold's beta must be a number, or off, got {shown(text)!r}") from None


def _pair(text: str) -> tuple[str, Any]:
    key, sign, value = text.partition("=")
    if not sign or not key:
        raise PairsiftError(f"set: {shown(text)!r} is not KEY=VALUE, such as temperature=0.1")
    try:
        return key, tomllib.loads(f"v = {value}")["v"]
    except tomllib.TOMLDecodeError:
        return key, value  # a bare word is a string
    except RecursionError:
        raise PairsiftError(f"set: {shown(key)} is nested too deep to be a setting") from None


def published(data: str, facts: dict[str, Any]) -> str | None:
    """The dataset whose published settings are the defaults: the one that DATA is, or was made from."""
    from pairsift.frameworks import FrameworkConfig

    names = (data, facts.get("dataset"))
    return next((n for n in names if isinstance(n, str) and n in FrameworkConfig.published), None)
