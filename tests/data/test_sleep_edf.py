"""Sleep-EDF: which epochs of a night are kept, what they hold, and who is on which side."""

from __future__ import annotations

import shutil
import sys
from pathlib import Path

import numpy as np
import pytest
from tests.data import publisher

from pairsift.data import load_dataset, prepare
from pairsift.data.sleep_edf import ORDER, _by_person, scan, stages
from pairsift.errors import PairsiftError

# Epochs of each night after trimming, as published with the recordings' common preprocessing.
NIGHTS = {
    "SC4001": 841, "SC4002": 1127, "SC4011": 1103, "SC4012": 1186, "SC4021": 1025,
    "SC4022": 1009, "SC4031": 952, "SC4032": 911, "SC4041": 1235, "SC4042": 1200,
    "SC4051": 672, "SC4052": 1246, "SC4061": 843, "SC4062": 1016, "SC4071": 976,
    "SC4072": 1273, "SC4081": 1134, "SC4082": 1054, "SC4091": 1132, "SC4092": 1105,
}  # fmt: skip


def test_a_night_is_cut_labelled_and_scaled_to_microvolts(tmp_path: Path) -> None:
    published = scan(publisher.write_sleep(tmp_path, [3]))
    # 90 wake (60 kept), 4 N1, 10 N2, 2 of movement left out, 8 N3 (3 and 4), 2 wake, 8 REM, 70 wake (60 kept)
    expected = np.repeat([0, 1, 2, 3, 0, 4, 0], [60, 4, 10, 8, 2, 8, 60])
    np.testing.assert_array_equal(published.tasks["stage"].y, expected)
    epochs = np.r_[30:104, 106:184]
    assert published.ids.tolist() == [f"SC4031/{epoch}" for epoch in epochs]
    assert set(published.group.tolist()) == {3}
    x = np.concatenate(list(published.checked_blocks()))
    np.testing.assert_allclose(x[:, 0], publisher.microvolts(publisher.digital(epochs)), atol=1e-3)


def test_a_recording_that_ends_before_its_hypnogram_is_cut_there(tmp_path: Path) -> None:
    published = scan(publisher.write_sleep(tmp_path, [3], epochs=110))
    assert published.ids[-1] == "SC4031/109" and published.tasks["stage"].y[-4:].tolist() == [3, 3, 3, 3]


def test_people_go_by_the_fixed_order() -> None:
    person = np.repeat(np.arange(20), 2)
    split = _by_person(person)
    assert sorted(ORDER) == list(range(20))
    assert set(person[split.train]) == {14, 5, 4, 17, 8, 7, 19, 12, 0, 15, 16, 9}
    assert set(person[split.val]) == {11, 10, 3, 1}
    assert set(person[split.test]) == {6, 18, 2, 13}


def test_people_who_are_absent_are_passed_over() -> None:
    split = _by_person(np.array([0, 1, 2, 3, 4]))
    assert [rows.tolist() for rows in (split.train, split.val, split.test)] == [[0, 3, 4], [1], [2]]
    alone = _by_person(np.array([7, 7]))
    assert len(alone.train) == 2 and not len(alone.val)


def test_further_people_are_left_out_and_said(tmp_path: Path) -> None:
    published = scan(publisher.write_sleep(tmp_path, [0, 19, 20, 71]))
    assert set(published.group.tolist()) == {0, 19}
    assert "2 recordings of further people were left out" in published.notes[0]


def test_files_may_lie_at_any_depth_and_both_nights_are_one_person_s(tmp_path: Path) -> None:
    publisher.write_sleep(tmp_path / "a" / "b", [0], nights=[1])
    publisher.write_sleep(tmp_path / "c", [0, 4], nights=[2])
    published = scan(tmp_path)
    assert len(published.files) == 6 and set(published.group.tolist()) == {0, 4}


def test_wake_alone_or_nothing_within_the_recording_is_refused() -> None:
    for count in (0, 100):
        with pytest.raises(PairsiftError, match=r"night\.edf has no sleep"):
            stages(np.array([0.0]), np.array([3000.0]), ["Sleep stage W"], count, "night.edf")


def test_without_mne_the_sentence_says_what_to_install(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "mne", None)
    with pytest.raises(PairsiftError, match=r'pip install "pairsift\[physio\]"'):
        scan(publisher.write_sleep(tmp_path, [0]))


@pytest.mark.data
@pytest.mark.parametrize("night", NIGHTS)
def test_real_hypnograms_leave_as_many_epochs_as_published(night: str) -> None:
    import mne

    path = next(publisher.real("sleep-edf", "hypnograms").glob(f"{night}*-Hypnogram.edf"))
    said = mne.read_annotations(path)
    epochs, y = stages(said.onset, said.duration, list(said.description), 2650, path.name)
    assert len(epochs) == len(y) == NIGHTS[night]
    assert (y[:60] == 0).all() and y[60] > 0 and set(y) <= {0, 1, 2, 3, 4}


@pytest.mark.data
def test_a_real_hypnogram_labels_a_recording_beside_it(tmp_path: Path) -> None:
    source = tmp_path / "raw"
    source.mkdir()
    for night in ("SC4001", "SC4051"):
        path = next(publisher.real("sleep-edf", "hypnograms").glob(f"{night}*-Hypnogram.edf"))
        shutil.copy(path, source / path.name)
        publisher.write_psg(source / f"{night}E0-PSG.edf", 2650)
    done = prepare("sleep-edf", source, tmp_path)
    assert done.card["shape"] == [841 + 672, 1, 3000]
    train = load_dataset("sleep-edf", root=tmp_path).train
    epochs = np.array([int(one.split("/")[1]) for one in train.ids])
    expected = publisher.microvolts(publisher.digital(epochs))
    np.testing.assert_allclose(train.x[:, 0], expected, atol=1e-3)
    classes = done.card["tasks"]["stage"]["splits"]["published"]["train"]["classes"]
    assert list(classes) == ["W", "N1", "N2", "N3", "REM"] and min(classes.values()) > 0
