"""Writes datasets as their publishers ship them, small and made up, or whole from the real arrays."""

from __future__ import annotations

import os
import zipfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

SIGNALS = [f"{kind}_{axis}" for kind in ("body_acc", "body_gyro", "total_acc") for axis in "xyz"]
SETS = {"Z": 5, "O": 4, "N": 3, "F": 2, "S": 1}
LEADS = ["I", "II", "III", "AVR", "AVL", "AVF", "V1", "V2", "V3", "V4", "V5", "V6"]


def real(*names: str) -> Path:
    """A path in the real data, or a skip that says why."""
    root = os.environ.get("PAIRSIFT_DATA")
    path = Path(root or "unset").joinpath(*names)
    if not root or not path.exists():
        pytest.skip(f"needs the real data: PAIRSIFT_DATA is {root or 'unset'}, without {'/'.join(names)}")
    return path


def zipped(folder: Path, out: Path) -> Path:
    """The files below a folder in a zip, named from the folder itself on."""
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for path in sorted(folder.rglob("*")):
            if path.is_file():
                archive.write(path, path.relative_to(folder.parent).as_posix())
    return out


# --- UCI HAR ---------------------------------------------------------------------------------------------


def har_arrays(rng: np.random.Generator, train: int = 60, test: int = 20) -> dict[str, Any]:
    """Made-up HAR: 6 people, the last two of them in the test."""
    is_test = np.repeat([False, True], [train, test])
    person = np.concatenate([np.sort(rng.integers(1, 5, train)), np.sort(rng.integers(5, 7, test))])
    x = rng.normal(size=(train + test, 9, 128)).astype(np.float32)
    return {"X": x, "y": np.arange(train + test) % 6, "subject": person, "official_test": is_test}


def write_har(folder: Path, held: dict[str, Any]) -> Path:
    """The folder 'UCI HAR Dataset' as it is shipped: blanks, exponents of three digits, CRLF-free lines."""
    top = folder / "UCI HAR Dataset"
    for part, rows in (("train", ~held["official_test"]), ("test", held["official_test"])):
        (top / part / "Inertial Signals").mkdir(parents=True)
        write_lines(top / part / f"y_{part}.txt", held["y"][rows] + 1)
        write_lines(top / part / f"subject_{part}.txt", held["subject"][rows])
        line = " %15.7e" * 128 + "\n"
        for channel, signal in enumerate(SIGNALS):
            text = "".join(line % tuple(row) for row in held["X"][rows, channel].tolist())
            text = text.replace("e-", "e-0").replace("e+", "e+0")
            (top / part / "Inertial Signals" / f"{signal}_{part}.txt").write_text(text)
    (top / "README.txt").write_text("Human Activity Recognition Using Smartphones Dataset\n")
    return top


def write_lines(path: Path, values: Any) -> None:
    path.write_text("".join(f"{value}\n" for value in values))


# --- Epilepsy --------------------------------------------------------------------------------------------


def bonn_arrays(rng: np.random.Generator, a_set: int = 100) -> tuple[np.ndarray, list[str]]:
    """Made-up Bonn recordings (R, 4097) and their names; seizures are louder."""
    names = [f"{letter}{number:03d}" for letter in SETS for number in range(1, a_set + 1)]
    loud = np.array([400 if name[0] == "S" else 60 for name in names])
    return np.rint(rng.normal(size=(len(names), 4097)) * loud[:, None]).astype(np.int16), names


def write_bonn(folder: Path, signals: np.ndarray, names: Sequence[str], as_zips: bool = False) -> Path:
    """Five folders (or zips) of text files, one number a line; set N's files end in .TXT, as Bonn's do."""
    for letter in SETS:
        (folder / letter).mkdir(parents=True)
    for values, name in zip(signals, names):
        end = "TXT" if name[0] == "N" else "txt"
        (folder / name[0] / f"{name}.{end}").write_text("\n".join(map(str, values.tolist())) + "\n")
    if as_zips:
        for letter in SETS:
            zipped(folder / letter, folder / f"{letter}.zip")
            for path in (folder / letter).iterdir():
                path.unlink()
            (folder / letter).rmdir()
    return folder


def chunks(signals: np.ndarray) -> np.ndarray:
    """Recordings (R, 4097) as UCI cut them: (R * 23, 178)."""
    return np.concatenate([[row[178 * k : 178 * (k + 1)] for k in range(23)] for row in signals])


def write_uci_csv(path: Path, x: np.ndarray, y: np.ndarray, ids: Sequence[str] | None) -> Path:
    """UCI's table: a nameless id column, X1 to X178, y."""
    head = ["", *(f"X{step}" for step in range(1, 179)), "y"]
    rows = [[*map(str, row), str(label)] for row, label in zip(x.tolist(), y.tolist())]
    if ids is None:
        head = head[1:]
    else:
        rows = [[name, *row] for name, row in zip(ids, rows)]
    path.write_text("\n".join(",".join(row) for row in [head, *rows]) + "\n")
    return path


def uci_ids(recording: Sequence[int], chunk: Sequence[int]) -> list[str]:
    """Ids as UCI writes them: X21.V1.791 is chunk 21 of recording V1.791."""
    return [f"X{one + 1}.V1.{of}" if of else f"X{one + 1}.V1" for of, one in zip(recording, chunk)]


# --- Sleep-EDF -------------------------------------------------------------------------------------------


def write_edf(
    path: Path,
    labels: Sequence[str],
    records: Sequence[bytes],
    sizes: Sequence[int],
    seconds: float,
    kind: str = "",
) -> Path:
    """A minimal EDF file: int16 samples, physical minimum and maximum -1000 and 1000 uV over the whole range.

    Args:
        labels: the channels' names.
        records: each data record's bytes.
        sizes: samples a record, by channel.
        seconds: a record's length.
        kind: ``EDF+C`` for a hypnogram.
    """

    def fields(values: Sequence[object], width: int) -> str:
        return "".join(str(value).ljust(width)[:width] for value in values)

    count = len(labels)
    head = fields(["0"], 8) + fields(["X X X X", "Startdate 24-APR-1989 X X X"], 80)
    head += "24.04.8916.13.00" + fields([256 * (count + 1)], 8) + fields([kind], 44)
    head += fields([len(records), f"{seconds:g}"], 8) + fields([count], 4)
    head += fields(labels, 16) + fields([""] * count, 80) + fields(["uV"] * count, 8)
    head += fields([-1000] * count, 8) + fields([1000] * count, 8)
    head += fields([-32768] * count, 8) + fields([32767] * count, 8)
    head += fields([""] * count, 80) + fields(sizes, 8) + fields([""] * count, 32)
    path.write_bytes(head.encode("ascii") + b"".join(records))
    return path


def digital(epoch: np.ndarray) -> np.ndarray:
    """The made-up recording's samples (n, 3000) int16: each epoch's number, then a ramp."""
    ramp = np.arange(3000) % 50
    return ((epoch[:, None] * 7) % 20000 + ramp).astype("<i2")


def microvolts(samples: np.ndarray) -> np.ndarray:
    """What ``write_edf``'s scale makes of samples."""
    return (samples.astype(np.float64) + 32768) * (2000 / 65535) - 1000


def write_psg(path: Path, epochs: int, channel: str = "EEG Fpz-Cz", rate: int = 100) -> Path:
    """A recording of that many epochs of 30 s: the wanted channel and a slow one."""
    samples = digital(np.arange(epochs))[:, : 30 * rate]
    slow = np.zeros(30, "<i2").tobytes()
    return write_edf(
        path, [channel, "Event marker"], [row.tobytes() + slow for row in samples], [30 * rate, 30], 30.0
    )


def write_hypnogram(path: Path, stages: Sequence[tuple[str, float]]) -> Path:
    """An EDF+ hypnogram: stages one after the other, each with its seconds."""
    text, start = b"+0\x14\x14\x00", 0.0
    for stage, seconds in stages:
        text += f"+{start:g}\x15{seconds:g}\x14{stage}\x14\x00".encode()
        start += seconds
    text += b"\x00" * (len(text) % 2)
    return write_edf(path, ["EDF Annotations"], [text], [len(text) // 2], 0.0, "EDF+C")


NIGHT = [
    ("Sleep stage W", 90 * 30.0),
    ("Sleep stage 1", 4 * 30.0),
    ("Sleep stage 2", 10 * 30.0),
    ("Movement time", 2 * 30.0),
    ("Sleep stage 3", 5 * 30.0),
    ("Sleep stage 4", 3 * 30.0),
    ("Sleep stage W", 2 * 30.0),
    ("Sleep stage R", 8 * 30.0),
    ("Sleep stage W", 70 * 30.0),
    ("Sleep stage ?", 30 * 30.0),
]


def write_sleep(folder: Path, people: Sequence[int], nights: Sequence[int] = (1,), epochs: int = 200) -> Path:
    """PSG and hypnogram pairs, named as PhysioNet names them."""
    folder.mkdir(parents=True, exist_ok=True)
    for person in people:
        for night in nights:
            write_psg(folder / f"SC4{person:02d}{night}E0-PSG.edf", epochs)
            write_hypnogram(folder / f"SC4{person:02d}{night}EC-Hypnogram.edf", NIGHT)
    return folder


# --- PTB-XL ----------------------------------------------------------------------------------------------


def statements() -> dict[str, tuple[bool, bool, bool]]:
    """71 made-up statements: 44 diagnostic, 19 form (4 of them both), 12 rhythm."""
    both = {f"B{k}": (True, True, False) for k in range(4)}
    diagnostic = {f"D{k:02d}": (True, False, False) for k in range(40)}
    form = {f"F{k:02d}": (False, True, False) for k in range(15)}
    return {**both, **diagnostic, **form, **{f"R{k:02d}": (False, False, True) for k in range(12)}}


def write_record(path: Path, samples: np.ndarray, leads: Sequence[str] = LEADS, rate: int = 100) -> None:
    """A WFDB record of int16 samples (12, T) in thousandths of a millivolt, with its checksums."""
    path.parent.mkdir(parents=True, exist_ok=True)
    head = [f"{path.name} {len(leads)} {rate} {samples.shape[1]}"]
    for lead, row in zip(leads, samples):
        total = int(row.astype(np.int64).sum()) % 65536
        head.append(f"{path.name}.dat 16 1000.0(0)/mV 16 0 {row[0]} {total} 0 {lead}")
    path.with_suffix(".hea").write_text("\n".join(head) + "\n")
    path.with_suffix(".dat").write_bytes(np.ascontiguousarray(samples.T, "<i2").tobytes())


def write_ptb_xl(folder: Path, rng: np.random.Generator, records: int = 60) -> dict[str, Any]:
    """PTB-XL's tree of that many records; every seventh has a rhythm only. Returns what was written."""
    folder.mkdir(parents=True)
    names = statements()
    rows = [",description,diagnostic,form,rhythm"]
    rows += [
        f"{name},made up,{','.join('1.0' if flag else '' for flag in flags)}" for name, flags in names.items()
    ]
    (folder / "scp_statements.csv").write_text("\n".join(rows) + "\n")
    samples = rng.integers(-2000, 2000, (records, 12, 1000), dtype=np.int16)
    codes = [_codes(rng, record) for record in range(records)]
    lines = ["ecg_id,patient_id,scp_codes,strat_fold,filename_lr"]
    for record in range(records):
        name = f"records100/00000/{record + 1:05d}_lr"
        write_record(folder / name, samples[record])
        said = (
            "{"
            + ", ".join(f"'{code}': {100.0 * (place == 0)}" for place, code in enumerate(codes[record]))
            + "}"
        )
        lines.append(f'{record + 1},{1000 + record // 2}.0,"{said}",{record // 2 % 10 + 1},{name}')
    (folder / "ptbxl_database.csv").write_text("\n".join(lines) + "\n")
    return {"samples": samples, "codes": codes, "fold": np.arange(records) // 2 % 10 + 1, "names": names}


def _codes(rng: np.random.Generator, record: int) -> list[str]:
    rhythm = f"R{rng.integers(12):02d}"
    if record % 7 == 0:
        return [rhythm]
    return [f"D{rng.integers(40):02d}", f"B{rng.integers(4)}", f"F{rng.integers(15):02d}", rhythm][
        : 2 + record % 3
    ]
