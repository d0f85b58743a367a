"""Measures of the tabular verifier."""

from __future__ import annotations

from typing import Literal

from core.measures.measure import Measure

_RULE = "Published rule of the tabular verifier"


def _messages(status: str, better: Literal["higher", "lower"]) -> Measure:
    return Measure(
        key=f"{status.lower()}_share",
        label=f"{status} messages",
        unit="share",
        upper=1,
        better=better,
        definition=f"Column checks that ended in {status}, divided by all column checks. A column that "
        "was expanded into several counts once for each.",
        source=_RULE,
    )


MEASURES = (
    Measure(
        key="policy_consistency",
        label="Policy consistency",
        unit="share",
        upper=1,
        better="higher",
        definition="One minus the logged columns that should be gone (logged `drop`, or "
        "`keep_if_permitted_else_drop` without permission) but hold values, divided by the columns in the "
        "log; 100 % for an empty log.",
        source=_RULE,
    ),
    Measure(
        key="pattern_residual",
        label="Pattern residual",
        unit="share",
        upper=1,
        better="lower",
        definition="Cells of the anonymized table that hold a sensitive pattern, divided by its non-blank "
        "cells. Every cell is read; a date that a logged date floor correctly produced does not count.",
        source=_RULE,
    ),
    Measure(
        key="high_risk_handling",
        label="High-risk handling",
        unit="share",
        upper=1,
        better="higher",
        definition="Logged columns whose semantic is high-risk (such as name, birth date, phone, address or "
        "identifier) and whose action protects, divided by the high-risk columns in the log; 100 % "
        "when there "
        "are none.",
        source=_RULE,
    ),
    _messages("PASS", "higher"),
    _messages("WARN", "lower"),
    _messages("FAIL", "lower"),
)
