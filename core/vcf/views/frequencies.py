"""The chart of sites by minor allele frequency, and the table it is drawn from."""

from collections.abc import Sequence

import numpy as np
import pandas as pd

from core.charts import HEIGHT, Layer, chart, counts, field, layer, meaning, threshold
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
    table, limit = maf_table(audit), audit.settings.maf_threshold
    label = text("threshold {threshold}", threshold=Written(f"{limit:g}"))
    bars = _bars(table, [name for name in _MEANINGS if name in set(table["outcome"])])
    return ReportChart(
        title=text("Sites by minor allele frequency in {file}", file=audit.scan.anonymized_name),
        chart=chart(bars, *threshold(limit, label, field("left:Q")), height=HEIGHT),
        alt_text=text(
            "{n} site by minor allele frequency; {outcomes}.",
            "{n} sites by minor allele frequency; {outcomes}.",
            n=int(table["n_sites"].sum()),
            outcomes=_outcomes_in_words(table),
        ),
    )


def _bars(table: pd.DataFrame, shown: Sequence[str]) -> Layer:
    scale = {"type": "log", "domain": [SMALLEST_MAF / 2, MAF_LIMIT], "nice": False}
    axis = {"values": [1e-5, 1e-4, 1e-3, 0.01, 0.1, 0.5], "format": "~g"}
    title = [
        say("Site minor allele frequency (logarithmic)"),
        say("The first bar holds all below 0.00001."),
    ]
    largest = table["n_sites"].max() if len(table) else 1
    return layer(
        _side_by_side(table, shown).assign(outcome=[say(name) for name in table["outcome"]]),
        "rect",
        x=field("left:Q", title=title, scale=scale, axis=axis),
        x2={"field": "right"},
        y=field("n_sites:Q", "Sites (logarithmic from 1 on)", **counts(largest, log=True)),
        y2={"datum": 0},
        color=meaning("outcome:N", {name: _MEANINGS[name] for name in shown}),
        tooltip=[
            field("lower:Q", "From", format=".3~g"),
            field("upper:Q", "to below", format=".3~g"),
            field("outcome:N", "Outcome"),
            field("n_sites:Q", "Sites", format=","),
        ],
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
