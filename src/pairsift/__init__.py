"""Contrastive learning of time series that finds its bad positive pairs and stops them from doing harm."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

__version__ = "0.1.0"

if TYPE_CHECKING:
    from pairsift.errors import PairsiftError
    from pairsift.estimator import ContrastiveEncoder
    from pairsift.mining import Auto, BadPairMiner, Sigma
    from pairsift.training import BadPairMining, pretrain

# Imported when first asked for, so that `pairsift --help` need not wait for torch.
_PLACES = {
    "Auto": "pairsift.mining",
    "BadPairMiner": "pairsift.mining",
    "BadPairMining": "pairsift.training",
    "ContrastiveEncoder": "pairsift.estimator",
    "Sigma": "pairsift.mining",
    "PairsiftError": "pairsift.errors",
    "pretrain": "pairsift.training",
}

__all__ = [
    "Auto",
    "BadPairMiner",
    "BadPairMining",
    "ContrastiveEncoder",
    "PairsiftError",
    "Sigma",
    "__version__",
    "pretrain",
]


def __getattr__(name: str) -> Any:
    if name not in _PLACES:
        raise AttributeError(f"module 'pairsift' has no attribute {name!r}")
    return getattr(import_module(_PLACES[name]), name)


def __dir__() -> list[str]:
    return __all__
