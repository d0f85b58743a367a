"""The charts of a disclosure-risk audit, drawn from aggregates."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

import numpy as np
import pandas as pd

from core.charts import (
    COLORS,
    PERCENT,
    alt,
    class_size_chart,
    horizontal_bars,
    layered,
    legend,
    meaning,
)
from core.result import Drawing
from core.risk.columns import ColumnContribution
from core.risk.judging import RiskAudit
from core.risk.lattice import Node
from core.risk.what_if import WhatIf
from core.words import Text, Written, amount, counted, joined, own, percent, say, share_of, text


def class_drawing(audit: RiskAudit, *, log: bool = False) -> tuple[Drawing, ...]:
    """Draw the records by class size with k, and the cumulative share on the right; none of no record."""
    classes, k = audit.measurement.classes, audit.thresholds.k
    if not classes.n_records:
        return ()
    sizes, records = classes.size_histogram
    drawing = Drawing(
        "Records by group size"
        if audit.measurement.persons is None
        else "Records by group size, sizes in persons",
        partial(class_size_chart, sizes, records, k, log=log, cumulative=True),
        text(
            "Histogram of records by group size with the cumulative share of records: {found} is in a "
            "group smaller than {k}.",
            "Histogram of records by group size with the cumulative share of records: {found} are in "
            "groups smaller than {k}.",
            n=audit.n_at_risk,
            found=share_of(audit.n_at_risk, classes.n_records, "records"),
            k=k,
        ),
    )
    return (drawing,)


def intruders_drawing(audit: RiskAudit) -> tuple[Drawing, ...]:
    """Draw the risk of the three intruders that could be assessed; none where none could."""
    measured = audit.measurement
    rows = [("Prosecutor, highest", measured.highest_risk), ("Prosecutor, average", measured.average_risk)]
    if measured.population is not None:
        rows.append(("Journalist, highest", measured.population.journalist_highest_risk))
        rows.append(("Marketer, expected share", measured.population.marketer_risk))
    known = [(say(label), risk) for label, risk in rows if risk is not None]
    if not known:
        return ()
    drawing = Drawing(
        "Risk of three intruders",
        partial(
            horizontal_bars,
            known,
            unit="risk",
            value_title="Risk (%)",
            label_title="Intruder",
            rule=1 / audit.thresholds.k,
            rule_label=text("at most 1 / {k}", k=audit.thresholds.k),
        ),
    )
    return (drawing,)


_SQUARES, _SQUARES_A_ROW = 100, 10


def people_drawing(audit: RiskAudit) -> tuple[Drawing, ...]:
    """Draw of 100 people those alone in a class, in one below k, and in a large one; none of no record."""
    persons, classes, k = audit.measurement.persons, audit.measurement.classes, audit.thresholds.k
    if persons is not None and persons.n_persons:
        total, n_alone, n_small = persons.n_persons, persons.n_below(2), persons.n_below(max(k, 2))
        of: Text = counted(total, "person")
    else:
        total, n_alone = classes.n_records, classes.n_records_below(2)
        n_small, of = classes.n_records_below(max(k, 2)), counted(total, "record")
    if not total:
        return ()
    counts = (n_alone, n_small - n_alone, total - n_small)
    labels = (
        text("found for certain: {n} of {total}", n=n_alone, total=of),
        text("in a group of fewer than {k}: {n} of {total}", k=k, n=counts[1], total=of),
        text("in a group of {k} or more: {n} of {total}", k=max(k, 2), n=counts[2], total=of),
    )
    squares = _squares(counts)
    drawing = Drawing(
        _people_title(squares[0], n_alone, of),
        partial(_people, labels, squares, counts),
        text("Of 100 squares {parts}.", parts=joined(labels, "; ")),
    )
    return (drawing,)


def _people_title(n_squares: int, n_alone: int, of: Text) -> str:
    if not n_alone:
        return "Of 100 people, nobody is found for certain"
    if not n_squares:
        return text("Of 100 people, fewer than 1 is found for certain: {n} of {total}", n=n_alone, total=of)
    return text(
        "Of 100 people, {n} is found for certain", "Of 100 people, {n} are found for certain", n=n_squares
    )


def _squares(counts: Sequence[int]) -> list[int]:
    """Return how many of 100 squares stand for each count: rounded down, the rest to the largest rests."""
    total = sum(counts)
    squares = [_SQUARES * count // total for count in counts]
    rests = sorted(range(len(counts)), key=lambda part: -(_SQUARES * counts[part] % total))
    for part in rests[: _SQUARES - sum(squares)]:
        squares[part] += 1
    return squares


def _people(labels: Sequence[Text], squares: Sequence[int], n_of: Sequence[int]) -> alt.LayerChart:
    """Draw squares row by row; a part too small for one has a pale one, so that it is seen."""
    parts = [(part, 1.0) for part, n in enumerate(squares) for _ in range(n)]
    for part in reversed(range(len(n_of))):
        if n_of[part] and not squares[part]:
            parts.remove((int(np.argmax(squares)), 1.0))
            parts.append((part, 0.45))
    rows = [
        {
            "x": place % _SQUARES_A_ROW,
            "y": place // _SQUARES_A_ROW,
            "part": say(labels[part]),
            "opacity": opacity,
        }
        for place, (part, opacity) in enumerate(sorted(parts))
    ]
    meanings = ("FAIL", "WARN", "neutral")
    shown = {labels[part]: meanings[part] for part in range(len(n_of)) if n_of[part]}
    cells: dict[str, Any] = {"axis": None, "scale": {"paddingInner": 0.18}}
    key = legend(orient="bottom", labelExpr="split(datum.label, ': ')")
    people = (
        alt.Chart(pd.DataFrame(rows))
        .mark_rect(cornerRadius=2)
        .encode(
            x=alt.X("x:O", **cells),
            y=alt.Y("y:O", **cells),
            color=meaning("part:N", shown, legend=key),
            opacity=alt.Opacity("opacity:Q", scale=None),
            tooltip=alt.Tooltip("part:N", title="People"),
        )
    )
    return layered(people, height=300)


def columns_drawing(contributions: Sequence[ColumnContribution]) -> Drawing:
    """Draw the share of records that each quasi-identifier alone makes unique."""
    bars = [(each.column, each.unique_share_gained or 0.0) for each in contributions]
    return Drawing(
        "Records that are unique only because of one column",
        partial(
            horizontal_bars,
            bars,
            value_title="Records that would not be unique without it (%)",
            label_title="Quasi-identifier",
        ),
    )


def special_uniques_drawing(parts: Sequence[tuple[str, float]]) -> Drawing:
    """Draw the part of all SUDA scores that comes from sets with each quasi-identifier."""
    return Drawing(
        "What the scores come from",
        partial(
            horizontal_bars,
            parts,
            value_title="Part of all scores (%); sets have several columns",
            label_title="Quasi-identifier",
        ),
    )


def frontier_drawing(what_if: WhatIf) -> Drawing:
    """Draw the options: precision lost against the highest risk, a point for each."""
    found = [each.best for each in what_if.options if each.best is not None]
    rows = pd.DataFrame(
        {
            "loss": [each.loss for each in found],
            "risk": [each.highest_risk for each in found],
            "label": [f"k = {each.k}" for each in found],
            "lost": [say(percent(each.loss)) for each in found],
            "highest": [say(amount("risk", each.highest_risk)) for each in found],
            "suppressed": [say(percent(each.suppressed_share)) for each in found],
        }
    )
    return Drawing("Loss against risk", partial(_frontier, rows))


def _frontier(rows: pd.DataFrame) -> alt.LayerChart:
    from_zero = {"domainMin": 0}
    options = alt.Chart(rows).encode(
        x=alt.X("loss:Q", title="Precision lost (%)", axis=PERCENT, scale=from_zero),
        y=alt.Y("risk:Q", title="Highest risk (%)", axis=PERCENT, scale=from_zero),
    )
    tooltip = [
        alt.Tooltip("label:N", title="Option"),
        alt.Tooltip("lost:N", title="Precision lost"),
        alt.Tooltip("highest:N", title="Highest risk"),
        alt.Tooltip("suppressed:N", title="Records suppressed"),
    ]
    dots = options.mark_point(color=COLORS["observed"], filled=True, size=90, opacity=1)
    words = options.mark_text(color=COLORS["neutral"], align="left", dx=8, dy=-8)
    return layered(
        options.mark_line(color=COLORS["neutral"], interpolate="step-after"),
        dots.encode(tooltip=tooltip),
        words.encode(text=alt.Text("label:N")),
        height=260,
    )


_MOST_DRAWN, _MOST_COLUMNS = 200, 12  # generalizations, and columns with levels, in a picture
_STATES: Mapping[str, tuple[str, str, str]] = {
    "chosen": (own("chosen"), "observed", "diamond"),
    "reaches_k": (own("reaches k"), "kept", "circle"),
    "misses_k": (own("misses k"), "removed", "cross"),
    "not_looked_at": (own("not looked at"), "neutral", "square"),
}


def lattice_drawing(what_if: WhatIf, option: int) -> tuple[Drawing, ...]:
    """Draw the lattice around one option: a point a generalization, finest below; none where it is too wide.

    Of more than 200 generalizations those are drawn that differ from the chosen one in a single column.
    """
    best = what_if.options[option].best
    shape = what_if.lattice.shape
    if best is None or sum(levels > 1 for levels in shape) > _MOST_COLUMNS:
        return ()
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
    drawing = Drawing(
        "The lattice around the chosen generalization",
        partial(_lattice, points, edges),
        text(
            _DRAWN_WHOLE if whole else _DRAWN_IN_PART,
            drawn=len(nodes),
            total=Written(f"{what_if.lattice.n_nodes:,}"),
            chosen=_in_words(what_if, best.levels),
        ),
    )
    return (drawing,)


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


def _lattice(points: pd.DataFrame, edges: pd.DataFrame) -> alt.LayerChart:
    where = {
        "x": alt.X("x:Q", axis=None),
        "y": alt.Y("height:Q", title="Steps made coarser", axis={"tickMinStep": 1, "grid": False}),
    }
    color = meaning("state:N", {words: key for words, key, _ in _STATES.values()})
    shapes = {**color["scale"], "range": [shape for *_, shape in _STATES.values()]}
    chosen = {"test": "datum.key == 'chosen'", "value": 220}
    lines = alt.Chart(edges).mark_rule(color=COLORS["neutral"], opacity=0.25)
    nodes = alt.Chart(points).mark_point(filled=True, opacity=1)
    return layered(
        lines.encode(**where, x2=alt.X2("x2"), y2=alt.Y2("height2")),
        nodes.encode(
            **where,
            color=color,
            shape=alt.Shape("state:N", scale=shapes, legend=color["legend"]),
            size=alt.SizeValue(50, condition=chosen),
            tooltip=[alt.Tooltip("levels:N", title="Columns"), alt.Tooltip("state:N", title="Known")],
        ),
        height=320,
    )
