"""A framework made again from what a file says of it; nothing is allocated before the weights fit."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import torch
from torch import Tensor

from pairsift.errors import PairsiftError, shown
from pairsift.frameworks import FRAMEWORKS, Framework, build_framework
from pairsift.training.settings import check_config

_FINE = 1 << 27  # numbers (half a gigabyte) that a framework may have beyond those that its file holds
_LARGEST = 1 << 24  # of a single setting: no width, length or depth is larger


def remake(made: Any, weights: dict[str, Tensor], where: Path, kept_in: Path) -> Framework:
    """The framework that ``made`` describes, untrained.

    It is made twice: first on torch's meta device, where tensors have shapes but no memory. So a file from a
    stranger that asks for a billion channels is refused, and does not fill the machine.

    Args:
        made: what ``Framework.settings`` said, as a file gives it back.
        weights: what is to be loaded into it; more may be asked for than these, but not vastly more.
        where: the file that ``made`` is from, for messages.
        kept_in: the file that ``weights`` are from, for messages.
    """
    said = _checked(made, where)
    try:
        with torch.device("meta"):
            sketch = build_framework(**said)
        shapes = {name: value.shape for name, value in sketch.state_dict().items()}
    except PairsiftError as error:
        raise PairsiftError(f"{where} is not what pairsift writes: {shown(error, 200)}") from None
    except Exception as error:  # torch raises many kinds where a layer cannot be made
        raise PairsiftError(
            f"{where} describes no framework that can be made ({shown(error, 120)}); it was changed"
        ) from None
    for name, value in weights.items():
        if name not in shapes or shapes[name] != value.shape:
            wanted = tuple(shapes[name]) if name in shapes else "nothing of that name"
            raise PairsiftError(
                f"{where} does not fit {kept_in.name}, which has {shown(name)} of shape {tuple(value.shape)} "
                f"where it asks for {wanted}"
            )
    more = sum(shape.numel() for name, shape in shapes.items() if name not in weights)
    if more > _FINE:
        raise PairsiftError(
            f"{where} asks for {more} numbers that {kept_in.name} does not hold; do not trust it"
        )
    return build_framework(**said)


def _checked(made: Any, where: Path) -> dict[str, Any]:
    """What ``build_framework`` takes, once each part has the type that it must have."""
    if not isinstance(made, dict) or not all(isinstance(key, str) for key in made):
        raise PairsiftError(
            f"{where} is not what pairsift writes: it does not say how its framework was made"
        )
    said = dict(made)
    for key, kind in (("name", str), ("channels", int), ("length", int), ("loss", str)):
        if type(said.get(key)) is not kind:
            raise PairsiftError(
                f"{where} is not what pairsift writes: the framework's {key} is {shown(repr(said.get(key)))}"
            )
    if said["name"] not in FRAMEWORKS or said.get("dataset") is not None:
        raise PairsiftError(
            f"{where} names the framework {shown(said['name'])!r}, which cannot be made from its name; "
            "install a newer pairsift, or load the weights into your own"
        )
    if any(number > _LARGEST for number in _whole_numbers(said)):
        raise PairsiftError(f"{where} describes no framework that can be made: a setting is far too large")
    options = {key: value for key, value in said.items() if key not in ("name", "channels", "length", "loss")}
    try:
        check_config(FRAMEWORKS[said["name"]].Config, options)
    except PairsiftError as error:
        raise PairsiftError(f"{where} is not what pairsift writes: {shown(error, 200)}") from None
    return said


def _whole_numbers(value: Any) -> list[int]:
    if isinstance(value, dict):
        return [number for one in value.values() for number in _whole_numbers(one)]
    if isinstance(value, list | tuple):
        return [number for one in value for number in _whole_numbers(one)]
    return [value] if isinstance(value, int) else []
