"""Charts of the (k, l) grid search, drawn from aggregates; clicks in two of them name a pair."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Literal

import altair as alt
import numpy as np
import pandas as pd

from core.attribute_disclosure import distinct_l
from core.charts import (
    COLORS,
    HEIGHT,
    PERCENT_LABEL,
    Specification,
    class_size_chart,
    legend_columns,
    sized,
)
from core.diversity import Configuration, DiversityAudit, SearchProblem, Status
from core.diversity.judging import accuracy_word
from core.reports.model import Column, table_of
from core.words import Text, own, percent, say, text

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
_POINT_MEANINGS = {
    "within your limits": COLORS["kept"],
    "outside your limits": COLORS["neutral"],
    "below the target": COLORS["removed"],
}
DIVERSITY_COLUMNS = (
    Column("attribute", "Sensitive attribute"),
    Column("values", "Different values"),
    Column("classes", "Classes"),
    Column("records", "Records"),
)


def diversity_table(configuration: Configuration, problem: SearchProblem) -> pd.DataFrame:
    """Return, per sensitive attribute and number of distinct values, the classes and their records."""
    rows = []
    if configuration.verification is not None:
        sizes = configuration.verification.classes.class_sizes
        for attribute, counts in zip(problem.sensitive, configuration.verification.counts, strict=True):
            distinct = distinct_l(counts)
            for number in np.unique(distinct):
                of_number = distinct == number
                rows.append((attribute.name, int(number), int(of_number.sum()), int(sizes[of_number].sum())))
    return table_of(rows, DIVERSITY_COLUMNS)


def evaluated(audit: DiversityAudit) -> tuple[Configuration, ...]:
    """Return one configuration per distinct release that has an accuracy: the strongest pair of each.

    What the charts draw: pairs that release the same are one point.
    """
    strongest: dict[bytes, Configuration] = {}
    for each in audit.search.configurations:
        if each.accuracy is not None and each.kept_set is not None:
            strongest[each.kept_set.key] = each  # the grid ascends in k and l
    return tuple(strongest.values())


def trade_off_chart(audit: DiversityAudit, picked: Configuration | None = None) -> alt.LayerChart:
    """Draw accuracy against the share of records removed, a point per distinct release.

    Points on the Pareto front have an outline, and those that nothing beats in accuracy and removed
    records alone are joined by a line; the target is dashed; the picked configuration has a ring. The
    selection parameter ``picked`` names k and l of a clicked point.
    """
    table = _points_table(audit)
    name = accuracy_word(audit.search.problem.settings.task)
    y_title = say("{name} on held-out records, minimized", name=name)
    lowest = float(min([audit.search.problem.settings.target, *table["accuracy"]], default=0.0))
    x = alt.X(
        "deletion:Q",
        title=say("Records removed (share of all)"),
        axis=alt.Axis(labelExpr=PERCENT_LABEL),
        scale=alt.Scale(
            domain=[0, max(0.05, float(table["deletion"].max() if len(table) else 0))], nice=True
        ),
    )
    y = alt.Y(
        "accuracy:Q",
        title=y_title,
        axis=alt.Axis(labelExpr=PERCENT_LABEL),
        scale=alt.Scale(domain=[max(lowest - 0.05, -1.0), 1.0], clamp=True),
    )
    front = table[table["front"]]
    layers = alt.layer(
        _front_line(front, x, y),
        _target_rule(audit),
        _points(table, x, y, say(name)),
        _outlines(front, x, y),
        _ring(picked, x, y),
    )
    return sized(layers, HEIGHT + 60)


def _points_table(audit: DiversityAudit) -> pd.DataFrame:
    fronts = {(each.k, each.l) for each in audit.pareto}
    met = {id(each) for each in audit.within_limits}
    rows = [
        {
            "k": each.k,
            "l": each.l,
            "deletion": each.deletion_ratio,
            "accuracy": each.accuracy,
            "group": say(_group(each, met)),
            "front": (each.k, each.l) in fronts,
            "text": say(STATUS_WORDS[each.status]),
            "accuracy_text": say(percent(each.accuracy)),
            "deletion_text": say(percent(each.deletion_ratio)),
            "ncp_text": say(percent(each.kept_set.ncp if each.kept_set else None)),
        }
        for each in evaluated(audit)
    ]
    columns = ["k", "l", "deletion", "accuracy", "group", "front", "text"]
    columns += ["accuracy_text", "deletion_text", "ncp_text"]
    return pd.DataFrame(rows, columns=columns).astype({"front": bool})


def _group(configuration: Configuration, met: set[int]) -> str:
    if configuration.status is Status.BELOW_TARGET:
        return "below the target"
    return "within your limits" if id(configuration) in met else "outside your limits"


def _points(table: pd.DataFrame, x: alt.X, y: alt.Y, name: str) -> alt.Chart:
    picked = alt.selection_point(name="picked", fields=["k", "l"], on="click", empty=False)
    meanings = [say(meaning) for meaning in _POINT_MEANINGS]
    legend = alt.Legend(title=None, orient="top", labelLimit=0, columns=legend_columns(3))
    return (
        alt.Chart(table)
        .mark_point(filled=True, size=70, opacity=0.85)
        .encode(
            x=x,
            y=y,
            color=alt.Color(
                "group:N",
                scale=alt.Scale(domain=meanings, range=list(_POINT_MEANINGS.values())),
                legend=legend,
            ),
            shape=alt.Shape(
                "group:N",
                scale=alt.Scale(domain=meanings, range=["circle", "square", "cross"]),
                legend=legend,
            ),
            tooltip=[
                alt.Tooltip("k:Q", title="k"),
                alt.Tooltip("l:Q", title="ℓ"),
                alt.Tooltip("accuracy_text:N", title=name),
                alt.Tooltip("deletion_text:N", title=say("Removed")),
                alt.Tooltip("ncp_text:N", title=say("NCP")),
                alt.Tooltip("text:N", title=say("Result")),
            ],
        )
        .add_params(picked)
    )


def _front_line(front: pd.DataFrame, x: alt.X, y: alt.Y) -> alt.Chart:
    """Join the points that nothing beats in accuracy and removed records alone, NCP aside."""
    ordered = front.sort_values(["deletion", "accuracy"], ascending=[True, False])
    best_so_far = ordered["accuracy"].cummax()
    line = ordered[(ordered["accuracy"] == best_so_far) & ~best_so_far.duplicated()]
    return (
        alt.Chart(line[["deletion", "accuracy"]])
        .mark_line(color=COLORS["observed"], strokeWidth=2, opacity=0.7)
        .encode(x=x, y=y, order=alt.Order("deletion:Q"))
    )


def _outlines(front: pd.DataFrame, x: alt.X, y: alt.Y) -> alt.Chart:
    return (
        alt.Chart(front[["deletion", "accuracy"]])
        .mark_point(size=110, filled=False, strokeWidth=2, color=COLORS["observed"])
        .encode(x=x, y=y)
    )


def _target_rule(audit: DiversityAudit) -> alt.LayerChart:
    target = audit.search.problem.settings.target
    base = alt.Chart(
        pd.DataFrame(
            {"accuracy": [target], "label": [say("target: at least {least}", least=percent(target))]}
        )
    ).encode(y="accuracy:Q")
    rule = base.mark_rule(color=COLORS["threshold"], strokeDash=[6, 4], strokeWidth=2)
    label = base.mark_text(
        color=COLORS["threshold"], align="right", baseline="bottom", dy=-3, fontSize=12
    ).encode(text="label:N", x=alt.value("width"))
    return alt.layer(rule, label)


def _ring(picked: Configuration | None, x: alt.X, y: alt.Y) -> alt.Chart:
    known = picked is not None and picked.accuracy is not None
    chosen = [(picked.deletion_ratio, picked.accuracy)] if picked is not None and known else []
    return (
        alt.Chart(pd.DataFrame(chosen, columns=["deletion", "accuracy"]))
        .mark_point(size=340, filled=False, strokeWidth=3, color=COLORS["anonymized"])
        .encode(x=x, y=y)
    )


def grid_chart(
    audit: DiversityAudit, figure: GridFigure, picked: Configuration | None = None
) -> alt.LayerChart:
    """Draw one figure over k and l, a cell per pair; pairs without the figure stay empty.

    The selection parameter ``picked`` names k and l of a clicked cell.
    """
    table = _grid_table(audit, figure)
    x, y = _grid_axes(audit, most_l=max([*table["l"], *([picked.l] if picked else []), 1]))
    texts = [say(percent(value)) for value in table["value"]]
    title = say(GRID_TITLES[figure])
    cells = (
        alt.Chart(table.assign(text=texts))
        .mark_rect()
        .encode(
            x=x,
            y=y,
            color=alt.Color(
                "value:Q",
                title=title,
                scale=alt.Scale(
                    domain=_grid_domain(table), range=["#DCE9F5", "#6AA3D5", "#134A80"], interpolate="lab"
                ),
                legend=alt.Legend(labelExpr=PERCENT_LABEL),
            ),
            tooltip=[
                alt.Tooltip("k:O", title="k"),
                alt.Tooltip("l:O", title="ℓ"),
                alt.Tooltip("text:N", title=title),
                alt.Tooltip("result:N", title=say("Result")),
            ],
        )
        .add_params(alt.selection_point(name="picked", fields=["k", "l"], on="click", empty=False))
    )
    chosen = pd.DataFrame({"k": [picked.k], "l": [picked.l]}) if picked else pd.DataFrame({"k": [], "l": []})
    ring = (
        alt.Chart(chosen).mark_rect(filled=False, stroke=COLORS["anonymized"], strokeWidth=3).encode(x=x, y=y)
    )
    return sized(alt.layer(cells, ring), HEIGHT + 60)


def _grid_axes(audit: DiversityAudit, *, most_l: int) -> tuple[alt.X, alt.Y]:
    all_k = sorted({each.k for each in audit.search.configurations})
    all_l = sorted({each.l for each in audit.search.configurations if each.l <= most_l}, reverse=True)
    title_x, title_y = say("k (records in a cell, at least)"), say("ℓ (sensitive values in a cell, at least)")
    x = alt.X("k:O", title=title_x, scale=alt.Scale(domain=all_k), axis=_sparse_axis(all_k))
    y = alt.Y("l:O", title=title_y, scale=alt.Scale(domain=all_l), axis=_sparse_axis(all_l[::-1]))
    return x, y


def _grid_table(audit: DiversityAudit, figure: GridFigure) -> pd.DataFrame:
    rows = [
        (each.k, each.l, value, say(STATUS_WORDS[each.status]))
        for each in audit.search.configurations
        if (value := _grid_value(each, figure)) is not None
    ]
    return pd.DataFrame(rows, columns=["k", "l", "value", "result"])


def _grid_value(configuration: Configuration, figure: GridFigure) -> float | None:
    if figure == "ncp":
        return configuration.kept_set.ncp if configuration.kept_set else None
    return configuration.accuracy if figure == "accuracy" else configuration.deletion_ratio


def _grid_domain(table: pd.DataFrame) -> list[float]:
    if not len(table):
        return [0.0, 0.5, 1.0]
    low, high = float(table["value"].min()), float(table["value"].max())
    if high - low < 0.01:
        low, high = max(low - 0.05, 0.0), min(high + 0.05, 1.0)
    return [low, (low + high) / 2, high]


def _sparse_axis(values: Sequence[int]) -> alt.Axis:
    """Return an axis that names about twenty values at most, the first among them."""
    step = max(1, -(-len(values) // 20))
    return alt.Axis(values=list(values[::step]), labelAngle=0)


def class_sizes_chart(configuration: Configuration) -> Specification | None:
    """Draw the records by the size of their class in the released table, None where nothing is released."""
    if configuration.verification is None or not configuration.verification.classes.n_classes:
        return None
    sizes, records = configuration.verification.classes.size_histogram
    return class_size_chart(sizes, records, configuration.k)


def diversity_chart(configuration: Configuration, problem: SearchProblem) -> alt.LayerChart | None:
    """Draw the records by how many sensitive values their class holds; None where nothing is released."""
    table = diversity_table(configuration, problem)
    if table.empty:
        return None
    first = problem.sensitive[0].name
    table = table[table["attribute"] == first]
    bars = (
        alt.Chart(table)
        .mark_bar(color=COLORS["kept"])
        .encode(
            x=alt.X(
                "values:O",
                title=say("Different values of {column} in the class", column=first),
                axis=alt.Axis(labelAngle=0),
            ),
            y=alt.Y("records:Q", title=say("Records"), axis=alt.Axis(format=",d", tickMinStep=1)),
            tooltip=[
                alt.Tooltip("values:O", title=say("Different values")),
                alt.Tooltip("classes:Q", title=say("Classes"), format=","),
                alt.Tooltip("records:Q", title=say("Records"), format=","),
            ],
        )
    )
    return sized(alt.layer(bars), HEIGHT)


def trade_off_alt(audit: DiversityAudit) -> Text:
    """Return what the trade-off chart shows, in a sentence."""
    return text(
        "Accuracy against the share of records removed for {n} release; {front} is on the Pareto front.",
        "Accuracy against the share of records removed for {n} different releases; {front} of them are on "
        "the Pareto front.",
        n=len(evaluated(audit)),
        front=len(audit.pareto),
    )
