"""Measures of the tabular verifier."""

from __future__ import annotations

from typing import Literal

from core.measures.measure import Measure

_RULE = "Published rule of the tabular verifier"


def _messages(status: str, better: Literal["higher", "lower"]) -> Measure:
    return Measure(f"{status.lower()}_share", f"{status} messages", "share", better, _RULE).means(
        f"Column checks that ended in {status}, divided by all column checks. A column that was expanded "
        "into several counts once for each."
    )


MEASURES = (
    Measure("policy_consistency", "Policy consistency", "share", "higher", _RULE).means(
        "One minus the logged columns that should be gone (logged `drop`, or `keep_if_permitted_else_drop` "
        "without permission) but hold values, divided by the columns in the log; 100 % for an empty log."
    ),
    Measure("pattern_residual", "Pattern residual", "share", "lower", _RULE).means(
        "Cells of the anonymized table that hold a sensitive pattern, divided by its non-blank cells. Every "
        "cell is read; a date that a logged date floor correctly produced does not count."
    ),
    Measure("high_risk_handling", "High-risk handling", "share", "higher", _RULE).means(
        "Logged columns whose semantic is high-risk (such as name, birth date, phone, address or "
        "identifier) and whose action protects, divided by the high-risk columns in the log; 100 % when "
        "there are none."
    ),
    _messages("PASS", "higher"),
    _messages("WARN", "lower"),
    _messages("FAIL", "lower"),
)
