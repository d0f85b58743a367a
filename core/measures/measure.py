"""The definition of a figure, and how its values are written."""

import math
from dataclasses import dataclass
from typing import Literal

Unit = Literal[
    "records",
    "cells",
    "groups",
    "columns",
    "users",
    "events",
    "sites",
    "values",
    "share",
    "risk",
    "bits",
    "number",
]


@dataclass(frozen=True)
class Measure:
    """What a figure means, stated once and shown wherever the figure is."""

    # name of the figure in results, JSON and code: ``n_…`` counts, ``…_share`` and ``…_risk`` in [0, 1]
    key: str
    label: str  # name on screen, in plain words
    unit: Unit  # what is counted; ``share`` and ``risk`` are shown as percent
    better: Literal["higher", "lower", "neither"]  # which direction protects people better, or ``neither``
    source: str  # paper or standard; ours is AnonAudit
    lower: float | None  # smallest possible value; None for no bound
    upper: float | None  # largest possible value; 1 for shares and risks
    definition: str  # one or two sentences with the numerator and the denominator

    def __post_init__(self) -> None:
        if self.unit in ("share", "risk"):
            object.__setattr__(self, "upper", 1)


_NOT_ASSESSED_TEXT = "not assessed"

_SMALLEST_SHARE = 0.001
_COUNTED = frozenset({"records", "cells", "groups", "columns", "users", "events", "sites", "values"})


def format_number(unit: Unit, value: float | None) -> str:
    """Write a number of a unit as text; None and NaN are "not assessed", never 0.

    Shares and risks become percent with one decimal. Rounding never turns something into nothing or a part
    into the whole. Whole numbers are exact; a number with decimals keeps three, and one below 0.001 says so.

    >>> format_number("share", 0.12345), format_number("share", 0.0001), format_number("share", 0)
    ('12.3 %', '< 0.1 %', '0 %')
    >>> format_number("records", 1234567), format_number("number", 2.5), format_number("risk", None)
    ('1,234,567', '2.500', 'not assessed')
    """
    if value is None or math.isnan(value):
        return _NOT_ASSESSED_TEXT
    value = float(value) if isinstance(value, float) else value  # a NumPy scalar would warn
    if math.isinf(value):
        return "infinite" if value > 0 else "minus infinite"
    if unit in ("share", "risk"):
        if value in (0, 1):
            return f"{value:.0%}".replace("%", " %")
        if abs(value) < _SMALLEST_SHARE:
            return "< 0.1 %" if value > 0 else "> -0.1 %"
        return "> 99.9 %" if 1 - _SMALLEST_SHARE < value < 1 else f"{100 * value:,.1f} %"
    return _number(value, decimals=2 if unit in _COUNTED else 3)


def _number(value: float, *, decimals: int) -> str:
    if value == int(value):
        return f"{int(value):,}"
    smallest = 10**-decimals
    if abs(value) < smallest:
        return f"< {smallest:.{decimals}f}" if value > 0 else f"> -{smallest:.{decimals}f}"
    return f"{value:,.{decimals}f}"
