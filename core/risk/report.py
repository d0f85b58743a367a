"""The report of a disclosure-risk audit."""

from collections.abc import Sequence
from datetime import datetime

from core.reports import InputFacts, Report, placed, report_of
from core.risk.document import risk_arguments, risk_document
from core.risk.judging import RiskAudit
from core.risk.result import risk_result
from core.risk.suda import ColumnsMeasurement, Suda
from core.risk.tool import TOOL
from core.risk.what_if import WhatIf


def risk_report(
    audit: RiskAudit,
    *,
    inputs: Sequence[InputFacts],
    created_at: datetime,
    other: RiskAudit | None = None,
    columns: ColumnsMeasurement | None = None,
    suda: Suda | None = None,
    what_if: WhatIf | None = None,
    groups: Sequence[str] = (),
) -> Report:
    """Return the report of a run; it holds counts, figures and column names, no cell values.

    `groups`: the columns that the files of groups among the inputs are for.
    """
    inputs = placed(inputs)
    is_repeated = bool(inputs) and not audit.measurement.elsewhere
    words = risk_arguments(audit, inputs, groups=groups, suda=suda, what_if=what_if) if is_repeated else None
    return report_of(
        TOOL,
        risk_result(audit, columns=columns, suda=suda, what_if=what_if, other=other),
        inputs=inputs,
        created_at=created_at,
        document=risk_document(audit, columns=columns, suda=suda, what_if=what_if),
        arguments=() if words is None else (words,),
    )
