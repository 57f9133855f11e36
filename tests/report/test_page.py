from __future__ import annotations

import base64
import hashlib
import json
import re
from dataclasses import replace
from html.parser import HTMLParser

import numpy as np
import pytest
from tests.oracles.made_audit import HOSTILE, make, make_many

from pairsift.data.series import Series
from pairsift.errors import PairsiftError
from pairsift.report import Boundary, Thresholds, pairs_table, write_report


class Reader(HTMLParser):
    """Every element and its attributes, and the text of scripts and styles."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.raw: list[tuple[str, dict[str, str | None], str]] = []
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        self.elements.append((tag, dict(attrs)))

    def handle_data(self, data):
        if self.elements and self.elements[-1][0] in ("script", "style") and data.strip():
            self.raw.append((*self.elements[-1], data))


def write(made, path, **options):
    table = pairs_table(made.miner, made.series)
    options = {"views": made.views, "history": made.history, "thresholds": made.thresholds} | options
    write_report(path, table, made.series, about=made.about, **options)
    return path.read_text(encoding="utf-8")


def data_of(text: str):
    return json.loads(re.search(r'<script type="application/json" id="data">(.*?)</script>', text, re.S)[1])


def test_nothing_is_fetched_and_only_our_own_script_may_run(made, tmp_path):
    text = write(made, tmp_path / "report.html")
    page = Reader(text)
    assert not {tag for tag, _ in page.elements} & {"link", "img", "iframe", "object", "embed", "base"}
    assert not [
        attrs for _, attrs in page.elements if "src" in attrs or any(k.startswith("on") for k in attrs)
    ]
    assert not re.search(r"https?://(?!www\.w3\.org/2000/svg)", text)
    policy = next(a["content"] for t, a in page.elements if t == "meta" and a.get("http-equiv"))
    assert policy.startswith("default-src 'none'") and "unsafe" not in policy
    hashed = {tag: content for tag, attrs, content in page.raw if not attrs.get("type")}
    for tag, directive in (("script", "script-src"), ("style", "style-src")):
        digest = base64.b64encode(hashlib.sha256(hashed[tag].encode()).digest()).decode()
        assert f"{directive} 'sha256-{digest}'" in policy


def test_users_words_add_no_element(made, hostile, tmp_path):
    text = write(hostile, tmp_path / "report.html")
    scripts = [attrs for tag, attrs in Reader(text).elements if tag == "script"]
    assert scripts == [{"type": "application/json", "id": "data"}, {}]
    for words in HOSTILE[:3]:
        assert words not in text
    data = data_of(text)
    assert any(each.startswith(HOSTILE[0]) for each in data["ids"])
    assert set(HOSTILE[:3]) <= set(data["groups"]["names"])
    assert "{{ 7 * 7 }}" in data["groups"]["names"] and ">49<" not in text


def test_what_is_carried_is_bounded_and_the_page_says_so(tmp_path):
    made = make(3000)
    text = write(made, tmp_path / "report.html", most_points=500, most_series=50)
    data = data_of(text)
    assert data["points"]["count"] == 500 and len(data["series"]) == 50
    assert "Shown are 500 of 3,000" in text and "Drawn are 50 of 3,000" in re.sub(r"\s+", " ", text)
    assert sum(map(len, data["gallery"].values())) == 50
    index = np.frombuffer(base64.b64decode(data["points"]["index"]), np.uint32)
    drawn = index[data["gallery"]["faulty"]]
    assert (made.miner["kind"].to_numpy()[drawn] == 2).all()


def test_the_drawn_views_are_those_of_their_pair(made, tmp_path):
    def marked(places):
        first = np.broadcast_to(places[:, None, None], (len(places), 2, 128)).astype(np.float32)
        return first, -first

    data = data_of(write(made, tmp_path / "report.html", views=marked))
    index = np.frombuffer(base64.b64decode(data["points"]["index"]), np.uint32)
    assert len(data["series"]) == 400
    for place, rows in data["series"].items():
        names = dict(rows)
        assert list(names) == ["Series", "View 1", "View 2"]
        assert names["View 1"][0][0] == index[int(place)] == -names["View 2"][1][0]


def test_views_may_be_arrays_and_a_second_series_is_drawn(made, tmp_path):
    x = made.series.x[:50]
    series = Series(x, other=-x)
    table = pairs_table(made.miner.iloc[:50], series)
    write_report(tmp_path / "report.html", table, series, views=(x, x))
    rows = next(iter(data_of((tmp_path / "report.html").read_text())["series"].values()))
    assert [name for name, _ in rows] == ["Series", "Second series", "View 1", "View 2"]


def test_boundaries_and_the_miners_own_thresholds_are_taken(made, tmp_path):
    line = Boundary("noisy", np.array([1.0, 1.2]), np.array([0.0, 1.0]))
    data = data_of(write(made, tmp_path / "a.html", thresholds=Thresholds(faulty=np.inf, boundaries=(line,))))
    assert data["thresholds"] == {
        "noisy": None,
        "faulty": None,
        "boundaries": [{"kind": "noisy", "mean": [1.0, 1.2], "std": [0.0, 1.0]}],
    }
    said = {"threshold": "sigma", "mu": 2.0, "sigma": 0.5, "noisy": 1.0, "faulty": None}
    text = write(made, tmp_path / "b.html", thresholds=said)
    assert data_of(text)["thresholds"]["noisy"] == 1.0 and "<bdi>sigma</bdi>" in text
    dicts = {"boundaries": [{"kind": "faulty", "mean": [1], "std": [2]}]}
    assert data_of(write(made, tmp_path / "c.html", thresholds=dicts))["thresholds"]["boundaries"][0][
        "mean"
    ] == [1]


def test_a_hundred_thousand_pairs_stay_under_fifteen_megabytes(tmp_path):
    text = write(make_many(), tmp_path / "report.html")
    data = data_of(text)
    assert len(text.encode()) < 15e6
    assert data["points"]["count"] == 20_000 and len(data["series"]) == 600
    assert sum(map(sum, data["density"]["counts"])) == 100_000


def test_long_words_do_not_make_the_page_large(tmp_path):
    """Ids, groups and words that are all long, all different, and cost six bytes a character."""
    made = make(20_000, channels=1, length=8)
    words = np.array([f"{k}" + "<" * 300 for k in range(20_000)], dtype=object)
    made.series = replace(made.series, ids=words, group=words[::-1])
    table = pairs_table(made.miner, made.series, done=words.tolist())
    write_report(tmp_path / "report.html", table, made.series, views=made.views, history=made.history)
    assert (tmp_path / "report.html").stat().st_size < 15e6
    ids = data_of((tmp_path / "report.html").read_text())["ids"]
    assert len(set(ids)) == len(ids) and ids[5].endswith("<…")


@pytest.mark.parametrize("pairs", [1, 2, 7])
def test_the_least_that_can_be_shown(made, tmp_path, pairs):
    series = Series(np.full((pairs, 1, 1), np.nan, np.float32))
    miner = made.miner.iloc[:pairs].assign(mean_loss=np.nan, std_loss=np.nan, kind=0)
    write_report(tmp_path / "report.html", pairs_table(miner, series), series)
    data = data_of((tmp_path / "report.html").read_text())
    assert data["density"] is None and data["history"] is None


def test_it_says_how_sure_it_is_and_what_finding_nothing_means(made, tmp_path):
    auto = {"threshold": "auto", "name": "Auto()"}
    score = np.where(made.miner["kind"] > 0, 0.95, 0.0)
    score[np.flatnonzero(made.miner["kind"] > 0)[:3]] = 0.6
    score[np.flatnonzero(made.miner["kind"] == 0)[:4]] = 0.3
    judged = replace(made, miner=made.miner.assign(score=score))
    bad = int((made.miner["kind"] > 0).sum())
    words = " ".join(write(judged, tmp_path / "a.html", thresholds=auto).split())
    assert f"{bad - 3} of the {bad} bad pairs score 0.9 or more. 3 bad and 4 normal ones lie nearer" in words
    assert data_of(words)["doubt"] == [0.1, 0.9]
    by_sigma = write(judged, tmp_path / "b.html", thresholds={"threshold": "sigma"})
    assert "no chance of being bad" in by_sigma and data_of(by_sigma)["doubt"] is None
    nothing = replace(made, miner=made.miner.assign(kind=0, score=0.0))
    assert "here none stands apart" in write(nothing, tmp_path / "c.html", thresholds=auto)
    assert "looks for groups instead" in write(
        nothing, tmp_path / "d.html", thresholds={"threshold": "sigma"}
    )


def test_where_nothing_was_found_both_ends_are_shown(tmp_path):
    made = make(3000)
    nothing = replace(made, miner=made.miner.assign(kind=0, score=0.0))
    data = data_of(write(nothing, tmp_path / "report.html"))
    index = np.frombuffer(base64.b64decode(data["points"]["index"]), np.uint32)
    mean = made.miner["mean_loss"].to_numpy()
    lowest, highest = (mean[index[data["gallery"][end]]] for end in ("lowest", "highest"))
    assert (np.diff(lowest) >= 0).all() and (np.diff(highest) <= 0).all()
    assert lowest[0] == mean.min() and highest[0] == mean.max()
    assert lowest.max() < np.quantile(mean, 0.2) and highest.min() > np.quantile(mean, 0.8)
    page = (tmp_path / "report.html").read_text()
    assert "The lowest losses" in page and "Where the bad pairs are" not in page
    assert set(data_of(write(made, tmp_path / "some.html"))["gallery"]) == {"normal", "noisy", "faulty"}


def test_a_part_of_the_users_series_says_its_rows(made, tmp_path):
    rows = np.arange(400)[::-1] + 1000
    part = replace(made, series=replace(made.series, rows=rows))
    text = write(part, tmp_path / "report.html")
    shown = data_of(text)["points"]
    index, row = (np.frombuffer(base64.b64decode(shown[name]), np.uint32) for name in ("index", "row"))
    assert (row == rows[index]).all() and "go by row" in text
    assert "row" not in data_of(write(made, tmp_path / "whole.html"))["points"]


def test_wrong_views_and_bounds_are_refused(made, tmp_path):
    with pytest.raises(PairsiftError, match="views must give two arrays"):
        write(made, tmp_path / "report.html", views=lambda places: (made.series.x[:1], made.series.x[:1]))
    with pytest.raises(PairsiftError, match="most_points"):
        write(made, tmp_path / "report.html", most_points=0)
    with pytest.raises(PairsiftError, match="two equally long"):
        Boundary("noisy", np.zeros(3), np.zeros(2))
    assert not list(tmp_path.iterdir())


def test_the_same_inputs_give_the_same_bytes(made, tmp_path):
    assert write(made, tmp_path / "a.html") == write(made, tmp_path / "b.html")
