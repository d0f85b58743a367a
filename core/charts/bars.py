"""One bar per row, each with what to compare it with."""

from __future__ import annotations

from collections.abc import Mapping

import pandas as pd

from core.charts.colors import COLORS
from core.charts.layout import LABEL_LIMIT, PERCENT_LABEL, safe_frame
from core.charts.specifications import Specification, specification
from core.charts.thresholds import rule_layers
from core.measures.formatting import format_number
from core.measures.measure import Unit


def horizontal_bars(
    frame: pd.DataFrame,
    *,
    label: str,
    value: str,
    reference: str | None = None,
    unit: Unit = "share",
    value_title: str,
    label_title: str,
    meaning: str = "observed",
    reference_meaning: str = "chance",
    rule: float | None = None,
    rule_label: str = "",
) -> Specification:
    """Draw one bar per row, in the order of the frame, with a tick for what to compare it with.

    Parameters
    ----------
    frame
        One row per bar. Any column names; labels are unique; a missing value draws no bar.
    label, value, reference
        Columns: text of the bar, its length, and the length of the reference tick.
    unit
        ``share`` and ``risk`` get a percent axis from 0 to 100 %.
    value_title, label_title
        Axis titles with units.
    meaning, reference_meaning
        What the colours mean, keys of :data:`COLORS`; both appear in the legend.
    rule, rule_label
        Where to draw a dashed threshold, and its name.
    """
    columns = [label, value] if reference is None else [label, value, reference]
    table, _ = safe_frame(frame[columns])
    meanings = (meaning,) if reference is None else (meaning, reference_meaning)
    scale = {"domain": list(meanings), "range": [COLORS[each] for each in meanings]}
    legend = None if reference is None else {"title": None, "orient": "top", "columns": 1, "symbolOpacity": 1}
    y: dict[str, object] = {"field": "c0", "type": "nominal", "sort": None, "title": label_title}
    y["axis"] = {"labelLimit": LABEL_LIMIT}
    bars = {
        "data": {"name": "bars"},
        "mark": {"type": "bar", "height": {"band": 0.55}},
        "encoding": {
            "y": y,
            "x": {"field": "c1", "type": "quantitative", "title": value_title, **_value_axis(unit)},
            "color": {"field": "series", "type": "nominal", "scale": scale, "legend": legend},
            "tooltip": _tooltips(label_title, value_title),
        },
    }
    layers: list[Mapping[str, object]] = [bars]
    datasets: dict[str, object] = {"bars": _bar_rows(table, "c1", meaning, unit)}
    if reference is not None:
        layers.append(_reference_ticks(y, reference_meaning))
        datasets["reference"] = _bar_rows(table, "c2", reference_meaning, unit)
    if rule is not None:
        layers.extend(rule_layers("rule", {"field": "at", "type": "quantitative"}))
        datasets["rule"] = [{"at": rule, "label": rule_label}]
    return specification(layers, datasets, height=max(80, 26 * len(table) + 10))


def _bar_rows(table: pd.DataFrame, column: str, meaning: str, unit: Unit) -> list[dict[str, object]]:
    """Return a row per bar or tick; None where there is no value, so that nothing is drawn."""
    return [
        {
            "c0": label,
            column: None if pd.isna(number) else float(number),
            "series": meaning,
            "text": format_number(unit, number),
        }
        for label, number in zip(table["c0"], table[column], strict=True)
    ]


def _tooltips(label_title: str, value_title: str) -> list[dict[str, object]]:
    return [
        {"field": "c0", "type": "nominal", "title": label_title},
        {"field": "text", "type": "nominal", "title": value_title},
    ]


def _value_axis(unit: Unit) -> dict[str, object]:
    if unit in ("share", "risk"):
        return {
            "axis": {"labelExpr": PERCENT_LABEL, "grid": True},
            "scale": {"domain": [0, 1], "nice": False},
        }
    return {"axis": {"format": ","}}


def _reference_ticks(y: Mapping[str, object], meaning: str) -> dict[str, object]:
    return {
        "data": {"name": "reference"},
        "mark": {"type": "tick", "thickness": 4, "bandSize": 22},
        "encoding": {
            "y": dict(y),
            "x": {"field": "c2", "type": "quantitative"},
            "color": {"field": "series", "type": "nominal"},
            "tooltip": _tooltips("Compared with", meaning),
        },
    }
