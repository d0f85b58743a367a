"""What was measured of an event log; each part is kept by what it depends on."""

from core import events
from core.caching import remembered
from core.events import AnonymizedEvents, EventSettings, Release, ReleaseOptions, Rule, TraceRisk
from core.tables import Dataset

measure = remembered(events.measure_events, kept=4)


def audit(
    log: Dataset, settings: EventSettings, rule: Rule, options: ReleaseOptions, *, batch: int
) -> events.EventAudit:
    """Judge an export.

    A limit for traces judges and changes nothing else: the pseudonyms stay those of the export.
    """
    released = Rule(k=rule.k, strategy=rule.strategy, cap=rule.cap)
    return events.judge_events(
        _anonymized(log, settings, rule),
        release=_release(log, settings, released, options, batch=batch),
        traces_before=_traces_before(log, settings),
        traces_after=trace_risk(log, settings, released, options.pseudonym_per),
        rows=_row_risk(log, settings, released, options.pseudonym_per),
    )


def _anonymize(log: Dataset, settings: EventSettings, rule: Rule) -> AnonymizedEvents:
    return events.anonymize_events(measure(log, settings), rule)


def _write(
    log: Dataset, settings: EventSettings, rule: Rule, options: ReleaseOptions, *, batch: int
) -> Release:
    """Write the export; without a seed its pseudonyms are fresh for each `batch`."""
    del batch  # tells exports apart, no more
    return events.release_events(_anonymized(log, settings, rule), options, options.token_source)


def _measure_traces_before(log: Dataset, settings: EventSettings) -> TraceRisk:
    return events.trace_risk(events.original_traces(measure(log, settings)))


def _measure_traces(log: Dataset, settings: EventSettings, rule: Rule, pseudonym_per: str) -> TraceRisk:
    return events.trace_risk(events.released_traces(_anonymized(log, settings, rule), pseudonym_per))


def _measure_rows(log: Dataset, settings: EventSettings, rule: Rule, pseudonym_per: str) -> events.RowRisk:
    return events.row_risk(_anonymized(log, settings, rule), pseudonym_per)


def _compare(log: Dataset, settings: EventSettings, k: int, cap: int | None) -> tuple[events.Outcome, ...]:
    return events.compare_strategies(measure(log, settings), k=k, cap=cap)


def _draw_curve(log: Dataset, settings: EventSettings, cap: int | None) -> tuple[events.Outcome, ...]:
    return events.strategy_curve(measure(log, settings), cap=cap)


_anonymized = remembered(_anonymize, kept=8, in_turn=False)
_release = remembered(_write, kept=4, in_turn=False)
_traces_before = remembered(_measure_traces_before, kept=4, in_turn=False)
trace_risk = remembered(_measure_traces, kept=64, in_turn=False)
_row_risk = remembered(_measure_rows, kept=64, in_turn=False)
outcomes = remembered(_compare, kept=64, in_turn=False)
curve = remembered(_draw_curve, kept=4)
