"""What all charts share: colours with one meaning each, safe field names, and the builders several tools use.

Charts are drawn from aggregates. They carry no theme of their own, so that the page's theme (light or
dark) applies; every colour is readable on both. :func:`for_report` gives a chart the size and theme of a
printed report.
"""

from core.charts.bars import horizontal_bars
from core.charts.class_sizes import class_size_bins, class_size_chart, class_size_table
from core.charts.colors import COLORS, DARK_BACKGROUND, LIGHT_BACKGROUND, TEXT_COLOR, meaning_scale
from core.charts.heatmaps import heatmap
from core.charts.histograms import histogram
from core.charts.layout import HEIGHT, LABEL_LIMIT, PERCENT_LABEL, safe_frame, sized
from core.charts.report_theme import for_report
from core.charts.share_bars import Part, stacked_share_bar, verdict_counts_bar
from core.charts.specifications import Specification
from core.charts.thresholds import threshold_rule

__all__ = [
    "COLORS",
    "DARK_BACKGROUND",
    "HEIGHT",
    "LABEL_LIMIT",
    "LIGHT_BACKGROUND",
    "PERCENT_LABEL",
    "TEXT_COLOR",
    "Part",
    "Specification",
    "class_size_bins",
    "class_size_chart",
    "class_size_table",
    "for_report",
    "heatmap",
    "histogram",
    "horizontal_bars",
    "meaning_scale",
    "safe_frame",
    "sized",
    "stacked_share_bar",
    "threshold_rule",
    "verdict_counts_bar",
]
