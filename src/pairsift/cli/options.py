"""Options that several commands share, and how flags and a TOML file become settings."""

from __future__ import annotations

import difflib
import tomllib
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from pairsift.errors import PairsiftError

if TYPE_CHECKING:
    from pairsift.data.series import Splits
    from pairsift.training.settings import Settings

Data = Annotated[
    str, typer.Argument(help="A dataset's name (simulated, har, epilepsy, sleep-edf, ptb-xl) or a path.")
]
Root = Annotated[
    Path | None,
    typer.Option("--root", help="Where datasets are; else $PAIRSIFT_DATA, else the user's cache."),
]
Split = Annotated[str, typer.Option("--split", help="published, or grouped: no subject on both sides.")]
Task = Annotated[str | None, typer.Option("--task", help="PTB-XL only: diagnostic, form or rhythm.")]
Config = Annotated[Path | None, typer.Option("--config", help="A TOML file of settings; flags win over it.")]
Set = Annotated[
    list[str] | None,
    typer.Option(
        "--set", metavar="KEY=VALUE", help="A framework option, such as temperature=0.1; repeatable."
    ),
]


def load(data: str, root: Path | None, split: str = "published", task: str | None = None) -> Splits:
    """The dataset that a command names."""
    from pairsift.data import load_dataset

    return load_dataset(data, root=root, split=split, task=task)


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


def merge(config: Path | None, flags: dict[str, Any], options: list[str] | None) -> Settings:
    """Settings from a TOML file and flags; unknown keys are refused with the nearest known one."""
    from pairsift.training.settings import Settings, make_settings

    found = read_toml(config) if config is not None else {}
    for key in found:
        if key not in Settings.model_fields:
            raise PairsiftError(
                f"config: {config} has an unknown key {key!r}{nearest(key, Settings.model_fields)}"
            )
    given = {key: value for key, value in flags.items() if value is not None}
    extra = dict(found.pop("options", {})) | dict(map(_pair, options or []))
    return make_settings(**{**found, **given, "options": extra})


def nearest(key: str, known: Any) -> str:
    """A hint at what was probably meant."""
    close = difflib.get_close_matches(key, list(known), n=1, cutoff=0.0)
    return f"; did you mean {close[0]!r}?" if close else ""


def _pair(text: str) -> tuple[str, Any]:
    key, sign, value = text.partition("=")
    if not sign or not key:
        raise PairsiftError(f"set: {text!r} is not KEY=VALUE, such as temperature=0.1")
    try:
        return key, tomllib.loads(f"v = {value}")["v"]
    except tomllib.TOMLDecodeError:
        return key, value  # a bare word is a string


def known(data: str) -> str | None:
    """The dataset's name where ``data`` is one: its published settings are the defaults then."""
    from pairsift.frameworks import FrameworkConfig

    return data if data in FrameworkConfig.published else None


def save_array(path: Path, values: Any) -> None:
    """Write an .npy file, whole or not at all."""
    import io

    import numpy as np

    from pairsift.training.checkpoint import write_whole

    buffer = io.BytesIO()
    np.save(buffer, values)
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        write_whole(path, buffer.getvalue())
    except OSError as error:
        raise PairsiftError(f"out: cannot write {path} ({error.strerror}); choose another place") from None
