"""The contrastive methods; a new one is a file here and a line in the table."""

from __future__ import annotations

from typing import Any

from pairsift.errors import PairsiftError, nearest
from pairsift.frameworks.base import Framework, FrameworkConfig
from pairsift.frameworks.btsf import BTSF, BTSFConfig
from pairsift.frameworks.moco import MoCo, MoCoConfig
from pairsift.frameworks.simclr import SimCLR, SimCLRConfig
from pairsift.frameworks.simsiam import SimSiam, SimSiamConfig
from pairsift.frameworks.tfc import TFC, TFCConfig
from pairsift.frameworks.tstcc import TSTCC, TSTCCConfig
from pairsift.losses import Contrast

FRAMEWORKS: dict[str, type[Framework]] = {
    "simclr": SimCLR,
    "moco": MoCo,
    "simsiam": SimSiam,
    "tstcc": TSTCC,
    "tfc": TFC,
    "btsf": BTSF,
}


def build_framework(
    name: str,
    channels: int,
    length: int,
    loss: str | Contrast = "infonce",
    dataset: str | None = None,
    **options: Any,
) -> Framework:
    """Make a framework by its name.

    Args:
        name: one of ``FRAMEWORKS``.
        channels: C of the series it will see.
        length: T of the series it will see.
        loss: "infonce", "rince", or a loss of one's own.
        dataset: takes the settings published for this dataset ("har", "epilepsy", ...) as defaults.
        options: fields of the framework's config; they win over the dataset's.

    Example:
        >>> framework = build_framework("simclr", channels=9, length=128, dataset="har")
    """
    if name not in FRAMEWORKS:
        raise PairsiftError(
            f"unknown framework {name!r}; there are {', '.join(FRAMEWORKS)}{nearest(name, FRAMEWORKS)}"
        )
    if channels < 1 or length < 2:
        raise PairsiftError(
            f"a framework needs at least one channel and two time steps, got {channels} and {length}"
        )
    kind = FRAMEWORKS[name]
    return kind(channels, length, loss, kind.Config.for_dataset(dataset, **options))


__all__ = [
    "BTSF",
    "FRAMEWORKS",
    "TFC",
    "TSTCC",
    "BTSFConfig",
    "Framework",
    "FrameworkConfig",
    "MoCo",
    "MoCoConfig",
    "SimCLR",
    "SimCLRConfig",
    "SimSiam",
    "SimSiamConfig",
    "TFCConfig",
    "TSTCCConfig",
    "build_framework",
]
