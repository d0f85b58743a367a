"""Charts as plain Vega-Lite specifications, for those that a slider draws again."""

from __future__ import annotations

import copy
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import altair as alt


@dataclass(frozen=True, eq=False)
class Specification:
    """A chart as its Vega-Lite specification, for charts that a slider draws again.

    Altair's objects check every part against the whole schema: that takes longer than all else between a
    slider and its chart.
    """

    content: Mapping[str, object]  # Top-level specification; data under ``datasets``, rows of plain values

    def to_dict(self) -> dict[str, object]:
        """Return the specification as a copy of its own, as Altair's charts do."""
        return copy.deepcopy(dict(self.content))


def specification(
    layers: Sequence[Mapping[str, object]], datasets: Mapping[str, object], *, height: int
) -> Specification:
    """Return layers over named datasets as a chart as wide as what it stands in."""
    return Specification(
        {
            "$schema": alt.SCHEMA_URL,
            "layer": list(layers),
            "datasets": dict(datasets),
            "width": "container",
            "height": height,
            "autosize": {"type": "fit-x", "contains": "padding"},
        }
    )
