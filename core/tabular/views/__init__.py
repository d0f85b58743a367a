"""Tables, charts, figures, sentences and the report of the tabular verifier."""

from core.tabular.document import run_verdict
from core.tabular.views.charts import class_chart, column_map, figures_chart, figures_chart_of
from core.tabular.views.figures import class_figures, opinion_figures, rule_figures
from core.tabular.views.report import tabular_report
from core.tabular.views.tables import (
    OPINION_TABLES,
    columns_table,
    files_table,
    residual_table,
    run_table,
    skipped_table,
)
from core.tabular.views.words import (
    LIMITS,
    MEASURE_KEYS,
    QUESTION,
    TITLE,
    VerifiedFile,
    checks_line,
    class_note,
    gravest,
    headline,
    log_facts,
    run_counts,
    run_headline,
    verified_file,
)
