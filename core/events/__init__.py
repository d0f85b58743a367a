"""Event logs: every released combination of attributes shared by at least k users, and its cost."""

from core.events.inference import Inference, inference
from core.events.judging import EventAudit, audit_events, judge_events
from core.events.mapping import (
    BUILT_IN_MAPPING,
    EventMapping,
    event_mapping,
    mapping_csv,
    mapping_json,
    read_event_mapping,
)
from core.events.measuring import (
    AnonymizedEvents,
    MeasuredEvents,
    Outcome,
    anonymize_events,
    comparable_outcomes,
    compare_strategies,
    measure_events,
    strategy_curve,
)
from core.events.release import (
    Release,
    Verification,
    export_files,
    release_events,
    release_files,
    release_zip,
    verify_release,
)
from core.events.row_risk import RowRisk, row_risk
from core.events.settings import DEFAULT_LEAVE_OUT, DERIVED_COLUMNS, EventSettings, ReleaseOptions, Rule
from core.events.suggestions import Suggestion, Suggestions, suggest_settings, suggested_mapping
from core.events.trace_risk import TraceRisk, trace_risk
from core.events.traces import original_traces, released_traces
