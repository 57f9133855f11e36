"""The mixture on the line: scales that come back, parameters that are found again, rivals that win."""

import math

import pytest
import torch

from pairsift.mining.groups import HIGH, LOW, Groups, fit_groups
from pairsift.mining.places import REACH, Histogram, Line
from pairsift.mining.tails import evidence


def normal(count, centre, spread, seed=0):
    generator = torch.Generator().manual_seed(seed)
    return centre + spread * torch.randn(count, generator=generator, dtype=torch.float64)


def test_a_place_goes_back_to_its_loss_also_where_the_line_is_bent():
    line = Line.through(normal(999, 5, 2))
    values = torch.tensor([5.0, 3.0, 90.0, -700.0], dtype=torch.float64)
    places = line.to(values)
    assert float(places[2]) > REACH > float(places[0])
    assert [line.back(float(place)) for place in places] == pytest.approx(values.tolist())
    assert (line.to(torch.linspace(-100, 100, 999, dtype=torch.float64)).diff() > 0).all()


def test_a_line_has_the_median_as_zero_and_a_normal_deviation_as_one():
    line = Line.through(normal(100_001, 5, 2))
    assert line.centre == pytest.approx(5, abs=0.05) and line.spread == pytest.approx(2, rel=0.02)
    assert Line.through(torch.full((100,), 3.0)) is None


def test_a_histogram_counts_every_value_within_its_cell():
    values = normal(5000, 0, 1)
    seen = Histogram.of(values)
    assert seen.count.sum() == 5000
    assert float((seen.count * seen.x).sum()) / 5000 == pytest.approx(float(values.mean()), abs=seen.width)


def test_the_parts_of_a_mixture_are_found_again():
    parts = normal(16_000, 0, 1, 1), normal(1_600, -4, 0.5, 2), normal(2_400, 5, 1.2, 3)
    found = fit_groups(Histogram.of(torch.cat(parts)))
    assert found.shares.tolist() == pytest.approx([0.8, 0.08, 0.12], abs=0.01)
    assert found.centres.tolist() == pytest.approx([-4, 5], abs=0.15)
    assert found.spreads.tolist() == pytest.approx([0.5, 1.2], abs=0.1)
    assert found.mode == pytest.approx(0, abs=0.2)
    assert sum(found.sides) / 2 == pytest.approx(1, abs=0.05)
    assert found.distance(LOW) == pytest.approx(4, abs=0.6) and found.distance(HIGH) > 0


def test_its_densities_are_one_in_all_and_its_cut_keeps_its_promise():
    found = Groups(0.0, (1.0, 1.5), torch.tensor([0.8, 0.1, 0.1]), torch.tensor([-3.0, 4.0]), torch.ones(2))
    x = torch.linspace(-20, 20, 40_001, dtype=torch.float64)
    parts = found.densities(x) * 0.001
    assert parts.sum(1).tolist() == pytest.approx([0.8, 0.1, 0.1], rel=1e-3)
    for side, beyond in ((LOW, x <= found.best_cut(LOW).place), (HIGH, x >= found.best_cut(HIGH).place)):
        hits, false = float(parts[1 + side][beyond].sum()), float(parts[0][beyond].sum())
        cut = found.best_cut(side)
        assert cut.f1 == pytest.approx(2 * hits / (hits + false + 0.1), rel=1e-3)
        assert cut.flagged == pytest.approx(hits + false, rel=1e-3)
        assert 0 < abs(cut.place) < abs(float(found.centres[side]))


def test_a_group_on_the_wrong_side_has_no_cut():
    found = Groups(0.0, (1.0, 1.0), torch.tensor([0.8, 0.1, 0.1]), torch.tensor([1.0, -1.0]), torch.ones(2))
    assert found.best_cut(LOW).f1 == found.best_cut(HIGH).f1 == 0


@pytest.mark.parametrize("side", [LOW, HIGH])
def test_a_group_beats_a_bulk_with_other_tails_where_it_is_one_and_only_there(side):
    sign = -1.0 if side == LOW else 1.0
    bulk = normal(2000, 0, 1)
    group = torch.cat([bulk, normal(150, sign * 4, 0.6, 1)])
    skew = sign * (torch.exp(0.4 * bulk) - 1) / 0.4
    heavy = bulk / _scale(len(bulk)).sqrt()
    for values, is_one in ((group, True), (skew, False), (heavy, False)):
        seen = Histogram.of(Line.through(values).to(values))
        assert (evidence(seen, fit_groups(seen), side) > 8) == is_one


def _scale(count):
    """Chi-squared draws over their degrees of freedom, six: a normal over their root is Student's t."""
    generator = torch.Generator().manual_seed(5)
    return torch.randn(6, count, generator=generator, dtype=torch.float64).square().mean(0)


def test_each_iteration_makes_the_values_likelier(monkeypatch):
    seen = Histogram.of(torch.cat([normal(900, 0, 1), normal(100, -3, 0.5, 1)]))
    before = -math.inf
    for iterations in (1, 2, 5, 20, 100):
        monkeypatch.setattr("pairsift.mining.groups.ITERATIONS", iterations)
        now = fit_groups(seen).likelihood(seen)
        assert now >= before - 1e-6
        before = now
