"""How DATA is read: the options that every command with DATA has, chosen in words."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from pairsift.cli.tables import checked_reading
from pairsift.errors import PairsiftError, shown

if TYPE_CHECKING:
    from pairsift.data.series import Series, Splits

_OWN = "Your own files"
_KNOWN = "Known datasets"

Root = Annotated[
    Path | None,
    typer.Option(
        "--root",
        help="Where datasets are; else $PAIRSIFT_DATA, else the user's cache.",
        rich_help_panel=_KNOWN,
    ),
]
Split = Annotated[
    str | None,
    typer.Option("--split", help="published, or grouped: no subject on both sides.", rich_help_panel=_KNOWN),
]
Config = Annotated[Path | None, typer.Option("--config", help="A TOML file of settings; flags win over it.")]
Task = Annotated[
    str | None, typer.Option("--task", help="ptb-xl: diagnostic, form or rhythm.", rich_help_panel=_KNOWN)
]


def _own(kind: Any, flag: str, words: str, metavar: str | None = None) -> Any:
    return Annotated[kind, typer.Option(flag, help=words, metavar=metavar, rich_help_panel=_OWN)]


# What `load_dataset` takes; None is what nobody said.
READING: dict[str, Any] = {
    "root": Root,
    "split": Split,
    "task": Task,
    "lengths": _own(
        str | None, "--lengths", "Unequal lengths: refuse, pad (zeros at the end), crop or window.", "HOW"
    ),
    "window": _own(int | None, "--window", "Time steps of a window; means --lengths window."),
    "gaps": _own(str | None, "--gaps", "Missing values: refuse, or interpolate.", "HOW"),
    "orient": _own(
        str | None, "--orient", "A table is wide (a row a series) or long (a row a time step).", "HOW"
    ),
    "column": _own(
        list[str] | None,
        "--column",
        "Which column is id, time, y, group or split, such as y=activity; a place counts from 0. Repeatable.",
        "ROLE=NAME",
    ),
    "channels": _own(int | None, "--channels", "Channels in a wide table's columns, one after the other."),
    "channels_last": _own(
        bool | None, "--channels-last/--channels-first", "Arrays are (series, time, channels)."
    ),
    "classes": _own(str | None, "--classes", "The classes in order, such as sit,stand,walk.", "A,B,..."),
    "val": _own(float | None, "--val", "Share held out for validation; 0.2 where there are labels."),
    "test": _own(float | None, "--test", "Share held out for the test; 0.2 where there are labels."),
    "data_seed": _own(int | None, "--data-seed", "Of a random split, or of the simulated data."),
}
_ONLY_SPLITS = ("val", "test", "seed")


def reads_data(command: Callable[..., None]) -> Callable[..., None]:
    """Give a command the options above; it receives those that were used as the dictionary ``how``.

    Where the command has ``config``, the table [data] of that TOML file says what no flag says.
    """
    signature = inspect.signature(command, eval_str=True)
    own = [p for p in signature.parameters.values() if p.name != "how"]
    keyword = inspect.Parameter.KEYWORD_ONLY
    more = [inspect.Parameter(n, keyword, default=None, annotation=kind) for n, kind in READING.items()]

    @functools.wraps(command)
    def wrapped(**given: Any) -> None:
        from pairsift.cli.options import read_config

        said = {name: given.pop(name) for name in READING}
        flags = tidy({name: value for name, value in said.items() if value is not None})
        kept = read_config(given.get("config"))[1]
        if flags.get("lengths", "window") != "window":
            kept.pop("window", None)  # it belongs to the word that the flag replaces
        command(**given, how={**kept, **flags})

    parameters = [p.replace(kind=keyword) for p in own] + more
    wrapped.__signature__ = signature.replace(parameters=parameters)  # type: ignore[attr-defined]
    wrapped.__annotations__ = {p.name: p.annotation for p in parameters}
    return wrapped


def tidy(said: dict[str, Any]) -> dict[str, Any]:
    """Options, by their names on the command line, as what ``load_dataset`` takes; JSON types."""
    how = dict(said)
    if "root" in how:
        how["root"] = str(Path(how["root"]).expanduser().absolute())
    if columns := how.pop("column", None):
        how["columns"] = dict(map(_column, columns))
    if isinstance(how.get("classes"), str):
        how["classes"] = [name.strip() for name in how["classes"].split(",")]
    if "window" in how:
        how.setdefault("lengths", "window")
    if "data_seed" in how:
        how["seed"] = how.pop("data_seed")
    return how


def load(data: str, how: dict[str, Any]) -> Splits:
    """The dataset that a command names, in its parts."""
    from pairsift.data import load_dataset

    return load_dataset(data, **how)


def load_whole(data: str, how: dict[str, Any]) -> list[tuple[str, Series]]:
    """A dataset's parts by name; files of one's own are one part, in their own order."""
    from pairsift.data import CATALOG, is_prepared, load_series

    if data in CATALOG or is_prepared(Path(data)) or not Path(data).expanduser().exists():
        splits = load(data, how)
        parts = {"train": splits.train, "val": splits.val, "test": splits.test}
        return [(name, part) for name, part in parts.items() if part is not None]
    for name in ("split", "task"):
        if name in how:
            raise PairsiftError(f"{name} is for known datasets, {data} are files; leave it out")
    own = {name: value for name, value in how.items() if name not in (*_ONLY_SPLITS, "root")}
    return [("all", load_series(Path(data).expanduser(), **own))]


def is_files(data: str) -> bool:
    """Whether DATA is a path of one's own files rather than a known dataset."""
    from pairsift.data import CATALOG, is_prepared

    path = Path(data).expanduser()
    return data not in CATALOG and path.exists() and not is_prepared(path)


def title(data: str) -> str:
    """A short name for DATA, fit for a file's name."""
    stem = Path(data).expanduser().absolute().stem
    return "".join(c if c.isalnum() or c in "-_" else "-" for c in stem) or "data"


def place(data: str) -> str:
    """DATA as it can be found again from anywhere: a name stays, a path becomes absolute."""
    from pairsift.data import CATALOG

    return data if data in CATALOG else str(Path(data).expanduser().absolute())


def _column(text: str) -> tuple[str, str | int]:
    role, sign, name = text.partition("=")
    if not sign or not role or not name:
        raise PairsiftError(f"column: {shown(text)!r} is not ROLE=NAME, such as y=activity")
    return role, int(name) if name.isdecimal() else name


def source(data: str, how: dict[str, Any]) -> dict[str, Any]:
    """What a run folder keeps of where its series came from."""
    return {"data": place(data), **how}


def as_the_run(
    kept: dict[str, Any], run: Path, data: str | None, how: dict[str, Any]
) -> tuple[str, dict[str, Any]]:
    """DATA and how to read it, where what is not said is as when the run was made.

    Args:
        kept: the run's settings.json.
        run: its folder.
        data: None for what the run was made from.
        how: the options that were given; they win.
    """
    source = kept.get("source") or {}
    if not isinstance(source, dict):
        raise PairsiftError(f"{run}: its settings do not say what it was made from; name the data")
    said = {name: value for name, value in checked_reading(source, str(run)).items() if value is not None}
    made_from = said.pop("data", None)
    if said.get("split") == "published":
        del said["split"]  # it is the default, and unknown to files
    if data is None:
        if not isinstance(made_from, str):
            raise PairsiftError(f"data: {run} does not say what it was made from; name the data")
        return made_from, {**said, **how}
    alike = place(data) == made_from or (
        is_files(data) and isinstance(made_from, str) and is_files(made_from)
    )
    return data, {**said, **how} if alike else how
