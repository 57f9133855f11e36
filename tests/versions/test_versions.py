"""What earlier versions wrote still loads, and what later ones write is refused in a sentence.

A folder beside this file is what one format of run folders looked like; ``make.py`` wrote it once, and it is
not written again, whatever changes.
"""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
import torch
from safetensors.torch import load_file
from tests.versions.make import HOW

from pairsift.data.series import Series
from pairsift.errors import PairsiftError
from pairsift.training import (
    load_exported,
    load_framework,
    load_history,
    load_miner,
    pretrain,
    read_settings,
)
from pairsift.training.checkpoint import checkpoints, load_checkpoint
from pairsift.training.folder import FORMAT

HERE = Path(__file__).parent
FORMATS = sorted(path for path in HERE.iterdir() if path.name.startswith("format"))


def test_every_format_so_far_is_kept() -> None:
    assert [path.name for path in FORMATS] == [f"format{number}" for number in range(1, FORMAT + 1)]


@pytest.fixture(params=FORMATS, ids=lambda path: path.name)
def kept(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    return shutil.copytree(request.param, tmp_path / "kept")


def test_a_finished_run_gives_its_features_and_verdicts(kept: Path) -> None:
    expected, run = load_file(kept / "expected.safetensors"), kept / "finished"
    assert read_settings(run)["settings"]["epochs"] == 4
    features = load_framework(run).embed(expected["x"])
    torch.testing.assert_close(features, expected["features"], rtol=1e-4, atol=1e-5)
    miner = load_miner(run)
    assert torch.equal(miner.verdicts(), expected["verdicts"]) and miner.epoch == 4
    assert torch.equal(miner.statistics().mean, expected["mean"])
    assert 0 < (expected["verdicts"] > 0).sum() < 40  # there is something to see
    history = load_history(run)
    assert history.losses.shape == (4, 40)
    torch.testing.assert_close(history.losses.nanmean(0), expected["mean"])


def test_an_export_gives_the_same_features(kept: Path) -> None:
    expected = load_file(kept / "expected.safetensors")
    features = load_exported(kept / "exported").embed(expected["x"])
    torch.testing.assert_close(features, expected["features"], rtol=1e-4, atol=1e-5)


def test_a_run_that_was_stopped_in_an_epoch_goes_on(kept: Path) -> None:
    expected, run = load_file(kept / "expected.safetensors"), kept / "stopped"
    assert [path.name for path in checkpoints(run / "checkpoints")] == ["epoch-000002-batch-000001.ckpt"]
    done = pretrain(Series(expected["x"].numpy()), out=run, resume=True, progress=False, **HOW)
    losses = torch.tensor([row["loss"] for row in done.metrics])
    # The first two epochs are from the file. The others are computed here: like then, but by whatever machine
    # and draws there are now; so the folder need never be written again.
    torch.testing.assert_close(losses[:2], expected["loss"][:2])
    assert len(losses) == 4 and (losses - expected["loss"]).abs().max() < 0.5
    assert done.miner.epoch == 4 and (done.miner.statistics().seen >= 2).all()
    assert (done.miner.statistics().mean - expected["mean"]).abs().max() < 2


def newer(path: Path) -> None:
    content = json.loads(path.read_text())
    path.write_text(json.dumps({**content, "format": content["format"] + 1}))


def one_line(shown: subprocess.CompletedProcess[str]) -> str:
    assert shown.returncode == 2 and shown.stdout == "", shown
    assert len(shown.stderr.splitlines()) == 1, shown.stderr
    return shown.stderr


def test_a_newer_run_is_refused_in_a_sentence(kept: Path) -> None:
    kept_series = Series(load_file(kept / "expected.safetensors")["x"].numpy())
    for run in (kept / "finished", kept / "stopped"):
        newer(run / "settings.json")
        for read in (read_settings, load_framework, load_miner, load_history):
            with pytest.raises(PairsiftError, match=r"is of format \d+, this .* up to \d+; install a newer"):
                read(run)
        with pytest.raises(PairsiftError, match="install a newer one"):
            pretrain(kept_series, out=run, resume=True, progress=False, **HOW)
    newer(kept / "exported" / "config.json")
    with pytest.raises(PairsiftError, match="install a newer one"):
        load_exported(kept / "exported")
    program = "import sys; from pairsift.cli import main; sys.argv = ['pairsift', *sys.argv[1:]]; main()"
    order = [sys.executable, "-c", program, "evaluate", str(kept / "finished")]
    said = one_line(subprocess.run(order, capture_output=True, text=True, check=False))
    assert said.startswith("error: ") and "install a newer one" in said


def test_a_newer_checkpoint_is_refused_and_not_taken_for_a_damaged_one(kept: Path) -> None:
    path = checkpoints(kept / "stopped" / "checkpoints")[-1]
    path.write_bytes(path.read_bytes().replace(b"pairsift checkpoint 1 ", b"pairsift checkpoint 2 ", 1))
    with pytest.raises(PairsiftError, match="is of format 2, this pairsift reads up to 1; install a newer"):
        load_checkpoint(path)
    older = path.with_name("epoch-000001.ckpt")
    shutil.copy(kept / "finished" / "checkpoints" / "epoch-000004.ckpt", older)
    kept_series = Series(load_file(kept / "expected.safetensors")["x"].numpy())
    with pytest.raises(PairsiftError, match="install a newer one"):
        pretrain(kept_series, out=kept / "stopped", resume=True, progress=False, **HOW)
