"""Where datasets live: the root that was given, else $PAIRSIFT_DATA, else the user's cache folder."""

from __future__ import annotations

import os
import sys
from pathlib import Path

VARIABLE = "PAIRSIFT_DATA"


def data_root(root: str | Path | None = None) -> Path:
    """The folder in which datasets are looked for and prepared ones are written.

    Args:
        root: the folder itself; if None, what the environment variable PAIRSIFT_DATA says, and if that is
            unset or empty, the user's cache folder.
    """
    if root is not None:
        return Path(root).expanduser()
    said = os.environ.get(VARIABLE, "").strip()
    return Path(said).expanduser() if said else cache_folder()


def cache_folder() -> Path:
    """The user's own cache folder for pairsift, by the habits of the operating system."""
    if sys.platform == "win32":
        base = os.environ.get("LOCALAPPDATA") or Path.home() / "AppData" / "Local"
    elif sys.platform == "darwin":
        base = Path.home() / "Library" / "Caches"
    else:
        base = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(base) / "pairsift"
