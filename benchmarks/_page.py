"""The figures of docs/performance.md: kept as JSON beside it, and drawn as tables into the page."""

from __future__ import annotations

import json
import os
import platform
import re
from pathlib import Path
from typing import Any

from benchmarks._report import missed

from pairsift.training import versions

BLOCK = re.compile(r"(<!-- figures: (\w+) -->\n).*?(<!-- end -->)", re.DOTALL)
DETAILS = ("milliseconds", "microseconds", "seconds", "ratios")


def machine() -> dict[str, Any]:
    """What the figures were measured on."""
    model = platform.processor() or platform.machine()
    cpuinfo = Path("/proc/cpuinfo")
    if cpuinfo.exists():
        named = re.search(r"^model name\s*: (.*)$", cpuinfo.read_text(), re.MULTILINE)
        model = named[1] if named else model
    return {"cpu": model, "cores": os.cpu_count(), "system": platform.system()}


def take_up(folder: Path, name: str, entries: list[dict[str, Any]]) -> None:
    """Replace one benchmark's entries in the folder's JSON and redraw its page."""
    path, page = folder / "performance.json", folder / "performance.md"
    kept: dict[str, Any] = json.loads(path.read_text()) if path.exists() else {"measured": {}}
    kept |= {"machine": machine(), "versions": versions()}
    kept["measured"][name] = entries
    path.write_text(json.dumps(kept, indent=2) + "\n")
    if page.exists():
        page.write_text(drawn(page.read_text(), kept["measured"]))


def drawn(text: str, measured: dict[str, list[dict[str, Any]]]) -> str:
    """A page with the tables of all benchmarks that it names."""

    def fill(block: re.Match[str]) -> str:
        if block[2] == "missed":
            return block[1] + missed_bars(measured) + block[3]
        return block[1] + table(measured[block[2]]) + block[3] if block[2] in measured else block[0]

    return BLOCK.sub(fill, text)


def missed_bars(measured: dict[str, list[dict[str, Any]]]) -> str:
    """All that were missed by more than noise, a line each."""
    entries = [found for part in measured.values() for found in part if missed(found)]
    return "".join(f"- {e['name']}: {e['value']:g}, to be {e['direction']} {e['bar']:g}\n" for e in entries)


def table(entries: list[dict[str, Any]]) -> str:
    """Entries as Markdown: what was measured, its bar, whether it is met."""
    lines = ["| what | measured | bar | noise | | in numbers |", "|---|---:|---:|---:|---|---|"]
    for found in entries:
        bar, noise, verdict = "", "", ""
        if found["bar"] is not None:
            bar = f"{'≥' if found['direction'] == 'at least' else '≤'} {found['bar']:g}"
            noise = f"{found['noise']:g}"
            verdict = "met" if found["ok"] else "**missed**" if missed(found) else "missed, within noise"
        told = "; ".join(f"{name}: {in_words(found[name])}" for name in DETAILS if name in found)
        lines.append(f"| {found['name']} | {found['value']:g} | {bar} | {noise} | {verdict} | {told} |")
    return "\n".join(lines) + "\n"


def in_words(value: Any) -> str:
    """A detail of an entry."""
    return ", ".join(f"{k} {v:g}" for k, v in value.items()) if isinstance(value, dict) else f"{value:g}"
