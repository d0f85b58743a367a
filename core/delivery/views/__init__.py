"""Figures, tables, chart and report of several tables of one delivery."""

from core.delivery.views.picture import attacks_chart, tables_chart
from core.delivery.views.proof import delivery_proof
from core.delivery.views.report import (
    LIMITS,
    MEASURE_KEYS,
    QUESTION,
    TITLE,
    attacks_table,
    delivery_report,
    facts_of_tables,
    figures,
    keys_table,
    known_chart,
    known_table,
    tables_table,
)
