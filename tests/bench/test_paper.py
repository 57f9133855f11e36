"""The paper's numbers: as many as it prints, and bearing out what its text says of them."""

from __future__ import annotations

from pairsift.bench.paper import BETAS, EXTRA_SECONDS, PAPER, paper_number
from pairsift.frameworks import FRAMEWORKS


def test_there_are_as_many_as_are_printed() -> None:
    counts = {table: len(numbers) for table, numbers in PAPER.items()}
    assert counts == {"table1": 17 * 3, "table2": 17 * 6, "weights": 8 * 6, "ablation": 4 * 3}
    assert (
        {len(row) for rows in BETAS.values() for row in rows} == {4} == {len(rows) for rows in BETAS.values()}
    )
    assert set(EXTRA_SECONDS) == set(FRAMEWORKS) == {row[0] for row in PAPER["table2"]}


def test_they_bear_out_the_text() -> None:
    one, two = PAPER["table1"], PAPER["table2"]
    gains = [m - one[f, "none", d, k][0] for (f, v, d, k), (m, _) in one.items() if v == "dbpm"]
    assert len(gains) == 18 and min(gains) > 0  # "consistently leads to superior test AUROC"
    assert one["btsf", "none", "ptb-xl-diagnostic", "auroc"] == (69.48, 2.52)
    assert one["btsf", "dbpm", "ptb-xl-diagnostic", "auroc"][0] == 73.32  # "from 69.48 to 73.32"
    assert one["tfc", "none", "ptb-xl-rhythm", "auroc"][0] == 80.46  # "from 80.46 to 82.10"
    assert one["tfc", "dbpm", "ptb-xl-rhythm", "auroc"][0] == 82.10
    gains = [m - two[f, "none", d, k][0] for (f, v, d, k), (m, _) in two.items() if v == "dbpm"]
    assert len(gains) == 36 and min(gains) >= 0
    assert (
        BETAS["har"][0][0] == 82.10
        and BETAS["har"][3][3] == PAPER["weights"]["simclr", "none", "har", "accuracy"][0]
    )
    for task in ("diagnostic", "form", "rhythm"):
        for variant in ("none", "dbpm"):
            where = ("simclr", variant, f"ptb-xl-{task}", "auroc")
            assert PAPER["ablation"][where] == one[where]


def test_what_the_paper_does_not_say_is_none() -> None:
    assert paper_number("table2", "simsiam", "rince", "har", "accuracy") is None
    assert paper_number(None, "simclr", "none", "har", "accuracy") is None
    assert paper_number("table2", "simclr", "none", "har", "accuracy") == (90.20, 0.65)
