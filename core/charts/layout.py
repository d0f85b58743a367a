"""What places a chart on a page: its height and width, safe field names, room for labels, percent."""

from __future__ import annotations

from typing import cast

import altair as alt
import pandas as pd

HEIGHT = 280

LABEL_LIMIT = 240
PERCENT_LABEL = "format(100 * datum.value, '.3~g') + ' %'"


def safe_frame(frame: pd.DataFrame) -> tuple[pd.DataFrame, dict[str, str]]:
    """Rename the columns to c0, c1, … so that no name is read as an expression.

    Altair and Vega read ``a.b``, ``x[0]`` and ``q:Q`` as paths and types and then draw wrong or empty
    charts without an error. Plot the returned frame and give each axis its title.
    """
    titles = {f"c{position}": str(name) for position, name in enumerate(frame.columns)}
    return frame.set_axis(list(titles), axis=1), titles


def sized(chart: alt.LayerChart, height: int) -> alt.LayerChart:
    """Give a chart its height, that of the plot alone, and the width of what it stands in."""
    # Streamlit would otherwise fit axes and legend into the height, and leave small plots none.
    fit = alt.AutoSizeParams(type="fit-x", contains="padding")
    return cast("alt.LayerChart", chart.properties(width="container", height=height, autosize=fit))
