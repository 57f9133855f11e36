"""Epilepsy: UCI's CSV and Bonn's text files hold the same chunks; whole, they have the published counts."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from sklearn.preprocessing import MinMaxScaler
from tests.data import publisher

from pairsift.data import Series, Splits, load_dataset, prepare
from pairsift.data.epilepsy import scan
from pairsift.errors import PairsiftError


@pytest.fixture(scope="module")
def bonn() -> tuple[np.ndarray, list[str]]:
    return publisher.bonn_arrays(np.random.default_rng(1))


@pytest.fixture(scope="module")
def folder(bonn: tuple[np.ndarray, list[str]], tmp_path_factory: pytest.TempPathFactory) -> Path:
    return publisher.write_bonn(tmp_path_factory.mktemp("bonn"), *bonn)


@pytest.fixture(scope="module")
def table(bonn: tuple[np.ndarray, list[str]], tmp_path_factory: pytest.TempPathFactory) -> Path:
    """UCI's CSV of the same recordings, its rows shuffled as UCI shuffles them."""
    signals, names = bonn
    order = np.random.default_rng(2).permutation(len(names) * 23)
    recording, chunk = np.divmod(order, 23)
    labels = np.array([publisher.SETS[names[one][0]] for one in recording])
    path = tmp_path_factory.mktemp("uci") / "data.csv"
    return publisher.write_uci_csv(
        path, publisher.chunks(signals)[order], labels, publisher.uci_ids(recording, chunk)
    )


def everything(source: Path) -> np.ndarray:
    return np.concatenate(list(scan(source).checked_blocks()))[:, 0]


def sort_rows(x: np.ndarray) -> np.ndarray:
    return x[np.lexsort(x.T)]


def test_bonn_s_files_are_cut_into_23_chunks_each(folder: Path, bonn: tuple[np.ndarray, list[str]]) -> None:
    published = scan(folder)
    np.testing.assert_array_equal(everything(folder), publisher.chunks(bonn[0]))
    assert published.ids[24] == "Z002/2" and published.group[24] == "Z002"
    assert published.tasks["seizure"].y.tolist() == [
        int(name[0] == "S") for name in bonn[1] for _ in range(23)
    ]


def test_the_csv_holds_the_same_chunks_with_the_same_labels(folder: Path, table: Path) -> None:
    for label in (0, 1):
        one, other = (
            everything(source)[scan(source).tasks["seizure"].y == label] for source in (folder, table)
        )
        np.testing.assert_array_equal(sort_rows(one), sort_rows(other))


def test_the_csv_s_ids_say_which_chunks_are_of_one_recording(
    table: Path, bonn: tuple[np.ndarray, list[str]]
) -> None:
    published, x = scan(table), everything(table)
    for row in (0, 1000, 11499):
        mates = np.flatnonzero(published.group == published.group[row])
        recording = np.flatnonzero((bonn[0][:, :4094].reshape(-1, 23, 178) == x[row]).all(axis=2).any(axis=1))
        assert len(mates) == 23 and len(recording) == 1
        np.testing.assert_array_equal(sort_rows(x[mates]), sort_rows(publisher.chunks(bonn[0][recording])))


def test_counts_are_the_published_ones_from_either(folder: Path, table: Path, tmp_path: Path) -> None:
    for number, source in enumerate((folder, table)):
        done = prepare("epilepsy", source, tmp_path / str(number))
        assert done.notes == () and done.card["shape"] == [11500, 1, 178]
        for kind in ("published", "grouped"):
            splits = load_dataset("epilepsy", root=tmp_path / str(number), split=kind)
            assert [len(part) for part in parts(splits)] == [7360, 1840, 2300]


def parts(splits: Splits) -> list[Series]:
    return [part for part in (splits.train, splits.val, splits.test) if part is not None]


def test_the_published_scaling_is_scikit_learn_s(table: Path) -> None:
    published, x = scan(table), everything(table).astype(np.float64)
    split = published.tasks["seizure"].splits["published"]
    expected = MinMaxScaler().fit_transform(x)
    for part, rows in zip(parts(published.read()), (split.train, split.val, split.test)):
        np.testing.assert_allclose(part.x[:, 0], expected[rows], atol=1e-6)


def test_the_grouped_scaling_never_saw_the_test(table: Path) -> None:
    published, x = scan(table), everything(table).astype(np.float64)
    split = published.tasks["seizure"].splits["grouped"]
    scaler = MinMaxScaler().fit(x[split.train])
    for part, rows in zip(parts(published.read("grouped")), (split.train, split.val, split.test)):
        np.testing.assert_allclose(part.x[:, 0], scaler.transform(x[rows]), atol=1e-6)


def test_zips_a_quoted_header_and_a_zipped_csv_are_read_alike(
    folder: Path, table: Path, bonn: tuple[np.ndarray, list[str]], tmp_path: Path
) -> None:
    zips = publisher.write_bonn(tmp_path / "zips", *bonn, as_zips=True)
    np.testing.assert_array_equal(everything(zips), everything(folder))
    lines = table.read_text().split("\n")
    quoted = [",".join(f'"{cell}"' for cell in lines[0].split(","))]
    quoted += [f'"{line.split(",", 1)[0]}",{line.split(",", 1)[1]}' for line in lines[1:200]]
    (tmp_path / "quoted").mkdir()
    (tmp_path / "quoted" / "data.csv").write_text("\r\n".join(quoted) + "\r\n")
    source = publisher.zipped(tmp_path / "quoted", tmp_path / "quoted.zip")
    np.testing.assert_array_equal(everything(source), everything(table)[:199])
    np.testing.assert_array_equal(scan(source).group, scan(table).group[:199])


@pytest.mark.parametrize("ids", [None, "row-"])
def test_without_recordings_there_is_no_grouped_split(ids: str | None, tmp_path: Path) -> None:
    x = np.random.default_rng(0).integers(-99, 99, (40, 178))
    names = None if ids is None else [f"{ids}{row}" for row in range(40)]
    path = publisher.write_uci_csv(tmp_path / "data.csv", x, np.arange(40) % 5 + 1, names)
    assert len(scan(path).read().train) == 25
    with pytest.raises(PairsiftError, match=r"X21\.V1\.791"):
        scan(path).read("grouped")


@pytest.mark.data
def test_real_arrays_are_cut_as_uci_cut_them(tmp_path: Path) -> None:
    whole = publisher.real("epilepsy", "bonn_eeg.npz")
    with np.load(publisher.real("epilepsy", "epilepsy_uci_layout.npz")) as held:
        x, y, recording, chunk = (held[name] for name in ("X", "y", "file_index", "chunk_index"))
    np.testing.assert_array_equal(everything(whole), x)
    order = np.random.default_rng(0).permutation(len(x))
    ids = publisher.uci_ids(recording[order].tolist(), chunk[order].tolist())
    path = publisher.write_uci_csv(tmp_path / "data.csv", x[order], y[order], ids)
    done = prepare("epilepsy", path, tmp_path)
    assert done.notes == () and len(set(scan(path).group.tolist())) == 500
    counted = done.card["tasks"]["seizure"]["splits"]["published"]
    assert [counted[part]["series"] for part in ("train", "val", "test")] == [7360, 1840, 2300]
    assert sum(counted[part]["classes"]["seizure"] for part in ("train", "val", "test")) == 2300
