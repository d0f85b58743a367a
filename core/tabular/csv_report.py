"""The run's report as the published CSV: one row per file, appended as each is done."""

import csv
import io
from datetime import datetime
from typing import Literal

from core.plain import printable, starts_like_formula
from core.tabular.judging import TabularAudit

Headers = Literal["ko", "en"]

_BYTE_ORDER_MARK = "\ufeff"
HEADERS: dict[Headers, tuple[str, ...]] = {
    "ko": (
        "파일명",
        "익명화 결과",
        "정책 일관성 준수율(%)",
        "패턴 잔존율(%)",
        "고위험 필드 처리율(%)",
        "PASS 비율(%)",
        "WARN 비율(%)",
        "FAIL 비율(%)",
        "추가 검토 여부",
        "필수 검토 여부",
        "k < 2 비율(%)",
        "k < 5 비율(%)",
        "처리 시간(초)",
    ),
    "en": (
        "File name",
        "Anonymization result",
        "Policy consistency (%)",
        "Pattern residual (%)",
        "High-risk field handling (%)",
        "PASS share (%)",
        "WARN share (%)",
        "FAIL share (%)",
        "Review recommended",
        "Review mandatory",
        "k < 2 share (%)",
        "k < 5 share (%)",
        "Processing time (s)",
    ),
}


def csv_report_name(at: datetime) -> str:
    """Return the report's file name, such as ``anonymization_report_20260131_235959.csv``."""
    return f"anonymization_report_{at:%Y%m%d_%H%M%S}.csv"


def csv_report_header(headers: Headers = "ko") -> str:
    """Return the byte order mark and the line of column names."""
    return _BYTE_ORDER_MARK + _line(HEADERS[headers])


def csv_report_row(audit: TabularAudit, *, seconds: float) -> str:
    """Return a file's line: the published decision and figures, percentages with two decimals.

    Without any quasi-identifier the two class shares are written as 0.00, as published; the second opinion
    says that they were not assessed.
    """
    below_2, below_5 = class_shares(audit)
    return _line(
        (
            f"'{printable(audit.name)}" if starts_like_formula(audit.name) else printable(audit.name),
            audit.verdict.value,
            *(f"{100 * share:.2f}" for share in audit.measurement.shares),
            str(audit.recommended_review),
            str(audit.mandatory_review),
            f"{100 * below_2:.2f}",
            f"{100 * below_5:.2f}",
            f"{seconds:.2f}",
        )
    )


def class_shares(audit: TabularAudit) -> tuple[float, float]:
    """Return the shares of records in classes with k < 2 and k < 5; 0 where nothing was assessed."""
    if audit.classes is None:
        return 0.0, 0.0
    return audit.classes.share_below(2) or 0.0, audit.classes.share_below(5) or 0.0


def _line(cells: tuple[str, ...]) -> str:
    line = io.StringIO(newline="")
    csv.writer(line).writerow(cells)
    return line.getvalue()
