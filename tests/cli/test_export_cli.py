"""export: the same features outside."""

import json
import shutil
from pathlib import Path

import numpy as np
import pytest
import torch

from pairsift.errors import PairsiftError
from pairsift.frameworks import FRAMEWORKS, build_framework
from pairsift.training import export_hub, load_exported, load_framework

X = torch.randn(5, 2, 40, generator=torch.Generator().manual_seed(0))


def test_safetensors_hold_what_features_need_and_no_more(pairsift, made: Path, tmp_path: Path) -> None:
    out = tmp_path / "e.safetensors"
    shown = pairsift("export", made, "--format", "safetensors", "--out", out)
    assert shown.code == 0, shown.err
    framework = load_framework(made)
    assert torch.equal(load_exported(out).embed(X), framework.embed(X))
    from safetensors.torch import load_file

    names = set(load_file(out))
    assert names and all(name.startswith("encoder.") for name in names)
    config = json.loads(out.with_suffix(".json").read_text())
    assert config["output"]["shape"] == ["batch", framework.out_features]
    assert config["run"]["settings"]["epochs"] == 2


def test_the_hub_folder_has_a_model_card(pairsift, made: Path, tmp_path: Path) -> None:
    out = tmp_path / "hub"
    assert pairsift("export", made, "--format", "hub", "--out", out).code == 0
    assert {p.name for p in out.iterdir()} == {"config.json", "model.safetensors", "README.md"}
    card = (out / "README.md").read_text()
    assert card.startswith("---\nlibrary_name: pairsift") and "labelled.npz, 36 series" in card
    assert torch.equal(load_exported(out).embed(X), load_framework(made).embed(X))
    code = card.split("```python\n")[1].split("```")[0].replace("path/to/this/folder", str(out))
    found: dict = {}
    exec(code, found)  # what the card tells people to run
    assert found["features"].shape == (4, load_framework(made).out_features)


@pytest.mark.parametrize("name", FRAMEWORKS)
def test_every_framework_comes_back_with_the_same_features(name: str, tmp_path: Path) -> None:
    framework = build_framework(name, 2, 40).eval()
    export_hub(framework, {}, tmp_path)
    assert torch.equal(load_exported(tmp_path).embed(X), framework.embed(X))


def test_onnx_gives_the_same_features_for_any_batch(pairsift, made: Path, tmp_path: Path) -> None:
    pytest.importorskip("onnxscript", reason="needs pairsift[onnx]")
    out = tmp_path / "e.onnx"
    shown = pairsift("export", made, "--format", "onnx", "--out", out)
    assert shown.code == 0 and shown.err == "", shown.err
    from onnx.reference import ReferenceEvaluator

    graph = ReferenceEvaluator(str(out))
    for count in (1, 5):
        (features,) = graph.run(None, {"series": X[:count].numpy()})
        assert np.allclose(features, load_framework(made).embed(X[:count]).numpy(), rtol=1e-4, atol=1e-5)
    assert json.loads(out.with_suffix(".json").read_text())["input"]["shape"] == ["batch", 2, 40]


@pytest.mark.slow
@pytest.mark.parametrize("name", FRAMEWORKS)
def test_onnx_runtime_agrees_for_every_framework(name: str, tmp_path: Path) -> None:
    pytest.importorskip("onnxscript", reason="needs pairsift[onnx]")
    runtime = pytest.importorskip("onnxruntime", reason="needs onnxruntime")
    from pairsift.training import export_onnx

    framework = build_framework(name, 2, 40).eval()
    export_onnx(framework, {}, tmp_path / "e.onnx")
    (features,) = runtime.InferenceSession(tmp_path / "e.onnx").run(None, {"series": X.numpy()})
    assert np.allclose(features, framework.embed(X).numpy(), rtol=1e-3, atol=1e-4)


def test_what_is_broken_is_said(made: Path, tmp_path: Path) -> None:
    folder = tmp_path / "hub"
    export_hub(load_framework(made), {}, folder)
    lost = shutil.copytree(folder, tmp_path / "lost")
    (lost / "config.json").unlink()
    with pytest.raises(PairsiftError, match=r"config\.json: cannot be read .* beside model\.safetensors"):
        load_exported(lost)
    config = json.loads((folder / "config.json").read_text())
    (folder / "config.json").write_text(json.dumps({**config, "format": 9}))
    with pytest.raises(PairsiftError, match="format 9, this pairsift reads up to 1"):
        load_exported(folder)
    config["framework"]["channels"] = 3
    (folder / "config.json").write_text(json.dumps(config))
    with pytest.raises(PairsiftError, match="does not fit model"):
        load_exported(folder)
