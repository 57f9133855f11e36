"""Fuzzing the settings parsers, and the readers of what a run leaves behind."""

from __future__ import annotations

import hashlib
import io
import json
from collections.abc import Callable
from pathlib import Path

import numpy as np
from tests.fuzz.base import HOME, Target, refusals, series


def toml(path: Path) -> None:
    from pairsift.cli.options import merge
    from pairsift.training.settings import check_options

    check_options(merge(path, {}, []))


def data_options(path: Path) -> None:
    """How a TOML file says that series are read, tried on series."""
    from pairsift.cli.options import read_config
    from pairsift.cli.reading import load

    file = HOME / "some.npz"
    if not file.exists():
        np.savez(file, X=series(), y=np.arange(4) % 2)
    _, how = read_config(path)
    load(str(file), how)


def data_option_seeds() -> list[bytes]:
    return [
        b'[data]\nwindow = 2\nval = 0.25\ntest = 0\ndata_seed = 3\ncolumns = {y = "y", id = 0}\n',
        b'[data]\nlengths = "pad"\ngaps = "interpolate"\nchannels_last = true\nclasses = ["a", "b"]\n',
        b'[data]\norient = "wide"\nchannels = 1\nroot = "x"\nsplit = "grouped"\ntask = "t"\n',
    ]


def columns(data: bytes) -> None:
    """What --column and --classes say."""
    from pairsift.cli.reading import tidy

    words = data.decode("utf-8", "replace").split("\0")
    with refusals():
        tidy({"column": words[1:], "classes": words[0]})


def set_option(data: bytes) -> None:
    from pairsift.cli.options import merge
    from pairsift.training.settings import check_options

    with refusals():
        check_options(merge(None, {}, data.decode("utf-8", "replace").split("\0")))


def spec(path: Path) -> None:
    from pairsift.bench.matrix import read_spec

    read_spec(path)


def toml_seeds() -> list[bytes]:
    return [
        b'framework = "moco"\nepochs = 3\nnoisy = "off"\n[options]\ntemperature = 0.1\nencoder = "conv"\n',
        b'[data]\nlengths = "pad"\ncolumns = {y = "a"}\n[options.encoder_options]\nwidths = [4, 4]\n',
        b'mining = "dbpm"\nwarmup = 1\nfaulty = 1e3\nweight = "peak-one"\nlr = 1e-3\nprecision = "64-true"\n',
    ]


def spec_seeds() -> list[bytes]:
    return [
        b'title = "t"\n[matrix]\nframework = ["simclr"]\nseed = [0, 1]\n[settings]\nepochs = 3\n'
        b'[[variant]]\nname = "a"\nmining = "none"\n[[override]]\nwhen = {framework = "simclr"}\nlr = 0.1\n',
    ]


def checkpoint(data: bytes) -> None:
    """The first byte says whether the rest gets a checksum that fits: only then is it parsed further."""
    from pairsift.training.checkpoint import _MAGIC, load_checkpoint

    body = data[1:]
    if data[:1] > b"\x7f":
        body = _MAGIC + hashlib.sha256(body).hexdigest().encode() + b"\n" + body
    path = HOME / "x.ckpt"
    path.write_bytes(body)
    with refusals():
        assert isinstance(load_checkpoint(path), dict)


def checkpoint_seeds() -> list[bytes]:
    import torch

    from pairsift.training.checkpoint import save_checkpoint

    state = {"a": torch.arange(3.0), "n": [1, None, "x"], "s": {"b": torch.zeros(2, dtype=torch.int16)}}
    path = HOME / "seed.ckpt"
    save_checkpoint(state, path)
    new = io.BytesIO()
    torch.save(state, new)
    # The same, as torch wrote it before it wrote zips; made once, since addresses in memory are part of it.
    old = Path(__file__).with_name("old_torch.bin").read_bytes()
    return [b"\x00" + path.read_bytes(), b"\xff" + new.getvalue(), b"\xff" + old]


def weights(path: Path) -> None:
    from pairsift.training.folder import load_weights

    load_weights(path)


def weights_seeds() -> list[bytes]:
    import torch
    from safetensors.torch import save

    return [save({"a": torch.zeros(2, 3), "b": torch.arange(4)}), save({})]


def _small(name: str = "simclr"):
    """A tiny framework; the same weights each time."""
    import torch

    from pairsift.frameworks import build_framework

    widths = {"encoder_options": {"widths": (2, 2)}}
    options = {
        "simclr": {**widths, "hidden": 2, "projection": 2},
        "moco": {**widths, "hidden": 2, "projection": 2, "queue": 4},
    }
    with torch.random.fork_rng():
        torch.manual_seed(0)
        return build_framework(name, 1, 20, **options.get(name, {}))


def _sound_run(folder: Path) -> dict[str, bytes]:
    """What a finished run of four pairs leaves in its folder, by name."""
    import torch

    from pairsift.mining import BadPairMiner
    from pairsift.training import make_settings
    from pairsift.training.folder import save_tensors, save_weights

    folder.mkdir(exist_ok=True)
    framework = _small()
    settings = make_settings(epochs=3, batch_size=2).model_dump()
    kept = {"format": 1, "settings": settings, "made": framework.settings, "data": {}, "versions": {}}
    (folder / "settings.json").write_text(json.dumps({**kept, "source": {"data": "simulated", "root": None}}))
    save_weights(framework, folder / "framework.safetensors")
    save_weights(BadPairMiner(4), folder / "miner.safetensors")
    save_tensors({"index": torch.arange(4), "losses": torch.ones(3, 4)}, folder / "history.safetensors")
    return {path.name: path.read_bytes() for path in sorted(folder.iterdir()) if path.is_file()}


def _standing_in(folder: Path, sound: dict[str, bytes], *loads: Callable[[Path], object]) -> Target:
    """The first byte says which of a folder's sound files the rest stands in for while it is loaded."""
    names = list(sound)

    def test(data: bytes) -> None:
        name = names[data[0] % len(names)] if data else names[0]
        (folder / name).write_bytes(data[1:])
        try:
            for load in loads:
                with refusals():
                    load(folder)
        finally:
            (folder / name).write_bytes(sound[name])

    return test


def run_folder() -> Target:
    """A run's folder, a file of it damaged."""
    from pairsift.cli.reading import as_the_run
    from pairsift.training import load_framework, load_history, load_miner, read_settings

    folder = HOME / "run"
    return _standing_in(
        folder,
        _sound_run(folder),
        load_framework,
        lambda home: load_miner(home).table(),
        load_history,
        lambda home: as_the_run(read_settings(home), home, None, {}),
    )


def run_seeds() -> list[bytes]:
    files = _sound_run(HOME / "sound")
    found = [bytes([at]) + content for at, content in enumerate(files.values())]
    settings, at = json.loads(files["settings.json"]), bytes([list(files).index("settings.json")])
    others = [{**settings, "made": _small(name).settings} for name in ("moco", "btsf")]
    return found + [at + json.dumps(other).encode() for other in others]


def exported() -> Target:
    """A hub's folder, a file of it damaged."""
    from pairsift.training.export import export_hub, load_exported

    folder = HOME / "hub"
    export_hub(_small(), {"settings": {}, "data": {}}, folder)
    sound = {name: (folder / name).read_bytes() for name in ("config.json", "model.safetensors")}
    return _standing_in(folder, sound, load_exported)


def exported_seeds() -> list[bytes]:
    from pairsift.training.export import export_hub

    files = export_hub(_small(), {"settings": {}, "data": {}}, HOME / "hub-seed")
    return [bytes([at]) + path.read_bytes() for at, path in enumerate(files[:2])]


def result(data: bytes) -> None:
    """A cell of a results folder, and a spec in it."""
    from pairsift.bench.store import Store

    for part in ("cells", "specs"):
        (HOME / "results" / part).mkdir(parents=True, exist_ok=True)
        (HOME / "results" / part / "x.json").write_bytes(data)
    store = Store(HOME / "results")
    for read in (store.results, store.specs):
        with refusals():
            read()


def result_seeds() -> list[bytes]:
    cell = {"key": "ab", "made": {"name": "simclr", "temperature": 0.2}, "metrics": {"accuracy": 0.5}}
    cell |= {"settings": {"framework": "simclr", "dataset": None, "options": {}}}
    spec = {"title": "t", "matrix": {"seed": [0]}, "variant": [], "settings": {}, "override": [], "table": {}}
    return [json.dumps(cell).encode(), json.dumps(spec).encode()]
