"""pretrain, evaluate, embed: from files to features, and back from the run folder alone."""

import csv
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest
import torch

from pairsift.data import load_series
from pairsift.training import load_framework, pretrain


def test_a_run_says_what_it_did_and_keeps_all_of_it(pairsift, mine: Path, tmp_path: Path) -> None:
    run = tmp_path / "run"
    shown = pairsift("pretrain", mine / "labelled.npz", "--config", mine / "small.toml", "--out", run)
    assert shown.code == 0, shown.err
    assert "simclr with mining dbpm: loss" in shown.out and f"next: pairsift evaluate {run}" in shown.out
    assert [line.split(":")[0] for line in shown.err.splitlines()] == ["epoch 1/2", "epoch 2/2"]
    kept = json.loads((run / "settings.json").read_text())
    assert kept["settings"]["epochs"] == 2 and kept["settings"]["options"]["hidden"] == 8
    assert kept["source"] == {"data": str(mine / "labelled.npz")}
    assert kept["data"]["shape"][1:] == [2, 40] and "torch" in kept["versions"]
    assert {"framework.safetensors", "miner.safetensors", "metrics.csv"} <= {p.name for p in run.iterdir()}


def test_evaluate_needs_nothing_but_the_folder(pairsift, made: Path, tmp_path: Path, monkeypatch) -> None:
    monkeypatch.chdir(tmp_path)
    moved = shutil.copytree(made, tmp_path / "moved")
    shown = pairsift("evaluate", "moved")
    assert shown.code == 0, shown.err
    assert "accuracy" in shown.out and "standardised features" in shown.out
    written = json.loads((moved / "metrics.json").read_text())
    assert written["metrics"]["rows"] == 12 and written["validation"]["rows"] == 12  # 20 % of 60, by group
    assert written["probe"]["standardised"] is True and written["settings"]["seed"] == 0
    assert f"{100 * written['metrics']['accuracy']:.2f}" in shown.out
    raw = pairsift("evaluate", "moved", "--raw", "--out", "raw.json")
    assert json.loads((tmp_path / "raw.json").read_text())["probe"]["standardised"] is False, raw.err


def test_the_run_folder_has_a_name_if_none_is_given(
    pairsift, mine: Path, tmp_path: Path, monkeypatch
) -> None:
    monkeypatch.chdir(tmp_path)
    words = [
        "pretrain",
        mine / "labelled.npz",
        "--config",
        mine / "small.toml",
        "--mining",
        "none",
        "--seed",
        7,
    ]
    shown = pairsift(*words)
    assert shown.code == 0, shown.err
    assert "next: pairsift evaluate runs/labelled-simclr-none-7" in shown.out
    assert (tmp_path / "runs" / "labelled-simclr-none-7" / "settings.json").is_file()
    again = pairsift(*words)
    assert again.code == 2 and "runs/labelled-simclr-none-7 holds a run already" in again.err


def test_changed_data_is_noticed(pairsift, mine: Path, made: Path, tmp_path: Path) -> None:
    again = tmp_path / "again.npz"
    shutil.copy(mine / "labelled.npz", again)
    run = shutil.copytree(made, tmp_path / "run")
    settings = json.loads((run / "settings.json").read_text())
    settings["source"]["data"] = str(again)
    settings["data"]["name"] = "again.npz"
    (run / "settings.json").write_text(json.dumps(settings))
    assert "changed" not in pairsift("evaluate", run).err
    held = dict(np.load(again))
    np.savez(again, **{**held, "X": held["X"] + 1})
    assert "its values have changed" in pairsift("evaluate", run).err


def test_features_are_the_frameworks_in_the_files_order(
    pairsift, mine: Path, made: Path, tmp_path: Path
) -> None:
    out = tmp_path / "z.npy"
    shown = pairsift("embed", made, mine / "labelled.npz", "--out", out)
    assert shown.code == 0, shown.err
    z = np.load(out)
    x = torch.from_numpy(load_series(mine / "labelled.npz").x)
    assert np.array_equal(z, load_framework(made).embed(x).numpy())
    with out.with_suffix(".csv").open() as file:
        rows = list(csv.DictReader(file))
    assert [r["row"] for r in rows] == [str(k) for k in range(60)]
    assert [r["y"] for r in rows[:2]] == ["slow", "fast"] and rows[5]["group"] == "1"
    about = json.loads(out.with_suffix(".json").read_text())
    assert about["shape"] == list(z.shape) and about["source"]["data"].endswith("labelled.npz")
    assert pairsift("embed", made, mine / "labelled.npz", "--part", "test", "--out", out).code == 0
    assert len(np.load(out)) == 12


def test_how_files_are_read_is_remembered(pairsift, mine: Path, tmp_path: Path) -> None:
    """Windows of long series with gaps, channels last: said once, for pretrain; evaluate and embed know."""
    rng = np.random.default_rng(0)
    x = rng.normal(size=(20, 90, 2)).astype(np.float32)
    x[3, 7, 1] = np.nan
    np.savez(tmp_path / "long.npz", X=x, kind=np.arange(20) % 2)
    words = [
        "--window",
        "40",
        "--gaps",
        "interpolate",
        "--channels-last",
        "--column",
        "y=kind",
        "--data-seed",
        "5",
    ]
    run = tmp_path / "run"
    shown = pairsift(
        "pretrain",
        tmp_path / "long.npz",
        *words,
        "--config",
        mine / "small.toml",
        "--set",
        "hidden=4",
        "--out",
        run,
    )
    assert shown.code == 0, shown.err
    assert "note: 1 missing values were filled" in shown.err
    kept = json.loads((run / "settings.json").read_text())
    assert kept["source"]["window"] == 40 and kept["source"]["columns"] == {"y": "kind"}
    assert (
        kept["data"]["shape"][1:] == [2, 40] and kept["settings"]["options"]["hidden"] == 4
    )  # the flag wins
    assert pairsift("evaluate", run).code == 0
    assert pairsift("embed", run, tmp_path / "long.npz", "--out", tmp_path / "z.npy").code == 0
    assert len(np.load(tmp_path / "z.npy")) == 40  # two windows a series
    other = pairsift("embed", run, mine / "plain.npy", "--channels-first", "--out", tmp_path / "z.npy")
    assert other.code == 0, other.err


def test_nothing_is_held_out_of_unlabelled_series(pairsift, mine: Path, tmp_path: Path) -> None:
    run = tmp_path / "run"
    words = ["--config", mine / "small.toml", "--out", run]
    shown = pairsift("pretrain", mine / "plain.npy", *words, "--mining", "none", "--noisy", "off")
    assert json.loads((run / "settings.json").read_text())["data"]["shape"][0] == 60
    assert f"next: pairsift embed {run} --out features.npy" in shown.out and "bad pairs" not in shown.out
    done = pairsift("embed", run, "--out", tmp_path / "features.npy")  # DATA is what the run was made from
    assert done.code == 0 and len(np.load(tmp_path / "features.npy")) == 60, done.err
    refused = pairsift("evaluate", run)
    assert refused.code == 2 and "needs labels" in refused.err


def test_a_toml_file_says_how_data_is_read_and_flags_win(pairsift, tmp_path: Path, mine: Path) -> None:
    config = tmp_path / "all.toml"
    config.write_text(
        (mine / "small.toml").read_text() + '[data]\nwindow = 20\ntest = 0.4\ncolumns = {group = "y"}\n'
    )
    run = tmp_path / "run"
    words = [
        "pretrain",
        mine / "plain.npy",
        "--config",
        config,
        "--seed",
        "3",
        "--test",
        "0.25",
        "--val",
        "0",
    ]
    assert pairsift(*words, "--out", run).code == 0
    kept = json.loads((run / "settings.json").read_text())
    assert kept["settings"]["seed"] == 3 and kept["source"]["window"] == 20 and kept["source"]["test"] == 0.25
    # 120 windows of 60 series, two each; a quarter of the series is held out for the test, whole
    assert kept["data"]["shape"] == [90, 2, 20]


def test_resume_goes_on_with_the_same_command(pairsift, mine: Path, made: Path, tmp_path: Path) -> None:
    cut = shutil.copytree(made, tmp_path / "cut")
    (cut / "checkpoints" / "epoch-000002.ckpt").unlink()
    (cut / "framework.safetensors").unlink()
    words = ["pretrain", mine / "labelled.npz", "--config", mine / "small.toml", "--out", cut, "--quiet"]
    refused = pairsift(*words)
    assert refused.code == 2 and "go on with --resume" in refused.err
    assert pairsift(*words, "--resume").code == 0
    assert (cut / "framework.safetensors").read_bytes() == (made / "framework.safetensors").read_bytes()


def test_ctrl_c_is_one_line_that_says_how_to_go_on(mine: Path, tmp_path: Path) -> None:
    run = tmp_path / "run"
    words = ["pretrain", "plain.npy", "--config", "small.toml", "--epochs", "100000", "--out", str(run)]
    words += ["--lr", "1e-7"]  # so many epochs on these series would end in a collapse, which is warned of
    program = "import sys; from pairsift.cli import main; sys.argv = ['pairsift', *sys.argv[1:]]; main()"
    process = subprocess.Popen(
        [sys.executable, "-c", program, *words],
        cwd=mine,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    try:
        deadline = time.monotonic() + 240
        kept = run / "checkpoints"  # where the last two stay: the first is gone in a moment
        while not list(kept.glob("epoch-*.ckpt")) and time.monotonic() < deadline and process.poll() is None:
            time.sleep(0.1)
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=300)
    finally:
        process.kill()
    assert process.returncode == 130, err
    assert out == ""
    last = [line for line in err.splitlines() if not line.startswith("epoch ")]
    says = r"stopped; (.+) holds all up to (?:the end|batch \d+) of epoch \d+; go on from there with --resume"
    assert len(last) == 1 and re.fullmatch(says, last[0])[1] == str(run), last


def test_ctrl_c_reaches_a_program_that_calls_pretrain(mine: Path) -> None:
    from lightning.pytorch.callbacks import Callback

    class Press(Callback):
        def on_train_batch_end(self, *_) -> None:
            raise KeyboardInterrupt

    before = signal.getsignal(signal.SIGINT)
    with pytest.raises(KeyboardInterrupt):
        pretrain(
            load_series(mine / "plain.npy"),
            epochs=2,
            warmup=1,
            batch_size=16,
            progress=False,
            callbacks=[Press()],
        )
    assert signal.getsignal(signal.SIGINT) is before


def test_help_is_quick_and_names_every_command(pairsift) -> None:
    shown = pairsift("--help")
    assert shown.code == 0
    for command in ("demo", "pretrain", "evaluate", "embed", "data", "corrupt", "export"):
        assert command in shown.out
    for command in (
        ["pretrain"],
        ["evaluate"],
        ["embed"],
        ["export"],
        ["corrupt"],
        ["data", "prepare"],
        ["data", "info"],
    ):
        shown = pairsift(*command, "--help")
        assert shown.code == 0 and "Example: pairsift" in shown.out.replace("\n", " ")


def test_a_closed_pipe_is_no_traceback(mine: Path) -> None:
    program = "import sys; from pairsift.cli import main; sys.argv = ['pairsift', 'data', 'list']; main()"
    read, write = os.pipe()
    os.close(read)
    done = subprocess.run([sys.executable, "-c", program], stdout=write, stderr=subprocess.PIPE, text=True)
    os.close(write)
    assert done.returncode == 1 and "Traceback" not in done.stderr
