"""The report of a disclosure-risk audit."""

from collections.abc import Sequence
from datetime import datetime

from core.people.free_text import reading_words
from core.releases import earlier_words
from core.reports import InputFacts, Report, placed, report_of
from core.risk.judging import RiskAudit
from core.risk.result import risk_result
from core.risk.settings import GROUPS
from core.risk.suda import ColumnsMeasurement, Suda, SudaSettings
from core.risk.tool import TOOL
from core.risk.what_if import WhatIf, what_if_settings
from core.settings.form import option_words


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
        arguments=() if words is None else (words,),
    )


def risk_arguments(
    audit: RiskAudit,
    inputs: Sequence[InputFacts],
    *,
    groups: Sequence[str] = (),
    suda: Suda | None = None,
    what_if: WhatIf | None = None,
) -> tuple[str, ...]:
    """Return the words that repeat the audit; `groups`: the columns that the files of groups are for."""
    measured = audit.measurement
    suggested = ("quasi_identifiers",) if measured.settings.roles_suggested else ()
    paths = {str(facts.role): facts.path for facts in inputs}
    files = [facts.path for facts in inputs if facts.role == GROUPS]
    return (
        paths["table"],
        *(
            word
            for part in ("original", "population")
            if part in paths
            for word in (f"--{part}", paths[part])
        ),
        *option_words(measured.settings, left_out=suggested),
        *option_words(audit.thresholds),
        *earlier_words(audit.releases, inputs),
        *reading_words(audit.read, measured.texts),
        *(word for pair in zip(groups, files, strict=True) for word in ("--hierarchy", "=".join(pair))),
        *([] if suda is None else ["--suda", *option_words(SudaSettings(max_size=suda.requested_size))]),
        *([] if what_if is None else _what_if_words(audit, what_if)),
    )


def _what_if_words(audit: RiskAudit, what_if: WhatIf) -> list[str]:
    usual = what_if_settings(audit.measurement, audit.thresholds).limits
    alone = ["--what-if-k-alone"] if what_if.settings.limits != usual else []
    return ["--what-if", *alone, *option_words(what_if.settings)]
