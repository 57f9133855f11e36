"""Plain sentences on what holds and what does not, made from the numbers alone."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from statistics import mean
from typing import Any

from pairsift.bench.markdown import named, number
from pairsift.bench.stats import Summary, summarise

Values = Mapping[int, float]


def comparison_words(records: Sequence[dict[str, Any]], metrics: Sequence[str]) -> list[str]:
    """On the bases against the paper's, then on each variant against its base."""
    metric = metrics[0]
    lines = [line for line in [_bases(records, metric)] if line]
    variants = list(dict.fromkeys(r["variant"] for r in records if r["variant"] != r["base"]))
    for variant in variants:
        line = _variant(variant, [r for r in records if r["variant"] == variant], metric)
        if line:
            lines.append(line)
    return [f"- {line}" for line in lines] or ["- None of these cells has been run."]


def _bases(records: Sequence[dict[str, Any]], metric: str) -> str:
    at, below = list[str](), list[str]()
    for record in records:
        m = record["metrics"][metric]
        if record["variant"] != record["base"] or m["ours"] is None or m["paper"] is None:
            continue
        own, paper = m["ours"].mean, m["paper"][0]
        line = f"{named(record['framework'])} {number(own)} against {number(paper)}"
        (at if own >= paper else below).append(line)
    parts = []
    if at:
        parts.append(f"Bases at or above the paper's in {named(metric)}: {'; '.join(at)}.")
    if below:
        parts.append(f"Bases below the paper's: {'; '.join(below)}.")
    return " ".join(parts)


def _variant(variant: str, records: Sequence[dict[str, Any]], metric: str) -> str:
    found = [(r["framework"], r["metrics"][metric]["difference"]) for r in records]
    known = [(framework, d) for framework, d in found if d is not None]
    if not known:
        return ""
    said = {"better": "better than its base", "worse": "worse than its base", "one seed": "of one seed only"}
    parts = []
    for verdict, words in said.items():
        names = [f"{named(f)} ({number(d.mean, True)})" for f, d in known if d.verdict == verdict]
        if names:
            parts.append(f"{words}: {', '.join(names)}")
    unclear = [f"{named(f)} ({number(d.mean, True)})" for f, d in known if d.verdict == "not told apart"]
    if unclear:
        parts.append(f"not told apart from its base: {', '.join(unclear)}")
    change = mean(d.mean for _, d in known)
    return f"{named(variant)} in {named(metric)}: {'; '.join(parts)}. Mean change {number(change, True)}."


def grid_words(
    cells: Mapping[tuple[str, str], Mapping[str, Summary | None]],
) -> tuple[list[str], dict[str, Any] | None]:
    """Which betas validation chooses, and what test says of that choice; the choice for JSON.

    Cells with fewer seeds than the fullest take no part: a mean over other seeds is another question.
    """
    seeds = max((s["validation"].n for s in cells.values() if s["validation"] is not None), default=0)
    full = {p: s for p, s in cells.items() if s["validation"] is not None and s["validation"].n == seeds}
    if not full:
        return ["- None of these cells has been run."], None

    def on_validation(place: tuple[str, str]) -> float:
        summary = full[place]["validation"]
        assert summary is not None
        return summary.mean

    best = max(full, key=on_validation)  # the first of equals
    test, off = full[best]["test"], full.get(("off", "off"), {}).get("test")
    assert test is not None
    spread = on_validation(best) - min(map(on_validation, full))
    words = (
        f"- Validation chooses noisy {best[0]}, faulty {best[1]} ({number(on_validation(best))} there, "
        f"{number(test.mean)} on test) from {len(full)} of {len(cells)} cells with {seeds} seed"
        f"{'s' * (seeds > 1)} each; best and worst on validation lie {number(spread)} apart."
    )
    if off is not None:
        words += f" With both sides off test says {number(off.mean)}."
    chosen = {"noisy": best[0], "faulty": best[1], "seeds": seeds, "of": len(full)}
    return [words], chosen


def curve_words(
    values: Mapping[tuple[str, float], Values], variants: Sequence[str], shares: Sequence[float]
) -> list[str]:
    """How much of the gap between no mining and the clean run each variant closes, share by share."""
    lines = []
    for share in shares:
        none, clean = summarise(values.get(("none", share), {})), summarise(values.get(("clean", share), {}))
        if not share or none is None or clean is None:
            continue
        common = set(none.values) & set(clean.values)
        closed = []
        for variant in variants:
            own = values.get((variant, share), {})
            seeds = sorted(common & set(own))
            if variant in ("none", "clean") or not seeds:
                continue
            gap = mean(clean.values[s] - none.values[s] for s in seeds)
            gain = mean(own[s] - none.values[s] for s in seeds)
            part = f", {100 * gain / gap:.0f}% of it" if gap > 0 else ""
            closed.append(f"{named(variant)} {number(gain, True)}{part} (n = {len(seeds)})")
        if common:
            gap = mean(clean.values[s] - none.values[s] for s in sorted(common))
            lines.append(
                f"- {100 * share:g}% planted cost {number(gap)} points (n = {len(common)}). "
                + (f"Won back: {'; '.join(closed)}." if closed else "Nothing else was run.")
            )
    return lines or ["- Too few cells to say what planting costs."]
