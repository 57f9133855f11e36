"""evaluate and embed: what a run folder is good for."""

from __future__ import annotations

import csv
import io
import os
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from pairsift.cli import options as opt
from pairsift.cli import reading
from pairsift.cli.show import bar, echo, left_out, metrics_table, tell, writable
from pairsift.cli.tables import choose
from pairsift.errors import PairsiftError, shown

if TYPE_CHECKING:
    from pairsift.data.series import Series
    from pairsift.frameworks import Framework


def register(app: typer.Typer) -> None:
    """Add these commands."""
    app.command()(reading.reads_data(evaluate))
    app.command()(reading.reads_data(embed))


def evaluate(
    run: opt.RunFolder,
    how: dict[str, Any],
    data: Annotated[
        str | None, typer.Argument(help="Labelled data; what the run was made from if left out.")
    ] = None,
    seed: Annotated[
        int | None, typer.Option("--seed", "-s", min=0, help="Of the probe; 0 if left out.")
    ] = None,
    raw: Annotated[bool | None, typer.Option("--raw", help="Do not standardise the features.")] = None,
    out: Annotated[
        Path | None, typer.Option("--out", "-o", help="A .json file; RUN/metrics.json if left out.")
    ] = None,
    config: opt.Config = None,
) -> None:
    """Fit a linear probe on frozen features and print how well it does.

    Example: `pairsift evaluate run`
    """
    from pairsift.evaluation import probe_framework
    from pairsift.training import load_framework, read_settings, versions, write_json
    from pairsift.training.pretrain import fingerprint

    chosen = choose("evaluate", config, seed=seed, raw=raw)
    out = writable(out or run / "metrics.json", ".json") if run.is_dir() else run
    kept = read_settings(run)
    framework = load_framework(run)
    again = data is None
    data, how = reading.as_the_run(kept, run, data, how)
    splits = reading.load(data, how)
    fits(framework, splits.train, run)
    tell(splits.train)
    if again and (now := fingerprint(splits.train)) != kept["data"] and now["shape"] == kept["data"]["shape"]:
        echo(f"warning: {data} is not what it was when {run} was made: its values have changed", err=True)
    with bar("embedding") as progress:
        result = probe_framework(
            framework, splits, seed=chosen["seed"], standardise=not chosen["raw"], progress=progress
        )
    source = reading.source(data, how)
    write_json(
        out,
        {**result, "run": str(run), "source": source, "settings": kept["settings"], "versions": versions()},
    )
    echo(metrics_table(result["metrics"], result["validation"]))
    for line in left_out(result["metrics"], splits.train.multilabel):
        echo(line)
    echo(f"{'raw' if chosen['raw'] else 'standardised'} features; written to {out}")


def embed(
    run: opt.RunFolder,
    out: Annotated[Path, typer.Option("--out", "-o", help="A .npy file to write, a row a series.")],
    how: dict[str, Any],
    part: Annotated[str | None, typer.Option("--part", help="all (if left out), train, val or test.")] = None,
    data: Annotated[
        str | None, typer.Argument(help="Series of the run's shape; what it was made from if left out.")
    ] = None,
    config: opt.Config = None,
) -> None:
    """Write every series' features, and beside them (.csv) whose they are.

    Your own files give a row a series in their own order; a known dataset its parts one after the other.

    Example: `pairsift embed run my_series.npz --out features.npy`
    """
    from pairsift.training import load_framework, read_settings, versions, write_json
    from pairsift.training.checkpoint import write_whole

    part = choose("embed", config, part=part)["part"]
    if part not in ("all", "train", "val", "test"):
        raise PairsiftError(f"part must be all, train, val or test, got {shown(part)!r}")
    writable(out, ".npy")
    kept = read_settings(run)
    framework = load_framework(run)
    data, how = reading.as_the_run(kept, run, data, how)
    if part == "all":
        wanted = reading.load_whole(data, how)
    else:
        splits = reading.load(data, how)
        found = {"train": splits.train, "val": splits.val, "test": splits.test}[part]
        if found is None:
            raise PairsiftError(f"{data} has no {part} part")
        wanted = [(part, found)]
    for _, series in wanted:
        fits(framework, series, run)
    tell(wanted[0][1])
    shape = write_features(framework, [series for _, series in wanted], out)
    write_whole(out.with_suffix(".csv"), rows_csv(wanted))
    about = {"run": str(run.absolute()), "source": reading.source(data, how), "part": part, "shape": shape}
    write_json(out.with_suffix(".json"), {**about, "settings": kept["settings"], "versions": versions()})
    echo(f"{shape[0]} series, {shape[1]} features each, written to {out}")
    echo(f"whose they are, row by row: {out.with_suffix('.csv')}")


def fits(framework: Framework, series: Series, run: Path) -> None:
    """Refuse series of another shape than the run was made from."""
    if (series.channels, series.length) != (framework.channels, framework.length):
        raise PairsiftError(
            f"{shown(series.name)}: it has {series.channels} channels and {series.length} time steps, "
            f"but {run} was made from {framework.channels} and {framework.length}; bring them to that shape "
            f"(--window {framework.length} cuts longer ones)"
        )


def write_features(framework: Framework, series: list[Series], out: Path) -> list[int]:
    """Write features as .npy, a batch at a time, whole or not at all; their shape."""
    import numpy as np

    from pairsift.evaluation.embed import embed_batches

    shape, done = (sum(map(len, series)), framework.out_features), 0
    aside = out.with_name(f".{out.name}.{os.getpid()}.part")
    try:
        with aside.open("wb") as file:
            np.lib.format.write_array_header_1_0(
                file, {"descr": "<f4", "fortran_order": False, "shape": shape}
            )
            with bar("embedding") as progress:
                for z in (z for one in series for z in embed_batches(framework, one)):
                    file.write(np.ascontiguousarray(z.numpy(), "<f4").data)
                    done += len(z)
                    if progress is not None:
                        progress(done, shape[0])
        aside.replace(out)
    except OSError as error:
        raise PairsiftError(f"out: cannot write {out} ({error.strerror}); choose another place") from None
    finally:
        aside.unlink(missing_ok=True)
    return list(shape)


def rows_csv(parts: list[tuple[str, Series]]) -> bytes:
    """Whose features each row is: row, part, id, class, group, where these are known.

    A spreadsheet shows the user's words and never runs them: what begins like a formula gets an apostrophe.
    """
    from pairsift.report.text import csv_cell

    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    first = parts[0][1]
    single = first.y is not None and not first.multilabel
    known = {"id": first.ids is not None, "y": single, "group": first.group is not None}
    writer.writerow(["row", "part", *(name for name, there in known.items() if there)])
    row = 0
    for name, series in parts:
        classes = series.classes
        for place in range(len(series)):
            line: list[Any] = [row, name]
            if known["id"] and series.ids is not None:
                line.append(series.ids[place])
            if known["y"] and series.y is not None:
                line.append(classes[int(series.y[place])] if classes else int(series.y[place]))
            if known["group"] and series.group is not None:
                line.append(series.group[place])
            writer.writerow(map(csv_cell, line))
            row += 1
    return text.getvalue().encode()
