"""Records by the size of their equivalence class, with the threshold k: bins, counts and the chart."""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
import pandas as pd

from core.charts.look import (
    COLORS,
    HEIGHT,
    PERCENT,
    TEXT_COLOR,
    WHOLE,
    Channel,
    Chart,
    Layer,
    chart,
    counts,
    field,
    layer,
    legend,
    threshold,
)
from core.charts.shapes import NumberArray
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
    size: the pair that :attr:`core.equivalence.EquivalenceClasses.size_histogram` returns.

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
    x_title: str = "Class size (records sharing all quasi-identifiers)",
    y_title: str = "Records",
    share_title: str = "Share of records",
    groups: tuple[str, str] = ("in classes smaller than {k}", "in classes of {k} or more"),
    cumulative: bool = False,
) -> Chart:
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
    x = field("class_size:O", x_title, scale={"domain": order}, axis=labels)
    y = field("n_records:Q", y_title, **counts(table["n_records"].max(), log=log))
    shown = table[table["n_records"] > 0]
    layers = [
        _bars(shown, x, y, [below, above], (y_title, share_title)),
        _counts_below(shown[shown["below_k"]], x),
        *threshold(at, f"k = {k:,}", {**x, "bandPosition": 0}, shift=-2),
    ]
    if not cumulative:
        return chart(*layers, height=HEIGHT)
    both = [{"layer": layers}, _cumulative_line(table, field("class_size:O", scale=x["scale"]))]
    return chart(*both, height=HEIGHT, resolve={"scale": {"y": "independent"}})


def _said_groups(table: pd.DataFrame, groups: tuple[str, str], k: int) -> Iterator[str]:
    """Yield what those below and those at or above the threshold are called, and that there is none."""
    below = table.loc[table["n_records"] > 0, "below_k"]
    for group, has_any in zip(groups, (below.any(), not below.all()), strict=True):
        yield say(text(group, k=k) if has_any else text("{group}: none", group=text(group, k=k)))


def _bars(rows: pd.DataFrame, x: Channel, y: Channel, groups: list[str], titles: tuple[str, str]) -> Layer:
    """Return the bars; what is below the threshold is red and paler, with a dashed outline."""

    def by_group(below: object, others: object) -> Channel:
        return {"condition": {"test": "datum.below_k", "value": below}, "value": others}

    colors = [COLORS["FAIL"], COLORS["neutral"]]
    scale = {"domain": groups, "range": colors}
    return layer(
        rows,
        "bar",
        {"strokeWidth": 2},
        x=x,
        y=y,
        color=field("group:N", scale=scale, legend=legend(symbolStrokeWidth=0)),
        stroke=by_group(*colors),
        fillOpacity=by_group(0.35, 1),
        strokeDash=by_group([4, 3], [1, 0]),
        tooltip=[
            field("class_size:O", "Class size"),
            field("n_records:Q", titles[0], format=","),
            field("share:N", titles[1]),
            field("group:N", "Which is"),
        ],
    )


def _counts_below(rows: pd.DataFrame, x: Channel) -> Layer:
    """Return the numbers written above the bars below the threshold, where the bars are wide enough."""
    widest = 7 * max((len(f"{n:,}") for n in rows["n_records"]), default=0)  # pixels
    looks = {"color": TEXT_COLOR, "baseline": "bottom", "dy": -3, "fontSize": 11}
    looks["opacity"] = {"expr": f"bandwidth('x') < {widest} ? 0 : 1"}
    return layer(rows, "text", looks, x=x, y=field("n_records:Q"), text=field("n_records:Q", format=","))


def _cumulative_line(table: pd.DataFrame, x: Channel) -> Layer:
    shares = np.clip(np.cumsum(table["records_share"].to_numpy()), 0, 1)
    rows = pd.DataFrame({"class_size": table["class_size"], "cumulative": shares})
    rows["text"] = [say(percent(share)) for share in shares]
    axis = {**PERCENT, "orient": "right", "grid": False}
    return layer(
        rows,
        "line",
        {"point": {"size": 28}, "strokeWidth": 2, "color": COLORS["observed"]},
        x=x,
        y=field("cumulative:Q", "Cumulative share of records", scale=WHOLE, axis=axis),
        tooltip=[field("class_size:O", "Class size up to"), field("text:N", "Share of records")],
    )
