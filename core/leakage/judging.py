"""From figures and thresholds to findings and a verdict; cheap, so that sliders answer at once."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from core.chance import poisson_tail
from core.files.leftovers import judge_leftovers
from core.leakage.identifying_columns import naming_findings
from core.leakage.measuring import FirstLook, LeakageMeasures, measure_leakage
from core.leakage.pairing import pair_tables
from core.leakage.person_findings import (
    N_WAYS,
    count_told,
    kept_together_findings,
    known_row_findings,
    member_findings,
    near_person_findings,
    nearest_findings,
    pointing,
    rebuilt_findings,
    signature_findings,
    smallest_leak_findings,
    verdict_by_chance,
    whole_row_findings,
    whole_row_verdict,
    whole_rows_found,
)
from core.leakage.remedies import past_disguise, still_there, told, without
from core.leakage.row_findings import column_set_findings, columns_in_place, row_findings
from core.leakage.second_look import SecondLook
from core.leakage.settings import LeakageSettings, LeakageThresholds
from core.leakage.whole_rows import RowLeakage
from core.people.free_text import ModelName, Reading, check_reading, text_findings
from core.tables import Dataset
from core.verdict import Finding, Verdict, worst, worst_first
from core.words import Text, counted, joined, listed, own, percent, share_of, text


@dataclass(frozen=True, kw_only=True, eq=False)
class LeakageAudit:
    """The measures, the thresholds they were held against, and what follows."""

    measures: LeakageMeasures  # what went in
    thresholds: LeakageThresholds
    findings: tuple[Finding, ...]  # sentences with counts, one a check
    verdict: Verdict  # the worst of the findings
    read: Mapping[str, Reading] = field(default_factory=dict)  # cells of texts that a person has read

    @property
    def headline(self) -> str:
        """Return the sentence that explains the verdict, with its counts."""
        if self.verdict is Verdict.PASS:
            nothing = own("No more of the original rows is left than chance gives.")
            unseen = [each.message for each in self.findings if each.check == "smallest_leak"]
            return joined([nothing, *unseen]) if unseen else nothing
        return worst_first(self.findings)[0].gist


_MORE = 1.1  # times as many rows as before, from which a second look tells something new


def audit_leakage(
    original: Dataset,
    scrambled: Dataset,
    *,
    settings: LeakageSettings | None = None,
    thresholds: LeakageThresholds | None = None,
    holdout: Dataset | None = None,
    read: Mapping[str, Reading] | None = None,
    text_model: ModelName = "none",
) -> LeakageAudit:
    """Ask whether rows of the original table are still in the scrambled one.

    Parameters
    ----------
    original, scrambled
        The tables.
    settings, thresholds
        The defaults compare rows by position, ignore nothing and tolerate no full leakage.
    holdout
        Records of the same kind that the scrambled table was not made from.
    read
        Cells of the scrambled table's free text that a person has read, by column.
    text_model
        An installed model that looks for names in free text too.

    Returns
    -------
    LeakageAudit
        FAIL for any full leakage above the threshold, or more unique whole rows than chance gives;
        WARN where partial leakage exceeds chance; NOT_ASSESSED where rows could not be compared.

    Raises
    ------
    AuditInputError
        See :func:`core.leakage.pairing.pair_tables` and :func:`core.leakage.measuring.measure_leakage`.
    """
    settings = settings or LeakageSettings()
    pair = pair_tables(original, scrambled, key=settings.key)
    measured = measure_leakage(pair, settings, holdout=holdout, text_model=text_model)
    return judge_leakage(measured, thresholds or LeakageThresholds(), read=read)


def first_finding(first: FirstLook, thresholds: LeakageThresholds) -> Finding:
    """Return FAIL where rows are left whole, NOT_ASSESSED where only the whole measurement can tell."""
    found = first.whole_rows
    verdict = whole_row_verdict(found, thresholds) if len(first.columns) > 1 else Verdict.NOT_ASSESSED
    if verdict is Verdict.FAIL:
        return Finding.of("whole_rows", verdict, n_affected=found.n_unique_exact)(still_there(found))
    return Finding.of("whole_rows", Verdict.NOT_ASSESSED)(
        "No whole row is left beyond chance. Rows that are nearly the same are still being looked for."
        if len(first.columns) > 1
        else "What a single column gives away is still being looked for."
    )


def judge_leakage(
    measures: LeakageMeasures, thresholds: LeakageThresholds, *, read: Mapping[str, Reading] | None = None
) -> LeakageAudit:
    """Hold the measures, and what a person has read, against the thresholds of concern."""
    check_reading(measures.texts, read or {})
    in_place = columns_in_place(measures, thresholds)
    judged = (
        *naming_findings(measures.naming, thresholds.chance_level / N_WAYS),
        *row_findings(measures, thresholds),
        *whole_row_findings(measures, thresholds),
        *known_row_findings(measures, thresholds),
        *nearest_findings(measures, thresholds),
        *near_person_findings(measures, thresholds),
        *member_findings(measures, thresholds),
        *_set_aside_findings(measures, thresholds),
        *_second_look_findings(measures, thresholds),
        *kept_together_findings(measures, thresholds),
        *signature_findings(measures, thresholds),
        *rebuilt_findings(measures),
        *_attack_findings(measures, thresholds),
        *column_set_findings(measures),
        *text_findings(measures.texts, read),
        *judge_leftovers(measures.leftovers),
    )
    unseen = smallest_leak_findings(measures, thresholds, worst(finding.verdict for finding in judged))
    findings = worst_first(told(finding, measures, in_place) for finding in (*judged, *unseen))
    return LeakageAudit(
        measures=measures,
        thresholds=thresholds,
        findings=findings,
        verdict=worst(finding.verdict for finding in findings),
        read=read or {},
    )


def _set_aside_findings(measures: LeakageMeasures, thresholds: LeakageThresholds) -> Iterator[Finding]:
    """Say what leaks once columns that match nowhere are set aside; FAIL beyond chance."""
    aside = measures.set_aside
    if aside is None:
        return
    in_place = _still_in_place(aside.rows, aside.expected_full, thresholds)
    if aside.rows is not None and in_place is not None:
        yield Finding.of("without_columns", Verdict.FAIL, n_affected=aside.rows.n_full)(
            _without(aside.columns, in_place)
        ).told(short=without(aside.columns, aside.rows.n_full, aside.rows.n_rows))
        return
    found = aside.whole_rows
    verdict = whole_row_verdict(found, thresholds)
    yield Finding.of("without_columns", verdict, n_affected=found.n_unique_exact)(
        _without(aside.columns, whole_rows_found(found, verdict))
    ).told(short=without(aside.columns, found.n_unique_exact, found.n_unique))


def _still_in_place(rows: RowLeakage | None, expected: float, thresholds: LeakageThresholds) -> Text | None:
    """Say how many rows are as their original row in full; None where that is tolerated, or chance."""
    if rows is None or not rows.n_full or rows.full_leakage_share <= thresholds.max_full_leakage_share:
        return None
    if poisson_tail(rows.n_full, expected) > thresholds.chance_level / N_WAYS:
        return None
    return text(
        "{rows} is the same as its original row in every valid cell; random order would give {expected} on "
        "average.",
        "{rows} are the same as their original row in every valid cell; random order would give {expected} "
        "on average.",
        n=rows.n_full,
        rows=share_of(rows.n_full, rows.n_rows, "rows"),
        expected=count_told(expected),
    )


def _without(columns: Sequence[str], found: Text) -> Text:
    """Say what is found without columns that match nowhere."""
    return text(
        "Without {columns}, which matches nowhere, {found}",
        "Without {columns}, which match nowhere, {found}",
        n=len(columns),
        columns=listed(columns, at_most=3),
        found=found,
    )


def _second_look_findings(measures: LeakageMeasures, thresholds: LeakageThresholds) -> Iterator[Finding]:
    """Say what leaks past spelling and simple disguises; FAIL beyond chance."""
    again = measures.second_look
    if again is None:
        return
    rows, in_place = again.rows, _still_in_place(again.rows, again.expected_full, thresholds)
    if rows is not None and in_place is not None:
        yield Finding.of("second_look", Verdict.FAIL, n_affected=rows.n_full)(
            _again(measures, again, in_place)
        ).told(short=past_disguise(rows.n_full, rows.n_rows))
        return
    whole = whole_row_verdict(again.whole_rows, thresholds)
    near = verdict_by_chance(again.near_copies.excess.p_value, thresholds)
    if near.severity > whole.severity:
        message, n = pointing(again.near_copies), again.near_copies.excess.n_observed
        first = measures.near_copies.excess
        before = verdict_by_chance(first.p_value, thresholds)
        is_surer = again.near_copies.excess.p_value <= first.p_value
        is_new = near.severity > before.severity or (is_surer and n > _MORE * first.n_observed)
        short = ""
    else:
        message, n = whole_rows_found(again.whole_rows, whole), again.whole_rows.n_unique_exact
        is_new, short = True, past_disguise(n, again.whole_rows.n_unique)
    if not is_new:
        yield Finding.of("second_look", Verdict.PASS, n_affected=n)(
            _again(measures, again, text("no more is found than before."))
        )
        return
    found = Finding.of("second_look", worst((whole, near)), n_affected=n)(_again(measures, again, message))
    yield found.told(short=short)


def _again(measures: LeakageMeasures, again: SecondLook, found: Text) -> Text:
    """Say what was undone, and what is found then."""
    if again.n_columns == len(measures.columns):
        return text("Second look ({undone}): {found}", undone=_what_was_undone(again), found=found)
    return text(
        "Second look ({undone}): on {n} of {columns}, {found}",
        undone=_what_was_undone(again),
        n=again.n_columns,
        columns=counted(len(measures.columns), "column"),
        found=found,
    )


def _attack_findings(measures: LeakageMeasures, thresholds: LeakageThresholds) -> Iterator[Finding]:
    """WARN where attacks succeed on original records more often than on hold-out records."""
    if measures.attacks is None or not measures.has_holdout:
        return
    level = thresholds.chance_level / N_WAYS / max(len(measures.attacks.rates), 1)
    rates = measures.attacks.rates
    better = [rate for rate in rates if rate.p_value <= level]
    message = text(
        "No attack of {total} succeeds on original records more often than on hold-out records.",
        total=len(rates),
    )
    if better:
        most = max(better, key=lambda rate: rate.risk or 0.0)
        message = text(
            "{n} of {total} attacks succeeds on original records more often than on hold-out records, most "
            "of all {attack}: {share} of {guesses} against {control}. The scrambled table tells something of "
            "the persons in it.",
            "{n} of {total} attacks succeed on original records more often than on hold-out records, most of "
            "all {attack}: {share} of {guesses} against {control}. The scrambled table tells something of "
            "the persons in it.",
            n=len(better),
            total=len(rates),
            attack=most.named,
            share=percent(most.share),
            guesses=counted(most.n_guesses, "guess", "guesses"),
            control=percent(most.control_share or 0),
        )
    yield Finding.of("attacks", Verdict.WARN if better else Verdict.PASS, n_affected=len(better))(message)


def _what_was_undone(again: SecondLook) -> Text:
    """Say in how many columns what was undone."""
    done = (
        counted(len(again.respelled), "column spelled otherwise", "columns spelled otherwise"),
        counted(
            len(again.rescaled), "column put on the original's scale", "columns put on the original's scale"
        ),
        counted(len(again.recoded), "column recoded by frequency", "columns recoded by frequency"),
        counted(len(again.renamed), "column of another name", "columns of another name"),
    )
    return joined([part for part in done if part.n], ", ")
