"""What-if searches: records to suppress, the frontier of loss against risk, what happens to columns."""

import math
from collections.abc import Mapping, Sequence

import numpy as np
import pandas as pd

from core.charts import COLORS, PERCENT, Chart, chart, field, layer, meaning
from core.reports import ReportChart, ReportTable
from core.reports.model import Column, Table, table_by
from core.risk import Release, RiskAudit, WhatIf, option_for, what_if_note
from core.risk.document import is_exact
from core.risk.generalizing import records_to_suppress
from core.risk.lattice import Node
from core.risk.what_if import USUAL_KS
from core.words import Amount, Text, Written, joined, listed, own, percent, say, text


def suppression_table(audit: RiskAudit) -> Table:
    """Return a row per k: records to suppress so that, with nothing generalized, no class is smaller."""
    ks = sorted({*USUAL_KS, max(audit.thresholds.k, 2)})
    needs = records_to_suppress(audit.measurement.classes, ks)
    return table_by(
        {
            Column("k", "k"): [need.k for need in needs],
            Column("n_to_suppress", "Records to suppress"): [need.n_to_suppress for need in needs],
            Column("share", "Share of records", "share"): [need.share for need in needs],
        }
    )


def options_table(what_if: WhatIf) -> Table:
    """Return a row per option: what it reaches, what it costs, whether a cheaper one was ruled out."""
    found = [(each.best, each) for each in what_if.options if each.best is not None]
    return table_by(
        {
            Column("k", "k asked for"): [best.k for best, _ in found],
            Column("smallest_class", "Smallest class"): [best.smallest_class for best, _ in found],
            Column("highest_risk", "Highest risk", "risk"): [best.highest_risk for best, _ in found],
            Column("loss", "Precision lost", "share"): [best.loss for best, _ in found],
            Column("suppressed_share", "Records suppressed", "share"): [
                best.suppressed_share for best, _ in found
            ],
            Column("cheaper", "Cheaper ones", kind="words"): [
                "ruled out" if is_exact(what_if, each) else "not all looked at" for _, each in found
            ],
        }
    )


def option_labels(what_if: WhatIf) -> list[Text]:
    """Return a line for each option, to choose from."""
    return [
        text(
            "k = {k}: {loss} of precision lost, {suppressed} of records suppressed",
            k=each.best.k,
            loss=percent(each.best.loss),
            suppressed=percent(each.best.suppressed_share),
        )
        for each in what_if.options
        if each.best is not None
    ]


def option_columns_table(what_if: WhatIf, option: int) -> Table:
    """Return a row per quasi-identifier: what one option does to it."""
    best = what_if.options[option].best
    levels = best.levels if best is not None else ()
    chosen = list(zip(what_if.lattice.ladders, levels, strict=True)) if levels else []
    return table_by(
        {
            Column("column", "Column"): [ladder.column for ladder, _ in chosen],
            Column("becomes", "Becomes", kind="words"): [
                ladder.levels[level].description for ladder, level in chosen
            ],
            Column("n_groups", "Different values"): [
                ladder.levels[level].n_groups for ladder, level in chosen
            ],
        }
    )


def released_note(made: Release) -> Text:
    """Say which columns the table holds, and which it leaves out because nobody chose them."""
    held = text("It holds {columns}.", columns=listed(made.columns, at_most=20))
    if not made.columns_left_out:
        return held
    left_out = text(
        "Left out, because nobody chose them for anything: {columns}. Give a column the role other to keep "
        "it.",
        columns=listed(made.columns_left_out),
    )
    return joined([held, left_out])


def frontier_chart(what_if: WhatIf) -> ReportChart:
    """Draw the options: precision lost against the highest risk, a point for each."""
    table = options_table(what_if)
    rows = pd.DataFrame(
        {
            "loss": table["loss"],
            "risk": table["highest_risk"],
            "label": [f"k = {k}" for k in table["k"]],
            "lost": [say(percent(loss)) for loss in table["loss"]],
            "highest": [say(Amount("risk", risk)) for risk in table["highest_risk"]],
            "suppressed": [say(percent(share)) for share in table["suppressed_share"]],
        }
    )
    where = {
        "x": field("loss:Q", "Precision lost (%)", axis=PERCENT, scale={"domainMin": 0}),
        "y": field("risk:Q", "Highest risk (%)", axis=PERCENT, scale={"domainMin": 0}),
    }
    tooltip = [
        field("label:N", "Option"),
        field("lost:N", "Precision lost"),
        field("highest:N", "Highest risk"),
        field("suppressed:N", "Records suppressed"),
    ]
    dots = {"color": COLORS["observed"], "filled": True, "size": 90, "opacity": 1}
    words = {"color": COLORS["neutral"], "align": "left", "dx": 8, "dy": -8}
    return ReportChart(
        "Loss against risk",
        chart(
            layer(rows, "line", {"color": COLORS["neutral"], "interpolate": "step-after"}, **where),
            layer(rows, "point", dots, **where, tooltip=tooltip),
            layer(rows, "text", words, **where, text=field("label:N")),
            height=260,
        ),
        _points(table),
    )


def _points(options: pd.DataFrame) -> Text:
    """Return what the frontier shows, in words."""
    points = [
        text(
            "k = {k} loses {lost} at a risk of {highest}",
            k=k,
            lost=percent(loss),
            highest=Amount("risk", risk),
        )
        for k, loss, risk in zip(options["k"], options["loss"], options["highest_risk"], strict=True)
    ]
    return text("Points of precision lost against highest risk: {points}.", points=joined(points, ", "))


_MOST_DRAWN, _MOST_COLUMNS = 200, 12  # generalizations, and columns with levels, in a picture
_STATES: Mapping[str, tuple[str, str, str]] = {
    "chosen": (own("chosen"), "observed", "diamond"),
    "reaches_k": (own("reaches k"), "kept", "circle"),
    "misses_k": (own("misses k"), "removed", "cross"),
    "not_looked_at": (own("not looked at"), "neutral", "square"),
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
            "key": _states(what_if, best.k, best.levels, nodes),
            "levels": [say(_in_words(what_if, node)) for node in nodes],
        }
    )
    points["state"] = [say(_STATES[key][0]) for key in points["key"]]
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
    return ReportChart(
        "The lattice around the chosen generalization",
        _lattice(points, edges),
        text(
            _DRAWN_WHOLE if whole else _DRAWN_IN_PART,
            drawn=len(nodes),
            total=Written(f"{what_if.lattice.n_nodes:,}"),
            chosen=_in_words(what_if, best.levels),
        ),
    )


_DRAWN_WHOLE = (
    "{drawn} of {total} generalizations as points, all of them: the finest at the bottom, each line one "
    "column made coarser. Chosen: {chosen}."
)
_DRAWN_IN_PART = (
    "{drawn} of {total} generalizations as points, those that differ from the chosen one in one column: the "
    "finest at the bottom, each line one column made coarser. Chosen: {chosen}."
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
            found.append("misses_k")
        elif (counted[~misses] <= node).all(axis=1).any():
            found.append("reaches_k")
        else:
            found.append("not_looked_at")
    return found


def _in_words(what_if: WhatIf, node: Node) -> Text:
    levels = [
        text("{column}: {level}", column=ladder.column, level=own(ladder.levels[level].description))
        for ladder, level in zip(what_if.lattice.ladders, node, strict=True)
    ]
    return joined(levels, "; ")


def _lattice(points: pd.DataFrame, edges: pd.DataFrame) -> Chart:
    where = {
        "x": field("x:Q", axis=None),
        "y": field("height:Q", "Steps made coarser", axis={"tickMinStep": 1, "grid": False}),
    }
    color = meaning("state:N", {words: key for words, key, _ in _STATES.values()})
    shapes = {**color["scale"], "range": [shape for *_, shape in _STATES.values()]}
    size = {"condition": {"test": "datum.key == 'chosen'", "value": 220}, "value": 50}
    tooltip = [field("levels:N", "Columns"), field("state:N", "Known")]
    ends = {"x2": {"field": "x2"}, "y2": {"field": "height2"}}
    return chart(
        layer(edges, "rule", {"color": COLORS["neutral"], "opacity": 0.25}, **where, **ends),
        layer(
            points, "point", {"filled": True, "opacity": 1}, **where,
            color=color, shape={**color, "scale": shapes}, size=size, tooltip=tooltip,
        ),
        height=320,
    )  # fmt: skip


def what_if_tables(what_if: WhatIf, k: int) -> tuple[ReportTable, ...]:
    """Return the tables of a report: the frontier, and what the cheapest option that reaches k does."""
    note = what_if_note(what_if)
    if not what_if.options:
        frame = pd.DataFrame({"result": pd.Series([note], dtype=object)})
        columns = (Column("result", "Result", kind="words"),)
        return (ReportTable("What if", "What if columns were made coarser", frame, columns=columns),)
    option = option_for(what_if, k)
    return (
        ReportTable("What if", "What if columns were made coarser", options_table(what_if), note=note),
        ReportTable(
            "Generalization",
            text("What happens to each quasi-identifier: {option}", option=option_labels(what_if)[option]),
            option_columns_table(what_if, option),
        ),
    )
