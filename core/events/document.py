"""An audit of an event log as one JSON document."""

import json

from core.events.judging import EventAudit
from core.events.mapping import BUILT_IN_MAPPING
from core.events.trace_risk import Share, TraceRisk
from core.plain import plain_fields
from core.settings_form import option_words, settings_document


def events_document(audit: EventAudit) -> dict[str, object]:
    """Return what ``python -m core events --json`` prints; shares in [0, 1], null for not assessed."""
    anonymized, options = audit.anonymized, audit.release.options
    return {
        "tool": "events",
        **plain_fields(audit, "verdict", "trace_verdict", "whole_trace_verdict", "rows_verdict", "overall"),
        **plain_fields(anonymized.rule, "k", "cap", "strategy"),
        "columns": list(anonymized.stages.columns),
        "flattening": anonymized.flattening,
        "flatten_steps": list(anonymized.stages.steps),
        "pseudonym_per": options.pseudonym_per,
        "user_ids_kept": options.keep_user_ids,
        **_reading(audit),
        **event_figures(audit),
        "k_reached": audit.release.verification.k_reached,
        "combinations_after": audit.release.verification.n_combinations,
        "users_standing_out": audit.rows.n_standing_out,
        **_trace_figures(audit),
        "diversity": _diversity_figures(audit),
        "unmapped_events": audit.measured.log.unmapped,
        "findings": [finding.document() for finding in audit.findings],
        "settings": settings_document(audit.measured.log.settings, anonymized.rule, options),
    }


def _reading(audit: EventAudit) -> dict[str, object]:
    settings = audit.measured.log.settings
    return {
        **plain_fields(settings, "user_column", "time_column", "event_column", "found_columns"),
        "time_format": audit.measured.log.time_format,
        "near_equal_users": settings.near_equal_users,
        "any_value": settings.any_value,
    }


def event_figures(audit: EventAudit) -> dict[str, float | None]:
    """Return the figures of an audit by measure: shares in [0, 1], None for not assessed."""
    measured, reduced, rows = audit.measured, audit.anonymized.reduced, audit.rows
    return {
        "users_total": measured.log.n_users,
        "users_after_cleanup": measured.n_users_after_cleanup,
        "users_after": reduced.n_users,
        "events_total": measured.log.n_events_in_file,
        "events_after_cleanup": measured.n_events_after_cleanup,
        "events_after": reduced.n_events,
        "events_flattened_kept": reduced.n_events_flattened,
        "events_capped": reduced.n_events_capped,
        "cells_generalized": reduced.n_cells_generalized,
        "penalty_share": reduced.penalty_share,
        "whole_log_penalty_share": audit.whole_log_penalty_share,
        "smallest_combination": audit.release.verification.smallest,
        "number_unique_share": rows.share(rows.n_alone_by_number),
        "number_below_k_share": rows.share(rows.n_below_k_by_number),
        "multiset_unique_share": rows.share(rows.n_unique_multiset),
        "sequence_unique_share": rows.share(rows.n_unique_sequence),
        "whole_trace_unique_share": audit.traces_after.whole_trace,
    }


def _trace_figures(audit: EventAudit) -> dict[str, object]:
    before, after = audit.traces_before, audit.traces_after
    return {
        "trace_unique_share": _values(after),
        "trace_unique_interval": {
            str(known.n_known): _interval(known.singled_out) for known in after.by_known
        },
        "trace_random_share": {
            str(known.n_known): known.random.value if known.random else None for known in after.by_known
        },
        "trace_unique_share_before": _values(before),
        "whole_trace_unique_share_before": before.whole_trace,
    }


def _diversity_figures(audit: EventAudit) -> dict[str, object] | None:
    diversity = audit.diversity
    if diversity is None:
        return None
    return {
        "attribute": diversity.attribute,
        "uniform_combinations": diversity.n_uniform,
        "dominated_combinations": diversity.n_dominated,
        **plain_fields(diversity, "distinct_l", "entropy_l", "t"),
    }


def _values(traces: TraceRisk) -> dict[str, float | None]:
    return {
        str(known.n_known): known.singled_out.value if known.singled_out else None
        for known in traces.by_known
    }


def _interval(share: Share | None) -> list[float] | None:
    return None if share is None or share.is_exact else [share.lower, share.upper]


def events_arguments(audit: EventAudit, file: str) -> tuple[str, ...]:
    """Return the words that repeat the audit; a seed of pseudonyms, which only the person has, by name."""
    settings, options = audit.measured.log.settings, audit.release.options
    mapping = json.dumps(dict(settings.mapping.pairs), ensure_ascii=False)
    return (
        file,
        *option_words(settings, left_out=("mapping", *settings.found_columns)),
        *option_words(audit.anonymized.rule),
        *option_words(options, left_out=("pseudonym_seed",)),
        *([] if settings.leave_out else ["--leave-out-none"]),
        *([] if settings.mapping == BUILT_IN_MAPPING else ["--mapping", mapping]),
        *([] if options.pseudonym_seed is None else ["--pseudonym-seed", "SEED"]),
    )
