"""Series and a finished run that the tests of commands share."""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import pytest

from pairsift.cli import main

TOML = """
epochs = 2
warmup = 1
batch_size = 16
[options]
hidden = 8
encoder_options = {widths = [4, 4]}
"""


@pytest.fixture(scope="session")
def mine(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with labelled series, unlabelled ones, and settings that are quick."""
    folder = tmp_path_factory.mktemp("mine")
    rng = np.random.default_rng(0)
    y = np.arange(60) % 2
    t = np.linspace(0, 6, 40)
    x = np.sin(t * (1 + 2 * y[:, None]) + rng.uniform(0, 6, (60, 1)))[:, None] + 0.1 * rng.normal(
        size=(60, 2, 40)
    )
    x = x.astype(np.float32)
    np.savez(folder / "labelled.npz", X=x, y=np.array(["slow", "fast"])[y], group=np.arange(60) // 4)
    np.save(folder / "plain.npy", x)
    (folder / "small.toml").write_text(TOML)
    return folder


@pytest.fixture(scope="session")
def made(mine: Path) -> Path:
    """A finished run on the labelled series."""
    words = [
        "pretrain",
        mine / "labelled.npz",
        "--config",
        mine / "small.toml",
        "--out",
        mine / "run",
        "--quiet",
    ]
    before, sys.argv = sys.argv, ["pairsift", *map(str, words)]
    try:
        with pytest.raises(SystemExit) as ended:
            main()
    finally:
        sys.argv = before
    assert not ended.value.code
    return mine / "run"
