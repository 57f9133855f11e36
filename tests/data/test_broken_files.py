"""Broken files: each gives one sentence with the file's name and what to do; nothing is ever unpickled."""

from __future__ import annotations

import io
import os
import pickle
import re
import struct
import zipfile
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from pairsift.data.files import load_series
from pairsift.errors import PairsiftError

X = np.random.default_rng(0).normal(size=(6, 2, 5)).astype(np.float32)
TS = "@problemName t\n@classLabel true a b\n@data\n"


class Bomb:
    """Unpickling this makes a folder called BOOM."""

    def __reduce__(self):
        return (os.mkdir, ("BOOM",))


def npy_bytes(array) -> bytes:
    stream = io.BytesIO()
    np.save(stream, array)
    return stream.getvalue()


def header(shape, dtype="<f4", rest=b"") -> bytes:
    text = f"{{'descr': '{dtype}', 'fortran_order': False, 'shape': {shape}, }}".encode()
    text += b" " * (-(len(text) + 11) % 64) + b"\n"
    return b"\x93NUMPY\x01\x00" + struct.pack("<H", len(text)) + text + rest


def archive(path: Path, members: dict[str, bytes], kind=zipfile.ZIP_DEFLATED) -> None:
    with zipfile.ZipFile(path, "w", kind) as file:
        for name, content in members.items():
            file.writestr(name, content)


def damaged_zip(path: Path) -> None:
    np.savez(path, X=X)
    content = bytearray(path.read_bytes())
    content[200] ^= 255  # a byte of the array: the checksum no longer fits
    path.write_bytes(content)


def zip_bomb(path: Path) -> None:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as file, file.open("X.npy", "w") as member:
        member.write(header((4_000_000, 10)))
        for _ in range(160):
            member.write(bytes(1_000_000))


def parquet(**columns) -> Callable[[Path], None]:
    return lambda path: pd.DataFrame(columns).to_parquet(path)


def cut(write: Callable[[Path], None], share: float) -> Callable[[Path], None]:
    def broken(path: Path) -> None:
        write(path)
        path.write_bytes(path.read_bytes()[: int(path.stat().st_size * share)])

    return broken


def text(content: str) -> Callable[[Path], None]:
    return lambda path: path.write_text(content)


def raw(content: bytes) -> Callable[[Path], None]:
    return lambda path: path.write_bytes(content)


def letters(code: int) -> np.ndarray:
    """Text of six letters of this number, whether there is such a letter or not."""
    return np.full(6, code, "<u4").view("<U1")


def npz(**arrays) -> Callable[[Path], None]:
    return lambda path: np.savez(path, **arrays)


def folder(**files) -> Callable[[Path], None]:
    def write(path: Path) -> None:
        path.mkdir()
        for name, content in files.items():
            target = path / name.replace("__", ".")
            if isinstance(content, np.ndarray):
                np.save(target, content)
            elif isinstance(content, dict):
                np.savez(target, **content)
            else:
                target.write_text(content)

    return write


def with_nan(value=np.nan):
    x = X.copy()
    x[2, 1, 3] = value
    return x


LONG = "id,time,v\na,0,1\na,1,2\nb,0,3\nb,1,4\n"

# the file's name, how it is written, what the sentence says, and how it is read
BROKEN: dict[str, tuple[str, Callable[[Path], object], str, dict[str, object]]] = {
    # paths
    "absent": ("x.npy", lambda p: None, "there is no such file", {}),
    "unknown suffix": ("x.xlsx", text("a"), "'.xlsx' are not read", {}),
    "no suffix": ("series", text("a"), "'nothing' are not read", {}),
    "no regular file": ("x.csv", lambda p: os.mkfifo(p), "neither a file nor a folder", {}),
    "a link to itself": ("x.npy", lambda p: p.symlink_to(p), "no such file|cannot be read", {}),
    "name too long": ("x" * 300 + ".npy", lambda p: None, "no such file|cannot be read", {}),
    "folder empty": ("mine", folder(), "holds no file ending in", {}),
    "folder without series": ("mine", folder(README__md="hi"), "holds no file ending in", {}),
    "folder of folders": (
        "mine",
        lambda p: (p / "left").mkdir(parents=True),
        "give the folder that does, such as left in it",
        {},
    ),
    "folder with other channels": (
        "mine",
        folder(a__npy=X, b__npy=X[:, :1]),
        "b.npy: has 1 channels, but a.npy",
        {},
    ),
    "folder with other lengths": ("mine", folder(a__npy=X, b__npy=X[:, :, :4]), "4 to 5 time steps", {}),
    "folder half labelled": (
        "mine",
        folder(a__npz={"X": X, "y": np.arange(6)}, b__npy=X),
        "b.npy: has no classes, but a.npz has",
        {},
    ),
    "folder half grouped": (
        "mine",
        folder(a__npz={"X": X, "group": np.arange(6)}, b__npy=X),
        "b.npy: has no group, but a.npz has",
        {},
    ),
    "folder with a broken file": (
        "mine",
        folder(a__npy=X, b__npy="no array"),
        "b.npy: is no NumPy array",
        {},
    ),
    "folder of other columns": (
        "mine",
        folder(a__csv=LONG, b__csv="id,time,v,w\na,0,1,2\n"),
        "b.csv: has 2",
        {},
    ),
    # .npy
    "npy empty": ("x.npy", raw(b""), "is empty", {}),
    "npy is text": ("x.npy", text("1,2,3"), "is no NumPy array", {}),
    "npy cut in its header": ("x.npy", raw(npy_bytes(X)[:20]), "is no NumPy array", {}),
    "npy cut in its values": ("x.npy", raw(npy_bytes(X)[:-7]), "promises.*cut off or damaged", {}),
    "npy too long": ("x.npy", raw(npy_bytes(X) + b"more"), "promises", {}),
    "npy header lies": ("x.npy", raw(header((10**9, 9, 128), rest=bytes(64))), "promises", {}),
    "npy header overflows": ("x.npy", raw(header((2**40, 2**40, 2**40))), "promises", {}),
    "npy negative shape": ("x.npy", raw(header((-6, 5), rest=bytes(120))), "header gives the shape", {}),
    "npy header is code": ("x.npy", raw(header("__import__('os').mkdir('BOOM')")), "is no NumPy array", {}),
    "npy version 9": ("x.npy", raw(b"\x93NUMPY\x09\x00" + npy_bytes(X)[8:]), "is no NumPy array", {}),
    "npy pickled": ("x.npy", raw(npy_bytes(np.array([Bomb(), 1], dtype=object))), "never unpickled", {}),
    "npy is a pickle": ("x.npy", raw(pickle.dumps(Bomb())), "is no NumPy array", {}),
    "npy of ragged lists": (
        "x.npy",
        raw(npy_bytes(np.array([[1.0], [2.0, 3.0]], dtype=object))),
        "never unpickled.*lengths evened",
        {},
    ),
    "npy of text": ("x.npy", raw(npy_bytes(np.array([["a", "b"]]))), "not numbers", {}),
    "npy complex": ("x.npy", raw(npy_bytes(X.astype(complex))), "not numbers", {}),
    "npy structured": ("x.npy", raw(npy_bytes(np.zeros(3, dtype=[("a", "f4")]))), "not numbers", {}),
    "npy of dates": ("x.npy", raw(npy_bytes(np.zeros((3, 4), "M8[s]"))), "not numbers", {}),
    "npy four axes": ("x.npy", raw(npy_bytes(X[None])), "has 4 axes", {}),
    "npy one number": ("x.npy", raw(npy_bytes(np.float32(3))), "has 0 axes", {}),
    "npy without series": ("x.npy", raw(npy_bytes(X[:0])), "holds no series", {}),
    "npy without steps": ("x.npy", raw(npy_bytes(X[:, :, :0])), "holds no series", {}),
    "npy one step": ("x.npy", raw(npy_bytes(X[:, :, :1])), "single time step", {}),
    "npy with NaN": (
        "x.npy",
        raw(npy_bytes(with_nan())),
        "1 values.*series 2, channel 1, step 3",
        {},
    ),
    "npy infinite": (
        "x.npy",
        raw(npy_bytes(with_nan(-np.inf))),
        "channel 1, step 3 is infinite",
        {},
    ),
    "npy too large": ("x.npy", raw(npy_bytes(with_nan(1).astype("f8") * 1e39)), "infinite or too large", {}),
    # .npz
    "npz is no zip": ("x.npz", text("hello"), "cannot be unpacked", {}),
    "npz truncated": ("x.npz", cut(npz(X=X), 0.6), "cannot be unpacked", {}),
    "npz damaged": ("x.npz", damaged_zip, "cannot be unpacked", {}),
    "npz empty": ("x.npz", lambda p: archive(p, {}), "holds no arrays", {}),
    "npz without X": ("x.npz", npz(data=X, more=X), "holds no array X, only data, more", {}),
    "npz pickled X": ("x.npz", npz(X=np.array([Bomb()] * 6, dtype=object)), "never unpickled", {}),
    "npz pickled y": ("x.npz", npz(X=X, y=np.array([Bomb()] * 6, dtype=object)), "never unpickled", {}),
    "npz climbs out": ("x.npz", lambda p: archive(p, {"../X.npy": npy_bytes(X)}), "do not trust", {}),
    "npz absolute name": ("x.npz", lambda p: archive(p, {"/tmp/X.npy": npy_bytes(X)}), "do not trust", {}),
    "npz holds no array": ("x.npz", lambda p: archive(p, {"X.txt": b"1"}), "is no array", {}),
    "npz bomb": ("x.npz", zip_bomb, "looks like a zip bomb", {}),
    "npz member lies": ("x.npz", lambda p: archive(p, {"X.npy": header((9, 9, 9))}), "promises", {}),
    "npz text X": ("x.npz", npz(X=np.array([["a", "b"]])), "X must hold numbers", {}),
    "npz y of no letters": (
        "x.npz",
        npz(X=X, y=letters(0x110000)),
        "y holds text with what is no character",
        {},
    ),
    "npz group of half letters": ("x.npz", npz(X=X, group=letters(0xD800)), "group holds text with what", {}),
    "npz classes swapped": ("x.npz", npz(X=X, classes=letters(0x41).view(">U1")), "no character", {}),
    "npz y of other length": ("x.npz", npz(X=X, y=np.arange(5)), "y has shape .* there are 6 series", {}),
    "npz y of fractions": ("x.npz", npz(X=X, y=np.arange(6) / 2), "y holds 0.5", {}),
    "npz y with NaN": ("x.npz", npz(X=X, y=[1, 2, np.nan, 1, 1, 1]), "y holds nan", {}),
    "npz y of three axes": ("x.npz", npz(X=X, y=np.zeros((6, 1, 1))), "y has shape", {}),
    "npz y table of counts": ("x.npz", npz(X=X, y=np.full((6, 3), 2)), "0 and 1 only", {}),
    "npz wrong class count": ("x.npz", npz(X=X, y=np.arange(6), classes=["a", "b"]), "names 2 classes", {}),
    "npz class not listed": (
        "x.npz",
        npz(X=X, y=list("abcabc")),
        "has the class 'c'",
        {"classes": ["a", "b"]},
    ),
    "npz group a table": ("x.npz", npz(X=X, group=np.zeros((6, 2))), "group has shape", {}),
    "npz other of other shape": ("x.npz", npz(X=X, other=X[:, :1]), "other has shape", {}),
    "npz truth unknown": ("x.npz", npz(X=X, truth=np.full(6, 3)), "truth holds something else", {}),
    "npz facts no JSON": ("x.npz", npz(X=X, facts=np.array("{")), "facts are not JSON", {}),
    # CSV
    "csv empty": ("x.csv", raw(b""), "is empty", {}),
    "csv one blank line": ("x.csv", text("\n"), "is empty", {}),
    "csv names only": ("x.csv", text("a,b,c\n"), "names but no rows", {}),
    "csv one column": ("x.csv", text("v\n1\n2\n"), "has 1 columns of values", {}),
    "csv text in numbers": ("x.csv", text("a,b\n1,2\n3,oops\n"), "row 2, column b holds 'oops'", {}),
    "csv ragged": ("x.csv", text("a,b\n1,2\n3,4,5\n"), "no regular table", {}),
    "csv more cells than names": ("x.csv", text("a,b\n1,2,3\n4,5,6\n"), "more cells than its first", {}),
    "csv unclosed quote": ("x.csv", text('a,b\n1,2\n"3,4\n'), "no regular table", {}),
    "csv binary": ("x.csv", raw(bytes(range(256)) * 9), "no text table in UTF-8", {}),
    "csv utf-16": ("x.csv", lambda p: p.write_text("a,b\n1,2\n", encoding="utf-16"), "UTF-8", {}),
    "csv is a zip": (
        "x.csv",
        lambda p: archive(p, {"X.npy": npy_bytes(X)}),
        "no text table|no regular table",
        {},
    ),
    "csv with a hole": ("x.csv", text("a,b,c\n1,,3\n4,5,6\n"), "1 values are missing", {}),
    "csv shorter rows": ("x.csv", text("a,b,c\n1,2,3\n4,5\n"), "2 to 3 time steps", {}),
    "csv empty class": ("x.csv", text("a,b,y\n1,2,u\n3,4,\n"), "column y is empty in 1 rows", {}),
    "csv column absent": (
        "x.csv",
        text("a,b\n1,2\n"),
        "'who', but the names are a, b",
        {"columns": {"id": "who"}},
    ),
    "csv place absent": ("x.csv", text("a,b\n1,2\n"), "there are 2 columns", {"columns": {"y": 7}}),
    "csv odd channels": ("x.csv", text("a,b,c\n1,2,3\n"), "cannot be 2 channels", {"channels": 2}),
    "csv column misspelt": (
        "x.csv",
        text("a,b,label\n1,2,u\n"),
        "'lable', but .*did you mean 'label'",
        {"columns": {"y": "lable"}},
    ),
    "csv long without values": ("x.csv", text("id,time\na,1\n"), "none with values", {}),
    "csv repeated times": ("x.csv", text(LONG + "b,1,5\n"), "1 rows repeat a time.*of series b", {}),
    "csv date of its own kind": ("x.csv", text("time,v\n31.01.2024,1\n"), "'31.01.2024'; write times as", {}),
    "csv number too large": ("x.csv", text("a,b\n1,1e300\n"), "infinite or too large", {}),
    "csv time is text": ("x.csv", text("id,time,v\na,noon,1\n"), "no time that can be read", {}),
    "csv class changes": (
        "x.csv",
        text("id,time,v,y\na,0,1,u\na,1,2,w\n"),
        "y changes within series a",
        {},
    ),
    "csv unequal": ("x.csv", text(LONG + "b,2,5\n"), "2 to 3 time steps", {}),
    # Parquet
    "parquet is text": ("x.parquet", text("hello"), "no Parquet file", {}),
    "parquet truncated": ("x.parquet", cut(parquet(a=[1.0], b=[2.0]), 0.7), "no Parquet file", {}),
    "parquet of lists": ("x.parquet", parquet(a=[[1.0]], b=[[2.0]]), "column a holds", {}),
    "parquet of dates": ("x.parquet", parquet(a=pd.to_datetime(["2024"]), b=[2.0]), "column a holds", {}),
    "parquet of text": ("x.parquet", parquet(a=["u"], b=["w"]), "column a holds 'u'", {}),
    "parquet without rows": ("x.parquet", parquet(a=[], b=[]), "no rows", {}),
    # .ts
    "ts without @data": ("x.ts", text("@problemName t\n"), "has no line @data", {}),
    "ts without series": ("x.ts", text(TS), "no series after @data", {}),
    "ts without tags": ("x.ts", text("1,2,3:a\n"), "no @tag", {}),
    "ts text in numbers": ("x.ts", text(TS + "1,x,3:a\n"), "line 4 holds 'x'", {}),
    "ts class not listed": ("x.ts", text(TS + "1,2:a\n3,4:c\n"), "line 5 ends with the class 'c'", {}),
    "ts class missing": ("x.ts", text(TS + "1,2\n"), "ends with the class '1,2'", {}),
    "ts channels differ": ("x.ts", text(TS + "1,2:3,4:a\n1,2:a\n"), "line 5 has 1 channels", {}),
    "ts lengths differ in a line": ("x.ts", text(TS + "1,2:3:a\n"), "of length 1, 2", {}),
    "ts dimensions lie": ("x.ts", text("@dimensions 3\n" + TS + "1,2:a\n"), "promises 3 channels", {}),
    "ts time stamps": ("x.ts", text("@timeStamps true\n" + TS + "(0,1):a\n"), "time stamps", {}),
    "ts cut off": ("x.ts", text(TS + "1,2,3:a\n1,2"), "ends with the class|channels", {}),
    "ts binary": ("x.ts", raw(bytes(range(128, 256))), "no text in UTF-8", {}),
    "ts unequal": ("x.ts", text(TS + "1,2,3:a\n1,2:b\n"), "2 to 3 time steps", {}),
}


@pytest.mark.parametrize("case", BROKEN)
@pytest.mark.filterwarnings("error")
def test_a_broken_file_gives_one_sentence(case, tmp_path, monkeypatch):
    name, write, said, how = BROKEN[case]
    monkeypatch.chdir(tmp_path)
    write(tmp_path / name)
    with pytest.raises(PairsiftError) as refused:
        load_series(tmp_path / name, **how)
    sentence = str(refused.value)
    assert re.search(said, sentence), sentence
    told = name if len(name) < 60 else name[-10:]
    assert told in sentence or re.match(r"[ab]\.\w+: ", sentence), sentence
    assert sentence.isprintable()
    assert len(sentence) < 400
    assert re.search(r"; |: (write|copy)|check the path", sentence), f"does not say what to do: {sentence}"
    assert not (tmp_path / "BOOM").exists()


def test_the_bomb_would_go_off(tmp_path, monkeypatch):
    """So that the tests above mean something: NumPy with pickling allowed does run it."""
    monkeypatch.chdir(tmp_path)
    np.save("x.npy", np.array([Bomb(), 1], dtype=object))
    np.load("x.npy", allow_pickle=True)
    assert (tmp_path / "BOOM").exists()


def test_a_folder_that_may_not_be_read_is_said(tmp_path, monkeypatch):
    def refuse(self):
        raise PermissionError(13, "Permission denied", str(self))

    monkeypatch.setattr(Path, "iterdir", refuse)
    with pytest.raises(
        PairsiftError, match=r"cannot be read \(Permission denied\); check the path and its rights"
    ):
        load_series(tmp_path)


def test_a_failing_disk_is_said(tmp_path, monkeypatch):
    np.save(tmp_path / "x.npy", X)

    def fail(*args, **kwargs):
        raise OSError(5, "Input/output error", str(tmp_path / "x.npy"))

    monkeypatch.setattr(np, "memmap", fail)
    with pytest.raises(PairsiftError, match=r"x\.npy: cannot be read \(Input/output error\)"):
        load_series(tmp_path / "x.npy")


def test_what_comes_from_a_file_cannot_steer_the_terminal(tmp_path):
    path = tmp_path / "evil\x1b[2J.csv"
    path.write_text("a\x1b[31m,b\n\x1b]0;pwned\x07,2\n")
    with pytest.raises(PairsiftError) as refused:
        load_series(path)
    assert str(refused.value).isprintable()


@pytest.mark.parametrize(
    ("how", "said"),
    [
        ({"orient": "tall"}, "orient must be"),
        ({"columns": {"colour": "a"}}, "columns may name"),
        ({"channels": 0}, "channels must be"),
    ],
)
def test_wrong_options_are_refused(tmp_path, how, said):
    np.save(tmp_path / "x.npy", X)
    with pytest.raises(PairsiftError, match=said):
        load_series(tmp_path / "x.npy", **how)


@pytest.mark.parametrize("suffix", [".npy", ".npz", ".csv", ".parquet", ".ts"])
def test_flipped_bytes_never_escape_as_another_error(tmp_path, suffix):
    """Whatever a damaged file holds, it is read or refused in words."""
    path = tmp_path / f"x{suffix}"
    wide = pd.DataFrame(X[:, 0], columns=list("abcde")).assign(label=list("uvuvuv"))
    writers = {
        ".npy": lambda: np.save(path, X),
        ".npz": lambda: np.savez_compressed(path, X=X, y=np.arange(6)),
        ".csv": lambda: wide.to_csv(path, index=False),
        ".parquet": lambda: wide.to_parquet(path),
        ".ts": lambda: path.write_text(TS + "".join(f"{k},2,3:a\n" for k in range(9))),
    }
    writers[suffix]()
    whole = path.read_bytes()
    rng = np.random.default_rng(0)
    refused = 0
    for _ in range(60):
        broken = bytearray(whole)
        for at in rng.integers(0, len(whole), rng.integers(1, 6)):
            broken[at] = rng.integers(0, 256)
        path.write_bytes(broken[: rng.integers(1, len(whole) + 1)] if rng.random() < 0.3 else broken)
        try:
            load_series(path)
        except PairsiftError as error:
            refused += 1
            assert path.name in str(error)
    assert refused
