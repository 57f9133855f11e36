"""Where the data root is."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from pairsift.data.root import cache_folder, data_root


def test_an_argument_wins_then_the_variable_then_the_cache(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PAIRSIFT_DATA", str(tmp_path / "said"))
    assert data_root(tmp_path / "given") == tmp_path / "given"
    assert data_root(str(tmp_path / "given")) == tmp_path / "given"
    assert data_root() == tmp_path / "said"
    for nothing in ("", "  "):
        monkeypatch.setenv("PAIRSIFT_DATA", nothing)
        assert data_root() == cache_folder()
    monkeypatch.delenv("PAIRSIFT_DATA")
    assert data_root() == cache_folder()


def test_a_tilde_is_the_home_folder(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PAIRSIFT_DATA", "~/data")
    assert data_root() == Path.home() / "data" and data_root("~/x") == Path.home() / "x"


@pytest.mark.parametrize(
    ("system", "variable", "end"),
    [
        ("linux", "XDG_CACHE_HOME", "pairsift"),
        ("win32", "LOCALAPPDATA", "pairsift"),
        ("darwin", None, "Caches/pairsift"),
    ],
)
def test_each_system_has_its_own_cache(
    system: str, variable: str | None, end: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "platform", system)
    if variable is not None:
        monkeypatch.delenv(variable, raising=False)
        assert Path.home() in cache_folder().parents
        monkeypatch.setenv(variable, str(tmp_path))
        assert cache_folder() == tmp_path / end
    assert cache_folder().as_posix().endswith(end)
