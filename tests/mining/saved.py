"""A state that goes through a file, as a checkpoint's does."""

from __future__ import annotations

import io
from typing import TypeVar

import torch
from torch import nn

Kind = TypeVar("Kind", bound=nn.Module)


def through_a_file(module: nn.Module, into: Kind) -> Kind:
    """``into`` with the state of ``module``, saved and loaded."""
    saved = io.BytesIO()
    torch.save(module.state_dict(), saved)
    saved.seek(0)
    into.load_state_dict(torch.load(saved, weights_only=True))
    return into
