"""What all charts share: colours with one meaning each, the parts of a chart, and what several tools draw.

Charts are drawn from aggregates. They carry no theme of their own, so that the page's theme (light or
dark) applies; every colour is readable on both. :func:`for_report` gives a chart the size and theme of a
printed report.
"""

from core.charts.class_sizes import class_size_bins, class_size_chart, class_size_table
from core.charts.look import (
    COLORS,
    HEIGHT,
    NAMES,
    PERCENT,
    TEXT_COLOR,
    WHOLE,
    Channel,
    Chart,
    Layer,
    chart,
    counts,
    field,
    for_report,
    layer,
    legend,
    meaning,
    number_locale,
    places,
    threshold,
)
from core.charts.shapes import Part, heatmap, histogram, horizontal_bars, shades, stacked_share_bar
