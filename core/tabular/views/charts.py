"""Charts of the tabular verifier: figures against thresholds, records by class size."""

import pandas as pd

from core.charts import Chart, class_size_chart, horizontal_bars
from core.measures import MEASURES
from core.reports import ReportChart
from core.tabular import TabularAudit
from core.tabular.views.words import class_note
from core.words import own, percent, say, text


def figures_chart(audit: TabularAudit) -> Chart:
    """Draw the published figures as bars, each with a tick at its threshold."""
    measured, limits = audit.measurement, audit.thresholds
    least, most, below = (
        "{figure} (at least {limit})",
        "{figure} (at most {limit})",
        "{figure} (below {limit})",
    )
    rows = (
        ("policy_consistency", least, measured.policy_consistency, limits.policy_consistency_share),
        ("high_risk_handling", least, measured.high_risk_handling, limits.high_risk_handling_share),
        ("pattern_residual", most, measured.pattern_residual, limits.pattern_residual_share),
        ("warn_share", below, measured.warn_share, limits.warn_share),
    )
    frame = pd.DataFrame(
        {
            "figure": [
                say(message, figure=own(MEASURES[key].label), limit=percent(limit))
                for key, message, _, limit in rows
            ],
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


def class_chart(audit: TabularAudit, *, k: int, log: bool = False) -> Chart | None:
    """Draw the records by class size with k as a line; None where nothing was assessed."""
    if audit.classes is None or not audit.classes.n_records:
        return None
    sizes, records = audit.classes.size_histogram
    return class_size_chart(sizes, records, k, log=log)


def figures_chart_of(audit: TabularAudit) -> ReportChart:
    """Return the chart of the figures with its title and text."""
    measured = audit.measurement
    return ReportChart(
        title=text("Figures of {file} against their thresholds", file=audit.name),
        chart=figures_chart(audit),
        alt_text=text(
            "Bars of policy consistency {consistency}, high-risk handling {high_risk_handling}, pattern "
            "residual {pattern_residual} and WARN messages {warn_share}, each with its threshold.",
            consistency=percent(measured.policy_consistency),
            high_risk_handling=percent(measured.high_risk_handling),
            pattern_residual=percent(measured.pattern_residual),
            warn_share=percent(measured.warn_share),
        ),
    )


def class_chart_of(audit: TabularAudit, k: int) -> ReportChart | None:
    """Return the chart of class sizes with its title and text; None where nothing was assessed."""
    classes, chart = audit.classes, class_chart(audit, k=k)
    if classes is None or chart is None:
        return None
    return ReportChart(
        title=text("Records of {file} by class size", file=audit.name),
        chart=chart,
        alt_text=text(
            "Histogram of records by class size: {below} of {records} records are in classes smaller "
            "than {k}. {note}",
            below=classes.n_records_below(k),
            records=classes.n_records,
            k=k,
            note=own(class_note(audit)),
        ),
    )
