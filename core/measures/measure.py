"""The definition of one figure."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Unit = Literal[
    "records",
    "cells",
    "classes",
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


@dataclass(frozen=True, kw_only=True)
class Measure:
    """What a figure means, stated once and shown wherever the figure is."""

    # name of the figure in results, JSON and code: ``n_…`` counts, ``…_share`` and ``…_risk`` in [0, 1],
    # ``…_seconds``
    key: str
    label: str  # name on screen, in plain words
    unit: Unit  # what is counted; ``share`` and ``risk`` are shown as percent
    lower: float | None = 0.0  # smallest and largest possible value; None for no bound
    upper: float | None = None
    better: Literal["higher", "lower", "neither"]  # which direction protects people better, or ``neither``
    definition: str  # one or two sentences with the numerator and the denominator
    source: str  # Paper, standard, or "AnonAudit" where the definition is ours
