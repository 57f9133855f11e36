"""What a person reads after training: the table of pairs, the page that shows them, and how to act on it."""

from __future__ import annotations

from pairsift.report.audit import write_audit
from pairsift.report.inputs import Boundary, PairHistory, Thresholds
from pairsift.report.page import write_report
from pairsift.report.table import pairs_table, write_pairs_csv

__all__ = [
    "Boundary",
    "PairHistory",
    "Thresholds",
    "pairs_table",
    "write_audit",
    "write_pairs_csv",
    "write_report",
]
