"""The tabular verifier: whether an anonymized table holds what its log claims.

`measure_tabular` does the expensive part once, `judge_tabular` answers every threshold at once.
"""

from __future__ import annotations

from core.tabular.log import AnonymizationLog, LogEntry, read_log

__all__ = ["AnonymizationLog", "LogEntry", "read_log"]
