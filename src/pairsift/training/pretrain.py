"""From series to a trained framework and its miner: one call, one seed, one folder."""

from __future__ import annotations

import hashlib
import json
import logging
import warnings
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch
from lightning import Trainer
from lightning.pytorch.callbacks import Callback, Checkpoint

from pairsift.data.series import Series
from pairsift.errors import PairsiftError, shown
from pairsift.frameworks import Framework, build_framework
from pairsift.mining import BadPairMiner, Ramp, build_miner, usual_weight
from pairsift.training import folder as run_folder
from pairsift.training.batches import EpochBatches, batch_loader
from pairsift.training.checkpoint import EpochCheckpoints, SafeCheckpointIO, newest_checkpoint
from pairsift.training.drawn import Strike
from pairsift.training.heap import keep_freed_memory
from pairsift.training.history import LossHistory
from pairsift.training.module import PairModule
from pairsift.training.processes import Processes, processes
from pairsift.training.progress import EpochLog, ProgressLines
from pairsift.training.seeds import WEIGHTS, derive_seed
from pairsift.training.settings import Settings, check_options, make_settings
from pairsift.training.stop import stoppable
from pairsift.training.unwatched import Unwatched
from pairsift.training.watch import Watch


@dataclass
class Run:
    """What a training leaves behind."""

    framework: Framework
    miner: BadPairMiner | None
    metrics: list[dict[str, float]]
    history: LossHistory | None
    settings: Settings
    folder: Path | None


def make_framework(settings: Settings, series: Series) -> Framework:
    """The framework that the settings name, with weights drawn from the settings' seed."""
    check_options(settings)
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(derive_seed(settings.seed, WEIGHTS))
        try:
            return build_framework(
                settings.framework,
                series.channels,
                series.length,
                settings.loss,
                settings.dataset,
                **settings.options,
            )
        except (TypeError, ValueError, RuntimeError) as error:
            if isinstance(error, PairsiftError) or not settings.options:
                raise
            reason = shown(error, 200)  # torch's own words about a layer that cannot be made
            raise PairsiftError(
                f"options: no {settings.framework} can be made with {settings.options}: {reason}"
            ) from error


def make_miner(
    settings: Settings, framework: Framework | str, num_pairs: int, batch_size: int
) -> BadPairMiner | None:
    """The miner that the settings name; None where nothing is mined.

    Args:
        settings: the run's.
        framework: whose ``mining_weight`` "dbpm" takes where the settings name none; or that weight's name.
        num_pairs: N.
        batch_size: the size of a full batch.
    """
    published = framework if isinstance(framework, str) else framework.mining_weight
    try:
        return build_miner(
            settings.mining,
            num_pairs,
            warmup_epochs=settings.warmup_epochs,
            noisy=settings.noisy,
            faulty=settings.faulty,
            weight=_number(settings.weight or usual_weight(settings.mining, published)),
            history=Ramp(settings.epochs) if settings.history == "ramp" else settings.history,
            batch_size=batch_size,
            parts=settings.mend,
        )
    except ValueError as error:  # the miner, which stands alone, has no error of ours to raise
        raise PairsiftError(str(error)) from None


def _number(text: str) -> str | float:
    try:
        return float(text)
    except ValueError:
        return text


def pretrain(
    series: Series,
    settings: Settings | None = None,
    *,
    framework: Framework | str | None = None,
    miner: BadPairMiner | None = None,
    out: str | Path | None = None,
    resume: bool = False,
    progress: bool = True,
    callbacks: Sequence[Callback] = (),
    source: dict[str, Any] | None = None,
    strike: Strike | None = None,
    **options: Any,
) -> Run:
    """Learn a representation of ``series``.

    Args:
        series: what to learn from.
        settings: how; or give its fields as keyword arguments.
        framework: a name, or one of your own instead of the one that the settings name.
        miner: one of your own instead of the one that the settings name.
        out: folder for settings, metrics, checkpoints and weights; None keeps nothing.
        resume: go on from the folder's newest checkpoint.
        progress: show a bar on a terminal, a line an epoch elsewhere.
        callbacks: Lightning's, for what is not foreseen here.
        source: where the series came from, kept in the folder so that it can be found again.
        strike: damages views after they are drawn, for experiments with planted pairs, see ``RandomStrikes``.
        options: fields of ``Settings``.

    Example:
        >>> run = pretrain(series, framework="simclr", mining="dbpm", epochs=40, seed=0)
        >>> run.miner.table().sort_values("score").tail()
    """
    if isinstance(framework, str):
        options, framework = {**options, "framework": framework}, None
    settings = make_settings(settings, **options)
    if len(series) < 2:
        raise PairsiftError(f"pretraining needs at least two series, got {len(series)}")
    keep_freed_memory()
    framework = framework if framework is not None else make_framework(settings, series)
    group = processes()
    if len(series) < 2 * group.world:
        raise PairsiftError(f"{group.world} processes need at least two series each, got {len(series)}")
    batches = EpochBatches(len(series), settings.batch_size, settings.seed, group.rank, group.world)
    own_miner = miner is not None
    miner = miner if miner is not None else make_miner(settings, framework, len(series), batches.batch_size)
    module = PairModule(
        framework,
        miner,
        lr=settings.lr,
        weight_decay=settings.weight_decay,
        seed=settings.seed,
        strike=strike,
    )

    with ExitStack() as held:
        home, start = None, None
        if out is not None:
            home = run_folder.prepare_folder(Path(out))
            if group.first:
                held.enter_context(run_folder.sole_owner(home))
            start = _begin(home, settings, framework, series, resume, source, own_miner, group)
        log = EpochLog(home / "metrics.csv" if home else None)
        history = LossHistory(miner, seed=settings.seed) if miner is not None else None
        # The history reads the epoch's losses before the log has the miner fold them in.
        own: list[Callback] = [*([history] if history else []), log, Watch(series, batches.batch_size, log)]
        if progress:
            own.append(ProgressLines(log))
        if home:
            own.append(EpochCheckpoints(home / "checkpoints"))
        with torch.random.fork_rng(devices=[]), quiet_lightning(), stoppable(home, batches) as more:
            trainer = build_trainer(settings, [*own, *callbacks, *more], group)
            trainer.fit(module, batch_loader(series, batches), ckpt_path=start)
            run = Run(framework.eval(), miner, log.rows, history, settings, home)
            if home and group.first:
                _finish(run)
    return run


def build_trainer(settings: Settings, callbacks: list[Callback], group: Processes) -> Trainer:
    """Lightning, without what a run folder already does."""
    return Trainer(
        max_epochs=settings.epochs,
        precision=resolve_precision(settings.precision),
        callbacks=callbacks,
        plugins=[SafeCheckpointIO(), group.environment()],
        logger=False,
        enable_checkpointing=any(isinstance(callback, Checkpoint) for callback in callbacks),
        enable_progress_bar=False,
        enable_model_summary=False,
        use_distributed_sampler=False,
        profiler=Unwatched(),
        **group.for_trainer(),
    )


@contextmanager
def quiet_lightning() -> Iterator[None]:
    """Keep Lightning's tips, and its advice that does not fit here, to itself."""
    loggers = [logging.getLogger(name) for name in ("lightning.pytorch", "lightning.fabric")]
    levels = [logger.level for logger in loggers]
    for logger in loggers:
        logger.setLevel(logging.WARNING)
    try:
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", message=".*does not have many workers.*")
            warnings.filterwarnings("ignore", message=".*treespec.*")
            warnings.filterwarnings("ignore", message=".*srun.*is available.*")  # so it is, on a login node
            warnings.filterwarnings("ignore", message=".*smaller than the logging interval.*")
            warnings.filterwarnings(
                "ignore", message=".*in eval mode at the start.*"
            )  # slow copies are meant so
            yield
    finally:
        for logger, level in zip(loggers, levels):
            logger.setLevel(level)


def resolve_precision(precision: str) -> Any:
    """What "auto" means on this machine: bfloat16 where the arithmetic units have it."""
    if precision != "auto":
        return precision
    if torch.cuda.is_available():
        # An older GPU emulates bfloat16, and torch counts that as support: it is slower than float32.
        return "bf16-mixed" if torch.cuda.is_bf16_supported(including_emulation=False) else "32-true"
    return "bf16-mixed" if torch.cpu._is_avx512_bf16_supported() else "32-true"


def fingerprint(series: Series, most: int = 1 << 20) -> dict[str, Any]:
    """What tells this data from other data: shape, and a checksum of ``most`` values from up to 1000 series.

    Row by row: of an array that is mapped from a file, no more is read than what is summed up.
    """
    rows = np.linspace(0, len(series) - 1, min(len(series), 1000)).astype(np.int64)
    each = max(1, most // len(rows))
    digest = hashlib.sha256()
    for row in rows:
        digest.update(np.ascontiguousarray(series.x[row].reshape(-1)[:each]).tobytes())
    return {"name": series.name, "shape": list(series.x.shape), "sample_sha256": digest.hexdigest()[:16]}


def _begin(
    home: Path,
    settings: Settings,
    framework: Framework,
    series: Series,
    resume: bool,
    source: Any,
    own_miner: bool,
    group: Processes,
) -> str | None:
    content: dict[str, Any] = {
        "format": run_folder.FORMAT,
        "settings": settings.model_dump(),
        "made": framework.settings,
        "own_miner": own_miner,
        "processes": group.world,
        "data": fingerprint(series),
        "source": source,
        "versions": run_folder.versions(),
    }
    content = json.loads(json.dumps(content))  # as it will read when it is compared
    path, passed = newest_checkpoint(home / "checkpoints")
    if not resume:
        if path is not None:
            raise PairsiftError(
                f"out: {home} holds a run already; go on with --resume, or choose another folder"
            )
        if group.first:
            run_folder.write_json(home / run_folder.SETTINGS, content)
        return None
    kept = run_folder.read_settings(home)
    for part in ("made", "data", "processes"):
        if kept.get(part) != content[part]:
            raise PairsiftError(
                f"resume: {home} was made with other {part}: {shown(kept.get(part), 300)}, "
                f"now {content[part]}"
            )
    changed = [k for k, v in content["settings"].items() if kept["settings"].get(k) != v]
    if changed:
        raise PairsiftError(
            f"resume: {', '.join(changed)} differ from the run in {home}; leave them as they were, "
            "or choose another folder"
        )
    for sentence in passed if group.first else ():
        warnings.warn(sentence, stacklevel=3)
    return str(path) if path else None


def _finish(run: Run) -> None:
    assert run.folder is not None
    run_folder.save_weights(run.framework, run.folder / run_folder.WEIGHTS)
    if run.miner is not None:
        run_folder.save_weights(run.miner, run.folder / run_folder.MINER)
    if run.history is not None:
        kept = {"index": run.history.index, "losses": run.history.table()}
        run_folder.save_tensors(kept, run.folder / run_folder.HISTORY)
