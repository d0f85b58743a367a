"""Judge what was measured: the published decision, and ours beside it."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from core.classes import CountedClasses, EquivalenceClasses
from core.people.free_text import ModelName, Reading
from core.people.roles import RoleSuggestion
from core.tables import Dataset
from core.tabular.false_alarms import FalseAlarm, known_false_alarms, unrecognized_protection
from core.tabular.log import AnonymizationLog
from core.tabular.measuring import TabularMeasurement, measure_classes, measure_tabular
from core.tabular.rules import ColumnCheck
from core.tabular.second_opinion import (
    SecondOpinion,
    SecondOpinionMeasurement,
    SecondOpinionSettings,
    SecondOpinionThresholds,
    judge_second_opinion,
    measure_second_opinion,
)
from core.tabular.second_opinion.opinion import folded, gravest_first
from core.tabular.settings import TabularSettings, TabularThresholds
from core.tabular.words import listed
from core.verdict import Finding, Verdict, worst, worst_first
from core.words import Text, counted, joined, own, percent, share_of, text

_MOST_NAMED = 4  # columns in what to do next


@dataclass(frozen=True, kw_only=True, eq=False)
class TabularAudit:
    """The published decision on a pair of files, with the second opinion beside it."""

    # what was judged, and by what; `classes` is None where nothing names a quasi-identifier
    measurement: TabularMeasurement
    classes: EquivalenceClasses | None
    thresholds: TabularThresholds
    # the published rule's: PASS, WARN or FAIL
    verdict: Verdict
    # whether any message is FAIL; whether the share of WARN messages reaches its limit
    mandatory_review: bool
    recommended_review: bool
    # why, worst first: figures that miss their threshold, review, columns, the log. What was done in other
    # words than the rule's is PASS here, what seems to be so WARN; the rule's verdict is as published
    findings: tuple[Finding, ...] = field(repr=False)
    # what ours measured and says; None where it was not asked for
    opinion_measurement: SecondOpinionMeasurement | None = None
    second_opinion: SecondOpinion | None = None

    @property
    def name(self) -> str:
        """Return the original's file name."""
        return self.measurement.original_name

    @property
    def counted_classes(self) -> EquivalenceClasses | CountedClasses | None:
        """Return the classes over all that counts in k: the second opinion's where it counts more columns."""
        ours = self.opinion_measurement.classes if self.opinion_measurement else None
        if ours is None or ours.chosen is None or not ours.functions:
            return self.classes
        found = ours.chosen
        return CountedClasses(
            found.quasi_identifiers,
            sizes=found.sizes,
            n_classes=found.records // found.sizes,
            n_records=found.records,
            n_left_out=found.n_left_out,
        )

    @property
    def second_opinion_verdict(self) -> Verdict:
        """Return our own verdict: the second opinion and what is odd about the log."""
        notes = [note.verdict for note in self.measurement.notes]
        opinion = [self.second_opinion.verdict] if self.second_opinion else [Verdict.NOT_ASSESSED]
        return worst([*opinion, *notes])

    @property
    def overall(self) -> Verdict:
        """Return the worse of ours and of what counts of the rule's: known false alarms do not decide."""
        return worst([self.counted_verdict, self.second_opinion_verdict])

    @property
    def counted_verdict(self) -> Verdict:
        """Return the rule's verdict without what was done in other words than its own."""
        found = worst([Verdict.PASS, *(finding.verdict for finding in self.findings)])
        return min(self.verdict, found, key=lambda one: one.severity)

    @property
    def n_in_other_words(self) -> int:
        """Return the column checks that are not PASS by the rule, and known to be done."""
        return sum(one.check.startswith("column_") and one.verdict is Verdict.PASS for one in self.findings)

    @property
    def all_findings(self) -> tuple[Finding, ...]:
        """Return the rule's findings, the log's notes and the second opinion's, the worst first."""
        opinion = self.second_opinion.findings if self.second_opinion else ()
        return worst_first([*self.findings, *self.measurement.notes, *opinion])


def judge_tabular(
    measurement: TabularMeasurement,
    *,
    classes: EquivalenceClasses | None = None,
    opinion: SecondOpinionMeasurement | None = None,
    thresholds: TabularThresholds | None = None,
    opinion_thresholds: SecondOpinionThresholds | None = None,
    read: Mapping[str, Reading] | None = None,
) -> TabularAudit:
    """Decide on a pair of files; fast enough for a slider.

    FAIL if a figure misses its threshold or any message is FAIL (mandatory review); else WARN if
    the share of WARN messages reaches its limit (recommended review); else PASS.

    Without `opinion` our own verdict is NOT_ASSESSED. `classes` do not change the published decision.
    The thresholds are the published ones of the log's mode by default; `read` counts the cells of free text
    that a person has read, by column.
    """
    thresholds = thresholds or TabularThresholds.for_mode(measurement.log.mode)
    judged = judge_second_opinion(opinion, thresholds=opinion_thresholds, read=read) if opinion else None
    notes = known_false_alarms(measurement, opinion, judged)
    protection = unrecognized_protection(measurement, opinion, judged, notes)
    missed = tuple(_missed_thresholds(measurement, thresholds, notes, protection))
    mandatory = measurement.n_messages(Verdict.FAIL) > 0
    recommended = measurement.warn_share >= thresholds.warn_share
    verdict = Verdict.FAIL if missed or mandatory else Verdict.WARN if recommended else Verdict.PASS
    return TabularAudit(
        measurement=measurement,
        classes=classes,
        thresholds=thresholds,
        verdict=verdict,
        mandatory_review=mandatory,
        recommended_review=recommended,
        findings=(
            *missed,
            *_reviews(measurement, thresholds, notes, recommended=recommended),
            *_columns(measurement, notes, opinion.suggestions if opinion else ()),
        ),
        opinion_measurement=opinion,
        second_opinion=_with_warnings(judged, measurement, notes) if judged else None,
    )


def _with_warnings(
    opinion: SecondOpinion, measured: TabularMeasurement, notes: Mapping[str, FalseAlarm]
) -> SecondOpinion:
    """Return the second opinion with the rule's warnings of columns that are there, true and not told yet."""
    findings = [one for one in opinion.findings if one.verdict is not Verdict.PASS]
    told = {name for one in findings for name in (one.column, *one.columns)}
    message = (
        "The published rule warns of `{column}`, although one column does not decide its verdict: {reason}"
    )
    warned = [
        Finding.of(
            "rule_warns_of_column", Verdict.WARN, column=check.anonymized_column, n_affected=check.n_failing
        )(message, reason=own(check.reason))
        for check in measured.checks
        if check.status is Verdict.WARN
        and check.anonymized_column is not None
        and check.anonymized_column not in {*notes, *told}
        # deleted records explain why there are fewer pseudonyms
        and not ("few" in check.found and measured.n_original != measured.n_anonymized)
    ]
    if not warned:
        return opinion
    return replace(
        opinion,
        verdict=worst([opinion.verdict, Verdict.WARN]),
        findings=worst_first([*opinion.findings, *warned]),
    )


def audit_tabular(
    original: Dataset,
    anonymized: Dataset,
    log: AnonymizationLog,
    *,
    settings: TabularSettings | None = None,
    quasi_identifiers: Sequence[str] | None = None,
    thresholds: TabularThresholds | None = None,
    opinion_thresholds: SecondOpinionThresholds | None = None,
    read: Mapping[str, Reading] | None = None,
    text_model: ModelName = "none",
) -> TabularAudit:
    """Measure and judge a pair of files, second opinion included.

    Parameters
    ----------
    original, anonymized, log
        See `measure_tabular`.
    settings
        See `TabularSettings`.
    quasi_identifiers
        Anonymized columns that others may know; None takes those of the log.
    thresholds, opinion_thresholds, read
        See `judge_tabular`.
    text_model
        An installed model that looks for names in free text too.

    Raises
    ------
    AuditInputError
        No original column is in the anonymized table, or a quasi-identifier is not.
    """
    measurement = measure_tabular(original, anonymized, log, settings=settings)
    chosen = measurement.quasi_identifiers if quasi_identifiers is None else tuple(quasi_identifiers)
    classes = measure_classes(anonymized, chosen)
    opinion = measure_second_opinion(
        original,
        anonymized,
        log,
        settings=SecondOpinionSettings(quasi_identifiers=None if quasi_identifiers is None else chosen),
        text_model=text_model,
    )
    return judge_tabular(
        measurement,
        classes=classes,
        opinion=opinion,
        thresholds=thresholds,
        opinion_thresholds=opinion_thresholds,
        read=read,
    )


_PROTECT = "Remove or pseudonymize {columns}."
_LOG_IN_ITS_WORDS = (
    "Log what was done to {columns} in words that the rule knows, such as `drop`, and verify again."
)


def _missed_thresholds(
    measured: TabularMeasurement,
    limits: TabularThresholds,
    notes: Mapping[str, FalseAlarm],
    protection: FalseAlarm | None,
) -> Iterator[Finding]:
    if measured.policy_consistency < limits.policy_consistency_share:
        columns = measured.inconsistent_columns
        message = text(
            "Policy consistency is {share}, below {limit}: {found} logged columns should be gone but hold "
            "values: {columns}.",
            share=percent(measured.policy_consistency),
            limit=percent(limits.policy_consistency_share),
            found=share_of(len(columns), measured.n_logged),
            columns=listed(columns),
        )
        found = _missed("policy_consistency", len(columns), message, _also_false(columns, notes))
        yield found.told(
            step=text("Blank {columns}, which the log says were removed.", columns=listed(columns))
        )
    if measured.pattern_residual > limits.pattern_residual_share:
        message = text(
            "Pattern residual is above {limit}: {found} non-blank cells hold a sensitive pattern.",
            limit=percent(limits.pattern_residual_share),
            found=share_of(measured.n_residual, measured.n_filled),
        )
        columns = tuple(one.column for one in measured.residuals if one.n_cells)
        found = _missed("pattern_residual", measured.n_residual, message, _also_false(columns, notes))
        yield found.told(step=_blank_cells(measured.n_residual, columns))
    if measured.high_risk_handling < limits.high_risk_handling_share:
        columns = measured.unprotected_columns
        message = text(
            "High-risk handling is {share}, below {limit}: {found} high-risk columns have no protecting "
            "action: {columns}.",
            share=percent(measured.high_risk_handling),
            limit=percent(limits.high_risk_handling_share),
            found=share_of(len(columns), measured.n_high_risk),
            columns=listed(columns),
        )
        note = protection
        found = _missed("high_risk_handling", len(columns), message, note)
        yield found.told(step=text(_LOG_IN_ITS_WORDS if note else _PROTECT, columns=listed(columns)))


def _blank_cells(n: int, columns: Sequence[str]) -> Text:
    return text(
        "Blank the {n} cell of {columns} that holds sensitive patterns, and verify again.",
        "Blank the {n} cells of {columns} that hold sensitive patterns, and verify again.",
        n=n,
        columns=listed(columns),
    )


def _missed(check: str, n_affected: int, message: Text, note: FalseAlarm | None) -> Finding:
    verdict = note.verdict if note else Verdict.FAIL
    return Finding.of(check, verdict, n_affected=n_affected)(_with_note(message, note))


def _with_note(message: Text, note: FalseAlarm | None) -> Text:
    return joined([message, note.words]) if note else message


def _also_false(columns: Sequence[str], notes: Mapping[str, FalseAlarm]) -> FalseAlarm | None:
    """Return that a figure is a false alarm too, where every column behind it is one."""
    if not columns or not all(column in notes for column in columns):
        return None
    is_done = all(notes[column].is_done for column in columns)
    words = "A known false alarm of the rule: see what is said of each column."
    return FalseAlarm(words, is_done=is_done)


def _reviews(
    measured: TabularMeasurement,
    limits: TabularThresholds,
    notes: Mapping[str, FalseAlarm],
    *,
    recommended: bool,
) -> Iterator[Finding]:
    n_messages, known = len(measured.checks), [check for check in measured.checks if _name(check) in notes]
    if n_failed := measured.n_messages(Verdict.FAIL):
        failed = [_counted(check, notes) for check in measured.checks if check.status is Verdict.FAIL]
        found = Finding.of("mandatory_review", worst(failed), n_affected=n_failed)(
            "Review is mandatory: {found} column checks are FAIL.", found=share_of(n_failed, n_messages)
        )
        yield found.told(step=_treat_again(measured, Verdict.FAIL))
    if recommended:
        n_warned = measured.n_messages(Verdict.WARN)
        n_done = sum(check.status is Verdict.WARN and notes[_name(check)].is_done for check in known)
        is_still = (n_warned - n_done) / n_messages >= limits.warn_share
        message = "Review is recommended: {found} column checks are WARN; the limit is {limit}."
        verdict = Verdict.WARN if is_still else Verdict.PASS
        found = Finding.of("recommended_review", verdict, n_affected=n_warned)(
            message, found=share_of(n_warned, n_messages), limit=percent(limits.warn_share)
        )
        yield found.told(step=_treat_again(measured, Verdict.WARN))


def _name(check: ColumnCheck) -> str:
    return check.anonymized_column or check.column


def _counted(check: ColumnCheck, notes: Mapping[str, FalseAlarm]) -> Verdict:
    """Return what counts of a check: where it is known to cry wolf, no more than that says."""
    note = notes.get(_name(check))
    return min([check.status, *([note.verdict] if note else [])], key=lambda one: one.severity)


def _treat_again(measured: TabularMeasurement, verdict: Verdict) -> Text:
    """Return which columns to treat again, with the cells that miss what the log says."""
    cells: dict[str, int] = {}
    for check in measured.checks:
        if check.status is verdict:
            name = check.anonymized_column or check.column
            cells[name] = max(cells.get(name, 0), check.n_failing or 0)
    names = sorted(cells, key=lambda name: -cells[name])
    shown = [
        text("{column} ({cells})", column=f"`{name}`", cells=counted(cells[name], "cell"))
        if cells[name]
        else text("{names}", names=f"`{name}`")
        for name in names[:_MOST_NAMED]
    ]
    if more := len(names) - len(shown):
        message = "Do with {columns} and {more} more what the log says, or correct the log."
        return text(message, columns=joined(shown, ", "), more=more)
    return text("Do with {columns} what the log says, or correct the log.", columns=joined(shown, ", "))


def _columns(
    measured: TabularMeasurement, notes: Mapping[str, FalseAlarm], suggestions: Sequence[RoleSuggestion]
) -> tuple[Finding, ...]:
    """Return a finding for each check that is not PASS, the gravest first, many columns as one."""
    steps = {verdict: _treat_again(measured, verdict) for verdict in (Verdict.FAIL, Verdict.WARN)}
    message = "`{column}`: {reason}"
    findings = [
        Finding.of(
            f"column_{check.check}", _counted(check, notes), column=_name(check), n_affected=check.n_failing
        )(
            _with_note(text(message, column=_name(check), reason=own(check.reason)), notes.get(_name(check)))
        ).told(step=steps.get(check.status, ""))
        for check in measured.checks
        if check.status is not Verdict.PASS
    ]
    semantics = {check.anonymized_column or check.column: check.semantic for check in measured.checks}
    apart = ([one for one in findings if (one.column in notes) is is_known] for is_known in (False, True))
    return worst_first(one for part in apart for one in folded(gravest_first(part, suggestions, semantics)))
