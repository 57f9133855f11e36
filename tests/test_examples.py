"""Every example runs from the first line to the last."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

EXAMPLES = sorted((Path(__file__).parent.parent / "examples").glob("*.py"))
SMALL = {
    "plain_pytorch": ["--count", "128"],
    "lightning_module": ["--count", "128"],
    "sklearn_pipeline": ["--count", "60"],
}
SHOWN = {"plain_pytorch": "mean_loss", "lightning_module": "noisy_pairs", "sklearn_pipeline": "best: "}


def test_there_are_examples() -> None:
    assert set(SMALL) <= {path.stem for path in EXAMPLES}


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_an_example_runs(path: Path, tmp_path: Path) -> None:
    command = [sys.executable, str(path), "--epochs", "1", *SMALL.get(path.stem, [])]
    limits = {"OMP_NUM_THREADS": "1", "PYTHONWARNINGS": "ignore"}
    done = subprocess.run(command, cwd=tmp_path, env={**os.environ, **limits}, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr[-2000:]
    assert SHOWN.get(path.stem, "") in done.stdout


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_an_example_is_a_page_and_says_how_to_run_it(path: Path) -> None:
    text = path.read_text()
    assert len(text.splitlines()) <= 120
    assert f"python examples/{path.name}" in text
