"""Figures, tables, charts and the report of row leakage."""

from core.leakage.views.report import (
    ATTACKS_NOTE,
    DISTANCES_NOTE,
    LIMITS,
    MEASURE_KEYS,
    QUESTION,
    TITLE,
    attack_figures,
    comparison_note,
    found_figures,
    further_figures,
    leakage_report,
    moved_figures,
    nearest_figures,
    nearest_note,
    row_figures,
    usual_figures,
)
from core.leakage.views.tables import (
    ATTACK_COLUMNS,
    CELL_COLUMNS,
    COLUMN_COLUMNS,
    DISTANCE_COLUMNS,
    ROW_COLUMNS,
    attacks_table,
    columns_table,
    distances_table,
    leakage_charts,
    row_counts_csv,
    row_values_table,
    worst_rows_table,
)
