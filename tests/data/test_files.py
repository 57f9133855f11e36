"""The same series come back from every kind of file, and memory maps stay memory maps."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from pairsift.data.corrupt import corrupt
from pairsift.data.files import load_series, load_splits
from pairsift.data.readers import raw as raw_module
from pairsift.data.save import save_series
from pairsift.data.simulated import simulate
from pairsift.errors import PairsiftError

N, C, T = 6, 2, 5
X = np.random.default_rng(0).normal(size=(N, C, T)).astype(np.float32)
NAMES = ["walk", "run", "walk", "sit", "run", "walk"]
CODES = [2, 0, 2, 1, 0, 2]
GROUP = ["a", "a", "b", "b", "c", "c"]


def long_table() -> pd.DataFrame:
    rows = [(f"s{n}", t, *X[n, :, t], NAMES[n], GROUP[n]) for n in range(N) for t in range(T)]
    return pd.DataFrame(rows, columns=["id", "time", "left", "right", "label", "subject"])


def wide_table() -> pd.DataFrame:
    frame = pd.DataFrame(X.reshape(N, -1), columns=[f"v{k}" for k in range(C * T)])
    return frame.assign(id=[f"s{n}" for n in range(N)], Label=NAMES, subject=GROUP)


def ts_text(unequal: bool = False) -> str:
    head = "# ours\n@problemName test\n@timeStamps false\n@missing false\n@univariate false\n@dimensions 2\n"
    head += "@classLabel true run sit walk\n\n@data\n"
    lines = []
    for n in range(N):
        stop = T - n % 2 if unequal else T
        channels = (",".join(repr(float(v)) for v in X[n, c, :stop]) for c in range(C))
        lines.append(":".join([*channels, NAMES[n]]))
    return head + "\n".join(lines) + "\n"


def write(folder: Path, kind: str) -> Path:
    path = folder / f"mine.{kind.split()[0]}"
    if kind == "npz":
        np.savez(path, X=X, y=np.array(NAMES), group=np.array(GROUP), id=[f"s{n}" for n in range(N)])
    elif kind == "npz packed":
        np.savez_compressed(
            path, X=X.astype(np.float64), y=NAMES, group=GROUP, ids=[f"s{n}" for n in range(N)]
        )
    elif kind == "csv wide":
        wide_table().to_csv(path, index=False)
    elif kind == "csv long":
        long_table().sample(frac=1, random_state=1).sort_values("id", kind="stable").to_csv(path, index=False)
    elif kind == "csv semicolon":
        wide_table().to_csv(path, index=False, sep=";", decimal=",")
    elif kind == "tsv":
        wide_table().to_csv(path, index=False, sep="\t")
    elif kind == "parquet wide":
        wide_table().to_parquet(path)
    elif kind == "parquet long":
        long_table().to_parquet(path)
    elif kind == "ts":
        path.write_text(ts_text())
    return path


KINDS = (
    "npz",
    "npz packed",
    "csv wide",
    "csv long",
    "csv semicolon",
    "tsv",
    "parquet wide",
    "parquet long",
    "ts",
)


@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_of_file_gives_the_same_series(tmp_path, kind):
    series = load_series(write(tmp_path, kind), channels=C if "long" not in kind else 1)
    np.testing.assert_allclose(series.x, X, rtol=1e-6)
    assert series.x.dtype == np.float32
    assert series.y.tolist() == CODES
    assert series.y.dtype == np.int64
    assert series.classes == ("run", "sit", "walk")
    if kind != "ts":
        assert series.group.tolist() == GROUP
        assert [str(name) for name in series.ids] == [f"s{n}" for n in range(N)]
    assert json.loads(json.dumps(series.facts))["notes"] == []


@pytest.mark.parametrize("kind", [kind for kind in KINDS if kind.startswith(("csv", "tsv", "parquet"))])
def test_columns_can_have_other_names(tmp_path, kind):
    path = write(tmp_path, kind)
    new = {"id": "wessen", "time": "wann", "y": "was", "group": "wer"}
    old = {"id": "wessen", "time": "wann", "label": "was", "Label": "was", "subject": "wer"}
    if kind.startswith("parquet"):
        pd.read_parquet(path).rename(columns=old).to_parquet(path)
    else:
        sep = {"csv semicolon": ";", "tsv": "\t"}.get(kind, ",")
        text = path.read_text().split("\n", 1)
        path.write_text(sep.join(old.get(name, name) for name in text[0].split(sep)) + "\n" + text[1])
    if "long" not in kind:
        del new["time"]
    series = load_series(path, columns=new, channels=1 if "long" in kind else C)
    np.testing.assert_allclose(series.x, X, rtol=1e-6)
    assert series.y.tolist() == CODES


def test_a_table_without_names_is_told_from_one_that_counts_its_columns(tmp_path):
    bare = tmp_path / "bare.csv"
    np.savetxt(bare, X[:, 0], delimiter=",")
    np.testing.assert_allclose(load_series(bare).x[:, 0], X[:, 0], rtol=1e-6)
    archive = tmp_path / "UCR_TRAIN.tsv"  # the class first, no names
    np.savetxt(archive, np.column_stack([[1, -1, 1, -1, 1, -1], X[:, 0]]), delimiter="\t")
    series = load_series(archive, columns={"y": 0})
    np.testing.assert_allclose(series.x[:, 0], X[:, 0], rtol=1e-6)
    assert series.classes == ("-1", "1")
    assert series.y.tolist() == [1, 0, 1, 0, 1, 0]
    counted = tmp_path / "counted.csv"
    pd.DataFrame(X[:, 0]).to_csv(counted)
    np.testing.assert_allclose(load_series(counted).x[:, 0], X[:, 0], rtol=1e-6)
    pd.DataFrame(X[:, 0]).to_csv(counted, index=False)
    np.testing.assert_allclose(load_series(counted).x[:, 0], X[:, 0], rtol=1e-6)


def test_a_long_table_without_an_id_is_one_series_to_be_cut(tmp_path):
    frame = pd.DataFrame({"time": pd.date_range("2024-01-01", periods=20, freq="s"), "v": np.arange(20.0)})
    frame.to_csv(tmp_path / "day.csv", index=False)
    series = load_series(tmp_path / "day.csv", lengths="window", window=6)
    np.testing.assert_array_equal(series.x[:, 0], np.arange(18.0).reshape(3, 6))
    assert series.ids.tolist() == ["0#0", "0#1", "0#2"]
    assert len(set(series.group.tolist())) == 1
    assert load_series(tmp_path / "day.csv").x.shape == (1, 1, 20)


def test_a_recording_without_a_time_column_is_long_on_request(tmp_path):
    """Rows in the order they stand in; unasked they would be 30 series, which is said."""
    values = np.random.default_rng(1).normal(size=(80, 2)).astype(np.float32)
    table = pd.DataFrame(values, columns=["left", "right"])
    table.to_csv(tmp_path / "a.csv", index=False)
    series = load_series(tmp_path / "a.csv", orient="long", lengths="window", window=20)
    np.testing.assert_allclose(series.x, values.reshape(4, 20, 2).transpose(0, 2, 1), rtol=1e-6)
    assert ["rows are taken in the order" in note for note in series.facts["notes"]] == [True]
    unasked = load_series(tmp_path / "a.csv")
    assert unasked.x.shape == (80, 1, 2)
    assert ["each of its 80 rows was read as a series" in note for note in unasked.facts["notes"]] == [True]
    assert load_series(tmp_path / "a.csv", orient="wide").facts["notes"] == []
    table.assign(id=np.arange(80) % 2).to_csv(tmp_path / "b.csv", index=False)
    apart = load_series(tmp_path / "b.csv", orient="long")
    np.testing.assert_allclose(apart.x[1], values[1::2].T, rtol=1e-6)


def test_uneven_time_steps_are_said(tmp_path):
    frame = pd.DataFrame({"id": [1, 1, 1, 2, 2, 2], "time": [0, 1, 2, 0, 1, 7], "v": np.arange(6.0)})
    frame.to_csv(tmp_path / "a.csv", index=False)
    assert any(
        "1 series have uneven time steps" in note for note in load_series(tmp_path / "a.csv").facts["notes"]
    )


@pytest.mark.parametrize("shape", [(N, T), (N, C, T)])
def test_a_float32_array_is_mapped_and_never_copied(tmp_path, shape):
    path = tmp_path / "x.npy"
    np.save(path, np.resize(X, shape))
    series = load_series(path)
    assert series.x.shape == (N, 1 if len(shape) == 2 else C, T)
    assert isinstance(series.x, np.memmap)
    assert not series.x.flags.writeable
    assert series[[3, 1]].x.shape == series.x[[3, 1]].shape


@pytest.mark.parametrize("dtype", ["<f8", ">f4", "f2", "i2", "u1", "?", "<i8"])
def test_other_numbers_are_converted(tmp_path, dtype):
    values = (X * 3).astype(dtype)
    np.save(tmp_path / "x.npy", values)
    np.testing.assert_array_equal(load_series(tmp_path / "x.npy").x, values.astype(np.float32))


@pytest.mark.parametrize("name", ["x.npy", "x.npz"])
def test_fortran_order_and_channels_last(tmp_path, name):
    last = np.asfortranarray(X.transpose(0, 2, 1))
    np.save(tmp_path / name, last) if name.endswith("npy") else np.savez(tmp_path / name, X=last)
    np.testing.assert_array_equal(load_series(tmp_path / name, channels_last=True).x, X)


def test_one_long_array_is_one_series(tmp_path):
    np.save(tmp_path / "x.npy", X[0, 0])
    assert load_series(tmp_path / "x.npy").x.shape == (1, 1, T)


def test_large_results_live_in_a_file_and_large_stored_arrays_are_mapped(tmp_path, monkeypatch):
    monkeypatch.setattr(raw_module, "MEMORY", 10)
    monkeypatch.setattr("pairsift.data.readers.npy._LARGE", 10)
    np.save(tmp_path / "wide.npy", X.astype(np.float64))
    np.savez(tmp_path / "stored.npz", X=X)
    np.savez_compressed(tmp_path / "packed.npz", X=X)
    for name in ("wide.npy", "stored.npz", "packed.npz"):
        series = load_series(tmp_path / name)
        assert isinstance(series.x, np.memmap), name
        np.testing.assert_array_equal(series.x, X)
        np.testing.assert_array_equal(series[[5, 0]].x, X[[5, 0]])
    assert sorted(p.name for p in tmp_path.iterdir()) == ["packed.npz", "stored.npz", "wide.npy"]


def test_a_folder_is_joined_in_the_order_of_names(tmp_path):
    np.save(tmp_path / "b.npy", X[2:4])
    np.savez(tmp_path / "c.npz", X=X[4:])
    np.save(tmp_path / "a.npy", X[:2])
    (tmp_path / "README.txt").write_text("not series")
    (tmp_path / ".hidden.npy").write_text("not series")
    series = load_series(tmp_path)
    np.testing.assert_array_equal(series.x, X)
    assert series.ids.tolist() == [f"{f}:{k}" for f in ("a.npy", "b.npy", "c.npz") for k in range(2)]
    assert series.facts["files"] == ["a.npy", "b.npy", "c.npz"]
    assert any("1 files of other kinds were not read" in note for note in series.facts["notes"])


def test_files_of_a_folder_agree_on_class_numbers(tmp_path):
    np.savez(tmp_path / "a.npz", X=X[:2], y=["walk", "run"])
    np.savez(tmp_path / "b.npz", X=X[2:4], y=["sit", "walk"])
    series = load_series(tmp_path)
    assert [series.classes[k] for k in series.y] == ["walk", "run", "sit", "walk"]


def test_recordings_in_a_folder_are_named_after_their_files(tmp_path):
    for name, stop in (("monday", 20), ("tuesday", 13)):
        pd.DataFrame({"time": range(stop), "v": np.arange(stop) ** 0.5}).to_csv(
            tmp_path / f"{name}.csv", index=False
        )
    assert load_series(tmp_path, lengths="crop").ids.tolist() == ["monday.csv", "tuesday.csv"]
    cut = load_series(tmp_path, lengths="window", window=5)
    assert cut.ids.tolist()[3:5] == ["monday.csv#3", "tuesday.csv#0"]
    assert cut.group.tolist() == ["monday.csv"] * 4 + ["tuesday.csv"] * 2


@pytest.mark.parametrize(
    ("y", "codes", "classes"),
    [
        ([0, 2, 1, 0, 0, 1], [0, 2, 1, 0, 0, 1], ("0", "1", "2")),
        ([1, 2, 10, 1, 1, 2], [0, 1, 2, 0, 0, 1], ("1", "2", "10")),
        ([1.0, 2.0, 1.0, 1.0, 1.0, 2.0], [0, 1, 0, 0, 0, 1], ("1", "2")),
        ([b"b", b"a", b"b", b"b", b"b", b"a"], [1, 0, 1, 1, 1, 0], ("a", "b")),
        ([True, False] * 3, [1, 0] * 3, ("0", "1")),
    ],
)
def test_classes_are_numbered_in_their_natural_order(tmp_path, y, codes, classes):
    np.savez(tmp_path / "x.npz", X=X, y=np.array(y))
    series = load_series(tmp_path / "x.npz")
    assert series.y.tolist() == codes
    assert series.classes == classes


def test_given_classes_number_a_part_like_the_whole(tmp_path):
    np.savez(tmp_path / "x.npz", X=X[:2], y=["walk", "run"])
    series = load_series(tmp_path / "x.npz", classes=["run", "sit", "walk"])
    assert series.y.tolist() == [2, 0]
    assert series.classes == ("run", "sit", "walk")


def test_several_classes_at_once(tmp_path):
    y = np.random.default_rng(0).integers(0, 2, (N, 4))
    np.savez(tmp_path / "x.npz", X=X, y=y, classes=list("abcd"))
    series = load_series(tmp_path / "x.npz")
    assert series.multilabel
    np.testing.assert_array_equal(series.y, y)
    assert series.classes == ("a", "b", "c", "d")


def test_what_is_saved_comes_back(tmp_path):
    before = corrupt(simulate(n_train=60, n_test=0, n_val=0, noisy=5, faulty=6).train, 0.1, 0.1)
    after = load_series(save_series(before, tmp_path / "deep" / "x.npz"))
    for what in ("x", "y", "other", "truth"):
        np.testing.assert_array_equal(getattr(before, what), getattr(after, what))
        assert getattr(before, what).dtype == getattr(after, what).dtype
    assert after.classes == before.classes
    assert after.name == "simulated"
    assert after.facts["corrupt"] == before.facts["corrupt"]
    assert [p.name for p in (tmp_path / "deep").iterdir()] == ["x.npz"]
    grouped = load_series(write(tmp_path, "npz"))
    again = load_series(save_series(grouped, tmp_path / "y.npz"))
    assert again.group.tolist() == grouped.group.tolist()
    assert again.ids.tolist() == grouped.ids.tolist()
    assert again.facts["fingerprint"] == grouped.facts["fingerprint"]


def test_names_that_are_objects_are_saved_as_text(tmp_path):
    before = simulate(n_train=3, n_test=0, n_val=0, noisy=0, faulty=0).train.subset(np.arange(3))
    before = type(before)(before.x, ids=np.array(["a", "bb", 3], dtype=object))
    assert load_series(save_series(before, tmp_path / "x.npz")).ids.tolist() == ["a", "bb", "3"]


def test_saving_elsewhere_is_refused(tmp_path):
    before = simulate(n_train=3, n_test=0, n_val=0, noisy=0, faulty=0).train
    with pytest.raises(PairsiftError, match=r"x\.csv: series are written as \.npz"):
        save_series(before, tmp_path / "x.csv")
    (tmp_path / "file").write_text("")
    with pytest.raises(PairsiftError, match="cannot be written"):
        save_series(before, tmp_path / "file" / "x.npz")


def test_splits_of_their_own_are_kept(tmp_path):
    (tmp_path / "ECG_TRAIN.ts").write_text(ts_text())
    (tmp_path / "ECG_TEST.ts").write_text(ts_text())
    splits = load_splits(tmp_path, val=0)
    assert splits.val is None
    assert all(name.startswith("ECG_TRAIN") for name in splits.train.ids)
    assert all(name.startswith("ECG_TEST") for name in splits.test.ids)
    wide_table().assign(split=["train", "Test", "train", "valid", "train", "test"]).to_csv(
        tmp_path / "x.csv", index=False
    )
    splits = load_splits(tmp_path / "x.csv", channels=C)
    assert splits.train.ids.tolist() == ["s0", "s2", "s4"]
    assert splits.val.ids.tolist() == ["s3"]
    assert splits.test.ids.tolist() == ["s1", "s5"]


@pytest.mark.parametrize("sep", [",", "\t"])
def test_classes_first_without_names_as_in_ucr_s_own_files_are_noticed(tmp_path: Path, sep: str) -> None:
    x = np.random.default_rng(0).normal(size=(20, 12))
    path = tmp_path / "Coffee_TRAIN.csv"
    np.savetxt(path, np.c_[np.arange(20) % 2, x], delimiter=sep, fmt="%.6g")
    said = load_series(path).facts["notes"]
    assert len(said) == 1 and "--column y=0" in said[0]
    read = load_series(path, columns={"y": 0})
    assert read.facts["notes"] == [] and read.length == 12 and read.y is not None
    np.savetxt(path, np.rint(9 * np.c_[x, x]), delimiter=sep, fmt="%d")  # whole numbers all over
    assert load_series(path).facts["notes"] == []
