"""What embeds, for use elsewhere: safetensors with a config, or a folder as the Hugging Face hub has them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import torch
from torch import Tensor

from pairsift.errors import PairsiftError, shown
from pairsift.frameworks import Framework
from pairsift.training.card import model_card
from pairsift.training.checkpoint import write_whole
from pairsift.training.folder import load_weights, read_json, versions, write_json
from pairsift.training.remake import remake

FORMAT = 1
CONFIG, MODEL = "config.json", "model.safetensors"


def embedding_state(framework: Framework) -> dict[str, Tensor]:
    """The weights that features depend on: what lies in modules that ``represent`` calls, heads left out."""
    called: set[str] = set()
    names = {module: name for name, module in framework.named_modules()}
    handles = [
        module.register_forward_hook(lambda module, *_: called.add(names[module]))
        for module in framework.modules()
        if module is not framework
    ]
    try:
        framework.embed(torch.zeros(2, framework.channels, framework.length, device=_device(framework)))
    finally:
        for handle in handles:
            handle.remove()
    state = framework.state_dict()
    return {name: value.cpu().contiguous() for name, value in state.items() if _within(name, called)}


def _within(name: str, modules: set[str]) -> bool:
    parts = name.split(".")
    return any(".".join(parts[:count]) in modules for count in range(1, len(parts)))


def _device(framework: Framework) -> torch.device:
    return next(framework.parameters()).device


def config_of(framework: Framework, about: dict[str, Any]) -> dict[str, Any]:
    """All that is needed to make the framework again, and what goes in and comes out."""
    return {
        "format": FORMAT,
        "library": "pairsift",
        "framework": framework.settings,
        "input": {"shape": ["batch", framework.channels, framework.length], "dtype": "float32"},
        "output": {"shape": ["batch", framework.out_features], "dtype": "float32"},
        "run": {name: about[name] for name in ("settings", "data") if name in about},
        "versions": versions(),
    }


def export_safetensors(framework: Framework, about: dict[str, Any], out: Path) -> list[Path]:
    """Write the weights that features depend on, and beside them (.json) how to use them.

    Args:
        framework: trained.
        about: the run's settings.json.
        out: a .safetensors file.

    Returns:
        The files written.
    """
    from safetensors.torch import save

    write_whole(out, save(embedding_state(framework), metadata={"format": "pt"}))
    beside = out.with_suffix(".json")
    write_json(beside, config_of(framework, about))
    return [out, beside]


def export_hub(framework: Framework, about: dict[str, Any], out: Path) -> list[Path]:
    """Write config.json, model.safetensors and README.md, as the Hugging Face hub lays a model out."""
    from safetensors.torch import save

    out.mkdir(parents=True, exist_ok=True)
    config = config_of(framework, about)
    write_whole(out / MODEL, save(embedding_state(framework), metadata={"format": "pt"}))
    write_json(out / CONFIG, {"model_type": "pairsift", **config})
    write_whole(out / "README.md", model_card(config).encode())
    return [out / name for name in (CONFIG, MODEL, "README.md")]


def load_exported(path: str | Path) -> Framework:
    """The framework from what ``export_safetensors`` or ``export_hub`` wrote; only its features are trained.

    Args:
        path: the .safetensors file, or the hub's folder.
    """
    path = Path(path)
    weights, config = (path / MODEL, path / CONFIG) if path.is_dir() else (path, path.with_suffix(".json"))
    if not config.is_file():
        raise PairsiftError(f"{config}: cannot be read (no such file); it belongs beside {weights.name}")
    made = read_json(config, str(config), FORMAT).get("framework")
    kept = load_weights(weights)
    framework = remake(made, kept, config, weights)
    try:
        missing, unknown = framework.load_state_dict(kept, strict=False)
        lost = sorted(set(missing) & set(embedding_state(framework)))
    except (KeyError, TypeError, RuntimeError) as error:
        raise PairsiftError(f"{config} does not fit {weights.name}: {shown(error, 120)}") from None
    if unknown or lost:
        raise PairsiftError(f"{weights} does not fit {config.name}: look at {(unknown or lost)[0]}")
    return framework.eval()
