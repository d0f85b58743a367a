"""Figures, tables, charts and the report of row leakage."""

from core.leakage.views.proof import leakage_proof
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
    headline_figures,
    leakage_report,
    moved_figures,
    nearest_figures,
    nearest_note,
    row_figures,
    rows_report,
    usual_figures,
)
from core.leakage.views.tables import (
    attacks_table,
    columns_table,
    distances_table,
    evidence_tables,
    leakage_charts,
    leaked_rows_chart,
    leaked_rows_table,
    row_counts_csv,
    row_values_table,
    worst_rows_table,
)
