"""Records by the size of their equivalence class, with the threshold k: bins, counts and the chart."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
import pandas as pd

from core.charts.look import (
    COLORS,
    HEIGHT,
    LABEL_LIMIT,
    PERCENT_LABEL,
    TEXT_COLOR,
    Specification,
    rule_layers,
    specification,
    title_lines,
)
from core.charts.shapes import NumberArray
from core.words import percent, say, text

_CLASS_SIZE_TITLE = "Class size (records sharing all quasi-identifiers)"
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
    x_title: str = _CLASS_SIZE_TITLE,
    y_title: str = "Records",
    share_title: str = "Share of records",
    groups: tuple[str, str] = ("in classes smaller than {k}", "in classes of {k} or more"),
    cumulative: bool = False,
) -> Specification:
    """Draw the records by the size of their equivalence class, with the threshold k as a dashed line.

    `groups` names those below and those at or above the threshold.
    """
    table = class_size_table(sizes, records, k)
    below, above = _said_groups(table, groups, k)
    table["group"] = np.where(table["below_k"], below, above)
    table["share"] = [say(percent(share)) for share in table["records_share"]]
    order = [str(label) for label in table["class_size"]]
    x = {
        "field": "class_size",
        "type": "ordinal",
        "title": title_lines(say(x_title)),
        "scale": {"domain": order},
        "axis": {"labelAngle": 0, "labelOverlap": "greedy", "labelSeparation": 4, "labelLimit": LABEL_LIMIT},
    }
    y = {"field": "n_records", "type": "quantitative", "title": say(y_title)}
    axis = _count_axis(int(table["n_records"].max()), log=log)
    layers = [
        _bars(x, {**y, **axis}, [below, above], say(share_title)),
        _counts_below(x),
        *rule_layers("limit", {**x, "bandPosition": 0}, offset=-2),
    ]
    at = order[int(np.argmax(~table["below_k"].to_numpy()))]
    datasets: dict[str, object] = {
        "classes": _rows(table[table["n_records"] > 0]),
        "limit": [{"class_size": at, "label": f"k = {k:,}"}],
    }
    if not cumulative:
        return specification(layers, datasets, height=HEIGHT)
    datasets["cumulative"] = _cumulative_rows(table)
    both = specification([{"layer": layers}, _cumulative_line(x)], datasets, height=HEIGHT)
    return Specification({**both.content, "resolve": {"scale": {"y": "independent"}}})


def _said_groups(table: pd.DataFrame, groups: tuple[str, str], k: int) -> Iterator[str]:
    """Yield what those below and those at or above the threshold are called, and that there is none."""
    below = table.loc[table["n_records"] > 0, "below_k"]
    for group, has_any in zip(groups, (below.any(), not below.all()), strict=True):
        yield say(text(group, k=k) if has_any else text("{group}: none", group=text(group, k=k)))


def _rows(table: pd.DataFrame) -> list[dict[str, object]]:
    return [{str(name): value for name, value in row.items()} for row in table.to_dict(orient="records")]


def _bars(
    x: Mapping[str, object], y: Mapping[str, object], groups: Sequence[str], share_title: str
) -> dict[str, object]:
    """Return the bars; what is below the threshold is red and paler, with a dashed outline."""

    def by_group(below: object, others: object) -> dict[str, object]:
        return {
            "condition": {"test": {"field": "group", "equal": groups[0]}, "value": below},
            "value": others,
        }

    colors = [COLORS["FAIL"], COLORS["neutral"]]
    legend = {
        "title": None,
        "orient": "top",
        "columns": 1,
        "labelLimit": 0,
        "symbolStrokeWidth": 0,
        "symbolOpacity": 1,
    }
    return {
        "data": {"name": "classes"},
        "mark": {"type": "bar", "strokeWidth": 2},
        "encoding": {
            "x": dict(x),
            "y": dict(y),
            "color": {
                "field": "group",
                "type": "nominal",
                "scale": {"domain": list(groups), "range": colors},
                "legend": legend,
            },
            "stroke": by_group(*colors),
            "fillOpacity": by_group(0.35, 1),
            "strokeDash": by_group([4, 3], [1, 0]),
            "tooltip": [
                {"field": "class_size", "type": "ordinal", "title": say("Class size")},
                {"field": "n_records", "type": "quantitative", "title": y["title"], "format": ","},
                {"field": "share", "type": "nominal", "title": share_title},
                {"field": "group", "type": "nominal", "title": say("Which is")},
            ],
        },
    }


def _counts_below(x: Mapping[str, object]) -> dict[str, object]:
    """Return the numbers written above the bars below the threshold."""
    return {
        "data": {"name": "classes"},
        "mark": {"type": "text", "color": TEXT_COLOR, "baseline": "bottom", "dy": -3, "fontSize": 11},
        "encoding": {
            "x": dict(x),
            "y": {"field": "n_records", "type": "quantitative"},
            "text": {
                "condition": {
                    "test": "datum.below_k",
                    "field": "n_records",
                    "type": "quantitative",
                    "format": ",",
                },
                "value": "",
            },
        },
    }


def _cumulative_rows(table: pd.DataFrame) -> list[dict[str, object]]:
    shares = np.clip(np.cumsum(table["records_share"].to_numpy()), 0, 1).tolist()
    return [
        {"class_size": str(label), "cumulative": share, "text": say(percent(share))}
        for label, share in zip(table["class_size"], shares, strict=True)
    ]


def _cumulative_line(x: Mapping[str, object]) -> dict[str, object]:
    return {
        "data": {"name": "cumulative"},
        "mark": {"type": "line", "point": {"size": 28}, "strokeWidth": 2, "color": COLORS["observed"]},
        "encoding": {
            "x": {name: x[name] for name in ("field", "type", "scale")},
            "y": {
                "field": "cumulative",
                "type": "quantitative",
                "title": say("Cumulative share of records"),
                "scale": {"domain": [0, 1]},
                "axis": {"labelExpr": PERCENT_LABEL, "orient": "right", "grid": False},
            },
            "tooltip": [
                {"field": "class_size", "type": "ordinal", "title": say("Class size up to")},
                {"field": "text", "type": "nominal", "title": say("Share of records")},
            ],
        },
    }


def _count_axis(largest: int, *, log: bool) -> dict[str, object]:
    """Return scale and axis of a count; the logarithmic one keeps 0 and labels powers of ten."""
    if not log:
        return {"axis": {"format": ",d", "tickMinStep": 1}}
    powers = [10**power for power in range(len(str(max(largest, 1))) + 1)]
    return {
        "scale": {"type": "symlog", "domain": [0, max(largest, 1)]},
        "axis": {"format": ",d", "values": [0, *(power for power in powers if power <= largest)]},
    }
