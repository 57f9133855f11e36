"""data list, data info, data prepare, and corrupt: datasets before anything is learned from them."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from pairsift.cli import options as opt
from pairsift.cli import reading
from pairsift.cli.show import bar, describe, echo, tell, writable
from pairsift.cli.tables import choose
from pairsift.errors import PairsiftError, shown

if TYPE_CHECKING:
    from pairsift.data.series import Array, Series

Name = Annotated[str, typer.Argument(help="har, epilepsy, sleep-edf, ptb-xl or simulated.")]

data_app = typer.Typer(help="What data there is, where to get it, and making it ready.", no_args_is_help=True)


def register(app: typer.Typer) -> None:
    """Add these commands."""
    data_app.command("list")(list_datasets)
    data_app.command("info")(reading.reads_data(info))
    data_app.command("prepare")(prepare)
    app.add_typer(data_app, name="data")
    app.command()(reading.reads_data(corrupt))


def list_datasets(root: reading.Root = None) -> None:
    """Name the datasets that pairsift knows and say which are ready.

    Example: `pairsift data list`
    """
    from pairsift.data import CATALOG, data_root

    for entry in CATALOG.values():
        shape = f"{entry.channels} x {entry.length}"
        echo(f"{entry.name:<11}{shape:<11}{state(entry.name, root):<13}{entry.title}")
    echo(f"data root: {data_root(root)} (--root or $PAIRSIFT_DATA say another)")


def state(name: str, root: Path | None) -> str:
    """Whether a known dataset can be loaded: generated, prepared, raw (a publisher's copy) or absent."""
    from pairsift.data import CATALOG, data_root, is_prepared, prepared_folder

    entry = CATALOG[name]
    if not entry.reader:
        return "generated"
    if is_prepared(prepared_folder(name, root)):
        return "prepared"
    return "raw copy" if any((data_root(root) / folder).exists() for folder in entry.folders) else "absent"


def info(
    data: Annotated[
        str, typer.Argument(metavar="NAME", help="A dataset's name, or a path of your own files.")
    ],
    how: dict[str, Any],
    config: opt.Config = None,
) -> None:
    """Say what a dataset is, where to get it, and under which licence; or what your own files hold.

    Example: `pairsift data info har`
    """
    from pairsift.data import CATALOG
    from pairsift.data import info as about

    if data not in CATALOG:
        echo(describe(reading.load_whole(data, how)))
        return
    if beside := next((name for name in how if name != "root"), None):
        raise PairsiftError(
            f"{beside.replace('_', '-')} says how data is read, but this tells what is published of {data}; "
            "leave it out"
        )
    echo(about(data))
    root = Path(how["root"]) if "root" in how else None
    echo(f"  here      {state(data, root)}")


def prepare(
    name: Name,
    source: Annotated[
        Path, typer.Option("--source", help="The publisher's files; `data info NAME` says which.")
    ],
    root: reading.Root = None,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="Show no progress.")] = False,
) -> None:
    """Turn a publisher's files into arrays that load at once and need not fit into memory.

    Example: `pairsift data prepare har --source "UCI HAR Dataset.zip"`
    """
    from pairsift.data import prepare as make

    with bar("preparing", quiet) as progress:
        made = make(name, source, root, progress=progress)
    for note in made.notes:
        echo(f"note: {shown(note, 300)}", err=True)
    count, channels, length = made.card["shape"]
    echo(f"{made.name}: {count} series, {channels} channels x {length} time steps, in {made.folder}")
    echo(f"what they are, and their checksums: {made.folder / 'card.json'}")


def corrupt(
    data: opt.Data,
    out: Annotated[Path, typer.Option("--out", "-o", help="A .npz file to write; its path is DATA then.")],
    how: dict[str, Any],
    noisy: Annotated[
        float | None,
        typer.Option("--noisy", help="Share of the pairs whose series drowns in noise; 0.1 if left out."),
    ] = None,
    faulty: Annotated[
        float | None,
        typer.Option("--faulty", help="Share of the pairs with an over-augmented view; 0.1 if left out."),
    ] = None,
    seed: Annotated[
        int | None,
        typer.Option("--seed", "-s", help="The same seed plants the same pairs; 0 if left out."),
    ] = None,
    snr: Annotated[
        float | None,
        typer.Option("--snr", help="Signal to noise of the noisy ones, in dB; -20 if left out."),
    ] = None,
    config: opt.Config = None,
) -> None:
    """Plant noisy and faulty pairs in the training part and keep the truth, as the paper's experiments do.

    Example: `pairsift corrupt har --noisy 0.1 --faulty 0.1 --seed 0 --out har-bad.npz`
    """
    import numpy as np

    from pairsift.data import CATALOG
    from pairsift.data import corrupt as plant
    from pairsift.data.save import save_series
    from pairsift.training import versions

    writable(out, ".npz")
    shares = choose("corrupt", config, noisy=noisy, faulty=faulty, seed=seed, snr=snr)
    splits = reading.load(data, how)
    tell(splits.train)
    parts = {
        "train": plant(splits.train, **shares),
        "val": splits.val,
        "test": splits.test,
    }
    there = {name: part for name, part in parts.items() if part is not None}
    split = np.repeat(list(there), [len(part) for part in there.values()])
    facts: dict[str, Any] = {"source": reading.source(data, how), "versions": versions()}
    if data in CATALOG:
        facts["dataset"] = data  # its published settings stay the defaults
    save_series(one_after_the_other(list(there.values()), facts), out, split if len(there) > 1 else None)
    planted = there["train"].facts["corrupt"]["planted"]
    echo(
        f"{planted['noisy']} noisy and {planted['faulty']} faulty pairs in {len(there['train'])} for training"
    )
    echo(f"written to {out}; next: pairsift pretrain {out} --out RUN")


def one_after_the_other(parts: list[Series], facts: dict[str, Any]) -> Series:
    """A dataset's parts as one; the first part's second views and truth go with it, the others are normal."""
    import numpy as np

    from pairsift.data.series import Series

    first = parts[0]

    def joined(what: str) -> Array | None:
        values = [getattr(part, what) for part in parts]
        return None if any(v is None for v in values) else np.concatenate([np.asarray(v) for v in values])

    def filled(what: str, usual: Callable[[Series], Array]) -> Array | None:
        if all(getattr(part, what) is None for part in parts):
            return None
        return np.concatenate(
            [usual(p) if getattr(p, what) is None else np.asarray(getattr(p, what)) for p in parts]
        )

    x = joined("x")
    assert x is not None
    return Series(
        x,
        joined("y"),
        filled("other", lambda part: np.asarray(part.x)),
        filled("truth", lambda part: np.zeros(len(part), np.int8)),
        joined("group"),
        joined("ids"),
        first.classes,
        first.name,
        {**{k: v for k, v in first.facts.items() if k not in ("part", "notes")}, **facts},
    )
