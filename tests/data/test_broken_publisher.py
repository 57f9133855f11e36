"""Broken publisher's files: each gives one sentence, with the file's name and what to do."""

from __future__ import annotations

import io
import re
import shutil
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.data import publisher

from pairsift.data import prepare

Break = Callable[[Path], Path]  # harms a copy of the raw folder and gives the source to prepare
HAR, INERTIAL = "UCI HAR Dataset", "UCI HAR Dataset/train/Inertial Signals"


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Sound raw copies of everything."""
    root, rng = tmp_path_factory.mktemp("whole"), np.random.default_rng(0)
    publisher.write_har(root / "har", publisher.har_arrays(rng, train=12, test=6))
    (root / "epilepsy").mkdir()
    ids = publisher.uci_ids(np.arange(60) // 6, np.arange(60) % 6)
    labels = np.arange(60) // 6 % 5 + 1
    publisher.write_uci_csv(root / "epilepsy" / "data.csv", rng.integers(-99, 99, (60, 178)), labels, ids)
    publisher.write_bonn(root / "bonn", *publisher.bonn_arrays(rng))
    publisher.write_sleep(root / "sleep-edf", [0, 1, 2], epochs=130)
    publisher.write_ptb_xl(root / "ptb-xl", rng, records=20)
    return root


# --- ways to break something -----------------------------------------------------------------------------


def write(name: str, content: str | bytes) -> Break:
    def harm(folder: Path) -> Path:
        (folder / name).write_bytes(content.encode() if isinstance(content, str) else content)
        return folder

    return harm


def edit(name: str, change: Callable[[bytes], bytes]) -> Break:
    def harm(folder: Path) -> Path:
        before = (folder / name).read_bytes()
        (folder / name).write_bytes(change(before))
        assert (folder / name).read_bytes() != before
        return folder

    return harm


def swap(name: str, old: str, new: str, count: int = 1) -> Break:
    return edit(name, lambda data: data.replace(old.encode(), new.encode(), count))


def lines(name: str, change: Callable[[list[bytes]], list[bytes]]) -> Break:
    return edit(name, lambda data: b"\n".join(change(data.split(b"\n"))))


def remove(pattern: str) -> Break:
    def harm(folder: Path) -> Path:
        found = list(folder.rglob(pattern))
        assert found
        for path in found:
            shutil.rmtree(path) if path.is_dir() else path.unlink()
        return folder

    return harm


def cells(row: bytes, place: int, text: bytes) -> bytes:
    parts = row.split(b",")
    parts[place] = text
    return b",".join(parts)


def as_zip(change: Callable[[zipfile.ZipFile], None]) -> Break:
    def harm(folder: Path) -> Path:
        path = publisher.zipped(folder / HAR, folder / "UCI HAR Dataset.zip")
        with zipfile.ZipFile(path, "a", zipfile.ZIP_DEFLATED) as archive:
            change(archive)
        return path

    return harm


def bytes_of_zip(change: Callable[[bytearray], bytes]) -> Break:
    def harm(folder: Path) -> Path:
        path = publisher.zipped(folder / HAR, folder / "UCI HAR Dataset.zip")
        path.write_bytes(change(bytearray(path.read_bytes())))
        return path

    return harm


def lock(data: bytearray) -> bytes:
    """Set the flag that says a zip's first entry is encrypted, in the central directory."""
    data[data.index(b"PK\x01\x02") + 8] |= 1
    return bytes(data)


def spoil(data: bytearray) -> bytes:
    """Turn the bits of one signal's compressed bytes."""
    start = data.index(b"body_gyro_x_train.txt") + 200
    data[start : start + 50] = bytes(255 - value for value in data[start : start + 50])
    return bytes(data)


def npz(**changes: Any) -> Break:
    def harm(folder: Path) -> Path:
        held = {**publisher.har_arrays(np.random.default_rng(0), 12, 6), **changes}
        path = folder / "uci_har.npz"
        np.savez(path, **{name: value for name, value in held.items() if value is not None})
        return path

    return harm


def long_header(folder: Path) -> Path:
    """An array whose header promises a terabyte."""
    path = npz()(folder)
    head = io.BytesIO()
    np.lib.format.write_array_header_1_0(
        head, {"descr": "<f4", "fortran_order": False, "shape": (10**9, 9, 128)}
    )
    with zipfile.ZipFile(path) as archive:
        kept = {name: archive.read(name) for name in archive.namelist() if name != "X.npy"}
    with zipfile.ZipFile(path, "w") as archive:
        for name, data in {**kept, "X.npy": head.getvalue() + b"\0" * 64}.items():
            archive.writestr(name, data)
    return path


def psg(**how: Any) -> Break:
    def harm(folder: Path) -> Path:
        publisher.write_psg(folder / "SC4011E0-PSG.edf", how.pop("epochs", 130), **how)
        return folder

    return harm


def night(stages: list[tuple[str, float]]) -> Break:
    def harm(folder: Path) -> Path:
        publisher.write_hypnogram(folder / "SC4011EC-Hypnogram.edf", stages)
        return folder

    return harm


def twice(folder: Path) -> Path:
    (folder / "more").mkdir()
    shutil.copy(folder / "SC4001E0-PSG.edf", folder / "more" / "SC4001E0-PSG.edf")
    return folder


def record(**how: Any) -> Break:
    def harm(folder: Path) -> Path:
        samples = np.zeros((len(how.get("leads", publisher.LEADS)), how.pop("length", 1000)), np.int16)
        publisher.write_record(folder / "records100/00000/00004_lr", samples, **how)
        return folder

    return harm


def two_tables(folder: Path) -> Path:
    shutil.copy(folder / "data.csv", folder / "copy.csv")
    return folder


def bonn_array(folder: Path) -> Path:
    np.savez(folder / "bonn.npz", X=np.zeros((5, 4000), np.int16), y_uci=np.ones(5, int))
    return folder / "bonn.npz"


def itself(folder: Path) -> Path:
    return folder


def child(name: str) -> Break:
    return lambda folder: folder / name


def empty(folder: Path) -> Path:
    (folder / "nothing").mkdir()
    return folder / "nothing"


SIGNAL, TABLE, DATABASE = f"{INERTIAL}/body_acc_y_train.txt", "data.csv", "ptbxl_database.csv"
LABELS, PEOPLE = f"{HAR}/train/y_train.txt", f"{HAR}/train/subject_train.txt"
PSG, HYPNOGRAM = "SC4011E0-PSG.edf", "SC4011EC-Hypnogram.edf"
DAT, HEA = "records100/00000/00004_lr.dat", "records100/00000/00004_lr.hea"

CASES: dict[str, tuple[str, Break, str]] = {
    # HAR's text
    "a signal is missing": ("har", remove("total_acc_z_test.txt"), r"total_acc_z_test\.txt is missing"),
    "labels of the test are missing": ("har", remove("y_test.txt"), r"y_test\.txt is missing"),
    "a signal has fewer lines": (
        "har",
        lines(SIGNAL, lambda all: all[:7]),
        r"body_acc_y_train\.txt has 7 lines",
    ),
    "a signal is cut in a line": (
        "har",
        edit(SIGNAL, lambda data: data[:-900]),
        r"body_acc_y_train\.txt .* changed from 128 to \d+ in row 12",
    ),
    "a line is short": ("har", lines(SIGNAL, lambda all: [all[0][:-20], *all[1:]]), r"body_acc_y_train\.txt"),
    "every line is short": (
        "har",
        lines(SIGNAL, lambda all: [line[:-16] for line in all]),
        r"body_acc_y_train\.txt has 127 numbers a line where 128",
    ),
    "text in a signal": ("har", swap(SIGNAL, "e-0", "x-0"), r"body_acc_y_train\.txt is no .* in row 1\D"),
    "bytes that are no text": ("har", write(SIGNAL, b"\xff\xfe\x00 \x81" * 50), r"body_acc_y_train\.txt"),
    "an empty signal": ("har", write(SIGNAL, ""), r"body_acc_y_train\.txt is empty"),
    "a signal of blank lines": ("har", write(SIGNAL, "\n \n"), r"body_acc_y_train\.txt is empty"),
    "NaN in a signal": (
        "har",
        lines(SIGNAL, lambda all: [b" nan" + all[0][17:], *all[1:]]),
        r"body_acc_y_train\.txt has a missing or infinite number in row 1",
    ),
    "an activity too many": (
        "har",
        lines(LABELS, lambda all: [b"7", *all[1:]]),
        r"y_train\.txt .*1 to 6, got 7",
    ),
    "half an activity": ("har", lines(LABELS, lambda all: [b"2.5", *all[1:]]), r"y_train\.txt .*got 2\.5"),
    "a person too few": ("har", lines(PEOPLE, lambda all: all[1:]), r"subject_train\.txt has 11 lines"),
    "person 31": ("har", lines(PEOPLE, lambda all: [b"31", *all[1:]]), r"subject_train\.txt .*1 to 30"),
    "a folder of something else": ("har", empty, r"nothing holds no train/y_train\.txt"),
    "no such path": ("har", child("elsewhere"), r"no file or folder .*elsewhere"),
    "a file that is no zip": ("har", child(f"{HAR}/README.txt"), r"README\.txt is no whole zip"),
    # HAR's zip
    "a path that climbs out of the zip": (
        "har",
        as_zip(lambda archive: archive.writestr("../../evil.txt", "x")),
        r"UCI HAR Dataset\.zip has an entry that leads out of it",
    ),
    "a path from the root in the zip": (
        "har",
        as_zip(lambda archive: archive.writestr("/etc/evil.txt", "x")),
        r"UCI HAR Dataset\.zip has an entry that leads out of it",
    ),
    "a path with a line break": (
        "har",
        as_zip(lambda archive: archive.writestr("../a\nTraceback: all is lost", "x")),
        r"UCI HAR Dataset\.zip has an entry that leads out of it",
    ),
    "a Windows path in the zip": (
        "har",
        as_zip(lambda archive: archive.writestr("C:\\evil.txt", "x")),
        r"UCI HAR Dataset\.zip has an entry that leads out of it",
    ),
    "a zip bomb": (
        "har",
        as_zip(lambda archive: archive.writestr("train/zeros.txt", b"0" * (150 << 20))),
        r"UCI HAR Dataset\.zip says that .* unpack to 150 MB",
    ),
    "a cut zip": (
        "har",
        bytes_of_zip(lambda data: bytes(data[: len(data) // 2])),
        r"UCI HAR Dataset\.zip is no whole",
    ),
    "a spoiled zip": ("har", bytes_of_zip(spoil), r"body_gyro_x_train\.txt cannot be read"),
    "a locked zip": ("har", bytes_of_zip(lock), r"UCI HAR Dataset\.zip is locked"),
    # HAR's arrays
    "a pickle in the npz": ("har", npz(y=np.array([{}] * 18, object)), r"uci_har\.npz: .* never unpickled"),
    "an array too few": ("har", npz(subject=None), r"uci_har\.npz has no array named subject"),
    "an array of another shape": (
        "har",
        npz(X=np.zeros((18, 128, 9), np.float32)),
        r"uci_har\.npz: X must be",
    ),
    "arrays that do not fit": ("har", npz(y=np.zeros(17, int)), r"uci_har\.npz: y must have shape"),
    "no test part": ("har", npz(official_test=np.zeros(18, bool)), r"uci_har\.npz: there is no test part"),
    "infinity in the npz": (
        "har",
        npz(X=np.full((18, 9, 128), np.inf, np.float32)),
        r"uci_har\.npz: X has a missing",
    ),
    "a header that lies": ("har", long_header, r"uci_har\.npz: the array X is not as long"),
    # Epilepsy's table
    "a column is missing": (
        "epilepsy",
        swap(TABLE, "X178", "Z178"),
        r"data\.csv must have .* X178 is missing",
    ),
    "a column too many": (
        "epilepsy",
        lines(TABLE, lambda all: [b"more," + line for line in all if line]),
        r"data\.csv must have .* 2 other columns",
    ),
    "a row is short": (
        "epilepsy",
        lines(TABLE, lambda all: [*all[:4], all[4].rsplit(b",", 1)[0], *all[5:]]),
        r"data\.csv has 179 fields in line 5",
    ),
    "text in the table": (
        "epilepsy",
        lines(TABLE, lambda all: [*all[:3], cells(all[3], 5, b"abc"), *all[4:]]),
        r"data\.csv must hold numbers only, got 'abc' in column X5, row 3",
    ),
    "an empty cell": (
        "epilepsy",
        lines(TABLE, lambda all: [*all[:3], cells(all[3], 5, b""), *all[4:]]),
        r"data\.csv must hold numbers only, got 'nan' in column X5, row 3",
    ),
    "a sixth class": (
        "epilepsy",
        lines(TABLE, lambda all: [*all[:3], cells(all[3], -1, b"6"), *all[4:]]),
        r"data\.csv: y must hold whole numbers from 1 to 5, got 6 in row 3",
    ),
    "a header alone": ("epilepsy", lines(TABLE, lambda all: all[:1]), r"data\.csv is empty"),
    "an empty table": ("epilepsy", write(TABLE, ""), r"data\.csv is empty"),
    "a table of bytes": ("epilepsy", write(TABLE, b"\xff\xfe,\x81\n" * 9), r"data\.csv"),
    "two tables": ("epilepsy", two_tables, r"holds 2 CSV files"),
    "neither table nor text": ("epilepsy", empty, r"holds neither UCI's CSV nor Bonn's"),
    # Bonn's files
    "a recording is missing": ("bonn", remove("O050.txt"), r"lacks 1 of Bonn's 500 recordings \(O050\.txt"),
    "a set is missing": ("bonn", remove("S"), r"lacks 100 of Bonn's 500 recordings \(S001\.txt"),
    "a recording is short": (
        "bonn",
        lines("F/F003.txt", lambda all: all[:4000]),
        r"F003\.txt has 4000 values where 4097",
    ),
    "a recording has two columns": (
        "bonn",
        swap("F/F003.txt", "\n", " 1\n", -1),
        r"F003\.txt has 2 numbers a line",
    ),
    "an array of other recordings": (
        "bonn",
        bonn_array,
        r"bonn\.npz: X must be numbers \(N, 178\) or \(N, 4097\)",
    ),
    # Sleep-EDF
    "another channel": (
        "sleep-edf",
        psg(channel="EEG Cz-Oz"),
        r"SC4011E0-PSG\.edf has no channel EEG Fpz-Cz",
    ),
    "another rate": ("sleep-edf", psg(rate=50), r"SC4011E0-PSG\.edf has 50 samples a second"),
    "a cut recording": ("sleep-edf", edit(PSG, lambda data: data[:-5000]), r"SC4011E0-PSG\.edf is shorter"),
    "a cut header": (
        "sleep-edf",
        edit(PSG, lambda data: data[:300]),
        r"SC4011E0-PSG\.edf is no EDF file, or a cut",
    ),
    "an empty recording": ("sleep-edf", write(PSG, b""), r"SC4011E0-PSG\.edf is no EDF file"),
    "a recording of text": ("sleep-edf", write(PSG, "hello " * 100), r"SC4011E0-PSG\.edf is no EDF file"),
    "a recording without its hypnogram": (
        "sleep-edf",
        remove(HYPNOGRAM),
        r"SC4011E0-PSG\.edf has no SC4011\*",
    ),
    "hypnograms alone": ("sleep-edf", remove("*-PSG.edf"), r"holds no SC4\*-PSG\.edf"),
    "a hypnogram of text": (
        "sleep-edf",
        write(HYPNOGRAM, "wake\n"),
        r"SC4011EC-Hypnogram\.edf is no EDF file",
    ),
    "an unknown stage": (
        "sleep-edf",
        night([("Sleep stage 5", 3000.0)]),
        r"SC4011EC-\S+ has .* 'Sleep stage 5'",
    ),
    "a stage off the grid": (
        "sleep-edf",
        night([("Sleep stage 2", 45.0)]),
        r"SC4011EC-\S+ has a stage that is no",
    ),
    "a night awake": ("sleep-edf", night([("Sleep stage W", 3000.0)]), r"SC4011EC-\S+ has no sleep"),
    "one night twice": ("sleep-edf", twice, r"two files of one night"),
    "a file for a folder": ("sleep-edf", child(PSG), r"SC4011E0-PSG\.edf is no folder"),
    # PTB-XL
    "a record without its .dat": ("ptb-xl", remove("00004_lr.dat"), r"00004_lr\.dat is missing \(1 of 40"),
    "a record without its header": ("ptb-xl", remove("00004_lr.hea"), r"00004_lr\.hea is missing"),
    "a cut record": (
        "ptb-xl",
        edit(DAT, lambda data: data[:-100]),
        r"00004_lr cannot be read as a WFDB record",
    ),
    "an empty record": ("ptb-xl", write(DAT, b""), r"00004_lr cannot be read as a WFDB record"),
    "a spoiled record": (
        "ptb-xl",
        edit(DAT, lambda data: b"\x07" * 64 + data[64:]),
        r"00004_lr\.dat does not match",
    ),
    "a header of nonsense": ("ptb-xl", write(HEA, "hello\n"), r"00004_lr"),
    "a header of another file": (
        "ptb-xl",
        swap(HEA, "00004_lr.dat", "00005_lr.dat", -1),
        r"00004_lr\.hea names another",
    ),
    "eleven leads": (
        "ptb-xl",
        record(leads=publisher.LEADS[:11]),
        r"00004_lr\.hea must be of .* leads I, II, .* got 1000",
    ),
    "leads in another order": (
        "ptb-xl",
        record(leads=publisher.LEADS[::-1]),
        r"00004_lr\.hea must be of .* leads I, II, .* got 1000",
    ),
    "500 Hz": ("ptb-xl", record(rate=500, length=5000), r"00004_lr\.hea must be of .* got .* at 500 Hz"),
    "a record of another length": (
        "ptb-xl",
        record(length=900),
        r"00004_lr\.hea must be of .* got 900 samples",
    ),
    "no database": ("ptb-xl", remove(DATABASE), r"holds no ptbxl_database\.csv"),
    "no statements": ("ptb-xl", remove("scp_statements.csv"), r"scp_statements\.csv is missing"),
    "a database without folds": (
        "ptb-xl",
        swap(DATABASE, "strat_fold", "fold"),
        r"ptbxl_database\.csv has no column",
    ),
    "an empty database": ("ptb-xl", write(DATABASE, ""), r"ptbxl_database\.csv cannot be read as CSV"),
    "a database of bytes": ("ptb-xl", write(DATABASE, b"\xff\xfe,\x81\n" * 9), r"ptbxl_database\.csv"),
    "statements that are code": (
        "ptb-xl",
        edit(DATABASE, lambda data: re.sub(rb'"\{.*?\}"', b"\"__import__('os').getcwd()\"", data, count=1)),
        r"ptbxl_database\.csv has no statements in row 1",
    ),
    "a statement nobody knows": (
        "ptb-xl",
        swap(DATABASE, "{'R", "{'Q"),
        r"scp_statements\.csv lacks the statement",
    ),
    "an eleventh fold": (
        "ptb-xl",
        swap(DATABASE, '",1,rec', '",11,rec'),
        r"ptbxl_database\.csv: strat_fold .* got 11",
    ),
    "a patient without a number": (
        "ptb-xl",
        swap(DATABASE, ",1000.0,", ",,"),
        r"ptbxl_database\.csv: patient_id",
    ),
    "a record elsewhere": (
        "ptb-xl",
        swap(DATABASE, "records100/00000/00001_lr", "../../00001_lr"),
        r"ptbxl_database\.csv names a record elsewhere",
    ),
    "a class too few": (
        "ptb-xl",
        swap("scp_statements.csv", "D39,made up,1.0", "D39,made up,"),
        r"scp_statements\.csv has 43 diagnostic statements where 44",
    ),
    "a zip for a folder": (
        "ptb-xl",
        lambda folder: publisher.zipped(folder, folder.parent / "p.zip"),
        r"p\.zip is no folder",
    ),
}


@pytest.mark.parametrize("case", CASES)
def test_broken_files_give_one_sentence(case: str, whole: Path, tmp_path: Path, pairsift) -> None:
    kind, harm, words = CASES[case]
    shutil.copytree(whole / kind, tmp_path / kind)
    source = harm(tmp_path / kind)
    name = "epilepsy" if kind == "bonn" else kind
    shown = pairsift("data", "prepare", name, "--source", source, "--root", tmp_path / "root")
    assert shown.code == 2 and shown.out == ""
    assert len(shown.err.splitlines()) == 1 and shown.err.startswith("error: ")  # so there is no traceback
    message = shown.err.removeprefix("error: ").rstrip("\n")
    assert re.search(words, message), message
    assert len(message) < 600 and not message.endswith(".")
    advice = r"[;,] (or )?(download|give|check|get|add|use|keep|unpack|do not trust|save|look)\b"
    assert re.search(advice, message), f"it does not say what to do: {message}"
    left = tmp_path / "root" / "prepared"
    assert not left.exists() or list(left.iterdir()) == []


@pytest.mark.parametrize("kind", ["har", "epilepsy", "bonn", "sleep-edf", "ptb-xl"])
def test_what_is_broken_above_is_sound_here(kind: str, whole: Path, tmp_path: Path) -> None:
    assert prepare("epilepsy" if kind == "bonn" else kind, whole / kind, tmp_path).folder.is_dir()
