"""Charts of the tabular verifier: column checks, figures against thresholds, records by class size."""

from __future__ import annotations

import altair as alt
import pandas as pd

from core.charts import Specification, class_size_chart, horizontal_bars, verdict_counts_bar
from core.measures import MEASURES
from core.reports import ReportChart
from core.tabular import TabularAudit
from core.tabular.views.words import class_note
from core.verdict import Verdict
from core.words import percent


def messages_chart(audit: TabularAudit) -> alt.LayerChart:
    """Draw how many column checks ended in PASS, WARN and FAIL."""
    counts = {status: audit.measurement.n_messages(status) for status in Verdict}
    return verdict_counts_bar(counts, title="Share of column checks")


def figures_chart(audit: TabularAudit) -> Specification:
    """Draw the published figures as bars, each with a tick at its threshold."""
    measured, limits = audit.measurement, audit.thresholds
    rows = (
        ("policy_consistency", "at least", measured.policy_consistency, limits.policy_consistency_share),
        ("high_risk_handling", "at least", measured.high_risk_handling, limits.high_risk_handling_share),
        ("pattern_residual", "at most", measured.pattern_residual, limits.pattern_residual_share),
        ("warn_share", "below", measured.warn_share, limits.warn_share),
    )
    frame = pd.DataFrame(
        {
            "figure": [f"{MEASURES[key].label} ({bound} {percent(limit)})" for key, bound, _, limit in rows],
            "value": [value for _, _, value, _ in rows],
            "limit": [limit for *_, limit in rows],
        }
    )
    return horizontal_bars(
        frame,
        label="figure",
        value="value",
        reference="limit",
        value_title="Share (%)",
        label_title="Figure and threshold",
        reference_meaning="threshold",
    )


def class_chart(audit: TabularAudit, *, k: int, log: bool = False) -> Specification | None:
    """Draw the records by class size with k as a line; None where nothing was assessed."""
    if audit.classes is None or not audit.classes.n_records:
        return None
    sizes, records = audit.classes.size_histogram
    return class_size_chart(sizes, records, k, log=log)


def file_charts(audit: TabularAudit, k: int) -> list[ReportChart]:
    """Return the charts of one file, each with the text that says what it shows."""
    measured = audit.measurement
    counts = ", ".join(f"{measured.n_messages(status)} {status.word}" for status in Verdict)
    charts = [
        ReportChart(
            title=f"Column checks of {audit.name}",
            chart=messages_chart(audit),
            alt_text=f"Bar of the column checks of {audit.name}: {counts}.",
        ),
        ReportChart(
            title=f"Figures of {audit.name} against their thresholds",
            chart=figures_chart(audit),
            alt_text=f"Bars of policy consistency {percent(measured.policy_consistency)}, high-risk handling "
            f"{percent(measured.high_risk_handling)}, pattern residual "
            f"{percent(measured.pattern_residual)} and "
            f"WARN messages {percent(measured.warn_share)}, each with its threshold.",
        ),
    ]
    classes, chart = audit.classes, class_chart(audit, k=k)
    if classes is not None and chart is not None:
        charts.append(
            ReportChart(
                title=f"Records of {audit.name} by class size",
                chart=chart,
                alt_text=f"Histogram of records by class size: {classes.n_records_below(k):,} of "
                f"{classes.n_records:,} records are in classes smaller than {k}. {class_note(audit)}",
            )
        )
    return charts
