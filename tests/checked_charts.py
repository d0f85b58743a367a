"""Charts as Vega-Lite, held against its schema, which pages and reports leave out."""

from typing import Any

from core.charts import alt, vega_lite


def checked(chart: "alt.LayerChart") -> dict[str, Any]:
    """Return a chart as Vega-Lite with its rows; raise where the schema does not allow it."""
    return vega_lite(chart, validate=True)
