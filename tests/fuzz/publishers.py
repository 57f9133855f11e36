"""Fuzzing the readers of publishers' files, and of what was prepared from them."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import numpy as np
from tests.fuzz.base import HOME, Target, as_file, npy, refusals, zipped


def numbers(data: bytes) -> None:
    from pairsift.data.tables import read_numbers, read_whole_numbers

    with refusals():
        assert read_numbers(data, "x.txt", 3).shape[1] == 3
    with refusals():
        read_whole_numbers(data, "y.txt", 1, 6)


def publisher_npz(path: Path) -> None:
    from pairsift.data.tables import read_npz

    read_npz(path, ("X", "y"), ("group",))


def publisher_zip(path: Path) -> None:
    from pairsift.data.har import scan

    scan(path)


def uci_csv(path: Path) -> None:
    from pairsift.data.epilepsy import scan

    scan(path)


def uci_seeds() -> list[bytes]:
    head = ",".join(["", *(f"X{k}" for k in range(1, 179)), "y"])
    row = ",".join(["X21.V1.791", *(str(k) for k in range(178)), "4"])
    return [f"{head}\n{row}\n".encode()]


def zip_seeds() -> list[bytes]:
    text = b"1\n2\n"
    return [
        zipped({"h/train/y_train.txt": text, "h/train/subject_train.txt": text}),
        zipped({"a.zip": zipped({})}),
    ]


def hypnogram(path: Path) -> None:
    from pairsift.data.edf import read_annotations
    from pairsift.data.sleep_edf import stages

    said = read_annotations(path)
    stages(said.onset, said.duration, list(said.description), 10, path.name)


def recording(path: Path) -> None:
    from pairsift.data.edf import open_channel

    open_channel(path, "EEG Fpz-Cz", 100)


def edf_seeds(kind: str) -> Callable[[], list[bytes]]:
    def seeds() -> list[bytes]:
        from tests.data.publisher import write_hypnogram, write_psg

        path = HOME / "seed.edf"
        if kind == "psg":
            write_psg(path, 1)
            return [path.read_bytes()[: 256 * 3 + 200], path.read_bytes()]
        write_hypnogram(path, [("Sleep stage W", 60.0), ("Sleep stage 1", 90.0), ("Sleep stage ?", 30.0)])
        return [path.read_bytes()]

    return seeds


def codes(data: bytes) -> None:
    from pairsift.data.ptb_xl import _codes

    with refusals():
        _codes(data.decode("utf-8", "replace"), 0, Path("x"))


def ecg_header(path: Path) -> None:
    from pairsift.data.ptb_xl import read_record

    path.with_suffix(".dat").write_bytes(bytes(24_000))
    read_record(path.with_suffix(""))


def ecg_seeds() -> list[bytes]:
    leads = ("I", "II", "III", "AVR", "AVL", "AVF", "V1", "V2", "V3", "V4", "V5", "V6")
    lines = "".join(f"r.dat 16 1000(0)/mV 16 0 0 0 0 {lead}\n" for lead in leads)
    return [f"r 12 100 1000\n{lines}".replace("r.dat", "x.dat").replace("r 12", "x 12").encode()]


def ecg_tables() -> Target:
    """The first byte says which of PTB-XL's two tables the rest stands in for."""
    folder = HOME / "ptb-xl"
    folder.mkdir(exist_ok=True)
    names = ("ptbxl_database.csv", "scp_statements.csv")

    def test(data: bytes) -> None:
        from pairsift.data.ptb_xl import scan

        for name, sound in zip(names, ecg_table_seeds()):
            (folder / name).write_bytes(sound[1:])
        (folder / names[data[0] % 2 if data else 0]).write_bytes(data[1:])
        with refusals():
            scan(folder)

    return test


def ecg_table_seeds() -> list[bytes]:
    kinds = [",1,,"] * 44 + [",,1,"] * 19 + [",,,1"] * 12
    statements = "".join(f"S{number}{kind}\n" for number, kind in enumerate(kinds))
    records = "".join(f"{k},1000.0,\"{{'S{k}': 100.0}}\",{k},x\n" for k in range(1, 6))
    return [
        b"\x00" + f"ecg_id,patient_id,scp_codes,strat_fold,filename_lr\n{records}".encode(),
        b"\x01" + f"code,diagnostic,form,rhythm\n{statements}".encode(),
    ]


def ecg_signal(data: bytes) -> None:
    """A sound header beside any signal: its length or its checksums cannot fit."""
    from pairsift.data.ptb_xl import read_record

    path = HOME / "y"
    path.with_suffix(".hea").write_bytes(ecg_seeds()[0].replace(b"x.dat", b"y.dat").replace(b"x 12", b"y 12"))
    path.with_suffix(".dat").write_bytes(data)
    with refusals():
        read_record(path)


def card(path: Path) -> None:
    from pairsift.data import load_folder

    load_folder(path.parent)


def card_as_file() -> Target:
    folder = HOME / "prepared"
    folder.mkdir(exist_ok=True)
    x = np.zeros((4, 1, 3), np.float32)
    for name, array in {"X": x, "y-t": np.arange(4), "ids": np.arange(4), "group": np.arange(4)}.items():
        np.save(folder / f"{name}.npy", array)
    np.savez(folder / "split-t-published.npz", train=[0, 1], val=[2], test=[3])
    inner = as_file("", lambda path: (path.rename(folder / "card.json"), card(folder / "card.json")))

    def split(data: bytes) -> None:
        """The first byte says which file of the folder the rest stands in for."""
        names = ("card.json", "y-t.npy", "ids.npy", "X.npy", "group.npy", "split-t-published.npz")
        name = names[data[0] % len(names)] if data else names[0]
        if name == "card.json":
            inner(data[1:])
            return
        (folder / "card.json").write_bytes(card_seeds()[0][1:])
        kept = (folder / name).read_bytes()
        (folder / name).write_bytes(data[1:])
        try:
            with refusals():
                card(folder / "card.json")
        finally:
            (folder / name).write_bytes(kept)

    return split


def card_seeds() -> list[bytes]:
    task = {"classes": list("abcd"), "splits": {"published": {"scaling": "none"}}, "missing": {}}
    card = {"format": 1, "name": "har", "shape": [4, 1, 3], "tasks": {"t": task}, "facts": {}, "notes": []}
    arrays = [np.arange(4), np.arange(4), np.zeros((4, 1, 3), np.float32), np.arange(4)]
    found = [b"\x00" + json.dumps({**card, "sha256": "x"}).encode()]
    found += [bytes([at]) + npy(array) for at, array in enumerate(arrays, 1)]
    return [*found, b"\x05" + zipped({f"{p}.npy": npy(np.arange(2)) for p in ("train", "val", "test")})]
