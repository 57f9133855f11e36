"""Running the command line inside the test's own process, as a shell would see it."""

from __future__ import annotations

import random
import sys
from collections.abc import Callable
from typing import NamedTuple

import numpy as np
import pytest
import torch
from hypothesis import HealthCheck, settings

from pairsift.cli import main

# The same examples each time, however slow the machine: what passes today passes tomorrow.
# --hypothesis-profile=default looks for others.
settings.register_profile(
    "same", derandomize=True, deadline=None, suppress_health_check=[HealthCheck.too_slow]
)
settings.load_profile("same")


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup() -> None:
    """Each test draws the same numbers, whichever tests ran before it in the same process."""
    random.seed(0)
    np.random.seed(0)  # noqa: NPY002 - of those who still ask it, in other packages
    torch.manual_seed(0)


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
