"""How small the groups are that share their quasi-identifiers, and which column makes them small."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from core.classes import EquivalenceClasses, classes_of_codes
from core.coding import CodedTable, IntArray, combined_codes
from core.errors import AuditInputError
from core.people.roles import Role, RoleSuggestion
from core.tabular.second_opinion.functions import Function, measure_functions
from core.tabular.second_opinion.pair import LoggedTables
from core.tabular.second_opinion.persons import (
    AlikeClasses,
    Persons,
    PersonsInClasses,
    alike_classes,
    find_persons,
    judge_alike,
    judge_persons,
    persons_in_classes,
)
from core.tabular.second_opinion.shifted_dates import hidden_dates
from core.tabular.settings import SecondOpinionThresholds
from core.tabular.words import listed
from core.verdict import Finding, Verdict
from core.words import Text, counted, joined, part_of, share_of, text

_LARGEST_PROPOSAL = 8  # columns
_MOST_CONTRIBUTIONS = 50  # quasi-identifiers up to which the contribution of each is measured


@dataclass(frozen=True, kw_only=True)
class Contribution:
    """What one quasi-identifier adds."""

    column: str  # the quasi-identifier
    n_unique: int  # records alone in their class with all quasi-identifiers, and with all but this one
    n_unique_without: int
    k_without: int | None  # smallest class without it; None where it is the only quasi-identifier


@dataclass(frozen=True, kw_only=True, eq=False)
class ClassMeasurement:
    """The equivalence classes over a set of quasi-identifiers."""

    quasi_identifiers: tuple[str, ...]  # the columns; empty for "none"
    n_assessed: int  # records in classes, and records blank in all quasi-identifiers
    n_left_out: int
    k: int | None  # smallest class; None where no record is assessed
    sizes: IntArray  # class sizes, ascending, and how many records are in classes of each size
    records: IntArray
    # one per quasi-identifier; the one without which fewest records are unique first. Empty beyond 50 quasi-
    # identifiers.
    contributions: tuple[Contribution, ...]
    persons: PersonsInClasses | None = None  # persons in classes; None where none has several records
    alike: tuple[AlikeClasses, ...] = ()  # sensitive attributes with the classes that share one value

    def n_records_below(self, k: int) -> int:
        """Return the assessed records in classes with fewer than `k` members."""
        return int(self.records[self.sizes < k].sum())


@dataclass(frozen=True, kw_only=True, eq=False)
class ClassesMeasurement:
    """Classes over the logged (or chosen) quasi-identifiers, and over proposed ones where there are none."""

    chosen: ClassMeasurement | None  # none where the log holds no quasi-identifier and nobody chose any
    # only measured where `chosen` is None; None where nothing can be proposed either
    proposed: ClassMeasurement | None
    # over the log's quasi-identifiers and `unlogged`; None where nobody needs it
    widened: ClassMeasurement | None
    # columns that look like quasi-identifiers although the log does not call them one
    unlogged: tuple[str, ...]
    persons: Persons | None = None  # which records are of one person; None where none has several
    shifted: tuple[str, ...] = ()  # of `unlogged`, dates that the log calls shifted
    # columns that `chosen` counts beside the log's, with the originals that they are functions of
    functions: tuple[Function, ...] = ()


def logged_quasi_identifiers(tables: LoggedTables) -> tuple[str, ...]:
    """Return the anonymized columns that the log calls quasi-identifying, added ones too."""
    entries = {pair.pair.anonymized: pair.pair.entry for pair in tables.coded}
    others = set(tables.anonymized.column_names) - entries.keys()
    entries |= {name: entry for name, entry in tables.log.entries.items() if name in others}
    return tuple(name for name, entry in entries.items() if entry.is_quasi_identifying)


def measure_classes(
    tables: LoggedTables,
    suggestions: Sequence[RoleSuggestion],
    quasi_identifiers: tuple[str, ...] | None,
    *,
    left_out: Collection[str] = (),
) -> ClassesMeasurement:
    """Form the classes of the chosen quasi-identifiers, by default the log's that are not `left_out`.

    To the log's come the columns that are functions of what others know of the original.
    """
    persons, anonymized = find_persons(tables, suggestions), tables.written["anonymized"]
    if quasi_identifiers is not None:
        return measure_chosen_classes(anonymized, suggestions, quasi_identifiers, persons)
    chosen = tuple(name for name in logged_quasi_identifiers(tables) if name not in left_out)
    found = measure_functions(tables, persons, logged=chosen, made_up=left_out) if chosen else ()
    known = tuple(one for one in found if one.is_known)
    chosen += tuple(one.anonymized for one in known)
    moved = hidden_dates(tables, chosen)
    if len(moved) < len(chosen):  # known to nobody; WARN where they would make classes small
        chosen = tuple(name for name in chosen if name not in moved)
        known = tuple(one for one in known if one.anonymized in chosen)
    measured = measure_chosen_classes(anonymized, suggestions, chosen, persons, known)
    looks = (*_proposed_quasi_identifiers(suggestions), *(one.anonymized for one in found), *moved)
    unlogged = tuple(name for name in dict.fromkeys(looks) if name not in chosen)
    if not chosen or not unlogged:
        return measured
    widened = _measure(anonymized, chosen + unlogged, suggestions, persons, known, contributions=False)
    return replace(measured, widened=widened, unlogged=unlogged, shifted=moved)


def measure_chosen_classes(
    anonymized: CodedTable,
    suggestions: Sequence[RoleSuggestion],
    quasi_identifiers: tuple[str, ...],
    persons: Persons | None = None,
    functions: tuple[Function, ...] = (),
) -> ClassesMeasurement:
    """Form the classes of quasi-identifiers that a person chose; of none, those of a proposed set.

    `functions` are those among them that the log does not name.
    """
    unknown = [name for name in quasi_identifiers if name not in anonymized.table.column_names]
    if unknown:
        raise AuditInputError(
            *(
                text("Quasi-identifier `{name}` is not a column of the anonymized table.", name=name)
                for name in unknown
            )
        )
    if quasi_identifiers:
        chosen = _measure(anonymized, quasi_identifiers, suggestions, persons, functions)
        return ClassesMeasurement(
            chosen=chosen, proposed=None, widened=None, unlogged=(), persons=persons, functions=functions
        )
    proposal = _proposed_quasi_identifiers(suggestions)[:_LARGEST_PROPOSAL]
    proposed = _measure(anonymized, proposal) if proposal else None
    return ClassesMeasurement(chosen=None, proposed=proposed, widened=None, unlogged=(), persons=persons)


def _proposed_quasi_identifiers(suggestions: Sequence[RoleSuggestion]) -> tuple[str, ...]:
    """Return the columns that look like quasi-identifiers and hold more than one value, surest first."""
    return tuple(
        suggestion.column
        for suggestion in suggestions
        if suggestion.role is Role.QUASI_IDENTIFIER and suggestion.n_distinct > 1
    )


def _measure(
    table: CodedTable,
    columns: tuple[str, ...],
    suggestions: Sequence[RoleSuggestion] = (),
    persons: Persons | None = None,
    functions: tuple[Function, ...] = (),
    *,
    contributions: bool = True,
) -> ClassMeasurement:
    blank = np.ones(table.table.num_rows, dtype=bool)
    for name in columns:
        blank &= table[name].codes < 0
    codes = {name: table[name].codes_with_missing for name in columns}
    codes |= {one.anonymized: one.codes(table[one.anonymized]) for one in functions}
    classes = _classes(codes, blank)
    sizes, records = classes.size_histogram
    return ClassMeasurement(
        quasi_identifiers=columns,
        n_assessed=classes.n_records,
        n_left_out=classes.n_left_out,
        k=classes.k,
        sizes=sizes,
        records=records,
        contributions=_contributions(codes, blank, classes)
        if contributions and len(columns) <= _MOST_CONTRIBUTIONS
        else (),
        persons=persons_in_classes(classes, persons) if persons is not None else None,
        alike=alike_classes(table, classes, suggestions, persons),
    )


def _classes(codes: Mapping[str, IntArray], blank: npt.NDArray[np.bool_]) -> EquivalenceClasses:
    combined = combined_codes(list(codes.values()), n_records=len(blank))
    return classes_of_codes(combined, tuple(codes), leave_out=blank)


def _contributions(
    codes: Mapping[str, IntArray], blank: npt.NDArray[np.bool_], classes: EquivalenceClasses
) -> tuple[Contribution, ...]:
    n_unique = classes.n_records_below(2)
    found = []
    for column in codes:
        others = {name: of_name for name, of_name in codes.items() if name != column}
        without = _classes(others, blank)
        found.append(
            Contribution(
                column=column,
                n_unique=n_unique,
                n_unique_without=without.n_records_below(2) if others else 0,
                k_without=without.k if others else None,
            )
        )
    return tuple(sorted(found, key=lambda contribution: contribution.n_unique_without))


def judge_classes(measured: ClassesMeasurement, thresholds: SecondOpinionThresholds) -> list[Finding]:
    """Return whether every class is large enough, and what to do where nobody named quasi-identifiers."""
    if measured.chosen is None:
        return [_no_quasi_identifier(measured.proposed, thresholds)]
    classes = measured.chosen
    findings = [_about_function(one) for one in measured.functions]
    if classes.k is None:
        findings.append(_about_blanks(classes))
    else:
        findings.append(_about_size(classes, classes.k, thresholds))
    if classes.persons is not None:
        findings += judge_persons(classes.persons, classes.quasi_identifiers, thresholds)
    findings += judge_alike(classes.alike, classes.quasi_identifiers)
    widened = measured.widened
    if widened is not None and widened.k is not None:
        findings.append(_about_unlogged(measured, widened, widened.k, thresholds))
        told = {finding.column for finding in findings}
        alike = [one for one in widened.alike if one.column not in told]
        findings += judge_alike(alike, widened.quasi_identifiers, gravest=Verdict.WARN)
    return findings


def _about_function(one: Function) -> Finding:
    verdict = Verdict.WARN if one.is_pseudonym else Verdict.PASS
    if one.piece:
        return Finding.of("counts_as_quasi_identifier", verdict, column=one.anonymized)(
            "Characters of `{column}` ({places}) go with the original column `{original}`, so they count "
            "among the quasi-identifiers; a random pseudonym tells nothing.",
            places=", ".join(str(at + 1) for at in one.piece),
            original=one.original,
        )
    return Finding.of("counts_as_quasi_identifier", Verdict.PASS, column=one.anonymized)(
        "What `{column}` holds goes with the original column `{original}`, so it counts among the "
        "quasi-identifiers, whatever the log calls it.",
        original=one.original,
    )


def _about_blanks(classes: ClassMeasurement) -> Finding:
    return Finding.of("smallest_class", Verdict.PASS)(
        "Every record is blank in {columns}: they tell no record from another. If others may know other "
        "columns, choose those.",
        columns=listed(classes.quasi_identifiers),
    )


def _about_size(classes: ClassMeasurement, k: int, thresholds: SecondOpinionThresholds) -> Finding:
    limit, n_below = thresholds.smallest_k, classes.n_records_below(thresholds.smallest_k)
    columns = listed(classes.quasi_identifiers)
    if not n_below:
        return Finding.of("smallest_class", Verdict.PASS, n_affected=0)(
            "The smallest group over {columns} has {n} record; at least {limit} are asked for.",
            "The smallest group over {columns} has {n} records; at least {limit} are asked for.",
            n=k,
            columns=columns,
            limit=limit,
        )
    message = text(
        "The smallest group over {columns} has {n} record, fewer than {limit}: {below} records are in "
        "groups that small.",
        "The smallest group over {columns} has {n} records, fewer than {limit}: {below} records are in "
        "groups that small.",
        n=k,
        columns=columns,
        limit=limit,
        below=share_of(n_below, classes.n_assessed),
    )
    return Finding.of("smallest_class", Verdict.FAIL, n_affected=n_below)(
        joined([message, *_most_contributing(classes)])
    )


def _about_unlogged(
    measured: ClassesMeasurement, widened: ClassMeasurement, k: int, thresholds: SecondOpinionThresholds
) -> Finding:
    unlogged, n_below = measured.unlogged, widened.n_records_below(thresholds.smallest_k)
    n, columns = len(unlogged), listed(unlogged)
    values = {
        "columns": columns,
        "records": counted(k, "record"),
        "below": share_of(n_below, widened.n_assessed),
        "limit": thresholds.smallest_k,
    }
    if n == len(measured.shifted):
        step = text("Check that {columns} is shifted as was said.", columns=columns)
        message = text(
            "{columns} is said to be shifted, so it was taken as known to nobody. Were it known, the "
            "smallest group would have {records}, and {below} records would be in groups below {limit}.",
            "{columns} are said to be shifted, so they were taken as known to nobody. Were they known, the "
            "smallest group would have {records}, and {below} records would be in groups below {limit}.",
            n=n,
            **values,
        )
    else:
        step = text("Add {columns} to the quasi-identifiers, and look again.", columns=columns)
        message = text(
            "{n} column the log does not call a quasi-identifier looks like one: {columns}. With it, the "
            "smallest group has {records}, and {below} records are in groups smaller than {limit}.",
            "{n} columns the log does not call a quasi-identifier look like one: {columns}. With them, the "
            "smallest group has {records}, and {below} records are in groups smaller than {limit}.",
            n=n,
            **values,
        )
    return Finding(
        check="looks_like_quasi_identifier",
        verdict=Verdict.WARN if n_below else Verdict.PASS,
        message=message,
        column=unlogged[0] if n == 1 else None,
        n_affected=n_below,
    ).told(step=step)


def _most_contributing(classes: ClassMeasurement) -> Iterator[Text]:
    first = next(iter(classes.contributions), None)
    if first is not None and len(classes.quasi_identifiers) > 1 and first.n_unique > first.n_unique_without:
        yield text(
            "`{column}` contributes most: {unique} are unique with it, {without} without it.",
            column=first.column,
            unique=part_of(first.n_unique / classes.n_assessed, classes.n_assessed, "records"),
            without=part_of(first.n_unique_without / classes.n_assessed, classes.n_assessed),
        )


def _no_quasi_identifier(proposed: ClassMeasurement | None, thresholds: SecondOpinionThresholds) -> Finding:
    n_below, proposal = 0, None
    if proposed is not None and proposed.k is not None:
        n_below = proposed.n_records_below(thresholds.smallest_k)
        proposal = text(
            "{columns}; over these the smallest group has {n} record, and {below} records are in groups "
            "smaller than {limit}.",
            "{columns}; over these the smallest group has {n} records, and {below} records are in groups "
            "smaller than {limit}.",
            n=proposed.k,
            columns=listed(proposed.quasi_identifiers),
            below=share_of(n_below, proposed.n_assessed),
            limit=thresholds.smallest_k,
        )
    if thresholds.no_quasi_identifiers:
        return _confirmed_none(proposal, n_below)
    advice = (
        text("Proposed: {proposal}", proposal=proposal)
        if proposal
        else "No column looks like one; choose the columns that others may know, or confirm that there are "
        "none."
    )
    message = joined(["No quasi-identifier in the log, so the size of groups was not assessed.", advice])
    return Finding(check="no_quasi_identifier", verdict=Verdict.NOT_ASSESSED, message=message)


def _confirmed_none(proposal: Text | None, n_below: int) -> Finding:
    message = text("A person confirmed that others know no column of the table, so no groups were formed.")
    if proposal and n_below:
        known = "These columns look as if others knew them: {proposal} Choose those that others may know."
        message = joined([message, text(known, proposal=proposal)])
    return Finding.of("no_quasi_identifier", Verdict.WARN if n_below else Verdict.PASS, n_affected=n_below)(
        message
    )
