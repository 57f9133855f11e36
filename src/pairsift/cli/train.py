"""pretrain: from unlabelled series to a run folder."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Annotated

import typer

from pairsift.cli import options as opt
from pairsift.cli import reading
from pairsift.cli.show import echo, tell
from pairsift.cli.stop import Stopped

_LEARNING, _MINING = "Learning", "Mining"


def register(app: typer.Typer) -> None:
    """Add this command."""
    app.command()(reading.reads_data(pretrain))


def pretrain(
    data: opt.Data,
    how: dict[str, object],
    out: Annotated[
        Path | None,
        typer.Option(
            "--out", "-o", help="The run folder to make; runs/DATA-FRAMEWORK-MINING-SEED if left out."
        ),
    ] = None,
    framework: Annotated[
        str | None,
        typer.Option(
            "--framework",
            "-f",
            help="simclr (the default), moco, simsiam, tstcc, tfc or btsf.",
            rich_help_panel=_LEARNING,
        ),
    ] = None,
    epochs: Annotated[
        int | None,
        typer.Option(
            "--epochs", "-e", help="Passes over the data; 40 if left out.", rich_help_panel=_LEARNING
        ),
    ] = None,
    batch_size: Annotated[
        int | None,
        typer.Option(
            "--batch-size", "-b", help="Series a batch; 128 if left out.", rich_help_panel=_LEARNING
        ),
    ] = None,
    lr: Annotated[
        float | None,
        typer.Option("--lr", help="Adam's learning rate; 0.0003 if left out.", rich_help_panel=_LEARNING),
    ] = None,
    precision: Annotated[
        str | None,
        typer.Option(
            "--precision", help="32-true (the default), bf16-mixed, or auto.", rich_help_panel=_LEARNING
        ),
    ] = None,
    seed: Annotated[
        int | None,
        typer.Option(
            "--seed", "-s", help="The same seed gives the same run; 0 if left out.", rich_help_panel=_LEARNING
        ),
    ] = None,
    options: opt.Set = None,
    mining: Annotated[
        str | None,
        typer.Option(
            "--mining", "-m", help="none, rince, dbpm, auto (no betas) or mend.", rich_help_panel=_MINING
        ),
    ] = None,
    warmup: Annotated[
        int | None,
        typer.Option(
            "--warmup", help="Epochs that only watch; a third if left out.", rich_help_panel=_MINING
        ),
    ] = None,
    noisy: Annotated[
        str | None,
        typer.Option(
            "--noisy", help="dbpm: beta of the noisy side, 2 if left out, or off.", rich_help_panel=_MINING
        ),
    ] = None,
    faulty: Annotated[
        str | None,
        typer.Option(
            "--faulty", help="dbpm: beta of the faulty side, 3 if left out, or off.", rich_help_panel=_MINING
        ),
    ] = None,
    mend: Annotated[
        str | None,
        typer.Option(
            "--mend",
            help="mend: which parts of it are on, of negatives,gentle,noisy; all if left out.",
            rich_help_panel=_MINING,
        ),
    ] = None,
    weight: Annotated[
        str | None,
        typer.Option(
            "--weight",
            help="How bad pairs are weighed: gaussian (dbpm), zero (auto), peak-one, mixture or a number.",
            rich_help_panel=_MINING,
        ),
    ] = None,
    history: Annotated[
        str | None,
        typer.Option(
            "--history", help="Which losses count: mean (the default), last or ramp.", rich_help_panel=_MINING
        ),
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
        "mend": None if mend is None else mend.split(","),
        "weight": weight,
        "history": history,
    }
    settings = opt.merge(config, flags, options)
    out = out or Path("runs", f"{reading.title(data)}-{settings.framework}-{settings.mining}-{settings.seed}")
    from pairsift.training import TrainingStopped
    from pairsift.training import pretrain as train
    from pairsift.training.processes import processes

    series = reading.load(data, how).train
    first = processes().first
    if first:
        tell(series)
    if settings.dataset is None:
        settings = settings.model_copy(update={"dataset": opt.published(data, series.facts)})
    try:
        run = train(
            series, settings, out=out, resume=resume, progress=not quiet, source=reading.source(data, how)
        )
    except TrainingStopped as stopped:
        raise Stopped(str(stopped), 128 + stopped.signum) from None
    if not first:
        return  # of several processes one speaks
    loss = run.metrics[-1]["loss"]
    echo(
        f"{settings.framework} with mining {settings.mining}: loss {loss:.4f} after {settings.epochs} epochs"
    )
    if not math.isfinite(loss):
        echo("warning: the loss is not finite, so nothing was learned; try a smaller --lr", err=True)
    if run.miner is not None:
        counts = run.miner.table()["kind"].value_counts()
        echo(f"bad pairs: {counts.get('noisy', 0)} noisy, {counts.get('faulty', 0)} faulty of {len(series)}")
    onward = f"embed {out} --out features.npy" if series.y is None else f"evaluate {out}"
    echo(f"written to {out}; next: pairsift {onward}")
