"""What was measured of an event log; each part is kept by what it depends on."""

from collections.abc import Sequence

from core import events
from core.events import AnonymizedEvents, EventSettings, Release, ReleaseOptions, Rule, TraceRisk
from core.events.earlier import beside_earlier
from core.releases import EarlierTable, Ledger
from core.tables import Dataset
from core.web.caching import remembered

measure = remembered(kept=4)(events.measure_events)


def audit(
    log: Dataset,
    settings: EventSettings,
    rule: Rule,
    options: ReleaseOptions,
    *,
    batch: int,
    earlier: Sequence[EarlierTable | Ledger] = (),
) -> events.EventAudit:
    """Judge an export.

    A limit for traces judges and changes nothing else: the pseudonyms stay those of the export.
    """
    released = Rule(k=rule.k, strategy=rule.strategy, cap=rule.cap)
    anonymized = _anonymized(log, settings, rule)
    release = _release(log, settings, released, options, batch=batch)
    return events.judge_events(
        anonymized,
        release=release,
        traces_before=_traces_before(log, settings, released.k),
        traces_after=trace_risk(log, settings, released, options.pseudonym_per),
        rows=_row_risk(log, settings, released, options.pseudonym_per),
        inferred=_inferred(log, settings, released, options.pseudonym_per),
        releases=beside_earlier(anonymized, release, earlier),
    )


@remembered(kept=8, in_turn=False)
def _anonymized(log: Dataset, settings: EventSettings, rule: Rule) -> AnonymizedEvents:
    return events.anonymize_events(measure(log, settings), rule)


@remembered(kept=4, in_turn=False)
def _release(
    log: Dataset, settings: EventSettings, rule: Rule, options: ReleaseOptions, *, batch: int
) -> Release:
    """Write the export; without a seed its pseudonyms are fresh for each `batch`."""
    del batch  # tells exports apart, no more
    return events.release_events(_anonymized(log, settings, rule), options, options.token_source)


@remembered(kept=16, in_turn=False)
def _traces_before(log: Dataset, settings: EventSettings, k: int) -> TraceRisk:
    return events.trace_risk(events.original_traces(measure(log, settings)), k=k)


@remembered(kept=64, in_turn=False)
def trace_risk(log: Dataset, settings: EventSettings, rule: Rule, pseudonym_per: str) -> TraceRisk:
    """Measure trace risk of an export."""
    return events.trace_risk(
        events.released_traces(_anonymized(log, settings, rule), pseudonym_per), k=rule.k
    )


@remembered(kept=64, in_turn=False)
def _row_risk(log: Dataset, settings: EventSettings, rule: Rule, pseudonym_per: str) -> events.RowRisk:
    return events.row_risk(_anonymized(log, settings, rule), pseudonym_per)


@remembered(kept=64, in_turn=False)
def _inferred(log: Dataset, settings: EventSettings, rule: Rule, pseudonym_per: str) -> events.Inference:
    anonymized = _anonymized(log, settings, rule)
    return events.inference(anonymized, events.released_traces(anonymized, pseudonym_per))


@remembered(kept=64, in_turn=False)
def outcomes(log: Dataset, settings: EventSettings, k: int, cap: int | None) -> tuple[events.Outcome, ...]:
    """Compare both strategies with single- and multi-level flattening for one k."""
    return events.compare_strategies(measure(log, settings), k=k, cap=cap)


@remembered(kept=4)
def curve(log: Dataset, settings: EventSettings, cap: int | None) -> tuple[events.Outcome, ...]:
    """Compare them for every k."""
    return events.strategy_curve(measure(log, settings), cap=cap)
