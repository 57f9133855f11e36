"""The loop: series in, a trained framework and its miner out."""

from __future__ import annotations

from pairsift.training.callback import BadPairMining
from pairsift.training.export import export_hub, export_safetensors, load_exported
from pairsift.training.folder import load_framework, read_settings, versions, write_json
from pairsift.training.module import PairModule
from pairsift.training.onnx_graph import export_onnx
from pairsift.training.pretrain import Run, make_framework, make_miner, pretrain
from pairsift.training.restore import KeptHistory, load_history, load_miner
from pairsift.training.settings import Settings, make_settings
from pairsift.training.stop import TrainingStopped

__all__ = [
    "BadPairMining",
    "KeptHistory",
    "PairModule",
    "Run",
    "Settings",
    "TrainingStopped",
    "export_hub",
    "export_onnx",
    "export_safetensors",
    "load_exported",
    "load_framework",
    "load_history",
    "load_miner",
    "make_framework",
    "make_miner",
    "make_settings",
    "pretrain",
    "read_settings",
    "versions",
    "write_json",
]
