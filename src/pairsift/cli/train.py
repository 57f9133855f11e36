"""pretrain, evaluate, embed: from data to features."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from pairsift.cli import options as opt
from pairsift.errors import PairsiftError

_OFF = "a number, or off"


def register(app: typer.Typer) -> None:
    """Add these commands."""
    app.command()(pretrain)
    app.command()(evaluate)
    app.command()(embed)


def _beta(text: str | None) -> float | None:
    if text is None or text == "off":
        return None
    try:
        return float(text)
    except ValueError:
        raise PairsiftError(f"a threshold's beta must be {_OFF}, got {text!r}") from None


def pretrain(
    data: opt.Data,
    out: Annotated[Path, typer.Option("--out", "-o", help="The run folder to make.")],
    framework: Annotated[
        str | None, typer.Option("--framework", "-f", help="simclr, moco, simsiam, tstcc, tfc or btsf.")
    ] = None,
    mining: Annotated[str | None, typer.Option("--mining", "-m", help="none, rince or dbpm.")] = None,
    epochs: Annotated[int | None, typer.Option("--epochs", "-e", help="Passes over the data.")] = None,
    seed: Annotated[
        int | None, typer.Option("--seed", "-s", help="The same seed gives the same run.")
    ] = None,
    noisy: Annotated[str | None, typer.Option("--noisy", help=f"beta of the noisy side: {_OFF}.")] = None,
    faulty: Annotated[str | None, typer.Option("--faulty", help=f"beta of the faulty side: {_OFF}.")] = None,
    weight: Annotated[str | None, typer.Option("--weight", help="How bad pairs are weighed.")] = None,
    warmup: Annotated[
        int | None, typer.Option("--warmup", help="Epochs that only watch; a third if left out.")
    ] = None,
    batch_size: Annotated[int | None, typer.Option("--batch-size", "-b", help="Series a batch.")] = None,
    lr: Annotated[float | None, typer.Option("--lr", help="Adam's learning rate.")] = None,
    precision: Annotated[str | None, typer.Option("--precision", help="auto, 32-true or bf16-mixed.")] = None,
    resume: Annotated[
        bool, typer.Option("--resume", help="Go on from the folder's newest checkpoint.")
    ] = False,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="Show no progress.")] = False,
    root: opt.Root = None,
    split: opt.Split = "published",
    task: opt.Task = None,
    config: opt.Config = None,
    options: opt.Set = None,
) -> None:
    """Learn a representation from unlabelled series.

    Example: `pairsift pretrain simulated --framework simclr --mining dbpm --epochs 20 --out run`
    """
    flags = {
        "framework": framework,
        "mining": mining,
        "epochs": epochs,
        "seed": seed,
        "weight": weight,
        "warmup": warmup,
        "batch_size": batch_size,
        "lr": lr,
        "precision": precision,
    }
    settings = opt.merge(config, flags, options)
    sides = {k: _beta(v) for k, v in (("noisy", noisy), ("faulty", faulty)) if v is not None}
    settings = settings.model_copy(update={"dataset": settings.dataset or opt.known(data), **sides})
    source = {"data": data, "root": str(root) if root else None, "split": split, "task": task}
    from pairsift.training import pretrain as train

    splits = opt.load(data, root, split, task)
    run = train(splits.train, settings, out=out, resume=resume, progress=not quiet, source=source)
    last = run.metrics[-1]
    typer.echo(
        f"{settings.framework} with mining {settings.mining}: loss {last['loss']:.4f} after {settings.epochs} epochs"
    )
    if run.miner is not None:
        counts = run.miner.table()["kind"].value_counts()
        typer.echo(
            f"bad pairs: {counts.get('noisy', 0)} noisy, {counts.get('faulty', 0)} faulty of {len(splits.train)}"
        )
    typer.echo(f"written to {out}; next: pairsift evaluate {out}")


def evaluate(
    run: Annotated[Path, typer.Argument(help="A run folder.")],
    data: Annotated[
        str | None, typer.Argument(help="Labelled data; what the run was made from if left out.")
    ] = None,
    root: opt.Root = None,
    split: Annotated[
        str | None, typer.Option("--split", help="published or grouped; the run's if left out.")
    ] = None,
    task: opt.Task = None,
    seed: Annotated[int, typer.Option("--seed", "-s", help="Of the probe.")] = 0,
    raw: Annotated[bool, typer.Option("--raw", help="Do not standardise the features.")] = False,
) -> None:
    """Fit a linear probe on frozen features and print how well it does.

    Example: `pairsift evaluate run`
    """
    from pairsift.cli.show import metrics_table
    from pairsift.evaluation import probe_framework
    from pairsift.training import load_framework, read_settings, versions, write_json

    source = read_settings(run).get("source") or {}
    if data is None and not source.get("data"):
        raise PairsiftError(f"data: {run} does not say what it was made from; name a labelled dataset")
    splits = opt.load(
        data or source["data"],
        root or (Path(source["root"]) if source.get("root") else None),
        split or source.get("split") or "published",
        task or source.get("task"),
    )
    result = probe_framework(load_framework(run), splits, seed=seed, standardise=not raw)
    write_json(run / "metrics.json", {**result, "versions": versions()})
    typer.echo(metrics_table(result["metrics"]))
    typer.echo(f"written to {run / 'metrics.json'}")


def embed(
    run: Annotated[Path, typer.Argument(help="A run folder.")],
    data: opt.Data,
    out: Annotated[Path, typer.Option("--out", "-o", help="A .npy file to write, a row a series.")],
    part: Annotated[str, typer.Option("--part", help="all, train, val or test.")] = "all",
    root: opt.Root = None,
    split: opt.Split = "published",
    task: opt.Task = None,
) -> None:
    """Write every series' features.

    Example: `pairsift embed run my_series.npz --out features.npy`
    """
    import numpy as np

    from pairsift.evaluation import embed_series
    from pairsift.training import load_framework

    splits = opt.load(data, root, split, task)
    parts = {"train": splits.train, "val": splits.val, "test": splits.test}
    if part != "all" and part not in parts:
        raise PairsiftError(f"part must be all, train, val or test, got {part!r}")
    wanted = [s for name, s in parts.items() if s is not None and part in ("all", name)]
    if not wanted:
        raise PairsiftError(f"{data} has no {part} part")
    framework = load_framework(run)
    features = np.concatenate([embed_series(framework, s).numpy() for s in wanted])
    opt.save_array(out, features)
    typer.echo(f"{features.shape[0]} series, {features.shape[1]} features each, written to {out}")
