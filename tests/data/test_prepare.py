"""Preparing is all or nothing, in bounded memory."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import time
import tracemalloc
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from tests.data import publisher

from pairsift.data import prepare as prepare_dataset
from pairsift.data.har import scan
from pairsift.data.holdout import Split
from pairsift.data.prepare import ABANDONED, _write_series
from pairsift.data.prepared import load_folder
from pairsift.data.published import Published, Task, learn_scale
from pairsift.errors import PairsiftError


@pytest.fixture(scope="module")
def source(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return publisher.write_har(tmp_path_factory.mktemp("har"), publisher.har_arrays(np.random.default_rng(0)))


def stop_after(series: int, error: type[BaseException]):  # type: ignore[no-untyped-def]
    def progress(done: int, total: int) -> None:
        if done >= series:
            raise error

    return progress


@pytest.mark.parametrize("error", [KeyboardInterrupt, MemoryError, RuntimeError])
def test_an_interruption_leaves_nothing(error: type[BaseException], source: Path, tmp_path: Path) -> None:
    with pytest.raises(error):
        prepare_dataset("har", source, tmp_path, progress=stop_after(60, error))
    assert list((tmp_path / "prepared").iterdir()) == []


def test_an_interruption_leaves_what_was_there_before(source: Path, tmp_path: Path) -> None:
    folder = prepare_dataset("har", source, tmp_path).folder
    before = {path.name: path.read_bytes() for path in folder.iterdir()}
    with pytest.raises(KeyboardInterrupt):
        prepare_dataset("har", source, tmp_path, progress=stop_after(60, KeyboardInterrupt))
    assert {path.name: path.read_bytes() for path in folder.iterdir()} == before
    assert [path.name for path in folder.parent.iterdir()] == ["har"]


def test_what_was_there_comes_back_if_the_new_cannot_take_its_place(
    source: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = prepare_dataset("har", source, tmp_path).folder
    rename = Path.rename

    def failing(path: Path, target: Path) -> Path:
        if (path / "card.json").exists() and target == folder and not path.name.endswith("-old"):
            raise OSError(28, "No space left on device")
        return rename(path, target)

    monkeypatch.setattr(Path, "rename", failing)
    with pytest.raises(PairsiftError, match=r"No space left on device\); make room"):
        prepare_dataset("har", source, tmp_path)
    assert len(load_folder(folder).train) == 48
    assert [path.name for path in folder.parent.iterdir()] == ["har"]


def test_of_two_that_prepare_at_the_same_moment_the_last_stays(
    source: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = prepare_dataset("har", source, tmp_path).folder
    rename, twice = Path.rename, []

    def overtaken(path: Path, target: Path) -> Path:
        """As ours is about to take the place that it has just cleared, another's takes it."""
        if target == folder and not twice:
            twice.append(shutil.copytree(path, folder))
            (folder / "of-the-other").touch()
        return rename(path, target)

    monkeypatch.setattr(Path, "rename", overtaken)
    prepare_dataset("har", source, tmp_path)
    assert twice and not (folder / "of-the-other").exists() and len(load_folder(folder).train) == 48
    assert [path.name for path in folder.parent.iterdir()] == ["har"]


def test_a_work_folder_that_another_is_clearing_away_is_left_alone(
    source: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    left = tmp_path / "prepared" / ".har-another"
    left.mkdir(parents=True)
    (left / "X.npy").touch()
    rglob = Path.rglob
    monkeypatch.setattr(Path, "rglob", lambda path, of: [path / "gone"] if path == left else rglob(path, of))
    assert len(load_folder(prepare_dataset("har", source, tmp_path).folder).train) == 48
    assert left.is_dir()


def test_a_bad_file_met_midway_leaves_nothing(source: Path, tmp_path: Path) -> None:
    held = publisher.har_arrays(np.random.default_rng(0))
    top = publisher.write_har(tmp_path / "bad", held)
    (top / "test" / "Inertial Signals" / "total_acc_z_test.txt").write_text("1 2 3\n")
    with pytest.raises(PairsiftError, match="total_acc_z_test"):
        prepare_dataset("har", top, tmp_path / "root")
    assert list((tmp_path / "root" / "prepared").iterdir()) == []


PROGRAM = """
import sys, time
from pairsift.data import prepare
def wait(done, total):
    print("midway", flush=True)
    time.sleep(600)
prepare("har", sys.argv[1], sys.argv[2], progress=wait)
"""


@pytest.mark.skipif(os.name == "nt", reason="the signal that cannot be caught is POSIX")
def test_a_killed_process_leaves_nothing_under_the_name_and_is_swept_up(source: Path, tmp_path: Path) -> None:
    child = subprocess.Popen(
        [sys.executable, "-c", PROGRAM, str(source), str(tmp_path)], stdout=subprocess.PIPE, text=True
    )
    assert child.stdout is not None and child.stdout.readline() == "midway\n"
    child.send_signal(signal.SIGKILL)
    child.wait()
    child.stdout.close()
    left = list((tmp_path / "prepared").iterdir())
    assert len(left) == 1 and left[0].name.startswith(".har-")
    prepare_dataset(
        "har", source, tmp_path
    )  # another process might still be at work in what is left: it stays
    assert sorted(path.name for path in left[0].parent.iterdir()) == [left[0].name, "har"]
    long_ago = time.time() - ABANDONED - 1
    for path in (*left[0].rglob("*"), left[0]):
        os.utime(path, (long_ago, long_ago))
    prepare_dataset("har", source, tmp_path)
    assert [path.name for path in left[0].parent.iterdir()] == ["har"]


@pytest.mark.skipif(os.name == "nt" or os.geteuid() == 0, reason="this user may write everywhere")
def test_a_root_that_cannot_be_written_is_one_sentence(source: Path, tmp_path: Path) -> None:
    tmp_path.chmod(0o500)
    with pytest.raises(PairsiftError, match="--root"):
        prepare_dataset("har", source, tmp_path)
    tmp_path.chmod(0o700)


def test_a_root_that_is_a_file_is_one_sentence(source: Path, tmp_path: Path) -> None:
    (tmp_path / "root").write_text("")
    with pytest.raises(PairsiftError, match="--root"):
        prepare_dataset("har", source, tmp_path / "root")


def big(blocks: int, size: int = 128) -> Published:
    def made() -> Iterator[np.ndarray]:
        for _ in range(blocks):
            yield np.ones((size, 12, 1000), np.float32)

    rows = np.arange(blocks * size)
    task = Task(rows % 2, ("a", "b"), {"published": Split(rows, rows[:0], rows[:0], "moments")})
    return Published("big", (len(rows), 12, 1000), made, {"task": task}, None, rows, ())


def test_memory_does_not_grow_with_the_dataset(tmp_path: Path) -> None:
    published = big(blocks=30)  # 184 MB
    tracemalloc.start()
    _write_series(tmp_path / "X.npy", published, None)
    x = np.load(tmp_path / "X.npy", mmap_mode="r")
    scale = learn_scale(x, published.tasks["task"].splits["published"])
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert x.nbytes > 180e6 and peak < 60e6
    assert (
        scale is not None and scale[0].item() == 1 and scale[1].item() == 1
    )  # a deviation of 0 divides by 1


@pytest.mark.parametrize("wrong", ["shape", "few", "many", "dtype"])
def test_blocks_that_break_their_promise_are_a_bug_not_a_dataset(wrong: str) -> None:
    made = {
        "shape": [np.zeros((2, 1, 4), np.float32)],
        "few": [np.zeros((1, 1, 5), np.float32)],
        "many": [np.zeros((2, 1, 5), np.float32)] * 2,
        "dtype": [np.zeros((2, 1, 5))],
    }[wrong]
    published = Published("odd", (2, 1, 5), lambda: iter(made), {}, None, np.arange(2), ())
    with pytest.raises(RuntimeError, match="odd"):
        list(published.checked_blocks())


def split_as(path: Path, **changed: list[float]) -> None:
    with np.load(path) as held:
        kept = dict(held)
    np.savez(path, **{**kept, **{name: np.array(rows) for name, rows in changed.items()}})


@pytest.mark.parametrize(
    ("file", "harm", "words"),
    [
        ("card.json", lambda path: path.write_text("{"), "card.json cannot be read"),
        ("card.json", lambda path: path.write_text('{"format": 99}'), "another version"),
        ("card.json", lambda path: path.write_text('{"format": 1}'), "lacks 'tasks'"),
        ("X.npy", lambda path: path.write_bytes(path.read_bytes()[:-4]), "X.npy cannot be read"),
        ("X.npy", lambda path: np.save(path, np.zeros((2, 2, 2), np.float32)), "not what card.json says"),
        ("X.npy", lambda path: path.unlink(), "X.npy cannot be read"),
        (
            "y-activity.npy",
            lambda path: np.save(path, np.array([{}], object), allow_pickle=True),
            "cannot be read",
        ),
        ("ids.npy", lambda path: path.write_bytes(b""), "ids.npy cannot be read"),
        ("split-activity-published.npz", lambda path: path.write_bytes(b"PK"), "no whole .npz"),
        ("group.npy", lambda path: np.save(path, np.arange(2)), "has shape (2,) where there are 80 series"),
        ("ids.npy", lambda path: np.save(path, np.int64(3)), "has shape () where there are 80 series"),
        (
            "ids.npy",
            lambda path: np.save(path, np.full(80, 0x110000, "<u4").view("<U1")),
            "holds text with what is no character",
        ),
        ("y-activity.npy", lambda path: np.save(path, np.full(80, 6)), "which of the card's 6 classes"),
        ("y-activity.npy", lambda path: np.save(path, np.full(80, "a")), "which of the card's 6 classes"),
        ("split-activity-published.npz", lambda path: split_as(path, val=[80]), "val does not name rows"),
        ("split-activity-published.npz", lambda path: split_as(path, train=[-1]), "train does not name rows"),
        ("split-activity-published.npz", lambda path: split_as(path, test=[0.5]), "test does not name rows"),
    ],
)
def test_a_harmed_prepared_folder_is_one_sentence(file, harm, words, source: Path, tmp_path: Path) -> None:  # type: ignore[no-untyped-def]
    folder = prepare_dataset("har", source, tmp_path).folder
    harm(folder / file)
    with pytest.raises(PairsiftError, match=r"prepare|get it again") as said:
        load_folder(folder)
    assert words in str(said.value) and file in str(said.value) and "\n" not in str(said.value)


def test_the_source_is_only_read(source: Path, tmp_path: Path) -> None:
    before = {path: path.stat().st_mtime_ns for path in source.rglob("*")}
    prepare_dataset("har", source, tmp_path)
    assert {path: path.stat().st_mtime_ns for path in source.rglob("*")} == before
    assert scan(source).files
