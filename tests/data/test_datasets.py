"""One suite that every known dataset goes through, on publisher's files made up for it."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.data import publisher

from pairsift.data import CATALOG, Series, Splits, info, load_dataset, load_prepared, prepare, prepared_folder
from pairsift.data import rows as rows_module
from pairsift.errors import PairsiftError

TASKS = {
    "har": ["activity"],
    "epilepsy": ["seizure"],
    "sleep-edf": ["stage"],
    "ptb-xl": ["diagnostic", "form", "rhythm"],
}
CASES = [(name, task, kind) for name in TASKS for task in TASKS[name] for kind in ("published", "grouped")]
every_split = pytest.mark.parametrize(("name", "task", "kind"), CASES)
every_dataset = pytest.mark.parametrize("name", TASKS)


@pytest.fixture(scope="module")
def raw(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A data root with a raw copy of every dataset."""
    root, rng = tmp_path_factory.mktemp("raw"), np.random.default_rng(3)
    publisher.write_har(root / "har", publisher.har_arrays(rng))
    signals, names = publisher.bonn_arrays(rng, a_set=4)
    order = rng.permutation(len(names) * 23)
    recording, chunk = np.repeat(np.arange(len(names)), 23)[order], np.tile(np.arange(23), len(names))[order]
    label = np.array([publisher.SETS[names[one][0]] for one in recording])
    (root / "epilepsy").mkdir()
    publisher.write_uci_csv(
        root / "epilepsy" / "data.csv",
        publisher.chunks(signals)[order],
        label,
        publisher.uci_ids(recording, chunk),
    )
    publisher.write_sleep(root / "sleep-edf", people=[0, 3, 5, 14, 19], epochs=130)
    publisher.write_ptb_xl(root / "ptb-xl", rng)
    return root


@pytest.fixture(scope="module")
def root(raw: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A data root with every dataset prepared."""
    root = tmp_path_factory.mktemp("root")
    for name in TASKS:
        prepare(name, raw / name, root)
    return root


def parts(splits: Splits) -> list[Series]:
    return [part for part in (splits.train, splits.val, splits.test) if part is not None]


@every_split
def test_prepared_arrays_are_what_the_files_say(
    name: str, task: str, kind: str, raw: Path, root: Path
) -> None:
    read = load_dataset(name, root=raw, split=kind, task=task)
    prepared = load_dataset(name, root=root, split=kind, task=task)
    assert len(parts(read)) == len(parts(prepared))
    for one, other in zip(parts(read), parts(prepared)):
        assert one.classes == other.classes and one.name == other.name == name
        for field in ("x", "y", "group", "ids"):
            np.testing.assert_array_equal(getattr(one, field), getattr(other, field))


@every_split
def test_series_are_of_the_catalog_s_shape(name: str, task: str, kind: str, root: Path) -> None:
    entry = CATALOG[name]
    for part in parts(load_dataset(name, root=root, split=kind, task=task)):
        assert part.x.shape == (len(part), entry.channels, entry.length) and part.x.dtype == np.float32
        assert np.isfinite(part.x).all()
        assert part.y is not None and part.y.dtype == np.int64 and part.classes is not None
        assert len(part.classes) == entry.tasks[task].class_count
        if part.multilabel:
            assert part.y.shape[1] == len(part.classes) and set(np.unique(part.y)) <= {0, 1}
            assert part.y.any(axis=1).all()
        else:
            assert part.y.min() >= 0 and part.y.max() < len(part.classes)
        json.dumps(part.facts)


@every_split
def test_parts_share_nothing_and_leave_out_nothing(name: str, task: str, kind: str, root: Path) -> None:
    ids = [set(part.ids.tolist()) for part in parts(load_dataset(name, root=root, split=kind, task=task))]
    other = load_dataset(name, root=root, split="grouped" if kind == "published" else "published", task=task)
    assert sum(map(len, ids)) == len(set.union(*ids))
    assert set.union(*ids) == {one for part in parts(other) for one in part.ids.tolist()}


@every_split
def test_a_grouped_split_keeps_each_group_on_one_side(name: str, task: str, kind: str, root: Path) -> None:
    groups = [
        set(part.group.tolist()) for part in parts(load_dataset(name, root=root, split=kind, task=task))
    ]
    shared = sum(map(len, groups)) - len(set.union(*groups))
    honest = kind == "grouped" or name == "sleep-edf"
    assert (shared == 0) == honest  # and the others leak, as their descriptions say


@pytest.mark.parametrize(("name", "task"), [(name, task) for name in TASKS for task in TASKS[name]])
def test_a_random_split_holds_out_a_fifth_and_a_fifth_of_the_rest(name: str, task: str, root: Path) -> None:
    if name == "sleep-edf":
        pytest.skip("its published split is by person")
    splits = load_dataset(name, root=root, task=task)
    train, val, test = map(len, parts(splits))
    if name != "har":  # whose test is the publisher's
        assert test == -(-(train + val + test) // 5)
    assert val == -(-(train + val) // 5)


@every_split
def test_scaling_is_what_the_card_says(name: str, task: str, kind: str, root: Path) -> None:
    splits = load_dataset(name, root=root, split=kind, task=task)
    x = np.asarray(splits.train.x, np.float64)
    learned_on = np.concatenate([part.x for part in parts(splits)]) if kind == "published" else x
    assert splits.train.facts["scaling"] == CATALOG[name].scaling
    if CATALOG[name].scaling == "columns":
        np.testing.assert_allclose(learned_on.min(axis=0), 0, atol=1e-6)
        np.testing.assert_allclose(learned_on.max(axis=0), 1, atol=1e-6)
    if CATALOG[name].scaling == "moments":
        assert abs(x.mean()) < 1e-6 and abs(x.std() - 1) < 1e-6


@every_dataset
def test_the_card_counts_and_vouches_for_what_is_there(name: str, raw: Path, root: Path) -> None:
    folder = prepared_folder(name, root)
    card = json.loads((folder / "card.json").read_text())
    assert card["licence"] == CATALOG[name].licence and card["citation"] == CATALOG[name].citation
    assert card["sha256"] == hashlib.sha256((folder / "X.npy").read_bytes()).hexdigest()
    assert card["shape"] == list(np.load(folder / "X.npy", mmap_mode="r").shape)
    for path, value in card["source"].get("files", {}).items():
        assert value == hashlib.sha256(Path(path).read_bytes()).hexdigest()
    files = card["source"].get("count", len(card["source"].get("files", {})))
    shipped = [path for path in (raw / name).rglob("*") if path.is_file() and path.name != "README.txt"]
    assert files == len(shipped)
    for task in TASKS[name]:
        splits = load_dataset(name, root=root, task=task)
        counted = card["tasks"][task]["splits"]["published"]
        for part, word in zip((splits.train, splits.val, splits.test), ("train", "val", "test")):
            assert part is not None and counted[word]["series"] == len(part)
            ones = part.y if part.multilabel else np.eye(len(part.classes))[part.y]
            assert list(counted[word]["classes"].values()) == ones.sum(axis=0).tolist()


@every_dataset
def test_counts_that_are_not_the_published_ones_are_said(name: str, raw: Path, tmp_path: Path) -> None:
    done = prepare(name, raw / name, tmp_path)
    published = "/".join(map(str, CATALOG[name].tasks[TASKS[name][0]].counts))
    assert any(published in note and "\n" not in note for note in done.notes)
    assert done.card["notes"] == list(done.notes)


@every_dataset
def test_preparing_again_gives_the_same_bytes(name: str, raw: Path, root: Path, tmp_path: Path) -> None:
    folder = prepare(name, raw / name, tmp_path).folder
    again = prepare(name, raw / name, tmp_path).folder  # which replaces it
    first = prepared_folder(name, root)
    assert sorted(p.name for p in first.iterdir()) == sorted(p.name for p in again.iterdir())
    assert folder == again and [p.name for p in folder.parent.iterdir()] == [name]
    for path in first.iterdir():
        assert path.read_bytes() == (again / path.name).read_bytes(), path.name


@every_dataset
def test_progress_is_told_up_to_the_end(name: str, raw: Path, tmp_path: Path) -> None:
    told: list[tuple[int, int]] = []
    count = prepare(name, raw / name, tmp_path, progress=lambda done, total: told.append((done, total))).card[
        "shape"
    ][0]
    assert told[-1] == (count, count) and [done for done, _ in told] == sorted(done for done, _ in told)


@every_split
def test_what_is_read_on_demand_is_the_same(
    name: str, task: str, kind: str, root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    held = load_prepared(name, root, kind, task).train
    monkeypatch.setattr(rows_module, "COPY_BELOW", 0)
    lazy = load_prepared(name, root, kind, task).train
    assert type(lazy.x) is not np.ndarray  # a map, or rows read on demand
    places = np.array([3, 0, len(held) - 1])
    np.testing.assert_array_equal(lazy[places].x, held[places].x)
    np.testing.assert_array_equal(lazy.subset(places).x, held.x[places])
    np.testing.assert_array_equal(np.asarray(lazy.x), held.x)


@every_dataset
def test_info_says_all_that_a_person_needs(name: str) -> None:
    text = info(name)
    entry = CATALOG[name]
    for words in (*entry.where, entry.licence, entry.citation, f"pairsift data prepare {name} --source PATH"):
        assert words in text
    for label, task in entry.tasks.items():
        assert label in text and str(task.class_count) in text and "/".join(map(str, task.counts)) in text


@every_dataset
def test_a_dataset_that_is_not_there_says_the_command(name: str, tmp_path: Path) -> None:
    with pytest.raises(PairsiftError) as said:
        load_dataset(name, root=tmp_path)
    assert f"pairsift data prepare {name} --source PATH --root {tmp_path}" in str(said.value)


@every_dataset
@pytest.mark.parametrize(
    ("asked", "words"),
    [
        ({"split": "groupd"}, "did you mean 'grouped'"),
        ({"task": "nothing"}, "task must be one of"),
        ({"windows": 3}, "windows is not an option"),
    ],
)
def test_a_wrong_choice_is_one_sentence(name: str, asked: dict[str, Any], words: str, root: Path) -> None:
    with pytest.raises(PairsiftError, match=words):
        load_dataset(name, root=root, **asked)


def test_the_simulation_has_a_name_and_takes_its_options() -> None:
    assert load_dataset("simulated", n_train=30, n_test=9, noisy=6, faulty=6).train.length == 500
    with pytest.raises(PairsiftError, match="leave split and task out"):
        load_dataset("simulated", split="grouped")
    with pytest.raises(PairsiftError, match="nothing to prepare"):
        prepare("simulated", ".")


def test_a_name_beside_the_known_ones_says_the_nearest() -> None:
    with pytest.raises(PairsiftError, match="did you mean 'sleep-edf'"):
        load_dataset("sleep_edf2")
    with pytest.raises(PairsiftError, match="no file or folder"):
        load_dataset("no/such/file.npz")


def test_a_path_gives_ones_own_files_or_a_prepared_folder(root: Path, tmp_path: Path) -> None:
    path = tmp_path / "mine.npz"
    np.savez(path, X=np.random.default_rng(0).normal(size=(20, 2, 16)).astype(np.float32))
    splits = load_dataset(path)
    assert sum(map(len, parts(splits))) == 20 and splits.train.channels == 2
    with pytest.raises(PairsiftError, match="split and task are for known datasets"):
        load_dataset(path, split="grouped")
    assert load_dataset(prepared_folder("har", root)).train.name == "har"
