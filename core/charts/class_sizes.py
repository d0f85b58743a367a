"""Records by the size of their equivalence class, with the threshold k: bins, counts and the chart."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from itertools import pairwise
from typing import Any

import numpy as np

from core.charts.lazy_altair import alt
from core.charts.look import (
    COLORS,
    HEIGHT,
    PERCENT,
    TEXT_COLOR,
    WHOLE,
    counts,
    layered,
    legend,
    threshold,
)
from core.charts.shapes import NumberArray
from core.lazy_pandas import pd
from core.words import percent, say, text

_CLASS_SIZE_EDGES = (1, 2, 3, 4, 5, 10, 20, 50)
_SINGLE_SIZES_UP_TO = 20


@dataclass(frozen=True, kw_only=True)
class SizeBin:
    """Class sizes from `lower` to `upper`, both included."""

    lower: int
    upper: int

    @property
    def label(self) -> str:
        """Return such as "4" or "5–9"."""
        return f"{self.lower:,}" if self.lower == self.upper else f"{self.lower:,}–{self.upper:,}"


def class_size_bins(largest: int, k: int) -> tuple[SizeBin, ...]:
    """Return bins that cover the class sizes 1 … `largest`, none of which `k` cuts in two.

    Every size has its own bin up to 20; beyond, the bins are 1, 2, 3, 4, 5–9, 10–19, 20–49, 50–99,
    100–199 and so on. A bin that holds `k` is split before it, and there is always one that starts at
    `k`, so that the threshold can be drawn between two bars.
    """
    top = max(largest, k, 1)
    if top <= _SINGLE_SIZES_UP_TO:
        starts = set(range(1, top + 1))
    else:
        starts = {edge for edge in _class_size_edges(top) if edge <= top} | {max(k, 1)}
    ordered = [*sorted(starts), _next_edge(top)]
    return tuple(SizeBin(lower=lower, upper=following - 1) for lower, following in pairwise(ordered))


def _class_size_edges(top: int) -> list[int]:
    decades = range(max(len(str(top)), 2))
    return sorted({*_CLASS_SIZE_EDGES, *(step * 10**decade for decade in decades[1:] for step in (1, 2, 5))})


def _next_edge(top: int) -> int:
    if top <= _SINGLE_SIZES_UP_TO:
        return top + 1
    return min(edge for edge in _class_size_edges(top * 10) if edge > top)


def class_size_table(sizes: NumberArray, records: NumberArray, k: int) -> pd.DataFrame:
    """Count the records per bin of class sizes.

    `sizes`, `records`: shape (n_sizes,), ascending distinct class sizes and the records in classes of each
    size: the pair that :attr:`core.classes.EquivalenceClasses.size_histogram` returns.

    Returns columns ``class_size`` (label), ``lower``, ``upper``, ``n_records``, ``records_share`` (of all
    records given, 0 when there are none) and ``below_k``. The records sum to those given.
    """
    bins = class_size_bins(int(max(sizes, default=0)), k)
    lowers = np.array([bin_.lower for bin_ in bins])
    positions = np.searchsorted(lowers, np.asarray(sizes), side="right") - 1
    counts = np.bincount(positions, weights=np.asarray(records), minlength=len(bins)).astype(np.int64)
    return pd.DataFrame(
        {
            "class_size": [bin_.label for bin_ in bins],
            "lower": lowers,
            "upper": [bin_.upper for bin_ in bins],
            "n_records": counts,
            "records_share": counts / max(int(counts.sum()), 1),
            "below_k": lowers < k,
        }
    )


def class_size_chart(
    sizes: NumberArray,
    records: NumberArray,
    k: int,
    *,
    log: bool = False,
    x_title: str = "Group size (records sharing all quasi-identifiers)",
    y_title: str = "Records",
    share_title: str = "Share of records",
    groups: tuple[str, str] = ("in groups smaller than {k}", "in groups of {k} or more"),
    cumulative: bool = False,
) -> alt.LayerChart:
    """Draw the records by the size of their equivalence class, with the threshold k as a dashed line.

    `groups` names those below and those at or above the threshold.
    """
    table = class_size_table(sizes, records, k)
    below, above = _said_groups(table, groups, k)
    table["group"] = np.where(table["below_k"], below, above)
    table["share"] = [say(percent(share)) for share in table["records_share"]]
    order = [str(label) for label in table["class_size"]]
    at = order[int(np.argmax(~table["below_k"].to_numpy()))]
    labels = {"labelAngle": 0, "labelOverlap": "greedy", "labelSeparation": 4}
    x = partial(alt.X, "class_size:O", title=x_title, scale={"domain": order}, axis=labels)
    largest = int(table["n_records"].max())
    y = counts(largest, log=log)
    y_of_numbers: dict[str, Any] = {}
    if cumulative:  # whose scale is its own, so that bars and their numbers have to agree on theirs
        y = {"scale": {"domain": [0, max(largest, 1)], "nice": True}, **y}
        y_of_numbers = {**y, "axis": None}
    shown = table[table["n_records"] > 0]
    layers = [
        _bars(shown, x(), alt.Y("n_records:Q", title=y_title, **y), [below, above], (y_title, share_title)),
        _counts_below(shown[shown["below_k"]], x(), alt.Y("n_records:Q", **y_of_numbers)),
        *threshold(at, f"k = {k:,}", x(bandPosition=0), shift=-2),
    ]
    if not cumulative:
        return layered(*layers, height=HEIGHT)
    layers.append(_cumulative_line(table, order))
    return layered(*layers, height=HEIGHT, resolve={"scale": {"y": "independent"}})


def _said_groups(table: pd.DataFrame, groups: tuple[str, str], k: int) -> Iterator[str]:
    """Yield what those below and those at or above the threshold are called, and that there is none."""
    below = table.loc[table["n_records"] > 0, "below_k"]
    for group, has_any in zip(groups, (below.any(), not below.all()), strict=True):
        yield say(text(group, k=k) if has_any else text("{group}: none", group=text(group, k=k)))


def _bars(rows: pd.DataFrame, x: alt.X, y: alt.Y, groups: list[str], titles: tuple[str, str]) -> alt.Chart:
    """Return the bars; what is below the threshold is red and paler, with a dashed outline."""

    def below(value: object) -> dict[str, Any]:
        return {"test": "datum.below_k", "value": value}

    red, grey = COLORS["FAIL"], COLORS["neutral"]
    scale = {"domain": groups, "range": [red, grey]}
    return (
        alt.Chart(rows)
        .mark_bar(strokeWidth=2)
        .encode(
            x=x,
            y=y,
            color=alt.Color("group:N", scale=scale, legend=legend(symbolStrokeWidth=0)),
            stroke=alt.StrokeValue(grey, condition=below(red)),
            fillOpacity=alt.FillOpacityValue(1, condition=below(0.35)),
            strokeDash=alt.StrokeDashValue([1, 0], condition=below([4, 3])),
            tooltip=[
                alt.Tooltip("class_size:O", title="Group size"),
                alt.Tooltip("n_records:Q", title=titles[0], format=","),
                alt.Tooltip("share:N", title=titles[1]),
                alt.Tooltip("group:N", title="Which is"),
            ],
        )
    )


def _counts_below(rows: pd.DataFrame, x: alt.X, y: alt.Y) -> alt.Chart:
    """Return the numbers written above the bars below the threshold, where the bars are wide enough."""
    widest = 7 * max((len(f"{n:,}") for n in rows["n_records"]), default=0)  # pixels
    opacity = {"expr": f"bandwidth('x') < {widest} ? 0 : 1"}
    return (
        alt.Chart(rows)
        .mark_text(color=TEXT_COLOR, baseline="bottom", dy=-3, fontSize=11, opacity=opacity)
        .encode(x=x, y=y, text=alt.Text("n_records:Q", format=","))
    )


def _cumulative_line(table: pd.DataFrame, order: list[str]) -> alt.Chart:
    shares = np.clip(np.cumsum(table["records_share"].to_numpy()), 0, 1)
    rows = pd.DataFrame({"class_size": table["class_size"], "cumulative": shares})
    rows["text"] = [say(percent(share)) for share in shares]
    axis = {**PERCENT, "orient": "right", "grid": False}
    return (
        alt.Chart(rows)
        .mark_line(point={"size": 28}, strokeWidth=2, color=COLORS["observed"])
        .encode(
            x=alt.X("class_size:O", scale={"domain": order}),
            y=alt.Y("cumulative:Q", title="Cumulative share of records", scale=WHOLE, axis=axis),
            tooltip=[
                alt.Tooltip("class_size:O", title="Group size up to"),
                alt.Tooltip("text:N", title="Share of records"),
            ],
        )
    )
