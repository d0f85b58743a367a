"""The charts of a risk audit."""

from __future__ import annotations

import pandas as pd

from core.charts import class_size_chart, horizontal_bars
from core.reports import ReportChart
from core.risk import RiskAudit
from core.risk.words import counted, percent


def class_chart(audit: RiskAudit, *, log: bool = False) -> ReportChart | None:
    """Draw the records by class size with k, and the cumulative share on the right; None of no record."""
    classes, k = audit.measurement.classes, audit.thresholds.k
    if not classes.n_records:
        return None
    sizes, records = classes.size_histogram
    chart = class_size_chart(sizes, records, k, log=log, cumulative=True)
    unit = "" if audit.measurement.unit == "record" else ", sizes in persons"
    return ReportChart(
        title=f"Records by class size{unit}",
        chart=chart,
        alt_text=f"Histogram of records by class size with the cumulative share of records: "
        f"{audit.n_at_risk:,} of {counted(classes.n_records, 'record')} "
        f"({percent(audit.n_at_risk / classes.n_records)}) are in classes smaller than {k}.",
    )


def risk_bars(audit: RiskAudit) -> ReportChart | None:
    """Draw the risk of the three intruders that could be assessed."""
    measured = audit.measurement
    rows = [
        ("Prosecutor, highest", measured.highest_risk),
        ("Prosecutor, average", measured.average_risk),
    ]
    if measured.population is not None:
        rows.append(("Journalist, highest", measured.population.journalist_highest_risk))
        rows.append(("Marketer, expected share", measured.population.marketer_risk))
    known = [(label, risk) for label, risk in rows if risk is not None]
    if not known:
        return None
    limit = 1 / audit.thresholds.k
    return ReportChart(
        title="Risk of three intruders",
        chart=horizontal_bars(
            pd.DataFrame(known, columns=["intruder", "risk"]),
            label="intruder",
            value="risk",
            unit="risk",
            value_title="Risk (%)",
            label_title="Intruder",
            rule=limit,
            rule_label=f"1 / {audit.thresholds.k}",
        ),
        alt_text="Bars of "
        + ", ".join(f"{label} {percent(risk)}" for label, risk in known)
        + f", with the threshold {percent(limit)}.",
    )
