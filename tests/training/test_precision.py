"""What precision="auto" chooses: bfloat16 where the arithmetic units have it, not where it is emulated."""

from __future__ import annotations

import pytest
import torch

from pairsift.training.pretrain import resolve_precision


@pytest.mark.parametrize(("has", "chosen"), [(True, "bf16-mixed"), (False, "32-true")])
def test_a_cpu_computes_in_bfloat16_where_it_has_instructions(
    has: bool, chosen: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(torch.cuda, "is_available", lambda: False)
    monkeypatch.setattr(torch.cpu, "_is_avx512_bf16_supported", lambda: has)
    assert resolve_precision("auto") == chosen


@pytest.mark.parametrize(("generation", "chosen"), [(9, "bf16-mixed"), (8, "bf16-mixed"), (7, "32-true")])
def test_a_gpu_that_only_emulates_bfloat16_computes_in_float32(
    generation: int, chosen: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Device:
        major = generation

    monkeypatch.setattr(torch.cuda, "is_available", lambda: True)
    monkeypatch.setattr(torch.cuda, "current_device", lambda: 0)
    monkeypatch.setattr(torch.cuda, "get_device_properties", lambda device: Device)
    monkeypatch.setattr(torch.cuda, "_check_bf16_tensor_supported", lambda device: True)
    monkeypatch.setattr("torch.version.hip", None)
    assert resolve_precision("auto") == chosen
    monkeypatch.setattr(torch.cpu, "_is_avx512_bf16_supported", lambda: True)
    assert resolve_precision("auto") == chosen


@pytest.mark.parametrize("named", ["32-true", "bf16-mixed", "64-true"])
def test_what_is_named_is_taken(named: str) -> None:
    assert resolve_precision(named) == named
