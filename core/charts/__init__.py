"""What all charts share: colours with one meaning each, how one is made and shown, and common ones.

Charts are drawn from aggregates. They carry no theme of their own, so that the page's theme (light or
dark) applies; every colour is readable on both. :func:`for_report` gives a chart the size and theme of a
printed report.
"""

from core.charts.class_sizes import class_size_bins, class_size_chart, class_size_table
from core.charts.lazy_altair import alt
from core.charts.look import (
    COLORS,
    HEIGHT,
    NAMES,
    PERCENT,
    TEXT_COLOR,
    WHOLE,
    counts,
    described,
    for_report,
    layered,
    legend,
    meaning,
    number_locale,
    on_page,
    one_bar,
    places,
    threshold,
    vega_lite,
)
from core.charts.shapes import Part, heatmap, histogram, horizontal_bars, shades, stacked_share_bar
