"""The charts of a risk audit."""

from __future__ import annotations

import altair as alt
import numpy as np
import pandas as pd

from core.charts import COLORS, class_size_chart, class_size_table, horizontal_bars
from core.measures import format_number
from core.reports import ReportChart
from core.risk import RiskAudit
from core.risk.words import counted, percent


def class_chart(audit: RiskAudit, *, log: bool = False) -> ReportChart | None:
    """Draw the records by class size with k, and the cumulative share on the right; None of no record."""
    classes, k = audit.measurement.classes, audit.thresholds.k
    if not classes.n_records:
        return None
    sizes, records = classes.size_histogram
    bars = class_size_chart(sizes, records, k, log=log)
    line = _cumulative_line(class_size_table(sizes, records, k))
    chart = alt.layer(alt.layer(*bars.layer), line).resolve_scale(y="independent")
    chart = chart.properties(width="container", height=bars.height, autosize=bars.autosize)
    unit = "" if audit.measurement.unit == "record" else ", sizes in persons"
    return ReportChart(
        title=f"Records by class size{unit}",
        chart=chart,
        alt_text=f"Histogram of records by class size with the cumulative share of records: "
        f"{audit.n_at_risk:,} of {counted(classes.n_records, 'record')} "
        f"({percent(audit.n_at_risk / classes.n_records)}) are in classes smaller than {k}.",
    )


def _cumulative_line(table: pd.DataFrame) -> alt.Chart:
    shares = np.cumsum(table["records_share"].to_numpy())
    frame = pd.DataFrame(
        {
            "class_size": table["class_size"],
            "cumulative": np.clip(shares, 0, 1),
            "text": [format_number("share", float(min(share, 1))) for share in shares],
        }
    )
    return (
        alt.Chart(frame)
        .mark_line(point=alt.OverlayMarkDef(size=28), strokeWidth=2, color=COLORS["observed"])
        .encode(
            x=alt.X("class_size:O", scale=alt.Scale(domain=list(table["class_size"]))),
            y=alt.Y(
                "cumulative:Q",
                title="Cumulative share of records",
                scale=alt.Scale(domain=[0, 1]),
                axis=alt.Axis(format="%", orient="right", grid=False),
            ),
            tooltip=[
                alt.Tooltip("class_size:O", title="Class size up to"),
                alt.Tooltip("text:N", title="Share of records"),
            ],
        )
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
