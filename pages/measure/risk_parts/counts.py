"""A table of counts: small cells, what the totals tell of suppressed ones, and what to suppress."""

from datetime import datetime

import streamlit as st

from core.counts import CellsMeasurement, CountsAudit, CountThresholds, judge_counts, measure_cells
from core.counts.report import counts_report
from core.counts.result import counts_result
from core.counts.settings import no_ledger
from core.counts.tool import TOOL
from core.errors import AuditInputError
from core.reports import Report
from core.risk import RiskSettings, check_settings
from core.tables import Dataset
from core.web.caching import remembered
from core.words import say
from pages.components.asking import ask_for
from pages.components.policy import ask_for_context
from pages.components.reading import show_problems
from pages.components.shown import Shown
from pages.components.tool_page import ToolPage, show_whole


def show_counts(shown: Shown) -> None:
    """Show the audit of a table whose rows are cells; the slider moved audits it again."""
    for each in shown.earlier.files:
        show_problems(AuditInputError(no_ledger(each.name)))
    check_settings(shown.settings, shown.given["table"].columns)
    shown.page = COUNTS
    show_whole(shown)


def _judge_live(shown: Shown) -> None:
    ask_for_context(TOOL.key)
    shown.judge(CountThresholds(least=ask_for(TOOL.key, CountThresholds, "least")))


def _judge(shown: Shown) -> CountsAudit:
    with st.spinner(say("Measuring"), show_time=True):
        return _audit(shown.given["table"], shown.settings, shown.thresholds, shown.earlier.tables)


@remembered(kept=64, in_turn=False)  # each place of the slider
def _audit(
    table: Dataset, settings: RiskSettings, thresholds: CountThresholds, others: tuple[Dataset, ...]
) -> CountsAudit:
    return judge_counts(_cells(table, settings, others), thresholds)


@remembered()
def _cells(table: Dataset, settings: RiskSettings, others: tuple[Dataset, ...]) -> CellsMeasurement:
    """Measure a table of counts, whatever counts as small, beside others."""
    return measure_cells(table, **settings.of_counts(table.columns), others=others)


def _report(shown: Shown, created_at: datetime) -> Report:
    tables = (shown.given["table"], *shown.earlier.tables)
    return counts_report(shown.audit, tables, shown.settings, created_at)


COUNTS = ToolPage(
    tool=TOOL,
    live=_judge_live,
    judge=_judge,
    result=lambda shown: counts_result(shown.audit, shown.settings),
    report=_report,
    released=lambda shown: [(shown.given["table"], shown.settings.leave_out)],
)
