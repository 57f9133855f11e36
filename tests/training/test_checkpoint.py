"""Checkpoints: whole or not there, checked when read, nothing executed."""

import pickle
from pathlib import Path

import pytest
import torch

from pairsift.errors import PairsiftError
from pairsift.training.checkpoint import (
    CannotWrite,
    DamagedCheckpoint,
    checkpoints,
    load_checkpoint,
    newest_checkpoint,
    save_checkpoint,
    write_whole,
)


def state() -> dict:
    return {"weights": torch.arange(1000.0), "epoch": 3, "names": ["a", None]}


def test_what_was_saved_comes_back(tmp_path: Path) -> None:
    path = tmp_path / "epoch-000003.ckpt"
    save_checkpoint(state(), path)
    back = load_checkpoint(path)
    assert torch.equal(back.pop("weights"), state()["weights"])
    assert back == {"epoch": 3, "names": ["a", None]}
    assert list(tmp_path.iterdir()) == [path]  # nothing lies about


@pytest.mark.parametrize("keep", [0, 10, 50, 95, 200, -1])
def test_a_cut_checkpoint_is_noticed(tmp_path: Path, keep: int) -> None:
    path = tmp_path / "epoch-000001.ckpt"
    save_checkpoint(state(), path)
    path.write_bytes(path.read_bytes()[:keep])
    with pytest.raises(DamagedCheckpoint, match=r"epoch-000001\.ckpt"):
        load_checkpoint(path)


@pytest.mark.parametrize("place", [0, 40, 93, 94, 500, -1])
def test_a_flipped_bit_is_noticed(tmp_path: Path, place: int) -> None:
    path = tmp_path / "epoch-000001.ckpt"
    save_checkpoint(state(), path)
    data = bytearray(path.read_bytes())
    data[place] ^= 1
    path.write_bytes(data)
    with pytest.raises(DamagedCheckpoint):
        load_checkpoint(path)


def test_the_newest_whole_one_is_found_and_the_damaged_one_is_named(tmp_path: Path) -> None:
    for epoch in (1, 2):
        save_checkpoint({"epoch": epoch}, tmp_path / f"epoch-{epoch:06d}.ckpt")
    newest = tmp_path / "epoch-000002.ckpt"
    newest.write_bytes(newest.read_bytes()[:-5])
    (tmp_path / "epoch-000003.ckpt.part").touch()
    path, passed = newest_checkpoint(tmp_path)
    assert path == tmp_path / "epoch-000001.ckpt"
    assert len(passed) == 1 and "epoch-000002.ckpt" in passed[0]
    assert len(checkpoints(tmp_path)) == 2


class Bomb:
    def __init__(self, target: Path) -> None:
        self.target = target

    def __reduce__(self):
        return (Path.touch, (self.target,))


def test_a_pickle_in_place_of_a_checkpoint_is_not_run(tmp_path: Path) -> None:
    target = tmp_path / "ran"
    plain = tmp_path / "epoch-000001.ckpt"
    plain.write_bytes(pickle.dumps(Bomb(target)))
    with pytest.raises(DamagedCheckpoint):
        load_checkpoint(plain)
    # even one that carries a checksum that fits
    save_checkpoint({"bomb": Bomb(target)}, plain)
    with pytest.raises(PairsiftError, match="something else than tensors and plain values"):
        load_checkpoint(plain)
    assert not target.exists()


def test_a_failed_write_leaves_the_file_before_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "file"
    write_whole(path, b"old")

    def full(_: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("pairsift.training.checkpoint.os.fsync", full)
    with pytest.raises(CannotWrite, match=r"file cannot be written \(No space left on device\)"):
        write_whole(path, b"new")
    assert path.read_bytes() == b"old"
    assert list(tmp_path.iterdir()) == [path]
