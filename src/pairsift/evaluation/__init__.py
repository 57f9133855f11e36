"""Judging what was learned (linear probe) and what was found (detection of bad pairs)."""

from pairsift.evaluation.detection import detection_metrics
from pairsift.evaluation.embed import embed_series, probe_framework
from pairsift.evaluation.metrics import classification_metrics
from pairsift.evaluation.probe import Probe, linear_probe

__all__ = [
    "Probe",
    "classification_metrics",
    "detection_metrics",
    "embed_series",
    "linear_probe",
    "probe_framework",
]
