"""The chart of target sites along the contigs, and the table it is drawn from."""

from __future__ import annotations

import altair as alt
import numpy as np
import pandas as pd

from core.charts import COLORS, sized
from core.reports import ReportChart
from core.vcf import VcfAudit
from core.words import counted, say, text

_MAX_CONTIGS = 30
_N_BINS = 80
_MEGABASE = 1e6


def density_table(audit: VcfAudit) -> pd.DataFrame:
    """Count target sites along each contig, in intervals of equal length.

    Columns ``contig``, ``start``, ``end`` (megabases), ``n_sites``, ``n_unmasked``; the 30 contigs with
    the most targets, in file order.
    """
    candidates, targets = audit.scan.candidates, audit.targets
    contigs = candidates.contigs[targets.candidates].astype(np.int64)
    positions = candidates.positions[targets.candidates].astype(np.int64)
    counts = np.bincount(contigs, minlength=len(candidates.contig_names))
    shown = np.sort(np.argsort(-counts, kind="stable")[:_MAX_CONTIGS])
    shown = shown[counts[shown] > 0]
    inside = np.isin(contigs, shown)
    longest = int(positions[inside].max(initial=1))
    bins = (positions[inside] * _N_BINS) // (longest + 1)
    frame = pd.DataFrame({"contig": contigs[inside], "bin": bins, "left": ~targets.is_masked[inside]})
    grouped = frame.groupby(["contig", "bin"], dropna=False, observed=True)["left"].agg(["size", "sum"])
    table = grouped.reset_index()
    width = (longest + 1) / _N_BINS / _MEGABASE
    return pd.DataFrame(
        {
            "contig": [candidates.contig_names[contig] for contig in table["contig"]],
            "start": table["bin"] * width,
            "end": (table["bin"] + 1) * width,
            "n_sites": table["size"],
            "n_unmasked": table["sum"].astype(np.int64),
        }
    )


def density_chart(audit: VcfAudit) -> ReportChart:
    """Draw the density of targets along the contigs, with the places of unmasked ones marked."""
    table = density_table(audit)
    contigs = list(dict.fromkeys(table["contig"]))
    y = alt.Y("contig:N", sort=None, title=say("Contig"), scale=alt.Scale(domain=contigs))
    tooltip = [
        alt.Tooltip("contig:N", title=say("Contig")),
        alt.Tooltip("start:Q", title=say("From (megabases)"), format=".3~f"),
        alt.Tooltip("end:Q", title=say("to"), format=".3~f"),
        alt.Tooltip("n_sites:Q", title=say("Target sites"), format=","),
        alt.Tooltip("n_unmasked:Q", title=say("Not masked"), format=","),
    ]
    layers = alt.layer(_density(table, y, tooltip), _unmasked(table, y, tooltip))
    return ReportChart(
        title=text("Target sites along the contigs of {file}", file=audit.scan.anonymized_name),
        chart=sized(layers, max(60, 26 * len(contigs))),
        alt_text=text(
            "{n} target site on {contigs}; red triangles mark the intervals with the {left} that are not "
            "masked.",
            "{n} target sites on {contigs}; red triangles mark the intervals with the {left} that are not "
            "masked.",
            n=int(table["n_sites"].sum()),
            contigs=counted(len(contigs), "contig"),
            left=int(table["n_unmasked"].sum()),
        ),
    )


def _density(table: pd.DataFrame, y: alt.Y, tooltip: list[alt.Tooltip]) -> alt.Chart:
    end = float(table["end"].max()) if len(table) else 1.0
    x = alt.X(
        "start:Q",
        title=say("Position (megabases)"),
        scale=alt.Scale(domain=[0, end], nice=False),
        axis=alt.Axis(format="~f", labelFlush=True),
    )
    opacity = alt.Opacity(
        "n_sites:Q",
        title=say("Target sites"),
        scale=alt.Scale(type="sqrt", range=[0.25, 1]),
        legend=alt.Legend(orient="top", format=",d", tickCount=3),
    )
    bars = alt.Chart(table).mark_bar(height={"band": 0.7}, color=COLORS["neutral"])
    return bars.encode(x=x, x2="end:Q", y=y, opacity=opacity, tooltip=tooltip)


def _unmasked(table: pd.DataFrame, y: alt.Y, tooltip: list[alt.Tooltip]) -> alt.Chart:
    """Return a triangle in the middle of each interval with sites that are not masked."""
    mark = say("with sites that are not masked")
    left = table[table["n_unmasked"] > 0].assign(
        middle=lambda rows: (rows["start"] + rows["end"]) / 2, mark=mark
    )
    legend = alt.Legend(
        title=None, orient="bottom", labelLimit=0, symbolFillColor=COLORS["FAIL"], symbolStrokeWidth=0
    )
    shape = alt.Shape("mark:N", scale=alt.Scale(domain=[mark], range=["triangle-down"]), legend=legend)
    points = alt.Chart(left).mark_point(filled=True, size=70, color=COLORS["FAIL"], opacity=1)
    return points.encode(x=alt.X("middle:Q"), y=y, shape=shape, tooltip=tooltip)
