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
    """What a figure means, stated once and shown wherever the figure is.

    Attributes
    ----------
    key
        Name of the figure in results, JSON and code: ``n_…`` counts, ``…_share`` and ``…_risk``
        in [0, 1], ``…_seconds``.
    label
        Name on screen, in plain words.
    unit
        What is counted; ``share`` and ``risk`` are shown as percent.
    lower, upper
        Smallest and largest possible value; None for no bound.
    better
        Which direction protects people better, or ``neither``.
    definition
        One or two sentences with the numerator and the denominator.
    source
        Paper, standard, or "AnonAudit" where the definition is ours.
    """

    key: str
    label: str
    unit: Unit
    lower: float | None = 0.0
    upper: float | None = None
    better: Literal["higher", "lower", "neither"]
    definition: str
    source: str
