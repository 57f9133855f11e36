"""What makes Lightning's loop cheaper leaves it as it is."""

from __future__ import annotations

import torch
from lightning.pytorch.callbacks import Callback
from tests.training.run_small import SMALL, series
from torch import nn

from pairsift.frameworks import build_framework
from pairsift.training import PairModule, pretrain
from pairsift.training.unwatched import Unwatched


def test_nothing_is_profiled_and_errors_pass() -> None:
    profiler = Unwatched()
    with profiler.profile("outer"), profiler.profile("inner"):
        pass
    try:
        with profiler.profile("a step"):
            raise ValueError("seen")
    except ValueError as error:
        assert str(error) == "seen"


def test_a_module_still_knows_its_parts_and_the_hook_that_runs() -> None:
    module = PairModule(build_framework("simclr", 1, 60, "infonce", None, **SMALL["options"]))
    module.more = nn.Linear(2, 2)
    module.level = nn.Parameter(torch.zeros(3))
    assert "more" in dict(module.named_children()) and "level" in dict(module.named_parameters())
    noted: list[str | None] = []

    class Note(Callback):
        def on_train_batch_end(self, trainer, pl_module, *rest) -> None:
            noted.append(pl_module._current_fx_name)

    pretrain(series(), progress=False, callbacks=[Note()], **SMALL)
    assert set(noted) == {"on_train_batch_end"}
