"""Figures, tables, charts and the report of row leakage."""

from core.leakage.views.charts import leakage_charts
from core.leakage.views.figures import (
    MEASURE_KEYS,
    attack_figures,
    found_figures,
    further_figures,
    moved_figures,
    nearest_figures,
    row_figures,
    usual_figures,
)
from core.leakage.views.report import (
    ATTACKS_NOTE,
    LIMITS,
    QUESTION,
    TITLE,
    comparison_note,
    leakage_report,
    nearest_note,
)
from core.leakage.views.tables import (
    ATTACK_UNITS,
    COLUMN_UNITS,
    N_WORST_ROWS,
    ROW_UNITS,
    attacks_table,
    columns_table,
    distances_table,
    row_counts_csv,
    row_values_table,
    worst_rows_table,
)

__all__ = [
    "ATTACKS_NOTE",
    "ATTACK_UNITS",
    "COLUMN_UNITS",
    "LIMITS",
    "MEASURE_KEYS",
    "N_WORST_ROWS",
    "QUESTION",
    "ROW_UNITS",
    "TITLE",
    "attack_figures",
    "attacks_table",
    "columns_table",
    "comparison_note",
    "distances_table",
    "found_figures",
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
