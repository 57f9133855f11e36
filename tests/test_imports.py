"""Who may import whom, read from the import statements; and what importing costs."""

import ast
import subprocess
import sys
from pathlib import Path

import pytest

import pairsift

SOURCE = Path(pairsift.__file__).parent
MAY_USE = {
    "encoders": set(),
    "losses": set(),
    "augment": set(),
    "mining": set(),
    "data": set(),
    "frameworks": {"encoders", "losses", "augment"},
    "training": {"frameworks", "mining", "data", "encoders", "losses", "augment"},
    "evaluation": {"frameworks", "mining", "data", "encoders", "losses", "augment"},
    "estimator": {"training", "evaluation", "frameworks", "mining", "data"},
    "report": {"training", "evaluation", "frameworks", "mining", "data"},
    "bench": {"training", "evaluation", "frameworks", "mining", "data", "losses", "augment", "encoders"},
}
MAY_USE["cli"] = {*MAY_USE["bench"], "estimator", "report", "bench"}


def rooms_used(path: Path) -> set[str]:
    used = set()
    for node in ast.walk(ast.parse(path.read_text())):
        names = []
        if isinstance(node, ast.ImportFrom) and node.module:
            names = [node.module] if node.module != "pairsift" else [f"pairsift.{a.name}" for a in node.names]
        elif isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        used |= {name.split(".")[1] for name in names if name.startswith("pairsift.")}
    return used - {"errors", "__version__"}


def room_files() -> list[tuple[str, Path]]:
    files = [(p.relative_to(SOURCE).parts[0].removesuffix(".py"), p) for p in SOURCE.rglob("*.py")]
    return [(room, p) for room, p in files if room not in ("__init__", "errors")]


@pytest.mark.parametrize(("room", "path"), room_files(), ids=lambda v: v.name if isinstance(v, Path) else v)
def test_a_room_calls_only_the_rooms_below_it(room: str, path: Path) -> None:
    assert rooms_used(path) - {room} <= MAY_USE[room]


def test_mining_imports_nothing_of_ours() -> None:
    for path in (SOURCE / "mining").rglob("*.py"):
        assert rooms_used(path) <= {"mining"}
        assert "pairsift.errors" not in path.read_text()


@pytest.mark.parametrize(
    ("statement", "absent"),
    [
        ("import pairsift", ["torch", "lightning", "sklearn", "pandas", "matplotlib"]),
        ("import pairsift.cli", ["torch", "lightning", "sklearn", "pandas", "matplotlib", "pydantic"]),
        ("import pairsift.mining", ["lightning", "sklearn", "pandas", "matplotlib", "pairsift.frameworks"]),
        ("import pairsift.frameworks", ["lightning", "sklearn", "pandas", "matplotlib"]),
    ],
)
def test_heavy_things_are_imported_late(statement: str, absent: list[str]) -> None:
    program = f"import sys; {statement}; print(*[m for m in {absent!r} if m in sys.modules])"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.split() == []
