"""Every broken file of the tables, at the command line: exit code 2, one sentence, no traceback."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.data.test_broken_files import BROKEN

FLAGS = {"orient": "--orient", "channels": "--channels"}


def as_flags(how: dict[str, object]) -> list[str]:
    """What `load_series` is told, as the command line says it."""
    words: list[str] = []
    for name, value in how.items():
        if isinstance(value, dict):  # columns
            words += [f"--column={role}={column}" for role, column in value.items()]
        elif isinstance(value, list):  # classes
            words += ["--classes", ",".join(value)]
        else:
            words += [FLAGS[name], str(value)]
    return words


@pytest.mark.parametrize("case", BROKEN)
def test_exit_code_2_and_one_sentence(case: str, pairsift, tmp_path: Path, monkeypatch) -> None:
    name, write, _, how = BROKEN[case]
    monkeypatch.chdir(tmp_path)
    write(tmp_path / name)
    shown = pairsift("data", "info", name if case != "absent" else f"./{name}", *as_flags(how))
    assert shown.code == 2 and shown.out == ""
    assert len(shown.err.splitlines()) == 1 and shown.err.startswith("error: ")
    assert not (tmp_path / "BOOM").exists()


def test_there_are_many() -> None:
    assert len(BROKEN) >= 40
