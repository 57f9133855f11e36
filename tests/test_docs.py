"""The pages for users, run from top to bottom: what they tell one to type works and prints what they show."""

from __future__ import annotations

import re
import shlex
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.data import publisher

DOCS = Path(__file__).parent.parent / "docs"
BLOCK = re.compile(r"^```(\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def blocks(page: str) -> list[tuple[str, str]]:
    return BLOCK.findall((DOCS / page).read_text())


def run_block(kind: str, text: str, pairsift, folder: Path, names: dict[str, Any]) -> None:
    """Type one block of a page; Python goes on with the names of the page's earlier blocks."""
    if kind == "python":
        exec(compile(text, "a page's example", "exec"), names)
    elif kind == "text":
        pass  # what a long command printed
    elif kind == "toml":
        name = text.split("\n", 1)[0].removeprefix("# ")
        (folder / name).write_text(text)
    elif kind == "bash":
        for line in text.splitlines():
            program, *words = shlex.split(line, comments=True)
            assert program == "pairsift", line
            shown = pairsift(*words)
            assert shown.code == 0, f"{line}: {shown.err}"
    elif kind == "console":
        for part in re.split(r"^\$ ", text, flags=re.MULTILINE)[1:]:
            line, expected = part.split("\n", 1)
            shown = pairsift(*shlex.split(line)[1:])
            exact = ".*".join(map(re.escape, expected.split("[...]")))  # a page may leave out what grows
            assert re.fullmatch(exact, shown.out + shown.err), f"{line}: {shown.out + shown.err}"
            assert shown.code == (2 if expected.startswith("error: ") else 0)
    else:
        raise AssertionError(f"nobody runs a block of {kind}")


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with publishers' files as the pages call them, made up and small, and a data root."""
    rng = np.random.default_rng(0)
    publisher.zipped(
        publisher.write_har(tmp_path, publisher.har_arrays(rng, train=24, test=12)),
        tmp_path / "UCI HAR Dataset.zip",
    )
    ids = publisher.uci_ids(np.arange(60) // 6, np.arange(60) % 6)
    table, classes = rng.integers(-99, 99, (60, 178)), np.arange(60) // 6 % 5 + 1
    publisher.write_uci_csv(tmp_path / "Epileptic Seizure Recognition.csv", table, classes, ids)
    publisher.write_bonn(tmp_path / "bonn", *publisher.bonn_arrays(rng))
    publisher.write_sleep(tmp_path / "sleep-cassette", [0, 3, 5], epochs=130)
    publisher.write_ptb_xl(tmp_path / "ptb-xl", rng, records=20)
    monkeypatch.setenv("PAIRSIFT_DATA", str(tmp_path / "root"))
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_every_page_runs_from_top_to_bottom(folder: Path, pairsift) -> None:
    """In one folder, as a reader would: the first page makes the files that the others use."""
    for page in ("commands.md", "data.md", "estimator.md", "audit.md"):
        assert blocks(page)
        names: dict[str, Any] = {}
        for kind, text in blocks(page):
            run_block(kind, text, pairsift, folder, names)


def test_links_between_pages_lead_somewhere() -> None:
    pages = [DOCS.parent / "README.md", DOCS.parent / "CONTRIBUTING.md", *sorted(DOCS.glob("*.md"))]
    assert len(pages) > 10
    for page in pages:
        for target in re.findall(r"\]\(([^)#]+)\)", page.read_text()):
            assert target.startswith("https://") or (page.parent / target).exists(), f"{page}: {target}"
