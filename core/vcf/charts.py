"""The charts of a masked file: its sites by minor allele frequency, and its targets along the contigs."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

import numpy as np

from core.charts import COLORS, HEIGHT, alt, counts, layered, legend, meaning, threshold
from core.coding import FloatArray, IntArray
from core.lazy_pandas import pd
from core.result import Drawing
from core.vcf.candidates import Mark
from core.vcf.judging import VcfAudit
from core.vcf.settings import MAF_LIMIT
from core.words import Written, counted, joined, own, say, text

SMALLEST_MAF = 1e-5
_MEANINGS = {own("masked"): "PASS", "not masked": "FAIL", "not rare at this threshold": "neutral"}
_MAX_CONTIGS = 30
_N_BINS = 80
_MEGABASE = 1e6
_FEW = 5  # sites in an interval, up to which a legend names every count


def maf_table(audit: VcfAudit) -> pd.DataFrame:
    """Count sites per interval of their frequency, split into masked, not masked, and not rare.

    Columns ``lower``, ``upper``, ``outcome``, ``n_sites``. Frequencies below 0.00001, zero included,
    are in the first interval. Repeats without a frequency are not in it.
    """
    edges, n_sites = _by_frequency(audit)
    bins, outcomes = np.nonzero(n_sites)
    return pd.DataFrame(
        {
            "lower": edges[bins],
            "upper": edges[bins + 1],
            "outcome": np.array(list(_MEANINGS), dtype=object)[outcomes],
            "n_sites": n_sites[bins, outcomes],
        }
    )


def _by_frequency(audit: VcfAudit) -> tuple[FloatArray, IntArray]:
    """Return the edges of the intervals, and how many sites of each outcome are in each (intervals × 3)."""
    candidates, targets = audit.scan.candidates, audit.targets
    names = list(_MEANINGS)
    outcomes = np.full(len(candidates.mafs), names.index("not rare at this threshold"), dtype=np.int8)
    outcomes[targets.candidates] = np.where(
        targets.is_masked, names.index("masked"), names.index("not masked")
    )
    edges = np.unique(
        [SMALLEST_MAF / 2, *np.geomspace(SMALLEST_MAF, MAF_LIMIT, 29), audit.settings.maf_threshold]
    )
    is_shown = (candidates.mafs < MAF_LIMIT) & ~candidates.marked(Mark.SAME_SITE)
    is_shown[targets.candidates] = candidates.mafs[targets.candidates] < MAF_LIMIT
    clipped = np.clip(candidates.mafs[is_shown], edges[0], np.nextafter(MAF_LIMIT, 0))
    cells = (np.searchsorted(edges, clipped, side="right") - 1) * len(names) + outcomes[is_shown]
    n_sites = np.bincount(cells, minlength=len(names) * (len(edges) - 1))
    return edges, n_sites.reshape(-1, len(names))


def maf_drawing(audit: VcfAudit) -> Drawing:
    """Draw sites by their frequency on a logarithmic scale, by what became of them."""
    found = _by_frequency(audit)[1].sum(axis=0).tolist()
    parts = [
        text("{found} {outcome}", found=n, outcome=own(name))
        for name, n in zip(_MEANINGS, found, strict=True)
    ]
    shown = [part for part, n in zip(parts, found, strict=True) if n]
    return Drawing(
        title=text("Sites by minor allele frequency in {file}", file=audit.scan.anonymized_name),
        chart=partial(_frequencies, audit),
        alt=text(
            "{n} site by minor allele frequency; {outcomes}.",
            "{n} sites by minor allele frequency; {outcomes}.",
            n=sum(found),
            outcomes=joined(shown, ", ") if shown else text("none"),
        ),
    )


def _frequencies(audit: VcfAudit) -> alt.LayerChart:
    table, limit = maf_table(audit), audit.settings.maf_threshold
    bars = _bars(table, [name for name in _MEANINGS if name in set(table["outcome"])])
    label = text("threshold {threshold}", threshold=Written(f"{limit:g}"))
    return layered(bars, *threshold(limit, label, alt.X("left:Q")), height=HEIGHT)


def _bars(table: pd.DataFrame, shown: Sequence[str]) -> alt.Chart:
    rows = _side_by_side(table, shown).assign(outcome=[say(name) for name in table["outcome"]])
    scale = {"type": "log", "domain": [SMALLEST_MAF / 2, MAF_LIMIT], "nice": False}
    axis = {"values": [1e-5, 1e-4, 1e-3, 0.01, 0.1, 0.5], "format": "~g"}
    title = ["Site minor allele frequency (logarithmic)", "The first bar holds all below 0.00001."]
    scaled = counts(table["n_sites"].max() if len(table) else 1, log=True)
    return (
        alt.Chart(rows)
        .mark_rect()
        .encode(
            x=alt.X("left:Q", title=title, scale=scale, axis=axis),
            x2=alt.X2("right"),
            y=alt.Y("n_sites:Q", title="Sites (logarithmic from 1 on)", **scaled),
            y2=alt.Y2Datum(0),
            color=meaning("outcome:N", {name: _MEANINGS[name] for name in shown}),
            tooltip=[
                alt.Tooltip("lower:Q", title="From", format=".3~g"),
                alt.Tooltip("upper:Q", title="to below", format=".3~g"),
                alt.Tooltip("outcome:N", title="Outcome"),
                alt.Tooltip("n_sites:Q", title="Sites", format=","),
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


def density_table(audit: VcfAudit) -> pd.DataFrame:
    """Count target sites along each contig, in intervals of equal length.

    Columns ``contig``, ``start``, ``end`` (megabases), ``n_sites``, ``n_unmasked``; the 30 contigs with
    the most targets, in file order.
    """
    contigs, bins, n_sites, n_unmasked, width = _along_contigs(audit)
    names = audit.scan.candidates.contig_names
    return pd.DataFrame(
        {
            "contig": [names[contig] for contig in contigs],
            "start": bins * width,
            "end": (bins + 1) * width,
            "n_sites": n_sites,
            "n_unmasked": n_unmasked,
        }
    )


def _along_contigs(audit: VcfAudit) -> tuple[IntArray, IntArray, IntArray, IntArray, float]:
    """Return contig and number of each interval with targets, its targets, those left, its megabases."""
    candidates, targets = audit.scan.candidates, audit.targets
    contigs = candidates.contigs[targets.candidates].astype(np.int64)
    positions = candidates.positions[targets.candidates].astype(np.int64)
    n_targets = np.bincount(contigs, minlength=len(candidates.contig_names))
    shown = np.argsort(-n_targets, kind="stable")[:_MAX_CONTIGS]
    inside = np.isin(contigs, shown)
    longest = int(positions[inside].max(initial=1))
    places = contigs[inside] * _N_BINS + (positions[inside] * _N_BINS) // (longest + 1)
    cells, cell_of = np.unique(places, return_inverse=True)
    n_unmasked = np.bincount(cell_of[~targets.is_masked[inside]], minlength=len(cells))
    width = (longest + 1) / _N_BINS / _MEGABASE
    return cells // _N_BINS, cells % _N_BINS, np.bincount(cell_of, minlength=len(cells)), n_unmasked, width


def density_drawing(audit: VcfAudit) -> Drawing:
    """Draw the density of targets along the contigs, with a triangle at each place of unmasked ones."""
    contigs, _, n_sites, n_unmasked, _ = _along_contigs(audit)
    return Drawing(
        title=text("Target sites along the contigs of {file}", file=audit.scan.anonymized_name),
        chart=partial(_density, audit),
        alt=text(
            "{n} target site on {contigs}; red triangles mark the intervals with the {left} that are not "
            "masked.",
            "{n} target sites on {contigs}; red triangles mark the intervals with the {left} that are not "
            "masked.",
            n=int(n_sites.sum()),
            contigs=counted(len(np.unique(contigs)), "contig"),
            left=int(n_unmasked.sum()),
        ),
    )


def _whole_numbers(table: pd.DataFrame) -> dict[str, Any]:
    """Return what names few counts in a legend each once: Vega would name halves, rounded."""
    most = int(table["n_sites"].max()) if len(table) else 1
    return {"values": list(range(1, most + 1))} if most <= _FEW else {"tickCount": 3}


def _density(audit: VcfAudit) -> alt.LayerChart:
    table = density_table(audit)
    contigs = list(dict.fromkeys(table["contig"]))
    y = alt.Y("contig:N", title="Contig", sort=None, scale={"domain": contigs})
    end = float(table["end"].max()) if len(table) else 1.0
    x: dict[str, Any] = {
        "title": "Position (megabases)",
        "scale": {"domain": [0, end], "nice": False},
        "axis": {"format": "~f", "labelFlush": True},
    }
    opacity = alt.Opacity(
        "n_sites:Q",
        title="Target sites",
        scale={"type": "sqrt", "range": [0.25, 1]},
        legend=legend(4, title="Target sites", format=",d", **_whole_numbers(table)),
    )
    tooltip = [
        alt.Tooltip("contig:N", title="Contig"),
        alt.Tooltip("start:Q", title="From (megabases)", format=".3~f"),
        alt.Tooltip("end:Q", title=own("to"), format=".3~f"),
        alt.Tooltip("n_sites:Q", title="Target sites", format=","),
        alt.Tooltip("n_unmasked:Q", title="Not masked", format=","),
    ]
    mark = say("with sites that are not masked")
    left = table[table["n_unmasked"] > 0].assign(mark=mark)
    left["middle"] = (left["start"] + left["end"]) / 2
    red = COLORS["FAIL"]
    key = legend(orient="bottom", symbolFillColor=red, symbolStrokeWidth=0)
    shape = alt.Shape("mark:N", scale={"domain": [mark], "range": ["triangle-down"]}, legend=key)
    bars = alt.Chart(table).mark_bar(height={"band": 0.7}, color=COLORS["neutral"])
    triangles = alt.Chart(left).mark_point(filled=True, size=70, color=red, opacity=1)
    return layered(
        bars.encode(x=alt.X("start:Q", **x), x2=alt.X2("end"), y=y, opacity=opacity, tooltip=tooltip),
        triangles.encode(x=alt.X("middle:Q"), y=y, shape=shape, tooltip=tooltip),
        height=max(60, 26 * len(contigs)),
    )
