"""The chart of sites by minor allele frequency, and the table it is drawn from."""

from __future__ import annotations

from collections.abc import Sequence

import altair as alt
import numpy as np
import pandas as pd

from core.charts import COLORS, HEIGHT, legend_columns, sized, threshold_rule, title_lines
from core.reports import ReportChart
from core.vcf import MAF_LIMIT, Mark, VcfAudit
from core.words import Text, Written, joined, own, say, text

SMALLEST_MAF = 1e-5
_MEANINGS = {own("masked"): "PASS", "not masked": "FAIL", "not rare at this threshold": "neutral"}


def maf_table(audit: VcfAudit) -> pd.DataFrame:
    """Count sites per interval of their frequency, split into masked, not masked, and not rare.

    Columns ``lower``, ``upper``, ``outcome``, ``n_sites``. Frequencies below 0.00001, zero included,
    are in the first interval. Repeats without a frequency are not in it.
    """
    candidates, targets = audit.scan.candidates, audit.targets
    names = list(_MEANINGS)
    outcomes = np.full(len(candidates.mafs), names.index("not rare at this threshold"), dtype=np.int8)
    outcomes[targets.candidates] = np.where(
        targets.is_masked, names.index("masked"), names.index("not masked")
    )
    edges = np.unique(
        [SMALLEST_MAF / 2, *np.geomspace(SMALLEST_MAF, MAF_LIMIT, 29), audit.settings.maf_threshold]
    )
    counted = (candidates.mafs < MAF_LIMIT) & ~candidates.marked(Mark.SAME_SITE)
    counted[targets.candidates] = candidates.mafs[targets.candidates] < MAF_LIMIT
    clipped = np.clip(candidates.mafs[counted], edges[0], np.nextafter(MAF_LIMIT, 0))
    cells = (np.searchsorted(edges, clipped, side="right") - 1) * len(names) + outcomes[counted]
    counts = np.bincount(cells, minlength=len(names) * (len(edges) - 1))
    filled = np.flatnonzero(counts)
    bins = filled // len(names)
    return pd.DataFrame(
        {
            "lower": edges[bins],
            "upper": edges[bins + 1],
            "outcome": [names[outcome] for outcome in (filled % len(names)).tolist()],
            "n_sites": counts[filled],
        }
    )


def maf_chart(audit: VcfAudit) -> ReportChart:
    """Draw sites by their frequency on a logarithmic scale, by what became of them."""
    table = maf_table(audit)
    bars = _bars(table, [name for name in _MEANINGS if name in set(table["outcome"])])
    threshold = audit.settings.maf_threshold
    rule = threshold_rule(threshold, text("threshold {threshold}", threshold=Written(f"{threshold:g}")))
    total = int(table["n_sites"].sum())
    return ReportChart(
        title=text("Sites by minor allele frequency in {file}", file=audit.scan.anonymized_name),
        chart=sized(alt.layer(bars, *rule), HEIGHT),
        alt_text=text(
            "{n} site by minor allele frequency; {outcomes}.",
            "{n} sites by minor allele frequency; {outcomes}.",
            n=total,
            outcomes=_outcomes_in_words(table),
        ),
    )


def _bars(table: pd.DataFrame, domain: Sequence[str]) -> alt.Chart:
    largest = int(table["n_sites"].max()) if len(table) else 1
    drawn = _side_by_side(table, domain).assign(outcome=[say(name) for name in table["outcome"]])
    return (
        alt.Chart(drawn)
        .mark_rect()
        .encode(
            x=alt.X(
                "left:Q",
                title=[
                    *title_lines(say("Site minor allele frequency (logarithmic)")),
                    *title_lines(say("The first bar holds all below 0.00001.")),
                ],
                scale=alt.Scale(type="log", domain=[SMALLEST_MAF / 2, MAF_LIMIT], nice=False),
                axis=alt.Axis(values=[1e-5, 1e-4, 1e-3, 0.01, 0.1, 0.5], format="~g"),
            ),
            x2="right:Q",
            y=alt.Y(
                "n_sites:Q",
                title=say("Sites (logarithmic from 1 on)"),
                scale=alt.Scale(type="symlog", domain=[0, largest]),
                axis=alt.Axis(
                    values=[0, *(10**power for power in range(8) if 10**power <= largest)], format=",d"
                ),
            ),
            y2=alt.datum(0),
            color=alt.Color(
                "outcome:N",
                scale=alt.Scale(
                    domain=[say(name) for name in domain], range=[COLORS[_MEANINGS[name]] for name in domain]
                ),
                legend=alt.Legend(title=None, orient="top", labelLimit=0, columns=legend_columns(3)),
            ),
            tooltip=[
                alt.Tooltip("lower:Q", title=say("From"), format=".3~g"),
                alt.Tooltip("upper:Q", title=say("to below"), format=".3~g"),
                alt.Tooltip("outcome:N", title=say("Outcome")),
                alt.Tooltip("n_sites:Q", title=say("Sites"), format=","),
            ],
        )
    )


def _side_by_side(table: pd.DataFrame, outcomes: Sequence[str]) -> pd.DataFrame:
    """Give each outcome its own part of an interval, so that no bar stands on another."""
    place = table["outcome"].map({name: number for number, name in enumerate(outcomes)}).astype(float)
    ratio = table["upper"] / table["lower"]
    n_parts = max(len(outcomes), 1)
    return table.assign(
        left=table["lower"] * ratio ** (place / n_parts),
        right=table["lower"] * ratio ** ((place + 1) / n_parts),
    )


def _outcomes_in_words(table: pd.DataFrame) -> Text:
    sums = table.groupby("outcome", dropna=False, observed=True)["n_sites"].sum()
    counts = [
        text("{found} {outcome}", found=int(sums[name]), outcome=own(name))
        for name in _MEANINGS
        if name in sums
    ]
    return joined(counts, ", ") if counts else text("none")
