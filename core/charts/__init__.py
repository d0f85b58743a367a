"""What all charts share: colours with one meaning each, safe field names, and the builders several tools use.

Charts are drawn from aggregates. They carry no theme of their own, so that the page's theme (light or
dark) applies; every colour is readable on both. :func:`for_report` gives a chart the size and theme of a
printed report.
"""

from core.charts.class_sizes import class_size_bins, class_size_chart, class_size_table
from core.charts.look import (
    COLORS,
    HEIGHT,
    LABEL_LIMIT,
    PERCENT_LABEL,
    TEXT_COLOR,
    Specification,
    for_report,
    legend_columns,
    meaning_scale,
    number_locale,
    safe_frame,
    sized,
    threshold_rule,
    title_lines,
)
from core.charts.shapes import Part, heatmap, histogram, horizontal_bars, stacked_share_bar
