"""Tables, charts and the report of the event-log anonymizer."""

from core.events.views.report import (
    CROSSINGS,
    LIMITS,
    MEASURE_KEYS,
    QUESTION,
    TITLE,
    cross_figures,
    curve_figure,
    events_report,
    figures,
    group_figures,
    headline,
    loss_figure,
    page_figures,
    recommended_way,
    risk_figures,
    stage_figure,
    told_in_headline,
    trace_figure,
    way_of_events,
)
from core.events.views.tables import (
    comparison_table,
    diversity_table,
    preview_table,
    row_table,
    scope_table,
    step_table,
    suggestion_table,
    trace_table,
    unmapped_table,
)
