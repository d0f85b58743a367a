"""What-if searches: records to suppress, the frontier of loss against risk, what happens to columns."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

import altair as alt
import numpy as np
import pandas as pd

from core.charts import COLORS
from core.measures import format_number
from core.measures.measure import Unit
from core.reports import ReportChart, ReportTable
from core.risk import Release, RiskAudit, WhatIf, option_for, what_if_note
from core.risk.document import is_exact
from core.risk.generalizing import records_to_suppress
from core.risk.lattice import Node
from core.risk.what_if import USUAL_KS
from core.words import listed, percent

OPTION_UNITS: Mapping[str, Unit] = {
    "Highest risk": "risk",
    "Precision lost": "share",
    "Records suppressed": "share",
}
SUPPRESSION_UNITS: Mapping[str, Unit] = {"Share of records": "share"}


def suppression_table(audit: RiskAudit) -> pd.DataFrame:
    """Return a row per k: records to suppress so that, with nothing generalized, no class is smaller."""
    ks = sorted({*USUAL_KS, max(audit.thresholds.k, 2)})
    needs = records_to_suppress(audit.measurement.classes, ks)
    return pd.DataFrame(
        {
            "k": [need.k for need in needs],
            "Records to suppress": [need.n_to_suppress for need in needs],
            "Share of records": [need.share for need in needs],
        }
    )


def options_table(what_if: WhatIf) -> pd.DataFrame:
    """Return a row per option: what it reaches, what it costs, whether a cheaper one was ruled out."""
    rows = [
        {
            "k asked for": outcome.best.k,
            "Smallest class": outcome.best.smallest_class,
            "Highest risk": outcome.best.highest_risk,
            "Precision lost": outcome.best.loss,
            "Records suppressed": outcome.best.suppressed_share,
            "Cheaper ones": "ruled out" if is_exact(what_if, outcome) else "not all looked at",
        }
        for outcome in what_if.options
        if outcome.best is not None
    ]
    return pd.DataFrame(rows)


def option_labels(what_if: WhatIf) -> list[str]:
    """Return a line for each option, to choose from."""
    return [
        f"k = {each.best.k}: {percent(each.best.loss)} of precision lost, "
        f"{percent(each.best.suppressed_share)} of records suppressed"
        for each in what_if.options
        if each.best is not None
    ]


def option_columns_table(what_if: WhatIf, option: int) -> pd.DataFrame:
    """Return a row per quasi-identifier: what one option does to it."""
    best = what_if.options[option].best
    levels = best.levels if best is not None else ()
    chosen = list(zip(what_if.lattice.ladders, levels, strict=True)) if levels else []
    return pd.DataFrame(
        {
            "Column": [ladder.column for ladder, _ in chosen],
            "Becomes": [ladder.levels[level].description for ladder, level in chosen],
            "Different values": [ladder.levels[level].n_groups for ladder, level in chosen],
        }
    )


def released_note(made: Release) -> str:
    """Say which columns the table holds, and which it leaves out because nobody chose them."""
    held = f"It holds {listed(made.columns, at_most=20)}."
    if not made.columns_left_out:
        return held
    return (
        f"{held} Left out, because nobody chose them for anything: {listed(made.columns_left_out)}. Give a "
        "column the role other to keep it."
    )


def frontier_chart(what_if: WhatIf) -> ReportChart:
    """Draw the options: precision lost against the highest risk, a point for each."""
    table = options_table(what_if)
    frame = pd.DataFrame(
        {
            "loss": table["Precision lost"],
            "risk": table["Highest risk"],
            "label": [f"k = {k}" for k in table["k asked for"]],
            "lost": [percent(loss) for loss in table["Precision lost"]],
            "highest": [format_number("risk", risk) for risk in table["Highest risk"]],
            "suppressed": [percent(share) for share in table["Records suppressed"]],
        }
    )
    x = alt.X("loss:Q", title="Precision lost (%)", axis=alt.Axis(format="%"), scale=alt.Scale(domainMin=0))
    y = alt.Y("risk:Q", title="Highest risk (%)", axis=alt.Axis(format="%"), scale=alt.Scale(domainMin=0))
    base = alt.Chart(frame).encode(x=x, y=y)
    tooltip = [
        alt.Tooltip("label:N", title="Option"),
        alt.Tooltip("lost:N", title="Precision lost"),
        alt.Tooltip("highest:N", title="Highest risk"),
        alt.Tooltip("suppressed:N", title="Records suppressed"),
    ]
    line = base.mark_line(color=COLORS["neutral"], interpolate="step-after")
    points = base.mark_point(color=COLORS["observed"], filled=True, size=90, opacity=1).encode(
        tooltip=tooltip
    )
    text = base.mark_text(color=COLORS["neutral"], align="left", dx=8, dy=-8).encode(text="label:N")
    return ReportChart(
        "Loss against risk",
        alt.layer(line, points, text).properties(width="container", height=260),
        "Points of precision lost against highest risk: "
        + ", ".join(
            f"{label} loses {lost} at a risk of {highest}"
            for label, lost, highest in zip(frame["label"], frame["lost"], frame["highest"], strict=True)
        )
        + ".",
    )


_MOST_DRAWN, _MOST_COLUMNS = 200, 12  # generalizations, and columns with levels, in a picture
_STATES: Mapping[str, str] = {
    "chosen": COLORS["observed"],
    "reaches k": COLORS["kept"],
    "misses k": COLORS["removed"],
    "not looked at": COLORS["neutral"],
}


def lattice_chart(what_if: WhatIf, option: int) -> ReportChart | None:
    """Draw the lattice around one option: a point a generalization, finest below; None where it is too wide.

    Of more than 200 generalizations those are drawn that differ from the chosen one in a single column.
    """
    best = what_if.options[option].best
    shape = what_if.lattice.shape
    if best is None or sum(levels > 1 for levels in shape) > _MOST_COLUMNS:
        return None
    whole = what_if.lattice.n_nodes <= _MOST_DRAWN
    nodes = list(np.ndindex(*shape)) if whole else _around(best.levels, shape)
    points = pd.DataFrame(
        {
            "height": [sum(node) for node in nodes],
            "state": _states(what_if, best.k, best.levels, nodes),
            "levels": [_in_words(what_if, node) for node in nodes],
        }
    )
    order = points.groupby("height").cumcount()
    width = points.groupby("height")["height"].transform("size")
    points["x"] = order - (width - 1) / 2
    steps = [
        (a, b)
        for a, node in enumerate(nodes)
        for b, other in enumerate(nodes)
        if sum(other) == sum(node) + 1 and sum(x != y for x, y in zip(node, other, strict=True)) == 1
    ]
    edges = pd.DataFrame(
        {
            "x": [points["x"][a] for a, _ in steps],
            "height": [points["height"][a] for a, _ in steps],
            "x2": [points["x"][b] for _, b in steps],
            "height2": [points["height"][b] for _, b in steps],
        }
    )
    drawn = "all of them" if whole else "those that differ from the chosen one in one column"
    return ReportChart(
        "The lattice around the chosen generalization",
        _lattice_layers(points, edges),
        f"{len(nodes):,} of {what_if.lattice.n_nodes:,} generalizations as points, {drawn}: the finest at "
        f"the bottom, each line one column made coarser. Chosen: {_in_words(what_if, best.levels)}.",
    )


def _around(chosen: Node, shape: Node) -> list[Node]:
    """Return the generalizations that differ from the chosen one in at most one column."""
    others = [
        (*chosen[:column], level, *chosen[column + 1 :])
        for column, levels in enumerate(shape)
        for level in range(levels)
        if level != chosen[column]
    ]
    return sorted([chosen, *others], key=lambda node: (sum(node), node))


def _states(what_if: WhatIf, k: int, chosen: Node, nodes: Sequence[Node]) -> list[str]:
    """Return what is known of each generalization, from those that were counted."""
    lattice = what_if.lattice
    allowed = math.floor(what_if.settings.suppression_limit * lattice.table.n_records + 1e-9)
    counted = np.array(list(lattice.measured)).reshape(-1, len(chosen))
    misses = np.array([sizes.n_below(k) > allowed for sizes in lattice.measured.values()], dtype=bool)
    found = []
    for node in nodes:
        if node == chosen:
            found.append("chosen")
        elif (counted[misses] >= node).all(axis=1).any():
            found.append("misses k")
        elif (counted[~misses] <= node).all(axis=1).any():
            found.append("reaches k")
        else:
            found.append("not looked at")
    return found


def _in_words(what_if: WhatIf, node: Node) -> str:
    return "; ".join(
        f"{ladder.column}: {ladder.levels[level].description}"
        for ladder, level in zip(what_if.lattice.ladders, node, strict=True)
    )


def _lattice_layers(points: pd.DataFrame, edges: pd.DataFrame) -> alt.LayerChart:
    x = alt.X("x:Q", axis=None)
    y = alt.Y("height:Q", title="Steps made coarser", axis=alt.Axis(tickMinStep=1, grid=False))
    lines = (
        alt.Chart(edges)
        .mark_rule(color=COLORS["neutral"], opacity=0.25)
        .encode(x=x, y=y, x2="x2:Q", y2="height2:Q")
    )
    marks = (
        alt.Chart(points)
        .mark_point(filled=True, opacity=1)
        .encode(
            x=x,
            y=y,
            color=alt.Color(
                "state:N",
                title=None,
                scale=alt.Scale(domain=list(_STATES), range=list(_STATES.values())),
                legend=alt.Legend(orient="top"),
            ),
            size=alt.condition("datum.state == 'chosen'", alt.value(220), alt.value(50)),
            shape=alt.Shape(
                "state:N",
                scale=alt.Scale(domain=list(_STATES), range=["diamond", "circle", "cross", "square"]),
                legend=None,
            ),
            tooltip=[alt.Tooltip("levels:N", title="Columns"), alt.Tooltip("state:N", title="Known")],
        )
    )
    return alt.layer(lines, marks).properties(width="container", height=320)


def what_if_tables(what_if: WhatIf, k: int) -> tuple[ReportTable, ...]:
    """Return the tables of a report: the frontier, and what the cheapest option that reaches k does."""
    note = what_if_note(what_if)
    if not what_if.options:
        frame = pd.DataFrame({"Result": [note]})
        return (ReportTable("What if", "What if columns were made coarser", frame),)
    option = option_for(what_if, k)
    return (
        ReportTable(
            "What if",
            "What if columns were made coarser",
            options_table(what_if),
            note=note,
            units=OPTION_UNITS,
        ),
        ReportTable(
            "Generalization",
            f"What happens to each quasi-identifier: {option_labels(what_if)[option]}",
            option_columns_table(what_if, option),
        ),
    )
