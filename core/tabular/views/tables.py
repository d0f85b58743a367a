"""Tables of the tabular verifier: files, columns, patterns left in, and what was skipped."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pandas as pd

from core.patterns import CATALOGUE
from core.tabular import LeftOutFile, TabularAudit
from core.tabular.csv_report import class_shares
from core.tabular.views.verified_file import VerifiedFile
from core.verdict import Verdict

COLUMN_UNITS = {"Values": "cells", "Speaking against": "cells"}

FILE_COLUMNS = (
    "File",
    "Mode",
    "Overall",
    "Published rule",
    "Second opinion",
    "Policy consistency",
    "Pattern residual",
    "High-risk handling",
    "PASS messages",
    "WARN messages",
    "FAIL messages",
    "Review mandatory",
    "Review recommended",
    "Smallest class (k)",
    "Records with k < 2",
    "Records with k < 5",
    "Seconds",
)
FILE_UNITS: dict[str, Any] = {
    name: "share"
    for name in FILE_COLUMNS
    if name.endswith("messages") or name.startswith(("Policy", "Pattern", "High-risk", "Records"))
}


def files_table(files: Sequence[VerifiedFile]) -> pd.DataFrame:
    """Return a row per file: verdicts, figures in [0, 1], reviews; None where not assessed."""
    return pd.DataFrame([_file_row(file) for file in files], columns=list(FILE_COLUMNS))


def _file_row(file: VerifiedFile) -> tuple[object, ...]:
    audit, measured, classes = file.audit, file.audit.measurement, file.audit.classes
    below = class_shares(audit) if classes is not None else (None, None)
    return (
        audit.name,
        measured.log.mode,
        audit.overall.value,
        audit.verdict.value,
        audit.second_opinion_verdict.value,
        measured.policy_consistency,
        measured.pattern_residual,
        measured.high_risk_handling,
        measured.pass_share,
        measured.warn_share,
        measured.fail_share,
        audit.mandatory_review,
        audit.recommended_review,
        None if classes is None else classes.k,
        *below,
        round(file.seconds, 2),
    )


def columns_table(audit: TabularAudit, *, statuses: Sequence[Verdict] = tuple(Verdict)) -> pd.DataFrame:
    """Return a row per check, expansions below their original column; only those of the given statuses."""
    rows = [
        (
            check.column,
            check.anonymized_column,
            check.semantic,
            check.action,
            check.status.value,
            check.reason,
            check.n_filled,
            check.n_failing,
            ", ".join(check.shapes),
        )
        for check in audit.measurement.checks
        if check.status in statuses
    ]
    names = ("Column", "Anonymized column", "Semantic", "Action", "Status", "Reason", *COLUMN_UNITS, "Shapes")
    return pd.DataFrame(rows, columns=list(names))


def residual_table(audit: TabularAudit) -> pd.DataFrame:
    """Return a row per anonymized column that holds sensitive patterns, and how many cells hold which."""
    rows = [
        {
            "Anonymized column": residual.column,
            "Non-blank cells": residual.n_filled,
            "Cells with a pattern": residual.n_cells,
            "Share of cells": residual.n_cells / residual.n_filled,
            "Patterns": ", ".join(f"{CATALOGUE[key].label} {n:,}" for key, n in residual.counts.items()),
        }
        for residual in audit.measurement.residuals
        if residual.n_cells
    ]
    names = ["Anonymized column", "Non-blank cells", "Cells with a pattern", "Share of cells", "Patterns"]
    return pd.DataFrame(rows, columns=names)


def skipped_table(skipped: Sequence[LeftOutFile]) -> pd.DataFrame:
    """Return a row per file that was not verified, with the reason."""
    return pd.DataFrame(
        {"File": [file.name for file in skipped], "Reason": [file.reason for file in skipped]}
    )


def opinion_units(frame: pd.DataFrame) -> dict[str, Any]:
    """Return which columns of a table of the second opinion are shares in [0, 1]."""
    return {
        name: "share"
        for name in frame.columns
        if name.lower().endswith("share") or name.startswith(("Share", "Unique with"))
    }
