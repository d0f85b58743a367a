"""Figures, tables, charts and the report of row leakage."""

from core.leakage_views.charts import leakage_charts
from core.leakage_views.figures import (
    MEASURE_KEYS,
    further_figures,
    moved_figures,
    nearest_figures,
    row_figures,
    usual_figures,
)
from core.leakage_views.report import (
    LIMITS,
    QUESTION,
    TITLE,
    comparison_note,
    leakage_report,
    nearest_note,
)
from core.leakage_views.tables import (
    COLUMN_UNITS,
    N_WORST_ROWS,
    ROW_UNITS,
    columns_table,
    distances_table,
    row_counts_csv,
    row_values_table,
    worst_rows_table,
)

__all__ = [
    "COLUMN_UNITS",
    "LIMITS",
    "MEASURE_KEYS",
    "N_WORST_ROWS",
    "QUESTION",
    "ROW_UNITS",
    "TITLE",
    "columns_table",
    "comparison_note",
    "distances_table",
    "further_figures",
    "leakage_charts",
    "leakage_report",
    "moved_figures",
    "nearest_figures",
    "nearest_note",
    "row_counts_csv",
    "row_figures",
    "row_values_table",
    "usual_figures",
    "worst_rows_table",
]
