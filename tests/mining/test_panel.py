"""Who judges whom where some pairs are set apart."""

from dataclasses import dataclass

import torch

from pairsift.mining.memory import Memory
from pairsift.mining.panel import Panel
from pairsift.mining.thresholds import FAULTY, NOISY, Judge, Threshold


@dataclass(frozen=True)
class AboveMean(Threshold, Judge):
    """Faulty above the mean of those it was fitted to, noisy below half of it; a score that says so."""

    mean: float = 0.0

    def fit(self, population):
        seen = torch.cat([block.mean[block.seen > 0] for block in population.blocks()])
        return AboveMean(float(seen.mean()))

    def judge(self, pairs):
        kinds = torch.where(pairs.mean > self.mean, FAULTY, 0).to(torch.int8)
        return kinds.masked_fill_(pairs.mean < self.mean / 2, NOISY)

    def score(self, pairs):
        return torch.where(self.judge(pairs) > 0, 0.9, 0.1)

    def describe(self):
        return {}


def remembered(losses):
    memory = Memory(len(losses))
    memory.add(torch.tensor(losses), torch.arange(len(losses)))
    memory.merge(1)
    return memory


def test_without_any_set_apart_all_are_judged_together():
    memory = remembered([1.0, 3.0, 8.0])  # mean 4
    panel = Panel.convene(AboveMean(), memory, torch.zeros(3, dtype=torch.bool))
    assert panel.kinds(memory, slice(None)).tolist() == [NOISY, 0, FAULTY]
    assert panel.among is None


def test_the_others_are_bad_only_where_both_populations_say_the_same():
    memory = remembered([1.0, 3.0, 4.0, 6.0, 30.0, 40.0])  # mean 14; of the first four 3.5
    panel = Panel.convene(AboveMean(), memory, torch.tensor([False] * 4 + [True] * 2))
    # Against all 1, 3, 4, 6 are noisy; among themselves only 1 is, while 4 and 6 are faulty there.
    assert panel.kinds(memory, slice(None)).tolist() == [NOISY, 0, 0, 0, FAULTY, FAULTY]
    score = panel.score(memory, slice(None))
    assert torch.equal(score >= 0.5, panel.kinds(memory, slice(None)) > 0)
    some = torch.tensor([5, 0, 2])
    assert panel.kinds(memory, some).tolist() == [FAULTY, NOISY, 0]
