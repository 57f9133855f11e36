"""The queue against a deque, for batches of every size."""

from __future__ import annotations

from collections import deque

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from pairsift.errors import PairsiftError
from pairsift.frameworks.queue import KeyQueue


@settings(max_examples=60, deadline=None)
@given(size=st.integers(1, 9), batches=st.lists(st.lists(st.booleans(), min_size=1, max_size=13), max_size=8))
def test_it_holds_the_latest_keys_that_may_be_negatives(size: int, batches: list[list[bool]]) -> None:
    queue, line, serial = KeyQueue(size, 1), deque(maxlen=size), 0.0
    assert not queue.valid.any()
    for mask in batches:
        keys = torch.arange(serial, serial + len(mask))[:, None]
        serial += len(mask)
        queue.push(keys, torch.tensor(mask))
        line.extend(zip(keys[:, 0].tolist(), mask))
        assert sorted(queue.keys[queue.valid, 0].tolist()) == [key for key, kept in line if kept]


def test_without_a_mask_every_key_enters() -> None:
    queue = KeyQueue(4, 2)
    queue.push(torch.ones(3, 2, dtype=torch.bfloat16))
    assert queue.valid.tolist() == [True, True, True, False]
    assert queue.keys.dtype == torch.float32


def test_no_room_gets_a_sentence() -> None:
    with pytest.raises(PairsiftError, match="at least one row"):
        KeyQueue(0, 2)
