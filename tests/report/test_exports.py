from __future__ import annotations

import json

import numpy as np
import pandas as pd
import pytest

from pairsift.report import pairs_table
from pairsift.report.exports import cleanlab_table, write_exports


@pytest.fixture
def table(made):
    return pairs_table(made.miner, made.series)


def test_drop_list_holds_the_bad_pairs_and_the_page_snippet_reads_it(table, tmp_path):
    write_exports(table, tmp_path)
    drop = np.loadtxt(tmp_path / "drop.txt", int, ndmin=1)
    np.testing.assert_array_equal(drop, np.flatnonzero(table["is_issue"]))
    by_kind = json.loads((tmp_path / "drop.json").read_text())
    assert sorted(by_kind["noisy"] + by_kind["faulty"]) == drop.tolist()
    assert (table["kind"].to_numpy()[by_kind["faulty"]] == "faulty").all()


def test_weights_are_in_the_series_order(made, tmp_path):
    order = np.random.default_rng(1).permutation(len(made.miner))
    write_exports(pairs_table(made.miner.iloc[order], made.series), tmp_path)
    weights = np.load(tmp_path / "weights.npy")
    assert weights.dtype == np.float32
    np.testing.assert_allclose(weights, made.miner["weight"], rtol=1e-6)


def test_cleanlab_shape_has_low_scores_for_issues(table, tmp_path):
    issues = cleanlab_table(table)
    assert list(issues) == ["index", "is_noisy_issue", "noisy_score", "is_faulty_issue", "faulty_score"]
    for kind in ("noisy", "faulty"):
        flag, score = issues[f"is_{kind}_issue"], issues[f"{kind}_score"]
        assert flag.sum() == (table["kind"] == kind).sum() > 0
        assert score[flag].max() <= 0.5 <= score[~flag].min()
        assert score.between(0, 1).all()
        worst = score.idxmin()
        assert table["score"][worst] == table.loc[table["kind"] == kind, "score"].max()
    write_exports(table, tmp_path)
    back = pd.read_csv(tmp_path / "cleanlab_issues.csv", index_col="index")
    np.testing.assert_array_equal(back["is_noisy_issue"], issues["is_noisy_issue"])


def test_nothing_bad_gives_an_empty_list(made, tmp_path):
    write_exports(pairs_table(made.miner.assign(kind=0), made.series), tmp_path)
    assert (tmp_path / "drop.txt").read_text() == ""
    assert json.loads((tmp_path / "drop.json").read_text()) == {"noisy": [], "faulty": []}
