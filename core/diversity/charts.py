"""Charts of the (k, l) grid search, drawn from aggregates; clicks in two of them name a pair."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any, Literal

import pandas as pd

from core.charts import (
    COLORS,
    HEIGHT,
    PERCENT,
    alt,
    class_size_chart,
    counts,
    layered,
    legend,
    meaning,
    shades,
)
from core.classes import EquivalenceClasses
from core.diversity import Configuration, DiversityAudit, Status
from core.diversity.judging import accuracy_word
from core.result import Drawing
from core.words import own, percent, say, text

GridFigure = Literal["accuracy", "deletion_ratio", "ncp"]
GRID_TITLES: Mapping[GridFigure, str] = {
    "accuracy": "Accuracy",
    "deletion_ratio": "Records removed",
    "ncp": "Precision lost (NCP)",
}
STATUS_WORDS: Mapping[Status, str] = {
    Status.OFFERED: own("offered"),
    Status.NO_DELETION: "offered, nothing removed",
    Status.BELOW_TARGET: "below the target accuracy",
    Status.NOTHING_LEFT: "no cell is diverse enough",
    Status.TOO_FEW_RECORDS: "too few records left to split",
    Status.ACCURACY_UNKNOWN: "accuracy cannot be assessed",
    Status.NOT_VERIFIED: "k or ℓ did not hold when read back",
    Status.STOPPED: "not evaluated, the search was stopped",
}
_POINTS = {"within your limits": "kept", "outside your limits": "neutral", "below the target": "removed"}
_SHAPES = ["circle", "square", "cross"]
_OF_LABEL = (0.5, 0.08)  # how much of width and height the target's label takes
_LABEL = 20  # pixels of a label on an axis of whole numbers


def evaluated(audit: DiversityAudit) -> tuple[Configuration, ...]:
    """Return one configuration per distinct release that has an accuracy: the strongest pair of each.

    What the charts draw: pairs that release the same are one point.
    """
    strongest: dict[bytes, Configuration] = {}
    for each in audit.search.configurations:
        if each.accuracy is not None and each.kept_set is not None:
            strongest[each.kept_set.key] = each  # the grid ascends in k and l
    return tuple(strongest.values())


def trade_off_drawing(audit: DiversityAudit, picked: Configuration | None = None) -> Drawing:
    """Draw accuracy against the share of records removed, a point per distinct release.

    Points on the Pareto front have an outline, and those that nothing beats in accuracy and removed
    records alone are joined by a line; the target is dashed; the picked configuration has a ring. The
    selection parameter ``picked`` names k and l of a clicked point.
    """
    table = _points_table(audit)
    return Drawing(
        "Accuracy against records removed",
        partial(_trade_off, audit, table, picked),
        text(
            "Accuracy against the share of records removed for {n} release; {front} is on the Pareto front.",
            "Accuracy against the share of records removed for {n} different releases; {front} of them are "
            "on the Pareto front.",
            n=len(table),
            front=len(audit.pareto),
        ),
    )


def _trade_off(audit: DiversityAudit, table: pd.DataFrame, picked: Configuration | None) -> alt.LayerChart:
    target, name = audit.search.problem.settings.target, accuracy_word(audit.search.problem.settings.task)
    most = max(0.05, float(table["deletion"].max() if len(table) else 0))
    reach = {"domain": list(_span([target, *table["accuracy"]])), "clamp": True}
    x = alt.X(
        "deletion:Q",
        title="Records removed (share of all)",
        axis=PERCENT,
        scale={"domain": [0, most], "nice": True},
    )
    y = alt.Y(
        "accuracy:Q",
        title=text("{name} on held-out records, minimized", name=name),
        axis=PERCENT,
        scale=reach,
    )
    front = table[table["front"]]
    color, ring = COLORS["observed"], alt.Chart(_ringed(picked)).encode(x=x, y=y)
    line = alt.Chart(_front_line(front)).mark_line(color=color, strokeWidth=2, opacity=0.7)
    outlined = alt.Chart(front).mark_point(size=110, filled=False, strokeWidth=2, color=color)
    return layered(
        line.encode(x=x, y=y, order=alt.Order("deletion:Q")),
        *_target_rule(target, y, *_freest(table, target, most)),
        _points(table, name).encode(x=x, y=y).add_params(_clicked()),
        outlined.encode(x=x, y=y),
        ring.mark_point(size=340, filled=False, strokeWidth=3, color=COLORS["anonymized"]),
        height=HEIGHT + 60,
    )


def _span(accuracies: Sequence[float]) -> tuple[float, float]:
    """Return the range of an axis that holds all accuracies with little room beside them, at most to 1."""
    least, most = max(min(accuracies), -1.0), max(accuracies)
    room = max(0.02, (most - least) / 10)
    return max(least - room, -1.0), min(most + room, 1.0)


def _clicked() -> alt.Parameter:
    return alt.selection_point(name="picked", fields=["k", "l"], on="click")


def _points_table(audit: DiversityAudit) -> pd.DataFrame:
    fronts = {(each.k, each.l) for each in audit.pareto}
    met = {id(each) for each in audit.within_limits}
    columns = ["k", "l", "deletion", "accuracy", "group", "front", "text"]
    columns += ["accuracy_text", "deletion_text", "ncp_text"]
    rows = [
        (
            each.k,
            each.l,
            each.deletion_ratio,
            each.accuracy,
            say(_group(each, met)),
            (each.k, each.l) in fronts,
            say(STATUS_WORDS[each.status]),
            say(percent(each.accuracy)),
            say(percent(each.deletion_ratio)),
            say(percent(each.kept_set.ncp if each.kept_set else None)),
        )
        for each in evaluated(audit)
    ]
    return pd.DataFrame(rows, columns=columns).astype({"front": bool})


def _group(configuration: Configuration, met: set[int]) -> str:
    if configuration.status is Status.BELOW_TARGET:
        return "below the target"
    return "within your limits" if id(configuration) in met else "outside your limits"


def _points(table: pd.DataFrame, name: str) -> alt.Chart:
    color = meaning("group:N", _POINTS, legend=legend(3))
    return (
        alt.Chart(table, name="pairs")
        .mark_point(filled=True, size=70, opacity=0.85)
        .encode(
            color=color,
            shape=alt.Shape("group:N", scale={**color["scale"], "range": _SHAPES}, legend=color["legend"]),
            tooltip=[
                alt.Tooltip("k:Q", title="k"),
                alt.Tooltip("l:Q", title="ℓ"),
                alt.Tooltip("accuracy_text:N", title=name),
                alt.Tooltip("deletion_text:N", title="Removed"),
                alt.Tooltip("ncp_text:N", title=own("NCP")),
                alt.Tooltip("text:N", title="Result"),
            ],
        )
    )


def _front_line(front: pd.DataFrame) -> pd.DataFrame:
    """Return the points that nothing beats in accuracy and removed records alone, NCP aside."""
    ordered = front.sort_values(["deletion", "accuracy"], ascending=[True, False])
    best_so_far = ordered["accuracy"].cummax()
    return ordered[(ordered["accuracy"] == best_so_far) & ~best_so_far.duplicated()]


def _freest(table: pd.DataFrame, target: float, most: float) -> tuple[str, str]:
    """Return at which end of the target's line, above or below it, the fewest points are under its label."""
    low, high = _span([target, *table["accuracy"]])
    above, from_left = (table["accuracy"] - target) / (high - low), table["deletion"] / most
    places = {
        (side, baseline): (near & beside).sum()
        for side, near in (("right", from_left > 1 - _OF_LABEL[0]), ("left", from_left < _OF_LABEL[0]))
        for baseline, beside in (
            ("bottom", above.between(-0.01, _OF_LABEL[1])),
            ("top", above.between(-_OF_LABEL[1], 0.01)),
        )
    }
    return min(places, key=lambda place: places[place])


def _target_rule(target: float, y: alt.Y, side: str, baseline: str) -> list[alt.Chart]:
    label = say("target: at least {least}", least=percent(target))
    rows = alt.Chart(pd.DataFrame([{"accuracy": target, "label": label}])).encode(y=y)
    color, offset = COLORS["threshold"], 4 if baseline == "top" else -3
    looks: dict[str, Any] = {"align": side, "baseline": baseline}
    words = rows.mark_text(color=color, dy=offset, fontSize=12, **looks)
    return [
        rows.mark_rule(color=color, strokeDash=[6, 4], strokeWidth=2),
        words.encode(x=alt.XValue("width" if side == "right" else 0), text=alt.Text("label:N")),
    ]


def _ringed(picked: Configuration | None) -> pd.DataFrame:
    known = picked is not None and picked.accuracy is not None
    return pd.DataFrame(
        [{"deletion": picked.deletion_ratio, "accuracy": picked.accuracy}] if picked and known else []
    )


def grid_drawing(audit: DiversityAudit, figure: GridFigure, picked: Configuration | None = None) -> Drawing:
    """Draw one figure over k and l, a cell per pair; pairs without the figure stay empty.

    The selection parameter ``picked`` names k and l of a clicked cell.
    """
    title = GRID_TITLES[figure]
    return Drawing(title, partial(_grid, audit, figure, picked), where="page")


def _grid(audit: DiversityAudit, figure: GridFigure, picked: Configuration | None) -> alt.LayerChart:
    rows = [
        (each.k, each.l, value, say(percent(value)), say(STATUS_WORDS[each.status]))
        for each in audit.search.configurations
        if (value := _grid_value(each, figure)) is not None
    ]
    table, title = pd.DataFrame(rows, columns=["k", "l", "value", "text", "result"]), GRID_TITLES[figure]
    chosen = [{"k": picked.k, "l": picked.l}] if picked else []
    most_l = max([*table["l"], *(each["l"] for each in chosen), 1])
    ks = sorted({each.k for each in audit.search.configurations})
    ls = sorted({each.l for each in audit.search.configurations if each.l <= most_l}, reverse=True)
    where = {
        "x": alt.X("k:O", title="k (records in a cell, at least)", **_steps(ks, "width")),
        "y": alt.Y("l:O", title="ℓ (sensitive values in a cell, at least)", **_steps(ls, "height")),
    }
    tooltip = [
        alt.Tooltip("k:O", title="k"),
        alt.Tooltip("l:O", title="ℓ"),
        alt.Tooltip("text:N", title=title),
        alt.Tooltip("result:N", title="Result"),
    ]
    cells = alt.Chart(table, name="pairs").mark_rect()
    ring = alt.Chart(pd.DataFrame(chosen)).mark_rect(filled=False, stroke=COLORS["anonymized"], strokeWidth=3)
    color = shades("value:Q", title, *_shown(table))
    return layered(
        cells.encode(**where, color=color, tooltip=tooltip).add_params(_clicked()),
        ring.encode(**where),
        height=HEIGHT + 60,
    )


def _steps(values: Sequence[int], span: str) -> dict[str, Any]:
    """Return scale and axis of whole numbers, as many of them named as have room, the smallest among them.

    Vega's own way to leave out labels (6.2) leaves out the first where the second has room.
    """
    every = f"ceil({_LABEL * len(values)} / {span})"
    labels = f"(datum.value - {min(values)}) % {every} ? '' : datum.label"
    axis = {"labelExpr": labels, "labelAngle": 0, "labelOverlap": False}
    return {"scale": {"domain": list(values)}, "axis": axis}


def _grid_value(configuration: Configuration, figure: GridFigure) -> float | None:
    if figure == "ncp":
        return configuration.kept_set.ncp if configuration.kept_set else None
    return configuration.accuracy if figure == "accuracy" else configuration.deletion_ratio


def _shown(table: pd.DataFrame) -> tuple[float, float]:
    """Return the figures that the colours reach from and to."""
    if not len(table):
        return 0.0, 1.0
    low, high = float(table["value"].min()), float(table["value"].max())
    return (low, high) if high - low >= 0.01 else (max(low - 0.05, 0.0), min(high + 0.05, 1.0))


def class_sizes_drawing(picked: Configuration, classes: EquivalenceClasses) -> Drawing:
    """Draw the records by the size of their class in the released table."""
    return Drawing(
        "Group sizes",
        partial(class_size_chart, *classes.size_histogram, picked.k),
    )


def values_drawing(title: str, rows: Sequence[tuple[str, int, int, int]]) -> Drawing:
    """Draw the records by how many values of a sensitive attribute their class holds."""
    table = pd.DataFrame(rows, columns=["attribute", "values", "classes", "records"])
    return Drawing(title, partial(_values, table), where="page")


def _values(table: pd.DataFrame) -> alt.LayerChart:
    column = text("Different values of {column} in the group", column=table["attribute"][0])
    bars = (
        alt.Chart(table)
        .mark_bar(color=COLORS["kept"])
        .encode(
            x=alt.X("values:O", title=column, axis={"labelAngle": 0}),
            y=alt.Y("records:Q", title="Records", **counts(table["records"].max())),
            tooltip=[
                alt.Tooltip("values:O", title="Different values"),
                alt.Tooltip("classes:Q", title="Groups", format=","),
                alt.Tooltip("records:Q", title="Records", format=","),
            ],
        )
    )
    return layered(bars, height=HEIGHT)
