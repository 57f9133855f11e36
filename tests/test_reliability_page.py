"""Every test that docs/reliability.md names is there, and so is every file that it speaks of."""

from __future__ import annotations

import re
from pathlib import Path

HOME = Path(__file__).parent.parent
PAGE = (HOME / "docs" / "reliability.md").read_text()


def test_every_test_that_is_named_exists() -> None:
    named = set(re.findall(r"`(tests/[\w/]+(?:\.py)?)(?:::(\w+))?`", PAGE))
    assert len(named) > 30
    for file, test in named:
        path = HOME / file
        assert path.exists(), file
        assert not test or f"def {test}(" in path.read_text(), f"{file}::{test}"


def test_every_target_of_the_fuzzer_is_in_its_table() -> None:
    from tests.fuzz.targets import TARGETS

    rows = set(re.findall(r"^\| ([a-z-]+) \| [\d,]+ \|", PAGE, re.MULTILINE))
    assert rows == set(TARGETS)
