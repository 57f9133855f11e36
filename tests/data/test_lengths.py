"""Series of unequal lengths: padded, cropped or cut, and never otherwise changed."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from pairsift.data import lengths as lengths_module
from pairsift.data.files import load_series
from pairsift.errors import PairsiftError

LENGTHS = [7, 3, 10, 6]
RNG = np.random.default_rng(0)
SERIES = [RNG.normal(size=(2, length)).astype(np.float32) for length in LENGTHS]


@pytest.fixture(params=["long csv", "ts", "folder of npy", "wide csv"])
def path(request, tmp_path):
    """Four series of two channels (one in wide tables) and lengths 7, 3, 10, 6."""
    if request.param == "long csv":
        rows = [(n, t, *x[:, t]) for n, x in enumerate(SERIES) for t in range(x.shape[1])]
        frame = pd.DataFrame(rows, columns=["id", "time", "a", "b"]).assign(y=lambda f: f.id % 2)
        frame.to_csv(tmp_path / "x.csv", index=False)
        return tmp_path / "x.csv"
    if request.param == "ts":
        lines = [":".join(",".join(repr(float(v)) for v in c) for c in x) for x in SERIES]
        lines = [f"{line}:{n % 2}" for n, line in enumerate(lines)]
        (tmp_path / "x.ts").write_text("@classLabel true 0 1\n@data\n" + "\n".join(lines))
        return tmp_path / "x.ts"
    if request.param == "folder of npy":
        for n, x in enumerate(SERIES):
            np.savez(tmp_path / f"{n}.npz", X=x[None], y=[n % 2])
        return tmp_path
    padded = [np.pad(x[0], (0, 10 - x.shape[1]), constant_values=np.nan) for x in SERIES]
    frame = pd.DataFrame(padded).assign(y=[0, 1, 0, 1])
    frame.to_csv(tmp_path / "x.csv", index=False)
    return tmp_path / "x.csv"


def agree(rows, expected) -> None:
    """The fixture's wide table has the first channel only."""
    np.testing.assert_allclose(rows, np.stack(expected)[:, : rows.shape[1]], rtol=1e-6)


@pytest.mark.parametrize("block", [1, 1 << 24])
def test_pad_adds_zeros_at_the_end(path, block, monkeypatch):
    monkeypatch.setattr(lengths_module, "_BLOCK", block)
    series = load_series(path, lengths="pad")
    agree(series.x, [np.pad(x, ((0, 0), (0, 10 - x.shape[1]))) for x in SERIES])
    assert series.y.tolist() == [0, 1, 0, 1]


@pytest.mark.parametrize("block", [1, 1 << 24])
def test_crop_keeps_the_start(path, block, monkeypatch):
    monkeypatch.setattr(lengths_module, "_BLOCK", block)
    agree(load_series(path, lengths="crop").x, [x[:, :3] for x in SERIES])


@pytest.mark.parametrize("block", [1, 1 << 24])
def test_windows_follow_each_other_and_keep_their_series(path, block, monkeypatch):
    monkeypatch.setattr(lengths_module, "_BLOCK", block)
    series = load_series(path, lengths="window", window=3)
    agree(series.x, [x[:, 3 * k : 3 * k + 3] for x in SERIES for k in range(x.shape[1] // 3)])
    assert series.y.tolist() == [0, 0, 1, 0, 0, 0, 1, 1]
    groups = series.group.tolist()
    assert [groups.index(g) for g in groups] == [0, 0, 2, 3, 3, 3, 6, 6]
    assert len(set(series.ids.tolist())) == 8


def test_series_shorter_than_a_window_are_left_out_and_counted(path):
    series = load_series(path, lengths="window", window=5)
    agree(series.x, [SERIES[0][:, :5], SERIES[2][:, :5], SERIES[2][:, 5:], SERIES[3][:, :5]])
    assert series.facts["lengths"] == {"how": "window", "length": 5, "left_out": 1}
    assert any(
        "1 of 4 series are shorter than the window of 5 time steps" in note for note in series.facts["notes"]
    )


def test_unequal_lengths_are_refused_by_default_and_the_ways_out_are_named(path):
    with pytest.raises(PairsiftError, match=r"3 to 10 time steps.*pad.*crop.*window"):
        load_series(path)


def test_an_array_can_be_cut_too(tmp_path):
    x = RNG.normal(size=(3, 2, 11)).astype(np.float32)
    np.save(tmp_path / "x.npy", x)
    cut = load_series(tmp_path / "x.npy", lengths="window", window=4)
    np.testing.assert_array_equal(cut.x, [x[n, :, s : s + 4] for n in range(3) for s in (0, 4)])
    assert cut.group.tolist() == [0, 0, 1, 1, 2, 2]


def test_other_and_truth_are_cut_alongside(tmp_path):
    x, other = RNG.normal(size=(2, 4, 1, 8)).astype(np.float32)
    np.savez(tmp_path / "x.npz", X=x, other=other, truth=np.array([0, 1, 2, 0], np.int8))
    cut = load_series(tmp_path / "x.npz", lengths="window", window=4)
    np.testing.assert_array_equal(cut.other[4], other[2, :, :4])
    assert cut.truth.tolist() == [0, 0, 1, 1, 2, 2, 0, 0]


@pytest.mark.parametrize(
    ("how", "said"),
    [
        ({"lengths": "stretch"}, "lengths must be"),
        ({"lengths": "window"}, "belong together"),
        ({"lengths": "pad", "window": 3}, "belong together"),
        ({"lengths": "window", "window": 1}, "at least 2"),
        ({"lengths": "window", "window": 11}, "longest has 10"),
    ],
)
def test_wrong_wishes_are_refused(path, how, said):
    with pytest.raises(PairsiftError, match=said):
        load_series(path, **how)
