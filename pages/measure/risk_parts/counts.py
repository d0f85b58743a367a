"""A table of counts: small cells, what the totals tell of suppressed ones, and what to suppress."""

from collections.abc import Sequence
from datetime import datetime
from functools import partial

import streamlit as st

from core import caching
from core.counts import CountsAudit, CountThresholds
from core.counts.report import counts_report
from core.counts.result import counts_result
from core.errors import AuditInputError
from core.reports import Report, input_facts, report_table
from core.risk import RiskSettings, check_settings
from core.tables import Dataset
from core.words import input_error, say
from pages.components.asking import ask_for_number
from pages.components.earlier import Earlier
from pages.components.reading import show_problems
from pages.components.results import show_downloads, show_findings, show_table, show_verdict


def show_counts(dataset: Dataset, settings: RiskSettings, earlier: Earlier) -> None:
    """Show the audit of a table whose rows are cells; the slider moved audits it again."""
    for each in earlier.files:
        show_problems(
            input_error(
                "{file} is a ledger of persons; give the earlier table of counts itself.", file=each.name
            )
        )
    others = earlier.keys[0]
    verdict = st.container()
    least = ask_for_number(CountThresholds, "least", slider=True, span=(2, 50), key="risk_counts_k")
    try:
        check_settings(settings, dataset.columns)
        with st.spinner(say("Measuring"), show_time=True):
            audit = caching.counts_audit(dataset.fingerprint, settings, CountThresholds(least=least), others)
    except AuditInputError as error:
        show_problems(error)
        return
    result = counts_result(audit, settings)
    with verdict:
        show_verdict(result.verdict, result.headline, findings=result.findings)
    show_findings(result.findings, key="risk_counts", at_once=3, in_card=result.findings[0].check)
    for table in result.group("cells").tables:
        if table.rows:
            show_table(report_table(table).frame, alt=table.title)
    st.header(say("Downloads"), anchor=False)
    show_downloads(
        "risk",
        partial(_report, audit, (dataset, *earlier.tables), settings),
        identity=repr((dataset.fingerprint, settings, audit.thresholds, others)),
        released=[(dataset, settings.leave_out)],
    )


def _report(
    audit: CountsAudit, tables: Sequence[Dataset], settings: RiskSettings, created_at: datetime
) -> Report:
    return counts_report(
        audit,
        inputs=[input_facts(each, "published too" if n else "table") for n, each in enumerate(tables)],
        created_at=created_at,
        settings=settings,
    )
