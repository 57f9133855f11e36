"""What embeds, as an ONNX graph."""

from __future__ import annotations

import logging
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import torch
from torch import Tensor, nn

from pairsift.errors import PairsiftError, shown
from pairsift.frameworks import Framework
from pairsift.training.checkpoint import write_whole
from pairsift.training.export import config_of
from pairsift.training.folder import write_json


class _Embedder(nn.Module):
    """Features as the only thing that a module does."""

    def __init__(self, framework: Framework) -> None:
        super().__init__()
        self.framework = framework

    def forward(self, series: Tensor) -> Tensor:
        """Features (B, D) of series (B, C, T)."""
        return self.framework.represent(series)


def export_onnx(framework: Framework, about: dict[str, Any], out: Path) -> list[Path]:
    """Write features as an ONNX graph: "series" (batch, C, T) in, "features" (batch, D) out, any batch size.

    Args:
        framework: trained.
        about: the run's settings.json.
        out: a .onnx file.

    Returns:
        The files written: the graph, and beside it (.json) what it is.
    """
    try:
        import onnx  # noqa: F401
        import onnxscript  # noqa: F401
    except ImportError:
        raise PairsiftError("ONNX needs onnx and onnxscript: pip install 'pairsift[onnx]'") from None
    model = _Embedder(framework).cpu().eval()
    example = torch.randn(2, framework.channels, framework.length, generator=torch.Generator().manual_seed(0))
    with _quiet(), torch.no_grad():
        try:
            program = torch.onnx.export(
                model,
                (example,),
                input_names=["series"],
                output_names=["features"],
                dynamic_shapes={"series": {0: torch.export.Dim("batch", min=1)}},
                dynamo=True,
                verbose=False,
            )
            assert program is not None  # dynamo=True always gives one
        except (RuntimeError, TypeError, ValueError, NotImplementedError) as error:
            raise PairsiftError(
                f"{framework.name} cannot be written as ONNX by torch {torch.__version__}: "
                f"{shown(error, 160)}; use --format safetensors"
            ) from error
    write_whole(out, program.model_proto.SerializeToString())
    beside = out.with_suffix(".json")
    write_json(beside, config_of(framework, about))
    return [out, beside]


@contextmanager
def _quiet() -> Iterator[None]:
    """Keep the exporter's own progress and advice to itself."""
    loggers = [logging.getLogger(name) for name in ("torch.onnx", "onnxscript", "onnx_ir")]
    levels = [logger.level for logger in loggers]
    for logger in loggers:
        logger.setLevel(logging.ERROR)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            yield
    finally:
        for logger, level in zip(loggers, levels):
            logger.setLevel(level)
