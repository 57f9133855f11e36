"""Running the command line inside the test's own process, as a shell would see it."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import NamedTuple

import pytest

from pairsift.cli import main


class Shown(NamedTuple):
    code: int
    out: str
    err: str


Run = Callable[..., Shown]


@pytest.fixture
def pairsift(monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]) -> Run:
    def run(*words: object) -> Shown:
        monkeypatch.setattr(sys, "argv", ["pairsift", *map(str, words)])
        capfd.readouterr()
        with pytest.raises(SystemExit) as ended:
            main()
        shown = capfd.readouterr()
        return Shown(int(ended.value.code or 0), shown.out, shown.err)

    return run
