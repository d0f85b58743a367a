"""Event logs: every released combination of attributes shared by at least k users, and its cost."""

from core.events.anonymization import (
    AnonymizedEvents,
    MeasuredEvents,
    Outcome,
    anonymize_events,
    comparable_outcomes,
    compare_strategies,
    measure_events,
    strategy_curve,
)
from core.events.audit import EventAudit, audit_events, judge_events
from core.events.mapping import (
    BUILT_IN_MAPPING,
    EventMapping,
    event_mapping,
    mapping_csv,
    mapping_json,
    read_event_mapping,
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
from core.events.settings import (
    DEFAULT_LEAVE_OUT,
    DERIVED_COLUMNS,
    EventSettings,
    ReleaseOptions,
    Rule,
)
from core.events.suggestion import Suggestion, Suggestions, suggest_settings, suggested_mapping
from core.events.trace_risk import TraceRisk, trace_risk
from core.events.traces import original_traces, released_traces

__all__ = [
    "BUILT_IN_MAPPING",
    "DEFAULT_LEAVE_OUT",
    "DERIVED_COLUMNS",
    "AnonymizedEvents",
    "EventAudit",
    "EventMapping",
    "EventSettings",
    "MeasuredEvents",
    "Outcome",
    "Release",
    "ReleaseOptions",
    "RowRisk",
    "Rule",
    "Suggestion",
    "Suggestions",
    "TraceRisk",
    "Verification",
    "anonymize_events",
    "audit_events",
    "comparable_outcomes",
    "compare_strategies",
    "event_mapping",
    "export_files",
    "judge_events",
    "mapping_csv",
    "mapping_json",
    "measure_events",
    "original_traces",
    "read_event_mapping",
    "release_events",
    "release_files",
    "release_zip",
    "released_traces",
    "row_risk",
    "strategy_curve",
    "suggest_settings",
    "suggested_mapping",
    "trace_risk",
    "verify_release",
]
