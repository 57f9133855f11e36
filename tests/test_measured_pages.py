"""docs/performance.md and docs/scaling.md say what was measured and what the code's constants come to."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
import torch
from benchmarks import _page, _report, _scaling
from benchmarks.__main__ import ALL, ALSO
from benchmarks.baseline.plain import plain_encoder

from pairsift.encoders import build_encoder
from pairsift.mining import BadPairMiner
from pairsift.mining.sync import sum_over_processes

DOCS = Path(__file__).parent.parent / "docs"
MEASURED: dict[str, list[dict[str, Any]]] = json.loads((DOCS / "performance.json").read_text())["measured"]

# What is promised, by a part of the name that an entry has. No bar may be loosened to be met.
BARS = {
    "HAR, 32-true: network's share of a step": 0.97,
    "PTB-XL, 32-true: network's share of a step": 0.97,
    "HAR, 32-true: miner's share of a step": 0.005,
    "demo, bf16-mixed: miner's share of a step": 0.01,
    "HAR: a float32 epoch / one in bf16-mixed": 1.7,
    "obvious way / ours, an epoch at HAR's size": 3,
    "how the ratio grows, 40,000 pairs / 5,000, small encoder": 1,
    "gigabytes of bookkeeping, 100,000,000 pairs": 1.6,
    "the epoch's start / one pass over the memory, 100,000,000 pairs": 5,
    "a batch at 100,000,000 pairs / at 1,000,000": 2,
    "share of pairs that two processes judge as one does": 1,
    "all-reduces an epoch": 1,
    "pairsift --help / import torch": 0.7,
    "import torch and pairsift.mining / import torch": 1.1,
    "Algorithm 1 in loops / miner, an epoch, 100,000 pairs, batch 512": 300,
    "an epoch at 400,000 pairs / at 100,000": 5,
    "bytes a pair, 100,000 pairs": 16,
    "one series at a time / batched, two views of a batch (128, 9, 128)": 10,
}


def test_the_page_shows_what_was_measured() -> None:
    text = (DOCS / "performance.md").read_text()
    assert _page.drawn(text, MEASURED) == text
    assert {name for _, name, _ in _page.BLOCK.findall(text)} == {*MEASURED, "missed"}
    assert set(MEASURED) == {*ALL, *ALSO}


def test_every_promise_has_its_bar() -> None:
    bars = {found["name"]: found["bar"] for part in MEASURED.values() for found in part}
    assert {name: bars[name] for name in BARS} == pytest.approx(BARS)


def test_what_is_missed_is_said_first_and_nothing_else_is() -> None:
    said = _page.missed_bars(MEASURED)
    for found in (entry for part in MEASURED.values() for entry in part):
        worse = found["bar"] is not None and _report.missed(found)
        assert (f"- {found['name']}: " in said) == worse
    assert said in (DOCS / "performance.md").read_text().split("## A training step")[0]


@pytest.mark.parametrize(
    ("value", "direction", "noise", "says"),
    [
        (3.1, "at least", 0.2, "ok"),
        (2.9, "at least", 0.2, "within noise"),
        (2.7, "at least", 0.2, "MISSED"),
        (3.1, "at most", 0.2, "within noise"),
        (3.3, "at most", 0.2, "MISSED"),
        (3.2, "at most", None, "within noise"),
        (3.1, "at most", 0, "MISSED"),
    ],
)
def test_a_bar_is_missed_beyond_noise_alone(value: float, direction: Any, noise: Any, says: str) -> None:
    found = _report.entry("it", value, 3.0, direction, noise)
    assert _report.line(found).startswith(says)
    assert _report.missed(found) == (says == "MISSED")
    shown = {"ok": "| met |", "within noise": "| missed, within noise |", "MISSED": "| **missed** |"}[says]
    assert shown in _page.table([found])


def test_a_measurement_is_taken_up_and_the_rest_stays(tmp_path: Path) -> None:
    page = "A\n<!-- figures: step -->\n<!-- end -->\nB\n<!-- figures: epoch -->\nold\n<!-- end -->\n"
    (tmp_path / "performance.md").write_text(page)
    _page.take_up(tmp_path, "step", [_report.entry("first", 2.0)])
    _page.take_up(tmp_path, "step", [_report.entry("second", 4.0, 5.0, milliseconds={"it": 1.5})])
    text = (tmp_path / "performance.md").read_text()
    assert "first" not in text and "| second | 4 | ≤ 5 | 0.5 | met | milliseconds: it 1.5 |" in text
    assert "old" in text
    assert set(json.loads((tmp_path / "performance.json").read_text())) == {"measured", "machine", "versions"}


def test_the_plain_encoder_is_the_librarys_number_for_number() -> None:
    ours = build_encoder("conv", 9, 128).eval()
    plain = plain_encoder(9, 8, 0.35, [32, 64, 128]).eval()
    with torch.no_grad():
        for mine, theirs in zip(ours.parameters(), plain.parameters(), strict=True):
            theirs.copy_(mine.view_as(theirs))
        x = torch.randn(4, 9, 128, generator=torch.Generator().manual_seed(0))
        torch.testing.assert_close(plain(x), ours(x))


def test_the_arithmetic_of_scaling_is_the_codes(monkeypatch: pytest.MonkeyPatch) -> None:
    text = (DOCS / "scaling.md").read_text()
    assert _scaling.drawn(text) == text
    assert len(re.findall("<!-- table: ", text)) == len(_scaling.TABLES)
    assert (_scaling.bytes_a_pair(), _scaling.order_bytes()) == (16, 8)
    rows = json.loads((DOCS / "frameworks.json").read_text())["rows"]
    assert 4 * next(row["parameters"] for row in rows if row["framework"] == "simclr") == _scaling.GRADIENT
    summed: list[Any] = []
    monkeypatch.setattr("pairsift.mining.sync.AT_ONCE", 400)
    monkeypatch.setattr("benchmarks._scaling.AT_ONCE", 400)
    monkeypatch.setattr("torch.distributed.all_reduce", lambda tensor: summed.append(tensor.nbytes))
    monkeypatch.setattr("torch.distributed.get_backend", lambda: "gloo")
    sum_over_processes(BadPairMiner(1000).memory, torch.tensor(0))
    assert len(summed) == _scaling.all_reduces(1000) and sum(summed) == _scaling.payload(1000)


def test_links_lead_somewhere() -> None:
    for page in ("performance.md", "scaling.md"):
        for target in re.findall(r"\]\(([^)#]+)\)", (DOCS / page).read_text()):
            assert target.startswith("https://") or (DOCS / target).exists(), f"{page}: {target}"
