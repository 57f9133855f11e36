"""What is fuzzed: every reader of files from strangers, each with sound files to start from.

A target takes bytes and may raise PairsiftError: one printable sentence. Anything else is a finding, and so
are series with a value that is no number.
"""

from __future__ import annotations

import hashlib
import io
import json
import tempfile
import zipfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from pairsift.errors import PairsiftError

Target = Callable[[bytes], None]
_HOME = Path(tempfile.mkdtemp(prefix="pairsift-fuzz-", dir="/dev/shm" if Path("/dev/shm").is_dir() else None))


@dataclass(frozen=True)
class Fuzzed:
    """One target.

    Args:
        test: reads the bytes.
        seeds: sound and nearly sound inputs.
        longest: bytes an input may have.
    """

    test: Target
    seeds: Callable[[], list[bytes]]
    longest: int = 4096


@contextmanager
def _refusals() -> Iterator[None]:
    """A refusal is fine if it is one line that a terminal can show."""
    try:
        yield
    except PairsiftError as error:
        said = str(error)
        assert said and said.isprintable(), f"the refusal cannot be printed: {said!r}"
        assert len(said) < 1000, f"the refusal is {len(said)} characters long"


def _as_file(suffix: str, read: Callable[[Path], Any]) -> Target:
    path = _HOME / f"x{suffix}"

    def test(data: bytes) -> None:
        path.write_bytes(data)
        with _refusals():
            read(path)

    return test


# --- a person's own series ---


def _series(path: Path) -> None:
    from pairsift.data import load_series

    lenient = {"gaps": "interpolate", "lengths": "pad"} if path.stat().st_size % 2 else {}
    series = load_series(path, **lenient)
    x = np.asarray(series.x)
    assert x.ndim == 3 and x.dtype == np.float32 and np.isfinite(x).all(), "not series"
    assert series.y is None or len(series.y) == len(x), "labels for other series"


def _x() -> np.ndarray[Any, Any]:
    return np.random.default_rng(0).normal(size=(4, 2, 5)).astype(np.float32)


def _npy(array: Any, **how: Any) -> bytes:
    stream = io.BytesIO()
    np.lib.format.write_array(stream, np.asarray(array), **how)
    return stream.getvalue()


def _zipped(members: dict[str, bytes]) -> bytes:
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w") as archive:
        for name, content in members.items():
            archive.writestr(name, content)
    return stream.getvalue()


def _npz_of_members(data: bytes) -> bytes:
    """An archive that is sound as a zip: X, and a fuzzed member of a fuzzed kind."""
    kinds = ("X", "y", "group", "id", "split", "other", "truth", "classes", "facts", "extra")
    kind = kinds[data[0] % len(kinds)] if data else "X"
    return _zipped({"X.npy": _npy(_x()), f"{kind}.npy": data[1:]} if kind != "X" else {"X.npy": data[1:]})


def _npz_seeds() -> list[bytes]:
    full: dict[str, Any] = {"X": _x(), "y": np.arange(4) % 2, "group": np.array(list("aabb")), "other": _x()}
    full |= {
        "classes": np.array(["a", "b"]),
        "facts": np.array(json.dumps({"a": 1})),
        "truth": np.zeros(4, "i1"),
    }
    return [_zipped({f"{k}.npy": _npy(v) for k, v in full.items()}), _zipped({"X.npy": _npy(_x())})]


def _member_seeds() -> list[bytes]:
    found = [_x(), np.arange(4), np.array(list("aabb")), np.arange(4), np.array(["train"] * 4), _x()]
    found += [np.zeros(4, "i1"), np.array(["a", "b"]), np.array('{"a": [1, 2]}'), np.arange(3)]
    return [bytes([at]) + _npy(array) for at, array in enumerate(found)]


def _csv_seeds() -> list[bytes]:
    return [
        b"id,y,a,b,c\n1,u,1,2,3\n2,v,4,,6\n",
        b"series,time,value,y\n1,0,1.5,a\n1,1,2,a\n2,0,3,b\n2,1,4,b\n",
        b"id\ttime\tx\n1\t2024-01-31\t1\n1\t2024-02-01\t2\n",
        b'"a","b"\n1e5,inf\n?,nan\n',
    ]


def _ts_seeds() -> list[bytes]:
    return [
        b"@problemName t\n@univariate false\n@dimensions 2\n@classLabel true a b\n"
        b"@data\n1,2:3,?:a\n4,5:6,7:b\n",
        b"#c\n@timestamps false\n@targetlabel true\n@data\n1,2,3:0.5\n4,5:1\n",
    ]


def _parquet_seeds() -> list[bytes]:
    import pandas as pd

    stream = io.BytesIO()
    pd.DataFrame({"id": ["a", "b"], "t0": [1.0, 2.0], "t1": [3, 4]}).to_parquet(stream)
    return [stream.getvalue()]


# --- publishers' files ---


def _numbers(data: bytes) -> None:
    from pairsift.data.tables import read_numbers, read_whole_numbers

    with _refusals():
        assert read_numbers(data, "x.txt", 3).shape[1] == 3
    with _refusals():
        read_whole_numbers(data, "y.txt", 1, 6)


def _publisher_npz(path: Path) -> None:
    from pairsift.data.tables import read_npz

    read_npz(path, ("X", "y"), ("group",))


def _publisher_zip(path: Path) -> None:
    from pairsift.data.har import scan

    scan(path)


def _uci_csv(path: Path) -> None:
    from pairsift.data.epilepsy import scan

    scan(path)


def _uci_seeds() -> list[bytes]:
    head = ",".join(["", *(f"X{k}" for k in range(1, 179)), "y"])
    row = ",".join(["X21.V1.791", *(str(k) for k in range(178)), "4"])
    return [f"{head}\n{row}\n".encode()]


def _zip_seeds() -> list[bytes]:
    text = b"1\n2\n"
    return [
        _zipped({"h/train/y_train.txt": text, "h/train/subject_train.txt": text}),
        _zipped({"a.zip": _zipped({})}),
    ]


def _hypnogram(path: Path) -> None:
    from pairsift.data.edf import read_annotations
    from pairsift.data.sleep_edf import stages

    said = read_annotations(path)
    stages(said.onset, said.duration, list(said.description), 10, path.name)


def _recording(path: Path) -> None:
    from pairsift.data.edf import open_channel

    open_channel(path, "EEG Fpz-Cz", 100)


def _edf_seeds(kind: str) -> Callable[[], list[bytes]]:
    def seeds() -> list[bytes]:
        from tests.data.publisher import write_hypnogram, write_psg

        path = _HOME / "seed.edf"
        if kind == "psg":
            write_psg(path, 1)
            return [path.read_bytes()[: 256 * 3 + 200], path.read_bytes()]
        write_hypnogram(path, [("Sleep stage W", 60.0), ("Sleep stage 1", 90.0), ("Sleep stage ?", 30.0)])
        return [path.read_bytes()]

    return seeds


def _codes(data: bytes) -> None:
    from pairsift.data.ptb_xl import _codes as codes

    with _refusals():
        codes(data.decode("utf-8", "replace"), 0, Path("x"))


def _ecg_header(path: Path) -> None:
    from pairsift.data.ptb_xl import read_record

    path.with_suffix(".dat").write_bytes(bytes(24_000))
    read_record(path.with_suffix(""))


def _ecg_seeds() -> list[bytes]:
    leads = ("I", "II", "III", "AVR", "AVL", "AVF", "V1", "V2", "V3", "V4", "V5", "V6")
    lines = "".join(f"r.dat 16 1000(0)/mV 16 0 0 0 0 {lead}\n" for lead in leads)
    return [f"r 12 100 1000\n{lines}".replace("r.dat", "x.dat").replace("r 12", "x 12").encode()]


def _card(path: Path) -> None:
    from pairsift.data import load_folder

    load_folder(path.parent)


def _card_as_file() -> Target:
    folder = _HOME / "prepared"
    folder.mkdir(exist_ok=True)
    x = np.zeros((4, 1, 3), np.float32)
    for name, array in {"X": x, "y-t": np.arange(4), "ids": np.arange(4), "group": np.arange(4)}.items():
        np.save(folder / f"{name}.npy", array)
    np.savez(folder / "split-t-published.npz", train=[0, 1], val=[2], test=[3])
    inner = _as_file("", lambda path: (path.rename(folder / "card.json"), _card(folder / "card.json")))

    def split(data: bytes) -> None:
        """The first byte says which file of the folder the rest stands in for."""
        names = ("card.json", "y-t.npy", "ids.npy", "X.npy", "group.npy", "split-t-published.npz")
        name = names[data[0] % len(names)] if data else names[0]
        if name == "card.json":
            inner(data[1:])
            return
        (folder / "card.json").write_bytes(_card_seeds()[0][1:])
        kept = (folder / name).read_bytes()
        (folder / name).write_bytes(data[1:])
        try:
            with _refusals():
                _card(folder / "card.json")
        finally:
            (folder / name).write_bytes(kept)

    return split


def _card_seeds() -> list[bytes]:
    task = {"classes": list("abcd"), "splits": {"published": {"scaling": "none"}}, "missing": {}}
    card = {"format": 1, "name": "har", "shape": [4, 1, 3], "tasks": {"t": task}, "facts": {}, "notes": []}
    arrays = [np.arange(4), np.arange(4), np.zeros((4, 1, 3), np.float32), np.arange(4)]
    found = [b"\x00" + json.dumps({**card, "sha256": "x"}).encode()]
    found += [bytes([at]) + _npy(array) for at, array in enumerate(arrays, 1)]
    return [*found, b"\x05" + _zipped({f"{p}.npy": _npy(np.arange(2)) for p in ("train", "val", "test")})]


# --- settings and what a run leaves ---


def _toml(path: Path) -> None:
    from pairsift.cli.options import merge, read_config
    from pairsift.training.settings import check_options

    found, _ = read_config(path)
    check_options(merge(found, {}, []))


def _set_option(data: bytes) -> None:
    from pairsift.cli.options import merge
    from pairsift.training.settings import check_options

    with _refusals():
        check_options(merge({}, {}, data.decode("utf-8", "replace").split("\0")))


def _spec(path: Path) -> None:
    from pairsift.bench.matrix import read_spec

    read_spec(path)


def _toml_seeds() -> list[bytes]:
    return [
        b'framework = "moco"\nepochs = 3\nnoisy = "off"\n[options]\ntemperature = 0.1\nencoder = "conv"\n',
        b'[data]\nlengths = "pad"\ncolumns = {y = "a"}\n[options.encoder_options]\nwidths = [4, 4]\n',
        b'mining = "dbpm"\nwarmup = 1\nfaulty = 1e3\nweight = "peak-one"\nlr = 1e-3\nprecision = "64-true"\n',
    ]


def _spec_seeds() -> list[bytes]:
    return [
        b'title = "t"\n[matrix]\nframework = ["simclr"]\nseed = [0, 1]\n[settings]\nepochs = 3\n'
        b'[[variant]]\nname = "a"\nmining = "none"\n[[override]]\nwhen = {framework = "simclr"}\nlr = 0.1\n',
    ]


def _checkpoint(data: bytes) -> None:
    """The first byte says whether the rest gets a checksum that fits: only then is it parsed further."""
    from pairsift.training.checkpoint import _MAGIC, load_checkpoint

    body = data[1:]
    if data[:1] > b"\x7f":
        body = _MAGIC + hashlib.sha256(body).hexdigest().encode() + b"\n" + body
    path = _HOME / "x.ckpt"
    path.write_bytes(body)
    with _refusals():
        assert isinstance(load_checkpoint(path), dict)


def _checkpoint_seeds() -> list[bytes]:
    import torch

    from pairsift.training.checkpoint import save_checkpoint

    state = {"a": torch.arange(3.0), "n": [1, None, "x"], "s": {"b": torch.zeros(2, dtype=torch.int16)}}
    path = _HOME / "seed.ckpt"
    save_checkpoint(state, path)
    new, old = io.BytesIO(), io.BytesIO()
    torch.save(state, new)
    torch.save(state, old, _use_new_zipfile_serialization=False)
    return [b"\x00" + path.read_bytes(), b"\xff" + new.getvalue(), b"\xff" + old.getvalue()]


def _weights(path: Path) -> None:
    from pairsift.training.folder import load_weights

    load_weights(path)


def _weights_seeds() -> list[bytes]:
    import torch
    from safetensors.torch import save

    return [save({"a": torch.zeros(2, 3), "b": torch.arange(4)}), save({})]


def _run_folder(path: Path) -> None:
    from pairsift.training import load_framework, load_history, load_miner

    for load in (load_framework, load_miner, load_history):
        with _refusals():
            load(path.parent)


def _run_as_file() -> Target:
    folder = _HOME / "run"
    folder.mkdir(exist_ok=True)

    def test(data: bytes) -> None:
        for name, content in zip(("framework", "miner", "history"), _weights_seeds() * 2):
            (folder / f"{name}.safetensors").write_bytes(content)
        (folder / "settings.json").write_bytes(data)
        _run_folder(folder / "settings.json")

    return test


def _run_seeds() -> list[bytes]:
    from pairsift.frameworks import build_framework
    from pairsift.training import make_settings

    small = {"encoder_options": {"widths": (2, 2, 2)}}
    found = []
    for name in ("simclr", "moco"):
        made = build_framework(name, 1, 40, **small).settings
        kept = {"format": 1, "settings": make_settings(framework=name).model_dump(), "made": made, "data": {}}
        found.append(json.dumps(kept).encode())
    return found


_AS_NPZ = _as_file(".npz", _series)

TARGETS: dict[str, Fuzzed] = {
    "npy": Fuzzed(
        _as_file(".npy", _series), lambda: [_npy(_x()), _npy(np.arange(6)), _npy(_x(), version=(3, 0))]
    ),
    "npz": Fuzzed(_AS_NPZ, _npz_seeds),
    "npz-members": Fuzzed(lambda data: _AS_NPZ(_npz_of_members(data)), _member_seeds, 1024),
    "csv": Fuzzed(_as_file(".csv", _series), _csv_seeds, 512),
    "tsv": Fuzzed(_as_file(".tsv", _series), _csv_seeds, 512),
    "ts": Fuzzed(_as_file(".ts", _series), _ts_seeds, 512),
    "parquet": Fuzzed(_as_file(".parquet", _series), _parquet_seeds, 8192),
    "uci-text": Fuzzed(_numbers, lambda: [b"1 2 3\n4 5 6\n", b"1\n2\n6\n", b" 1e-3  2 nan\n"], 256),
    "uci-csv": Fuzzed(_as_file(".csv", _uci_csv), _uci_seeds),
    "uci-zip": Fuzzed(_as_file(".zip", _publisher_zip), _zip_seeds),
    "publisher-npz": Fuzzed(_as_file(".npz", _publisher_npz), _npz_seeds),
    "hypnogram": Fuzzed(_as_file("-Hypnogram.edf", _hypnogram), _edf_seeds("hypnogram")),
    "recording": Fuzzed(_as_file("-PSG.edf", _recording), _edf_seeds("psg"), 8192),
    "ecg-header": Fuzzed(_as_file(".hea", _ecg_header), _ecg_seeds, 2048),
    "ecg-codes": Fuzzed(_codes, lambda: [b"{'NORM': 100.0, 'SR': 0.0}"], 256),
    "prepared": Fuzzed(_card_as_file(), _card_seeds),
    "settings-toml": Fuzzed(_as_file(".toml", _toml), _toml_seeds, 512),
    "set-option": Fuzzed(
        _set_option, lambda: [b"temperature=0.1\0encoder=resnet18", b"encoder_options={widths=[1]}"], 256
    ),
    "bench-spec": Fuzzed(_as_file(".toml", _spec), _spec_seeds, 512),
    "checkpoint": Fuzzed(_checkpoint, _checkpoint_seeds),
    "safetensors": Fuzzed(_as_file(".safetensors", _weights), _weights_seeds, 512),
    "run-folder": Fuzzed(_run_as_file(), _run_seeds),
}
