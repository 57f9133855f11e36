"""The run folder: settings, versions, metrics, weights and pairs, in files that a person can open."""

from __future__ import annotations

import fcntl
import json
import platform
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

from torch import Tensor, nn

from pairsift.errors import PairsiftError, shown
from pairsift.frameworks import Framework
from pairsift.training.checkpoint import clear_parts, write_whole
from pairsift.training.remake import remake

FORMAT = 1
SETTINGS, WEIGHTS = "settings.json", "framework.safetensors"
MINER, HISTORY = "miner.safetensors", "history.safetensors"
# What settings.json must have beside its format, of which type.
_PARTS: dict[str, Any] = {"settings": dict, "made": dict, "data": dict, "versions": dict}


def versions() -> dict[str, str]:
    """What this was computed with."""
    found = {"python": platform.python_version()}
    for package in ("pairsift", "torch", "lightning", "numpy", "scikit-learn"):
        try:
            found[package] = version(package)
        except PackageNotFoundError:
            found[package] = "not installed as a package"
    return found


def write_json(path: Path, content: Any) -> None:
    """Write JSON for people: indented, whole or not at all."""
    write_whole(path, (json.dumps(content, indent=2, default=str) + "\n").encode())


def prepare_folder(folder: Path) -> Path:
    """Make the folder, or say why it cannot be written."""
    try:
        (folder / "checkpoints").mkdir(parents=True, exist_ok=True)
        probe = folder / ".writable"
        probe.touch()
        probe.unlink(missing_ok=True)  # of several processes another may have taken it away
    except OSError as error:
        raise PairsiftError(
            f"out: cannot write to {folder} ({error.strerror}); choose another folder"
        ) from None
    return folder


@contextmanager
def sole_owner(folder: Path) -> Iterator[None]:
    """Hold the folder for one run: a second run is refused until the first ends, however it ends."""
    with (folder / ".lock").open("w") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            raise PairsiftError(
                f"another run is writing to {folder}; wait for it or choose another folder"
            ) from None
        for written in (folder, folder / "checkpoints"):
            clear_parts(written)
        yield


def save_weights(module: nn.Module, path: Path) -> None:
    """Write a module's state as safetensors."""
    save_tensors(module.state_dict(), path)


def save_tensors(tensors: dict[str, Tensor], path: Path) -> None:
    """Write tensors as safetensors, whole or not at all."""
    from safetensors.torch import save

    write_whole(path, save({name: value.contiguous() for name, value in tensors.items()}))


def load_weights(path: Path) -> dict[str, Tensor]:
    """Read safetensors, or say what is wrong with them."""
    from safetensors import SafetensorError
    from safetensors.torch import load_file

    if not path.is_file():
        raise PairsiftError(f"{path} is not there; has the run finished? (pairsift pretrain ... --resume)")
    try:
        return load_file(path)
    except (SafetensorError, ValueError) as error:
        raise PairsiftError(f"{path} cannot be read: {error}") from None


def read_settings(folder: Path) -> dict[str, Any]:
    """A run folder's settings, refused when they are from a later pairsift."""
    path = folder / SETTINGS
    if not path.is_file():
        raise PairsiftError(f"{folder} is not a run folder: it has no {SETTINGS}")
    content = read_json(path, str(folder), FORMAT)
    for part, kind in _PARTS.items():
        if not isinstance(content.get(part), kind):
            raise PairsiftError(
                f"{path} is not what pairsift writes: it has no {part}; the run cannot be read"
            )
    return content


def read_json(path: Path, what: str, newest: int) -> dict[str, Any]:
    """A JSON file that says its format, refused in a sentence where that is newer or there is none.

    Args:
        path: the file.
        what: what is of this format, for the sentence.
        newest: the newest format that is understood.
    """
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise PairsiftError(f"{path} cannot be read ({error.strerror})") from None
    except (ValueError, RecursionError):  # no JSON, no text, or nested too deep
        content = None
    kept = content.get("format") if isinstance(content, dict) else None
    if not isinstance(content, dict) or type(kept) is not int or kept < 1:
        raise PairsiftError(f"{path} is not what pairsift writes; {what} cannot be read")
    if kept > newest:
        raise PairsiftError(
            f"{what} is of format {shown(kept)}, this pairsift reads up to {newest}; install a newer one"
        )
    return content


def load_framework(folder: Path) -> Framework:
    """The trained framework of a finished run."""
    made = read_settings(folder)["made"]
    weights = load_weights(folder / WEIGHTS)
    framework = remake(made, weights, folder / SETTINGS, folder / WEIGHTS)
    try:
        framework.load_state_dict(weights)
    except RuntimeError as error:
        reason = str(error).splitlines()[-1].strip()
        raise PairsiftError(f"{folder / WEIGHTS} does not fit {SETTINGS}: {reason}") from None
    return framework.eval()
