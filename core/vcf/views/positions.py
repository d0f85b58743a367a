"""The chart of target sites along the contigs, and the table it is drawn from."""

from __future__ import annotations

import numpy as np
import pandas as pd

from core.charts import COLORS, Chart, chart, field, layer, legend
from core.reports import ReportChart
from core.vcf import VcfAudit
from core.words import counted, own, say, text

_MAX_CONTIGS = 30
_N_BINS = 80
_MEGABASE = 1e6
_FEW = 5  # sites in an interval, up to which a legend names every count


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
    """Draw the density of targets along the contigs, with a triangle at each place of unmasked ones."""
    table = density_table(audit)
    return ReportChart(
        title=text("Target sites along the contigs of {file}", file=audit.scan.anonymized_name),
        chart=_density(table),
        alt_text=text(
            "{n} target site on {contigs}; red triangles mark the intervals with the {left} that are not "
            "masked.",
            "{n} target sites on {contigs}; red triangles mark the intervals with the {left} that are not "
            "masked.",
            n=int(table["n_sites"].sum()),
            contigs=counted(table["contig"].nunique(), "contig"),
            left=int(table["n_unmasked"].sum()),
        ),
    )


def _whole_numbers(table: pd.DataFrame) -> dict[str, object]:
    """Return what names few counts in a legend each once: Vega would name halves, rounded."""
    most = int(table["n_sites"].max()) if len(table) else 1
    return {"values": list(range(1, most + 1))} if most <= _FEW else {"tickCount": 3}


def _density(table: pd.DataFrame) -> Chart:
    contigs = list(dict.fromkeys(table["contig"]))
    y = field("contig:N", "Contig", sort=None, scale={"domain": contigs})
    end = float(table["end"].max()) if len(table) else 1.0
    x = {
        "title": say("Position (megabases)"),
        "scale": {"domain": [0, end], "nice": False},
        "axis": {"format": "~f", "labelFlush": True},
    }
    opacity = field(
        "n_sites:Q",
        "Target sites",
        scale={"type": "sqrt", "range": [0.25, 1]},
        legend=legend(4, title=say("Target sites"), format=",d", **_whole_numbers(table)),
    )
    tooltip = [
        field("contig:N", "Contig"),
        field("start:Q", "From (megabases)", format=".3~f"),
        field("end:Q", own("to"), format=".3~f"),
        field("n_sites:Q", "Target sites", format=","),
        field("n_unmasked:Q", "Not masked", format=","),
    ]
    bars = {"height": {"band": 0.7}, "color": COLORS["neutral"]}
    mark = say("with sites that are not masked")
    left = table[table["n_unmasked"] > 0].assign(mark=mark)
    left["middle"] = (left["start"] + left["end"]) / 2
    looks = {"filled": True, "size": 70, "color": COLORS["FAIL"], "opacity": 1}
    key = legend(orient="bottom", symbolFillColor=COLORS["FAIL"], symbolStrokeWidth=0)
    shape = field("mark:N", scale={"domain": [mark], "range": ["triangle-down"]}, legend=key)
    return chart(
        layer(
            table,
            "bar",
            bars,
            x=field("start:Q", **x),
            x2={"field": "end"},
            y=y,
            opacity=opacity,
            tooltip=tooltip,
        ),
        layer(left, "point", looks, x=field("middle:Q"), y=y, shape=shape, tooltip=tooltip),
        height=max(60, 26 * len(contigs)),
    )
