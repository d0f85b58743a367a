"""Colours with one meaning each, the same on every page, readable on light and dark."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType

import altair as alt

COLORS: Mapping[str, str] = MappingProxyType(
    {
        "PASS": "#009E73",
        "WARN": "#B98300",
        "NOT_ASSESSED": "#7C8494",
        "FAIL": "#C93A22",
        "original": "#1F6DB0",
        "anonymized": "#D2679A",
        "observed": "#5B6BD6",
        "chance": "#8C8370",
        "kept": "#2A8C9E",
        "generalized": "#A88A1E",
        "removed": "#A2556B",
        "neutral": "#6F7F95",
        "threshold": "#9A5BD0",
    }
)
"""Meaning → colour, the same on every page. Each has a contrast of at least 3:1 against the light and the
dark background; within a group (the four verdicts, original and anonymized, observed and chance, kept,
generalized and removed) the colours stay apart for colour-blind readers."""

LIGHT_BACKGROUND = "#ffffff"
DARK_BACKGROUND = "#0e1117"
TEXT_COLOR = "#727B8A"  # marks of type text: the one grey readable on both backgrounds


def meaning_scale(meanings: Sequence[str]) -> alt.Scale:
    """Return the colour scale that gives each meaning of :data:`COLORS` its one colour."""
    return alt.Scale(domain=list(meanings), range=[COLORS[meaning] for meaning in meanings])
