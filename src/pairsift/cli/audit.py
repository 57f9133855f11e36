"""audit: which pairs are bad, as a table and as a page."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from pairsift.cli import options as opt
from pairsift.cli import reading
from pairsift.cli.show import echo, tell
from pairsift.errors import PairsiftError

if TYPE_CHECKING:
    from pairsift.data.series import Series
    from pairsift.frameworks import Framework


USUAL = {"mining": "auto", "epochs": 15, "precision": "auto"}  # what an audit trains with, if nobody says

_BLIND = ("none", "rince")  # what mines nothing


def register(app: typer.Typer) -> None:
    """Add this command."""
    app.command()(reading.reads_data(audit))


def audit(
    data: Annotated[
        str, typer.Argument(help="A dataset's name, a path, or the folder of a finished run that mined.")
    ],
    out: Annotated[Path, typer.Option("--out", "-o", help="Where pairs.csv and report.html go.")],
    how: dict[str, Any],
    framework: Annotated[
        str | None, typer.Option("--framework", "-f", help="What to pretrain with; simclr if left out.")
    ] = None,
    mining: Annotated[
        str | None, typer.Option("--mining", "-m", help="How bad pairs are told; auto if left out.")
    ] = None,
    epochs: Annotated[
        int | None, typer.Option("--epochs", "-e", help="Passes over the data; 15 if left out.")
    ] = None,
    seed: Annotated[
        int | None, typer.Option("--seed", "-s", help="The same seed gives the same audit; 0 if left out.")
    ] = None,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="Show no progress.")] = False,
    config: opt.Config = None,
    options: opt.Set = None,
) -> None:
    """Say which series are bad, and show them on a page that opens offline.

    Pretrains first, unless given the folder of a run that mined. Of your own files it looks at all series,
    unless they say themselves which are for training. Then see OUT/report.html and OUT/pairs.csv.

    Example: `pairsift audit simulated --out audit`
    """
    from pairsift.report import PairHistory, write_audit
    from pairsift.report.shares import share_text
    from pairsift.training import load_framework, load_history, load_miner, pretrain, read_settings

    home = Path(data).expanduser()
    if (home / "settings.json").is_file():
        kept = read_settings(home)
        _mined(home, kept)
        _not_again(home, framework=framework, mining=mining, epochs=epochs, set=options)
        series = _series_of(home, kept, how)
    else:
        home = out / "run"
        if reading.is_files(data):
            how = {"val": 0.0, "test": 0.0, **how}  # no probe will be asked for, so nothing is held out
        series = reading.load(data, how).train
        flags = {"framework": framework, "mining": mining, "epochs": epochs, "seed": seed}
        settings = opt.merge(config, flags, options, usual=USUAL)
        if settings.mining in _BLIND:
            raise PairsiftError(
                f"mining {settings.mining} tells no bad pairs; leave it out, or say auto, dbpm or mend"
            )
        if settings.mining == "auto" and settings.warmup is None:
            # weighing pairs down changes their losses: those kept from learning come to look like the others
            settings = settings.model_copy(update={"warmup": settings.epochs - 1})
        if settings.dataset is None:
            settings = settings.model_copy(update={"dataset": opt.published(data, series.facts)})
        resume = (home / "settings.json").is_file()
        source = reading.source(data, how)
        pretrain(series, settings, out=home, resume=resume, progress=not quiet, source=source)
        kept = read_settings(home)
    tell(series)
    miner, history = load_miner(home), load_history(home)
    summary = write_audit(
        out,
        miner.table(),
        series,
        views=_views(load_framework(home), series, seed or 0),
        history=PairHistory(history.losses.numpy(), history.index.numpy(), warmup=miner.warmup_epochs),
        thresholds={**miner.thresholds, "name": repr(miner.threshold)},
        about={"run": str(home), "settings": _used(kept["settings"]), "versions": kept["versions"]},
    )
    echo(summary["sentence"])
    if summary["meaning"]:
        echo(summary["meaning"])
    for found in summary["planted"]:
        recall, precision = share_text(found["recall"]), share_text(found["precision"])
        counts = (
            f"{found['planted']:,} were planted, {found['found']:,} found, {found['both']:,} of these rightly"
        )
        echo(f"  {found['kind']}: {counts} (recall {recall}, precision {precision})")
    echo(f"the page: {out / 'report.html'}; the table: {out / 'pairs.csv'}; what to drop: {out / 'drop.txt'}")


def _mined(home: Path, kept: dict[str, Any]) -> None:
    """Refuse a run that knows nothing of its pairs, and say what to do."""
    mining = kept["settings"].get("mining")
    if mining in _BLIND and not kept.get("own_miner"):
        raise PairsiftError(
            f"{home} was made with mining {mining}, which remembers nothing of the pairs; "
            "audit the data instead (pairsift audit DATA), or pretrain with --mining auto"
        )


def _not_again(home: Path, **said: Any) -> None:
    """Refuse settings of a training that has been: they would change nothing."""
    for name, value in said.items():
        if value:
            raise PairsiftError(
                f"{name} is of a training, and {home} is trained; leave it out, or audit the data instead"
            )


def _used(settings: dict[str, Any]) -> dict[str, Any]:
    """A run's settings without the betas that its thresholds do not look at."""
    unused = ("noisy", "faulty") if settings.get("mining") in ("auto", "mend") else ()
    return {name: value for name, value in settings.items() if name not in unused}


def _series_of(home: Path, kept: dict[str, Any], how: dict[str, Any]) -> Series:
    """What a run was made from, or a sentence where it cannot be found or has changed."""
    from pairsift.training.pretrain import fingerprint

    data, how = reading.as_the_run(kept, home, None, how)
    series = reading.load(data, how).train
    if fingerprint(series) != kept["data"]:
        raise PairsiftError(f"{data} is no longer what {home} was made from; audit the data itself")
    return series


def _views(framework: Framework, series: Series, seed: int) -> Any:
    """Draws the two views of some pairs, the same at every call."""
    import torch

    generator = torch.Generator().manual_seed(seed)

    def draw(places: Any) -> tuple[Any, Any]:
        batch = series[places]
        return framework.views(batch.x, batch.other, generator=generator)

    return draw
