"""UCI HAR: every form it comes in gives the same series; whole, it has the published counts."""

from __future__ import annotations

import shutil
import zipfile
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.data import publisher

from pairsift.data import load_dataset, prepare
from pairsift.data.har import scan


@pytest.fixture(scope="module")
def held() -> dict[str, Any]:
    return publisher.har_arrays(np.random.default_rng(5))


@pytest.fixture(scope="module")
def folder(held: dict[str, Any], tmp_path_factory: pytest.TempPathFactory) -> Path:
    return publisher.write_har(tmp_path_factory.mktemp("har"), held)


def everything(source: Path) -> np.ndarray:
    return np.concatenate(list(scan(source).checked_blocks()))


def test_the_text_says_what_was_written(folder: Path, held: dict[str, Any]) -> None:
    published = scan(folder)
    np.testing.assert_allclose(everything(folder), held["X"], rtol=1e-7)
    np.testing.assert_array_equal(published.tasks["activity"].y, held["y"])
    np.testing.assert_array_equal(published.group, held["subject"])
    assert published.ids[0] == "train/1" and published.ids[-1] == "test/20"
    assert published.facts["channels"] == publisher.SIGNALS


@pytest.mark.parametrize("form", ["above", "zip", "zip in a zip", "zips in a folder", "renamed"])
def test_every_form_it_comes_in_is_read_alike(form: str, folder: Path, tmp_path: Path) -> None:
    source = folder.parent
    if form == "renamed":
        source = tmp_path / "data"
        shutil.copytree(folder, source)
    elif form != "above":
        source = publisher.zipped(folder, tmp_path / "UCI HAR Dataset.zip")
        with zipfile.ZipFile(source, "a") as archive:  # what a Mac leaves in every zip
            archive.writestr("__MACOSX/UCI HAR Dataset/train/._y_train.txt", "junk")
    if form in ("zip in a zip", "zips in a folder"):
        outer = tmp_path / "shipped" / "human+activity.zip"
        outer.parent.mkdir()
        with zipfile.ZipFile(outer, "w") as archive:
            archive.write(source, "UCI HAR Dataset.zip")
            archive.writestr("UCI HAR Dataset.names", "about")
        source = outer if form == "zip in a zip" else outer.parent
    np.testing.assert_array_equal(everything(source), everything(folder))
    assert all(path.is_file() for path in scan(source).files)


def test_an_npz_of_the_arrays_is_read_alike(held: dict[str, Any], tmp_path: Path) -> None:
    np.savez(tmp_path / "uci_har.npz", **held)
    for source in (tmp_path / "uci_har.npz", tmp_path):
        np.testing.assert_array_equal(everything(source), held["X"])
        np.testing.assert_array_equal(scan(source).group, held["subject"])


def test_the_test_people_are_the_publisher_s_in_both_splits(folder: Path, held: dict[str, Any]) -> None:
    for kind in ("published", "grouped"):
        split = scan(folder).tasks["activity"].splits[kind]
        np.testing.assert_array_equal(split.test, np.flatnonzero(held["official_test"]))


def test_one_person_alone_has_no_grouped_split(held: dict[str, Any], tmp_path: Path) -> None:
    alone = {**held, "subject": np.where(held["official_test"], 2, 1)}
    task = scan(publisher.write_har(tmp_path, alone)).tasks["activity"]
    assert "grouped" not in task.splits and "more than one person" in task.missing["grouped"]


@pytest.mark.data
def test_published_files_of_the_whole_give_the_published_counts(tmp_path: Path) -> None:
    with np.load(publisher.real("har", "uci_har.npz")) as arrays:
        whole = {name: arrays[name] for name in ("X", "y", "subject", "official_test")}
    done = prepare("har", publisher.write_har(tmp_path, whole), tmp_path)
    assert done.notes == () and done.card["shape"] == [10299, 9, 128]
    splits = load_dataset("har", root=tmp_path)
    assert [len(part) for part in (splits.train, splits.val, splits.test)] == [5881, 1471, 2947]
    assert np.bincount(splits.test.y).tolist() == [496, 471, 420, 491, 532, 537]
    learned = np.bincount(splits.train.y) + np.bincount(splits.val.y)
    assert learned.tolist() == [1226, 1073, 986, 1286, 1374, 1407]  # the publisher's own training counts
    np.testing.assert_array_equal(splits.test.x, whole["X"][whole["official_test"]])
    assert set(splits.test.group.tolist()) == {2, 4, 9, 10, 12, 13, 18, 20, 24}
    grouped = load_dataset("har", root=tmp_path, split="grouped")
    assert len(set(grouped.train.group.tolist())) == 16 and len(set(grouped.val.group.tolist())) == 5
