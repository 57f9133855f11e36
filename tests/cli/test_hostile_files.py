"""Files from strangers, at the command line: refused in one sentence, and nothing of them acts."""

from __future__ import annotations

import csv
import io
import json
import pickle
import shutil
import struct
import zipfile
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
import torch
from safetensors.torch import load_file, save

from pairsift.errors import PairsiftError
from pairsift.training.checkpoint import checkpoints, save_checkpoint
from pairsift.training.export import export_hub, load_exported
from pairsift.training.folder import load_framework, load_weights
from pairsift.training.restore import load_history, load_miner

DEEP = 10_000


def everything_below(folder: Path) -> dict[str, bytes | None]:
    return {str(p): p.read_bytes() if p.is_file() else None for p in sorted(folder.rglob("*"))}


def refused(shown, words: str) -> None:
    lines = shown.err.splitlines()
    assert shown.code == 2 and shown.out == "", shown
    assert len(lines) == 1 and lines[0].startswith("error: ") and words in lines[0], shown.err


class Bomb:
    """Unpickling this makes a folder called BOOM."""

    def __reduce__(self):
        return (Path.mkdir, (Path("BOOM"),))


@pytest.mark.parametrize("sealed", [False, True])
def test_a_pickle_in_place_of_a_checkpoint(
    pairsift, mine: Path, made: Path, tmp_path: Path, monkeypatch, sealed: bool
) -> None:
    monkeypatch.chdir(tmp_path)
    run = shutil.copytree(made, tmp_path / "run")
    for path in checkpoints(run / "checkpoints"):
        if sealed:  # with a checksum that fits
            save_checkpoint({"state_dict": Bomb()}, path)
        else:
            path.write_bytes(pickle.dumps(Bomb()))
    words = ["pretrain", mine / "labelled.npz", "--config", mine / "small.toml", "--out", run, "--resume"]
    refused(pairsift(*words), "do not trust this folder" if sealed else "none of the checkpoints")
    assert not (tmp_path / "BOOM").exists()
    torch.load(io.BytesIO(pickled := saved(Bomb())), weights_only=False)
    assert pickled and (tmp_path / "BOOM").exists()  # it would have gone off


def saved(state: object) -> bytes:
    stream = io.BytesIO()
    torch.save(state, stream)
    return stream.getvalue()


# --- nested ten thousand deep ---


def deep_json(key: str) -> str:
    return f'{{"format": 1, "{key}": ' + "[" * DEEP + "]" * DEEP + "}"


def test_settings_nested_ten_thousand_deep(pairsift, mine: Path, made: Path, tmp_path: Path) -> None:
    deep = "[" * DEEP + "]" * DEEP
    for text in (
        f"epochs = {deep}",
        f"[options]\nx = {deep}",
        "x." * DEEP + "x = 1",
        "x = " + "{a = " * DEEP,
    ):
        config = tmp_path / "deep.toml"
        config.write_text(text)
        shown = pairsift("pretrain", mine / "plain.npy", "--config", config, "--out", tmp_path / "run")
        refused(shown, "config: ")
    shown = pairsift("pretrain", mine / "plain.npy", "--set", f"x={deep}", "--out", tmp_path / "run")
    refused(shown, "nested too deep")
    assert not (tmp_path / "run").exists()
    (tmp_path / "spec.toml").write_text(f"[matrix]\nseed = {deep}")
    refused(pairsift("bench", "run", tmp_path / "spec.toml", "--out", tmp_path / "b"), "spec: ")


def test_json_nested_ten_thousand_deep(pairsift, made: Path, tmp_path: Path) -> None:
    run = shutil.copytree(made, tmp_path / "run")
    for key in ("settings", "made", "source"):
        (run / "settings.json").write_text(deep_json(key))
        refused(pairsift("evaluate", run), "not what pairsift writes")
    prepared = tmp_path / "prepared"
    prepared.mkdir()
    (prepared / "card.json").write_text(deep_json("tasks"))
    refused(pairsift("data", "info", prepared), "card.json")
    np.savez(tmp_path / "x.npz", X=np.zeros((4, 1, 9), np.float32), facts=np.array(deep_json("a")))
    refused(pairsift("data", "info", tmp_path / "x.npz"), "not JSON")
    (tmp_path / "b" / "cells").mkdir(parents=True)
    (tmp_path / "b" / "cells" / "x.json").write_text(deep_json("key"))
    (tmp_path / "b" / "specs").mkdir()
    (tmp_path / "b" / "specs" / "x.json").write_text('{"matrix": {"seed": [0]}}')
    refused(pairsift("bench", "table", tmp_path / "b"), "x.json cannot be read")


# --- a zip that leads out of itself ---


@pytest.mark.parametrize(
    "name", ["../evil.txt", "/evil.txt", "a/../../evil.txt", "..\\evil.txt", "C:\\evil.txt"]
)
def test_a_zip_that_climbs_touches_nothing(pairsift, tmp_path: Path, name: str) -> None:
    deep = tmp_path / "a" / "b"
    deep.mkdir(parents=True)
    with zipfile.ZipFile(deep / "har.zip", "w") as archive:
        archive.writestr("UCI HAR Dataset/train/y_train.txt", "1\n")
        archive.writestr(name, "evil")
    before = everything_below(tmp_path)
    root = tmp_path / "root"
    refused(pairsift("data", "prepare", "har", "--source", deep / "har.zip", "--root", root), "do not trust")
    after = everything_below(tmp_path)
    assert {path for path in after if not path.startswith(str(root))} == set(before)
    assert not [path for path in after if "evil" in path]
    assert not Path("/evil.txt").exists()


def test_a_cards_names_do_not_lead_out_of_its_folder(pairsift, tmp_path: Path) -> None:
    np.save(tmp_path / "y-t.npy", np.arange(4))
    prepared = tmp_path / "prepared" / "har"
    prepared.mkdir(parents=True)
    task = {"classes": ["a"], "splits": {"published": {"scaling": "none"}}, "missing": {}}
    card = {"format": 1, "name": "har", "shape": [4, 1, 3], "tasks": {"/../../y-t": task}, "facts": {}}
    (prepared / "card.json").write_text(json.dumps({**card, "notes": [], "sha256": "x"}))
    np.save(prepared / "X.npy", np.zeros((4, 1, 3), np.float32))
    refused(pairsift("data", "info", prepared), "plain names of tasks and splits")


# --- safetensors that lie ---


def tensors(header: object, rest: bytes = b"", length: int | None = None) -> bytes:
    text = header if isinstance(header, bytes) else json.dumps(header).encode()
    return struct.pack("<Q", len(text) if length is None else length) + text + rest


F32 = {"dtype": "F32", "shape": [2], "data_offsets": [0, 8]}
LIES = {
    "nothing": b"",
    "a length alone": struct.pack("<Q", 100),
    "a header of 2^63 bytes": tensors({"a": F32}, bytes(8), length=2**63),
    "a header longer than the file": tensors({"a": F32}, bytes(8), length=10_000),
    "a header that is no JSON": tensors(b"{" * 50, bytes(8)),
    "a header nested deep": tensors(b'{"a":' + b"[" * DEEP + b"]" * DEEP + b"}", bytes(8)),
    "values beyond the end": tensors(
        {"a": {**F32, "shape": [10**9], "data_offsets": [0, 4 * 10**9]}}, bytes(8)
    ),
    "a shape that overflows": tensors({"a": {**F32, "shape": [2**40, 2**40]}}, bytes(8)),
    "a shape of other size": tensors({"a": {**F32, "shape": [3]}}, bytes(8)),
    "a negative shape": tensors({"a": {**F32, "shape": [-2]}}, bytes(8)),
    "values that overlap": tensors({"a": F32, "b": F32}, bytes(8)),
    "values turned round": tensors({"a": {**F32, "data_offsets": [8, 0]}}, bytes(8)),
    "a hole": tensors({"a": {**F32, "data_offsets": [8, 16]}}, bytes(16)),
    "more than it says": tensors({"a": F32}, bytes(80)),
    "an unknown type": tensors({"a": {**F32, "dtype": "PYOBJECT"}}, bytes(8)),
    "a pickle": pickle.dumps(Bomb()),
}


@pytest.mark.parametrize("lie", LIES)
def test_safetensors_that_lie(pairsift, made: Path, tmp_path: Path, monkeypatch, lie: str) -> None:
    monkeypatch.chdir(tmp_path)
    for name in ("framework", "miner", "history"):
        run = shutil.copytree(made, tmp_path / name)
        (run / f"{name}.safetensors").write_bytes(LIES[lie])
        with pytest.raises(PairsiftError, match=rf"{name}\.safetensors cannot be read") as said:
            load_weights(run / f"{name}.safetensors")
        assert str(said.value).isprintable() and len(str(said.value)) < 500
    refused(pairsift("evaluate", tmp_path / "framework"), "cannot be read")
    assert not (tmp_path / "BOOM").exists()


HUGE: dict[str, Callable[[dict], object]] = {
    "channels": lambda made: made.update(channels=10**12),
    "channels that fit an int": lambda made: made.update(channels=10**7),
    "length": lambda made: made.update(length=2**62),
    "hidden": lambda made: made.update(hidden=2**40),
    "widths": lambda made: made.update(encoder_options={"widths": [10**7, 10**7]}),
    "another framework": lambda made: made.update(name="moco"),
    "an unknown framework": lambda made: made.update(name="os"),
    "text for a number": lambda made: made.update(channels="2"),
    "no name": lambda made: made.pop("name"),
    "a setting of nobody": lambda made: made.update({"__class__": "x"}),
    "options of nobody": lambda made: made.update(encoder_options={"x\x1b[31m": 1}),
}


@pytest.mark.parametrize("lie", HUGE)
def test_settings_that_lie_about_the_framework_fill_no_memory(
    pairsift, made: Path, tmp_path: Path, lie: str
) -> None:
    run = shutil.copytree(made, tmp_path / "run")
    kept = json.loads((run / "settings.json").read_text())
    HUGE[lie](kept["made"])
    (run / "settings.json").write_text(json.dumps(kept))
    refused(pairsift("evaluate", run), "")
    if lie == "another framework":
        return  # MoCo's encoder is SimCLR's, and an export holds nothing else
    hub = tmp_path / "hub"
    export_hub(load_framework(made), kept, hub)
    config = json.loads((hub / "config.json").read_text())
    HUGE[lie](config["framework"])
    (hub / "config.json").write_text(json.dumps(config))
    with pytest.raises(PairsiftError) as said:
        load_exported(hub)
    assert str(said.value).isprintable()


def test_more_than_the_weights_hold_is_refused(made: Path, tmp_path: Path) -> None:
    """An export leaves heads out, so that only their sum can be judged."""
    hub = tmp_path / "hub"
    export_hub(load_framework(made), {}, hub)
    config = json.loads((hub / "config.json").read_text())
    config["framework"]["hidden"] = 2**24
    (hub / "config.json").write_text(json.dumps(config))
    with pytest.raises(PairsiftError, match=r"asks for \d+ numbers that .* does not hold; do not trust it"):
        load_exported(hub)


def test_a_miner_and_a_history_of_other_shapes(made: Path, tmp_path: Path) -> None:
    run = shutil.copytree(made, tmp_path / "run")
    sound = load_file(run / "miner.safetensors")
    for name, value in (("memory.mean", torch.tensor(1.0)), ("_progress", torch.zeros(7))):
        (run / "miner.safetensors").write_bytes(save({**sound, name: value}))
        with pytest.raises(PairsiftError, match="does not fit"):
            load_miner(run)
    for index in (torch.tensor([-1]), torch.tensor([0.5]), torch.tensor(0)):
        (run / "history.safetensors").write_bytes(save({"index": index, "losses": torch.ones(2, 1)}))
        with pytest.raises(PairsiftError, match="not what pairsift writes"):
            load_history(run)


# --- words that act ---

NASTY = "\x1b]0;pwned\x07\x1b[31m\u202e"


def quiet_on_a_terminal(text: str) -> bool:
    return all(c.isprintable() or c == "\n" for c in text)


def test_labels_and_names_cannot_steer_the_terminal(pairsift, mine: Path, tmp_path: Path) -> None:
    file = tmp_path / f"evil{NASTY}.npz"
    x = np.load(mine / "plain.npy")
    words = np.array([f"{NASTY}{k % 2}" for k in range(len(x))])
    np.savez(file, X=x, y=words, id=np.array([f"{NASTY}{k}" for k in range(len(x))]), **{f"a{NASTY}": x})
    shown = pairsift("data", "info", file)
    assert shown.code == 0 and "2 classes" in shown.out, shown.err
    run = tmp_path / f"run{NASTY}"
    done = pairsift("pretrain", file, "--config", mine / "small.toml", "--out", run)
    again = pairsift("pretrain", file, "--config", mine / "small.toml", "--out", run)
    probed = pairsift("evaluate", run)
    absent = pairsift("evaluate", tmp_path / f"absent{NASTY}")
    option = pairsift("pretrain", file, "--set", f"x{NASTY}=1", "--out", tmp_path / "other")
    unknown = pairsift("pretrain", f"{NASTY}", f"--x{NASTY}")
    assert [s.code for s in (done, again, probed, absent, option, unknown)] == [0, 2, 0, 2, 2, 2], probed.err
    for one in (shown, done, again, probed, absent, option, unknown):
        assert quiet_on_a_terminal(one.out + one.err), one


def test_a_spreadsheet_runs_nothing_of_what_embed_writes(
    pairsift, mine: Path, made: Path, tmp_path: Path
) -> None:
    x = np.load(mine / "plain.npy")[:6]
    ids = ["=1+1", "+1", "-1", "@SUM(A1)", "\tx", '=HYPERLINK("http://example.org")']
    np.savez(
        tmp_path / "x.npz", X=x, id=np.array(ids), y=np.array(["=a", "b"] * 3), group=np.array(["-g"] * 6)
    )
    shown = pairsift("embed", made, tmp_path / "x.npz", "--out", tmp_path / "z.npy")
    assert shown.code == 0, shown.err
    with (tmp_path / "z.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    assert [row["id"] for row in rows][:4] == ["'=1+1", "'+1", "'-1", "'@SUM(A1)"]
    for row in rows:
        for cell in row.values():
            assert not cell.startswith(("=", "+", "-", "@", "\t")), row
