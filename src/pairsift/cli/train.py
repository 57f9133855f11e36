"""pretrain: from unlabelled series to a run folder."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Annotated

import typer

from pairsift.cli import options as opt
from pairsift.cli import reading
from pairsift.cli.show import tell
from pairsift.cli.stop import Stopped

_LEARNING, _MINING = "Learning", "Mining"


def register(app: typer.Typer) -> None:
    """Add this command."""
    app.command()(reading.reads_data(pretrain))


def pretrain(
    data: opt.Data,
    out: Annotated[Path, typer.Option("--out", "-o", help="The run folder to make.")],
    how: dict[str, object],
    framework: Annotated[
        str | None,
        typer.Option(
            "--framework", "-f", help="simclr, moco, simsiam, tstcc, tfc or btsf.", rich_help_panel=_LEARNING
        ),
    ] = None,
    epochs: Annotated[
        int | None, typer.Option("--epochs", "-e", help="Passes over the data.", rich_help_panel=_LEARNING)
    ] = None,
    batch_size: Annotated[
        int | None, typer.Option("--batch-size", "-b", help="Series a batch.", rich_help_panel=_LEARNING)
    ] = None,
    lr: Annotated[
        float | None, typer.Option("--lr", help="Adam's learning rate.", rich_help_panel=_LEARNING)
    ] = None,
    precision: Annotated[
        str | None,
        typer.Option("--precision", help="auto, 32-true or bf16-mixed.", rich_help_panel=_LEARNING),
    ] = None,
    seed: Annotated[
        int | None,
        typer.Option("--seed", "-s", help="The same seed gives the same run.", rich_help_panel=_LEARNING),
    ] = None,
    options: opt.Set = None,
    mining: Annotated[
        str | None,
        typer.Option("--mining", "-m", help="none, rince, dbpm or auto (no betas).", rich_help_panel=_MINING),
    ] = None,
    warmup: Annotated[
        int | None,
        typer.Option(
            "--warmup", help="Epochs that only watch; a third if left out.", rich_help_panel=_MINING
        ),
    ] = None,
    noisy: Annotated[
        str | None, typer.Option("--noisy", help="beta of the noisy side, or off.", rich_help_panel=_MINING)
    ] = None,
    faulty: Annotated[
        str | None, typer.Option("--faulty", help="beta of the faulty side, or off.", rich_help_panel=_MINING)
    ] = None,
    weight: Annotated[
        str | None,
        typer.Option(
            "--weight", help="How bad pairs are weighed: a name or a number.", rich_help_panel=_MINING
        ),
    ] = None,
    history: Annotated[
        str | None, typer.Option("--history", help="mean, last or ramp.", rich_help_panel=_MINING)
    ] = None,
    resume: Annotated[
        bool, typer.Option("--resume", help="Go on from the folder's newest checkpoint.")
    ] = False,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="Show no progress.")] = False,
    config: opt.Config = None,
) -> None:
    """Learn a representation from unlabelled series.

    Example: `pairsift pretrain simulated --framework simclr --mining dbpm --epochs 20 --out run`
    """
    flags = {
        "framework": framework,
        "epochs": epochs,
        "batch_size": batch_size,
        "lr": lr,
        "precision": precision,
        "seed": seed,
        "mining": mining,
        "warmup": warmup,
        "noisy": noisy,
        "faulty": faulty,
        "weight": weight,
        "history": history,
    }
    found, read = opt.read_config(config)
    settings = opt.settle(found, flags, options)
    how = {**read, **how}
    from pairsift.training import TrainingStopped
    from pairsift.training import pretrain as train

    series = reading.load(data, how).train
    tell(series)
    if settings.dataset is None:
        settings = settings.model_copy(update={"dataset": opt.published(data, series.facts)})
    try:
        run = train(
            series, settings, out=out, resume=resume, progress=not quiet, source=reading.source(data, how)
        )
    except TrainingStopped as stopped:
        raise Stopped(str(stopped), 128 + stopped.signum) from None
    loss = run.metrics[-1]["loss"]
    typer.echo(
        f"{settings.framework} with mining {settings.mining}: loss {loss:.4f} after {settings.epochs} epochs"
    )
    if not math.isfinite(loss):
        typer.echo("warning: the loss is not finite, so nothing was learned; try a smaller --lr", err=True)
    if run.miner is not None:
        counts = run.miner.table()["kind"].value_counts()
        typer.echo(
            f"bad pairs: {counts.get('noisy', 0)} noisy, {counts.get('faulty', 0)} faulty of {len(series)}"
        )
    typer.echo(f"written to {out}; next: pairsift {'embed' if series.y is None else 'evaluate'} {out}")
