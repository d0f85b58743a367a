"""One audit of an event log: anonymize, export, count again, and say what k does not cover."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from core.events.beyond_k import beyond_k_findings, reached_text
from core.events.earlier import beside_earlier
from core.events.inference import Inference, inference
from core.events.measuring import (
    MULTI_LEVEL,
    AnonymizedEvents,
    MeasuredEvents,
    anonymize_events,
    measure_events,
)
from core.events.release import Release, release_events, removed_users
from core.events.released_words import telling_findings
from core.events.row_risk import CombinationDiversity, RowRisk, combination_diversity, row_risk
from core.events.settings import REMOVE_USERS, EventSettings, ReleaseOptions, Rule
from core.events.told_times import told_times_findings
from core.events.trace_risk import KNOWN_EVENTS, Share, TraceRisk, trace_risk
from core.events.traces import original_traces, released_traces
from core.people.pseudonyms import TokenSource
from core.releases import EarlierTable, Ledger, ReleasesAudit, ReleasesMeasurement, judge_releases
from core.tables import Dataset
from core.verdict import Finding, Verdict, worst, worst_first
from core.words import Text, counted, joined, own, percent, share_of, text

KNOWN_EVENTS_JUDGED = 2
TRACE_SHARE_TO_WARN = 0.05
_ROWS_SHARE_TO_WARN = 0.05
INFERRED_SHARE_TO_WARN = 0.05  # beyond what chance gives
NUMBER_SHARE_TO_WARN, NUMBER_SHARE_TO_FAIL = 0.01, 0.05


@dataclass(frozen=True, kw_only=True, eq=False)
class EventAudit:
    """An anonymized log with its files and its risks."""

    measured: MeasuredEvents  # the log, what was done to it, and the files
    anonymized: AnonymizedEvents
    release: Release
    traces_before: TraceRisk  # trace risk with one pseudonym per user after cleanup, and of the release
    traces_after: TraceRisk
    rows: RowRisk  # whom the number of rows, all rows together, or their order single out
    inferred: Inference  # of whom one known event, or its time, gives more
    diversity: CombinationDiversity | None  # of the sensitive attribute, None where none was chosen
    verdict: Verdict  # the published rule: k users share every combination, counted from the exported bytes
    trace_verdict: Verdict  # our own: how many users two known events single out
    whole_trace_verdict: Verdict  # our own: how many users have a whole trace that nobody else has
    rows_verdict: Verdict  # our own: how many users counts and order single out
    findings: tuple[Finding, ...]  # everything noticed
    releases: ReleasesAudit | None = None  # what earlier exports tell beside it; its findings are among them

    @property
    def overall(self) -> Verdict:
        """Return the worst of the rule's verdict, the trace verdict and the findings."""
        return worst([self.verdict, self.trace_verdict, *(finding.verdict for finding in self.findings)])

    @property
    def whole_log_penalty_share(self) -> float:
        """Return the information lost of the whole log in [0, 1], from the file to the export.

        Beside `Reduced.penalty_share` events left out before are lost whole, and an event class of several
        kinds loses kinds covered / kinds of the log.
        """
        log, reduced = self.measured.log, self.anonymized.reduced
        n_kept = self.measured.n_events_after_cleanup
        lost = reduced.penalty_share * n_kept + (log.n_events_in_file - n_kept)
        return (lost + self.anonymized.merging_penalty) / log.n_events_in_file


def audit_events(
    dataset: Dataset,
    *,
    settings: EventSettings | None = None,
    rule: Rule | None = None,
    options: ReleaseOptions | None = None,
    token_source: TokenSource | None = None,
    seed: int = 0,
    earlier: Sequence[EarlierTable | Ledger] = (),
) -> EventAudit:
    """Anonymize a log and judge the result.

    Parameters
    ----------
    dataset
        The log as text.
    settings, rule, options
        What the person chose; None for the usual.
    token_source
        Random bytes for pseudonyms; None for what the options say.
    seed
        Of the samples of trace risk.
    earlier
        Earlier exports of the log, or their ledgers.

    Returns
    -------
    EventAudit
        Also where nothing is left to release: then nothing is assessed and a finding says why.

    Raises
    ------
    AuditInputError
        The log or the settings cannot be used.
    """
    options = options or ReleaseOptions()
    measured = measure_events(dataset, settings or EventSettings())
    anonymized = anonymize_events(measured, rule or Rule())
    traces = released_traces(anonymized, options.pseudonym_per)
    release = release_events(anonymized, options, token_source or options.token_source)
    return judge_events(
        anonymized,
        release=release,
        traces_before=trace_risk(original_traces(measured), k=anonymized.rule.k, seed=seed),
        traces_after=trace_risk(traces, k=anonymized.rule.k, seed=seed),
        rows=row_risk(anonymized, options.pseudonym_per),
        inferred=inference(anonymized, traces),
        releases=beside_earlier(anonymized, release, earlier),
    )


def judge_events(
    anonymized: AnonymizedEvents,
    *,
    release: Release,
    traces_before: TraceRisk,
    traces_after: TraceRisk,
    rows: RowRisk,
    inferred: Inference,
    releases: ReleasesMeasurement | None = None,
) -> EventAudit:
    """Put the parts of an audit together and judge them."""
    attribute = anonymized.measured.log.settings.sensitive
    diversity = combination_diversity(anonymized, attribute) if attribute else None
    k_finding = _k_finding(anonymized, release)
    trace_finding = _trace_finding(anonymized, traces_after, release.options)
    whole_finding = _whole_trace_finding(traces_after, anonymized.rule)
    rows_findings = _rows_findings(anonymized, rows, release.options)
    beside = None if releases is None else judge_releases(releases, k=anonymized.rule.k)
    found = (
        k_finding,
        _mapping_finding(anonymized.measured),
        *_most_found_first(traces_after, [trace_finding, whole_finding, *rows_findings]),
        *_inference_findings(inferred),
        *(() if beside is None else beside.findings),
        *_about_the_log(anonymized, release.options),
        _diversity_finding(diversity),
        _identifiers_finding(release.options),
        _seed_finding(release.options),
    )
    return EventAudit(
        measured=anonymized.measured,
        anonymized=anonymized,
        release=release,
        traces_before=traces_before,
        traces_after=traces_after,
        rows=rows,
        inferred=inferred,
        diversity=diversity,
        verdict=k_finding.verdict,
        trace_verdict=trace_finding.verdict,
        whole_trace_verdict=whole_finding.verdict,
        rows_verdict=worst([finding.verdict for finding in rows_findings]),
        findings=tuple(finding for finding in found if finding is not None),
        releases=beside,
    )


def _most_found_first(traces: TraceRisk, findings: Sequence[Finding]) -> Sequence[Finding]:
    """Return what a pseudonym links with that first which singles out most users; of equals as given."""
    two = traces.singled_out(KNOWN_EVENTS_JUDGED) or 0.0
    n_sampled = round(two * traces.n_users)  # what is drawn as a sample counts no users
    return sorted(findings, key=lambda each: -(n_sampled if each.n_affected is None else each.n_affected))


def _about_the_log(anonymized: AnonymizedEvents, options: ReleaseOptions) -> Iterator[Finding | None]:
    """Yield what users, released values and the file tell, and what was done."""
    log = anonymized.measured.log
    yield from beyond_k_findings(anonymized, options)
    yield from told_times_findings(anonymized, options)
    yield from telling_findings(anonymized)
    yield from log.findings
    yield from _what_was_done(anonymized)


def _what_was_done(anonymized: AnonymizedEvents) -> Iterator[Finding | None]:
    yield _classes_left_out_finding(anonymized.measured)
    yield _removal_finding(anonymized)
    yield _cap_finding(anonymized)
    yield _fall_back_finding(anonymized)
    yield _raised_finding(anonymized)


def _k_finding(anonymized: AnonymizedEvents, release: Release) -> Finding:
    made, k = release.verification, anonymized.rule.k
    if not made.n_events:
        return Finding.of("k_anonymity", Verdict.NOT_ASSESSED)(
            "Nothing is left to release: with k = {k} the only event would be removed. Choose a smaller "
            "k, fewer or coarser contributing columns, or removal of events instead of users.",
            "Nothing is left to release: with k = {k} all {n} events would be removed. Choose a smaller "
            "k, fewer or coarser contributing columns, or removal of events instead of users.",
            n=anonymized.measured.n_events_after_cleanup,
            k=k,
        )
    reached = made.k_reached and made.n_events == anonymized.reduced.n_events
    return Finding.of("k_anonymity", Verdict.PASS if reached else Verdict.FAIL)(
        "The smallest of {combinations} is shared by {n} user, {reached}; counted again from the bytes "
        "of the exported file ({events}).",
        "The smallest of {combinations} is shared by {n} users, {reached}; counted again from the bytes "
        "of the exported file ({events}).",
        n=made.smallest,
        combinations=counted(made.n_combinations, "released combination"),
        reached=reached_text(k, reached),
        events=counted(made.n_events, "event"),
    )


_PSEUDONYMS = {
    "user": "one pseudonym per user",
    "week": "a new pseudonym per week",
    "day": "a new pseudonym per day",
    "event": "a new pseudonym per event",
}


def _trace_finding(anonymized: AnonymizedEvents, traces: TraceRisk, options: ReleaseOptions) -> Finding:
    two, four = (traces.known(n_known).singled_out for n_known in (KNOWN_EVENTS_JUDGED, KNOWN_EVENTS[-1]))
    below = traces.known(KNOWN_EVENTS_JUDGED).below_k
    if two is None or four is None:
        return Finding.of("trace_risk", Verdict.NOT_ASSESSED)(
            "No event is released, so there is no trace to assess."
        )
    limit, k = anonymized.rule.max_trace_unique_share, anonymized.rule.k
    allowed = [] if limit is None else [text("(limit for two: {limit})", limit=percent(limit))]
    found = text(
        "k = {k} does not cover what a pseudonym links: with {pseudonym}, two known events can single "
        "out {two} of {n} user, four {four}.",
        "k = {k} does not cover what a pseudonym links: with {pseudonym}, two known events can single "
        "out {two} of {n} users, four {four}.",
        n=traces.n_users,
        k=k,
        pseudonym=own(_PSEUDONYMS[options.pseudonym_per]),
        two=_share_text(two),
        four=joined([_share_text(four), *allowed]),
    )
    if below is not None and k > 2:
        few = text("Two can leave fewer than {k} for {below}.", k=k, below=percent(below))
        found = joined([found, few])
    most = max(two.value, below or 0.0)
    return Finding.of(
        "trace_risk",
        _trace_verdict(two, four, most, limit),
        n_affected=round(most * traces.n_users) if two.is_exact else None,
    )(found)


def _trace_verdict(two: Share, four: Share, below_k: float, limit: float | None) -> Verdict:
    """Judge a sampled share by its interval: it passes where even the upper end does."""
    if limit is None:
        return Verdict.WARN if max(four.upper, below_k) > TRACE_SHARE_TO_WARN else Verdict.PASS
    if below_k > limit:
        return Verdict.FAIL
    return Verdict.WARN if two.upper > limit else Verdict.PASS


def _whole_trace_finding(traces: TraceRisk, rule: Rule) -> Finding:
    if traces.whole_trace is None or traces.whole_trace_below_k is None:
        return Finding.of("whole_trace", Verdict.NOT_ASSESSED)(
            "No event is released, so there is no whole trace to assess."
        )
    unique, below = (
        round(share * traces.n_users) for share in (traces.whole_trace, traces.whole_trace_below_k)
    )
    verdict = _share_verdict(below, traces.n_users, rule.max_whole_trace_share)
    return Finding.of("whole_trace", verdict, n_affected=below)(
        "All of one user's lines are shared by fewer than {k} users for {below} of {n} user, and "
        "by nobody for {unique}; at most {limit} may be.",
        "All of one user's lines are shared by fewer than {k} users for {below} of {n} users, and "
        "by nobody for {unique}; at most {limit} may be.",
        n=traces.n_users,
        k=max(rule.k, 2),
        below=below,
        unique=unique,
        limit=percent(rule.max_whole_trace_share),
    )


def _rows_findings(anonymized: AnonymizedEvents, rows: RowRisk, release: ReleaseOptions) -> list[Finding]:
    """Judge the number of rows, all rows together, and their order."""
    if not rows.n_users:
        return [
            Finding.of("row_numbers", Verdict.NOT_ASSESSED)(
                "No event is released, so there are no counts to assess."
            )
        ]
    rule = anonymized.rule
    findings = [_number_finding(rows, rule.k), _multiset_finding(rows, rule)]
    if rows.n_below_k_sequence is not None:
        findings.append(_sequence_finding(rows, rows.n_below_k_sequence, rule))
    gravest = worst_first(findings)[0]
    if gravest.verdict is Verdict.PASS:
        return findings
    if rule.cap == 1 or release.pseudonym_per != "user":
        rows = replace(rows, n_alone_by_number_capped=None)
    helps = _a_cap_helps(rows)
    step = text("Keep one line of each kind per user (a cap).") if helps else ""
    findings = [each if each.check == "row_sequences" else each.told(step=step) for each in findings]
    return [
        each if each.check != gravest.check else _about_a_cap(each, rows, helps=helps) for each in findings
    ]


def _a_cap_helps(rows: RowRisk) -> bool:
    alone, multiset = rows.n_alone_by_number_capped, rows.n_below_k_multiset_capped
    if alone is None or multiset is None:
        return False
    return max(alone / NUMBER_SHARE_TO_WARN, multiset / _ROWS_SHARE_TO_WARN) <= rows.n_users


def _about_a_cap(gravest: Finding, rows: RowRisk, *, helps: bool) -> Finding:
    """Return the gravest finding with what a cap would do."""
    alone, multiset = rows.n_alone_by_number_capped, rows.n_below_k_multiset_capped
    if alone is None or multiset is None:
        return gravest
    capped = text(
        "With one line of each kind per user it would be {alone} by number and {multiset} by all lines."
        if helps
        else "Keeping one line of each kind per user does not help: {alone} by number, {multiset} by all "
        "lines.",
        alone=alone,
        multiset=multiset,
    )
    return replace(gravest, message=joined([own(gravest.message), capped]))


def _number_finding(rows: RowRisk, k: int) -> Finding:
    alone, below, standing_out = rows.n_alone_by_number, rows.n_below_k_by_number, rows.n_standing_out
    verdict = Verdict.PASS
    if alone > NUMBER_SHARE_TO_FAIL * rows.n_users:
        verdict = Verdict.FAIL
    elif (
        alone > NUMBER_SHARE_TO_WARN * rows.n_users
        or below > _ROWS_SHARE_TO_WARN * rows.n_users
        or standing_out
    ):
        verdict = Verdict.WARN
    if standing_out:
        found = text(
            "The number of rows under a pseudonym alone singles out {alone} of {n} user, and {below} have "
            "one that fewer than {k} users share; {standing_out} have far more rows than others.",
            "The number of rows under a pseudonym alone singles out {alone} of {n} users, and {below} have "
            "one that fewer than {k} users share; {standing_out} have far more rows than others.",
            n=rows.n_users,
            alone=alone,
            below=below,
            k=k,
            standing_out=standing_out,
        )
    else:
        found = text(
            "The number of rows under a pseudonym alone singles out {alone} of {n} user, and {below} have "
            "one that fewer than {k} users share.",
            "The number of rows under a pseudonym alone singles out {alone} of {n} users, and {below} have "
            "one that fewer than {k} users share.",
            n=rows.n_users,
            alone=alone,
            below=below,
            k=k,
        )
    return Finding.of("row_numbers", verdict, n_affected=alone)(found)


def _multiset_finding(rows: RowRisk, rule: Rule) -> Finding:
    below = rows.n_below_k_multiset
    verdict = _share_verdict(below, rows.n_users, rule.max_rows_unique_share)
    found = text(
        "All rows under a pseudonym together, each as often as it occurs, are shared by fewer than {k} for "
        "{below} of {n} user, by nobody for {unique}.",
        "All rows under a pseudonym together, each as often as it occurs, are shared by fewer than {k} for "
        "{below} of {n} users, by nobody for {unique}.",
        n=rows.n_users,
        k=max(rule.k, 2),
        below=below,
        unique=rows.n_unique_multiset,
    )
    if verdict is not Verdict.PASS:
        found = joined([found, "Whoever has the original log finds them again."])
    return Finding.of("row_multisets", verdict, n_affected=below)(found)


def _sequence_finding(rows: RowRisk, below: int, rule: Rule) -> Finding:
    verdict = _share_verdict(below, rows.n_users, rule.max_rows_unique_share)
    found = text(
        "The order of a user's kinds of events, which the released times tell, is shared by fewer than {k} "
        "for {below} of {n} user, by nobody for {unique}.",
        "The order of a user's kinds of events, which the released times tell, is shared by fewer than {k} "
        "for {below} of {n} users, by nobody for {unique}.",
        n=rows.n_users,
        k=max(rule.k, 2),
        below=below,
        unique=rows.n_unique_sequence or 0,
    )
    return Finding.of("row_sequences", verdict, n_affected=below)(found)


def _share_verdict(n_below_k: int, n_users: int, limit: float) -> Verdict:
    """Judge the users that share something with fewer than k."""
    if n_below_k > limit * n_users:
        return Verdict.FAIL
    return Verdict.WARN if n_below_k > _ROWS_SHARE_TO_WARN * n_users else Verdict.PASS


def _inference_findings(inferred: Inference) -> Iterator[Finding]:
    """Yield of whom one known event, and a known time, gives more than chance does."""
    if not inferred.n_users:
        return
    yield Finding.of(
        "known_event_tells",
        _beyond_chance(inferred.n_by_event, inferred.chance_by_event, inferred.n_users),
        n_affected=inferred.n_by_event,
    )(
        "One known event of {found} of {n} user gives another for certain: all who have the one have the "
        "other, which at most half of all users have. Chance gives {chance}.",
        "One known event of {found} of {n} users gives another for certain: all who have the one have the "
        "other, which at most half of all users have. Chance gives {chance}.",
        n=inferred.n_users,
        found=inferred.n_by_event,
        chance=percent(inferred.chance_by_event),
    )
    if inferred.n_by_time is None:
        return
    yield Finding.of(
        "known_time_tells",
        _beyond_chance(inferred.n_by_time, inferred.chance_by_time, inferred.n_users),
        n_affected=inferred.n_by_time,
    )(
        "At {times} of {n} released time one kind of event alone happens, which is at most half of all: "
        "such a time of {found} gives what happened. Chance gives {chance}.",
        "At {times} of {n} released times one kind of event alone happens, which is at most half of all: "
        "such a time of {found} gives what happened. Chance gives {chance}.",
        n=inferred.n_times,
        times=inferred.n_times_of_one_kind,
        found=share_of(inferred.n_by_time, inferred.n_users, "users"),
        chance=percent(inferred.chance_by_time),
    )


def _beyond_chance(n_found: int, chance: float, n_users: int) -> Verdict:
    return Verdict.WARN if n_found / n_users - chance > INFERRED_SHARE_TO_WARN else Verdict.PASS


def _mapping_finding(measured: MeasuredEvents) -> Finding | None:
    """Say where the released classes say nothing of the events because the mapping does not fit."""
    log = measured.log
    if "generalized_event" not in log.settings.columns:
        return None
    kept = log.kept_after_cleanup
    n_kinds, n_classes = (
        int(np.count_nonzero(np.bincount(codes[kept]))) for codes in (log.event_of_event, log.class_of_event)
    )
    nothing_mapped = sum(log.unmapped.values()) == log.n_events
    if not nothing_mapped and (n_classes > 1 or n_kinds == 1):
        return None
    what = (
        text(
            "the only kind of event is not in the event mapping",
            "none of the {n} kinds of events is in the event mapping",
            n=n_kinds,
        )
        if nothing_mapped
        else text(
            "the only kind of events is in one class", "all {n} kinds of events are in one class", n=n_kinds
        )
    )
    return Finding.of("mapping", Verdict.NOT_ASSESSED, n_affected=len(kept))(
        "What happened is not assessed: {what}, so k is counted without it.", what=what
    )


def _share_text(share: Share) -> Text:
    """Return a share as percent, a sampled one with its interval."""
    value, lower, upper = (percent(part) for part in (share.value, share.lower, share.upper))
    if share.is_exact:
        return value
    return text("{value} ({lower} to {upper}, from a sample)", value=value, lower=lower, upper=upper)


def _classes_left_out_finding(measured: MeasuredEvents) -> Finding | None:
    n_left_out = measured.log.n_events - measured.n_events_after_cleanup
    if not n_left_out:
        return None
    return Finding.of("classes_left_out", Verdict.PASS, n_affected=n_left_out)(
        "{left_out} of {n} event belongs to classes that are left out; {gone} of {users} have no other "
        "events.",
        "{left_out} of {n} events belong to classes that are left out; {gone} of {users} have no other "
        "events.",
        n=measured.log.n_events,
        left_out=n_left_out,
        gone=measured.log.n_users - measured.n_users_after_cleanup,
        users=counted(measured.log.n_users, "user"),
    )


def _removal_finding(anonymized: AnonymizedEvents) -> Finding | None:
    n_before = anonymized.measured.n_events_after_cleanup
    n_removed = n_before - anonymized.reduced.n_events - anonymized.reduced.n_events_capped
    if not n_removed:
        return None
    whole = (
        "All events of these users were removed: {gone} of {users}."
        if anonymized.rule.strategy == REMOVE_USERS
        else "Users of whom no event is left: {gone} of {users}."
    )
    removed = text(
        "{removed} of {n} event after cleanup is removed to reach k.",
        "{removed} of {n} events after cleanup are removed to reach k.",
        n=n_before,
        removed=n_removed,
    )
    n_gone = int(removed_users(anonymized).sum())
    of_users = text(whole, gone=n_gone, users=anonymized.measured.n_users_after_cleanup)
    return Finding.of("events_removed", Verdict.PASS, n_affected=n_removed)(joined([removed, of_users]))


def _cap_finding(anonymized: AnonymizedEvents) -> Finding | None:
    reduced = anonymized.reduced
    if reduced.cap is None:
        return None
    return Finding.of("rows_capped", Verdict.PASS, n_affected=reduced.n_events_capped)(
        "At most {n} row of a user with the same combination is released; {capped} of {events} after "
        "cleanup are removed as the excess, and count as lost.",
        "At most {n} rows of a user with the same combination are released; {capped} of {events} after "
        "cleanup are removed as the excess, and count as lost.",
        n=reduced.cap,
        capped=reduced.n_events_capped,
        events=counted(anonymized.measured.n_events_after_cleanup, "event"),
    )


def _fall_back_finding(anonymized: AnonymizedEvents) -> Finding | None:
    if not anonymized.fell_back:
        return None
    return Finding.of("single_level_used", Verdict.PASS)(
        "Single-level flattening is used: it keeps more events here than the multi-level steps that "
        "were asked for."
    )


def _raised_finding(anonymized: AnonymizedEvents) -> Finding | None:
    n_raised = anonymized.reduced.flattened.n_events_raised
    if anonymized.flattening != MULTI_LEVEL or not n_raised:
        return None
    return Finding.of("events_raised", Verdict.PASS, n_affected=n_raised)(
        "{n} event that had k users at an earlier step was taken to the last one, so that others that "
        "share its coarser value reach k.",
        "{n} events that had k users at an earlier step were taken to the last one, so that others that "
        "share their coarser value reach k.",
    )


def _diversity_finding(diversity: CombinationDiversity | None) -> Finding | None:
    if diversity is None or not diversity.n_combinations:
        return None
    found = text(
        "{uniform} of {n} released combination has one value of {attribute}: whoever knows such a "
        "combination knows that value.",
        "{uniform} of {n} released combinations have one value of {attribute}: whoever knows such a "
        "combination knows that value.",
        n=diversity.n_combinations,
        uniform=diversity.n_uniform,
        attribute=diversity.attribute,
    )
    if diversity.n_dominated:
        dominated = text(
            "In {n} other one value has nine of ten events or more.",
            "In {n} others one value has nine of ten events or more.",
            n=diversity.n_dominated,
        )
        found = joined([found, dominated])
    if diversity.n_of_own_values:
        own_values = text(
            "In {n} combination the values occur in no other one, and may be names of one thing.",
            "In {n} combinations the values occur in no other one, and may be names of one thing.",
            n=diversity.n_of_own_values,
        )
        found = joined([found, own_values])
    is_told = diversity.n_uniform or diversity.n_dominated or diversity.n_of_own_values
    return Finding.of(
        "diversity",
        Verdict.WARN if is_told else Verdict.PASS,
        column=diversity.attribute,
        n_affected=diversity.n_uniform,
    )(found)


def _identifiers_finding(options: ReleaseOptions) -> Finding | None:
    if not options.keep_user_ids:
        return None
    return Finding.of("user_ids_kept", Verdict.FAIL)(
        "The export holds the original user identifiers, as asked; it is not pseudonymized. Leave "
        "them out before it is given away."
    )


def _seed_finding(options: ReleaseOptions) -> Finding | None:
    if options.pseudonym_seed is None or options.keep_user_ids:
        return None
    return Finding.of("pseudonym_seed", Verdict.WARN)(
        "The pseudonyms are drawn from a seed: whoever tries seeds draws them again and learns in "
        "which order the users come in the log. Leave the seed out before the export is given away."
    )
