"""Tables, charts, sentences and the report of the disclosure-risk tool."""

from core.risk import option_for, suda_note, what_if_note
from core.risk.views.charts import class_chart, contribution_chart, people_chart, risk_bars, suda_chart
from core.risk.views.proof import risk_proof
from core.risk.views.report import (
    Intruder,
    against_population,
    class_figures,
    comparison_figures,
    headline_figures,
    intruders,
    intruders_table,
    models_note,
    origin_facts,
    risk_report,
    sensitive_figures,
)
from core.risk.views.tables import (
    LIMITS,
    MEASURE_KEYS,
    QUESTION,
    ROLE_COLUMNS,
    TITLE,
    changes_table,
    class_size_shares,
    columns_table,
    columns_the_other_lacks,
    disclosure_table,
    evidence_tables,
    gravest,
    headline,
    roles_note,
    roles_table,
    sets_note,
    sets_table,
    side_by_side_table,
    suda_columns_table,
    suda_records_table,
    unchosen_note,
    unchosen_sets_table,
    worst_classes_table,
)
from core.risk.views.what_if import (
    frontier_chart,
    lattice_chart,
    option_columns_table,
    option_labels,
    options_table,
    released_note,
    suppression_table,
)
