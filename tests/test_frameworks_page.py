"""docs/frameworks.md shows the numbers of docs/frameworks.json."""

from __future__ import annotations

import json
import re
from pathlib import Path

from benchmarks.frameworks import page

DOCS = Path(__file__).parent.parent / "docs"


def test_the_page_is_what_its_command_writes_of_its_numbers() -> None:
    shown, result = (DOCS / "frameworks.md").read_text(), json.loads((DOCS / "frameworks.json").read_text())
    command = re.search(r"Written by `([^`]*)`", shown)
    assert command and page(result, command[1]) == shown
    assert {row["data"] for row in result["rows"]} == {"har", "simulated"}
