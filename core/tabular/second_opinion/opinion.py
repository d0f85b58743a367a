"""Measure once, judge at once: the second opinion on an anonymized table.

Findings are told the gravest first, and many columns of one kind as one finding.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from core.coding import CodedTable
from core.files.leftovers import Leftover, judge_leftovers, measure_leftovers
from core.people.free_text import ModelName, Reading, TextColumn, check_reading, measure_texts, text_findings
from core.people.roles import RoleSuggestion, columns_of_people, suggest_roles
from core.processes.jobs import Threads
from core.tables import Dataset
from core.tabular.columns import is_high_risk
from core.tabular.log import AnonymizationLog
from core.tabular.second_opinion.classes import (
    ClassesMeasurement,
    judge_classes,
    measure_chosen_classes,
    measure_classes,
)
from core.tabular.second_opinion.completed import (
    BlankedValue,
    Completed,
    ExactEnd,
    judge_blanked,
    judge_completed,
    judge_exact_ends,
    measure_blanked,
    measure_completed,
    measure_exact_ends,
)
from core.tabular.second_opinion.computed import (
    ComputedPseudonym,
    KeptLikeness,
    judge_computed,
    judge_kept_likeness,
    measure_computed,
    measure_kept_likeness,
)
from core.tabular.second_opinion.derivations import judge_derivations, measure_derivations
from core.tabular.second_opinion.disguises import (
    DisguiseMeasurement,
    judge_disguises,
    measure_disguises,
    told_by,
)
from core.tabular.second_opinion.finer import FinerColumn, judge_finer, measure_finer
from core.tabular.second_opinion.in_codes import ReadableColumn, judge_in_codes, measure_in_codes
from core.tabular.second_opinion.in_texts import ValuesInTexts, judge_in_texts, measure_in_texts
from core.tabular.second_opinion.masked import MaskedColumn, judge_masked, measure_masked
from core.tabular.second_opinion.pair import LoggedTables, marked, pair_tables
from core.tabular.second_opinion.pieces import measure_pieces
from core.tabular.second_opinion.pseudonyms import (
    PseudonymQuality,
    judge_pseudonyms,
    measure_pseudonyms,
)
from core.tabular.second_opinion.rare_values import Standouts, judge_standouts, measure_standouts
from core.tabular.second_opinion.relations import measure_relations
from core.tabular.second_opinion.relinkage import (
    RelinkageMeasurement,
    judge_relinkage,
    measure_relinkage,
)
from core.tabular.second_opinion.sanity import ColumnSanity, judge_sanity, measure_sanity
from core.tabular.second_opinion.search import Derivation, Search
from core.tabular.second_opinion.sorting import SortedAlike, judge_sorting, measure_sorting
from core.tabular.second_opinion.structure import StructureMeasurement, judge_structure, measure_structure
from core.tabular.second_opinion.surrogates import judge_surrogates, measure_surrogates
from core.tabular.second_opinion.unchanged import (
    ColumnComparison,
    judge_unchanged,
    measure_unchanged,
)
from core.tabular.settings import SecondOpinionSettings, SecondOpinionThresholds
from core.tabular.words import listed
from core.verdict import Finding, Verdict, worst
from core.words import own, text


@dataclass(frozen=True, kw_only=True, eq=False)
class HiddenOriginals:
    """Original values that were found in other cells, in whatever form, by each family of checks."""

    disguises: DisguiseMeasurement
    computed: tuple[ComputedPseudonym, ...]
    in_texts: tuple[ValuesInTexts, ...]
    in_codes: tuple[ReadableColumn, ...]
    masked: tuple[MaskedColumn, ...]
    derivations: tuple[Derivation, ...]
    sorting: tuple[SortedAlike, ...]
    kept_likeness: tuple[KeptLikeness, ...]


@dataclass(frozen=True, kw_only=True, eq=False)
class SecondOpinionMeasurement:
    """Everything measured about a pair of tables, by each family of checks; no threshold is in it."""

    settings: SecondOpinionSettings  # how it was measured
    structure: StructureMeasurement
    columns: tuple[ColumnComparison, ...]
    finer: tuple[FinerColumn, ...]
    completed: tuple[Completed, ...]
    exact_ends: tuple[ExactEnd, ...]
    blanked: tuple[BlankedValue, ...]
    relinkage: RelinkageMeasurement
    hidden: HiddenOriginals
    leftovers: tuple[Leftover, ...]
    sanity: tuple[ColumnSanity, ...]
    pseudonyms: tuple[PseudonymQuality, ...]
    classes: ClassesMeasurement
    standouts: Standouts
    suggestions: tuple[RoleSuggestion, ...]  # roles of the anonymized columns
    # anonymized column to the cells that hold a mark such as ``***``, where any does
    marks: Mapping[str, int] = field(default_factory=dict)
    # columns that look like identifiers but have no more to do with the original's than chance
    surrogates: tuple[str, ...] = ()
    texts: tuple[
        TextColumn, ...
    ] = ()  # anonymized columns of free text, and others in which people are named


@dataclass(frozen=True, kw_only=True, eq=False)
class SecondOpinion:
    """What we make of a table, whatever its log says."""

    verdict: Verdict  # the worst of the findings; PASS where nothing speaks against the table
    # worst first, of these the gravest, see `gravest_first`; many columns as one. Facts are PASS.
    findings: tuple[Finding, ...]
    thresholds: SecondOpinionThresholds  # what was judged by
    read: Mapping[str, Reading] = field(default_factory=dict)  # cells of texts that a person has read


def measure_second_opinion(
    original: Dataset,
    anonymized: Dataset,
    log: AnonymizationLog,
    *,
    settings: SecondOpinionSettings | None = None,
    text_model: ModelName = "none",
) -> SecondOpinionMeasurement:
    """Measure what an anonymized table still shows of its original, not trusting the log.

    Every record is read. A blank is a missing cell; a blank matches a blank in re-linkage and in
    equivalence classes, and counts as no value elsewhere. Tables of different length or order are
    compared as sets of values.

    The log says what the columns mean and what was done to them, and proves nothing. What is returned for
    `judge_second_opinion` holds counts and column names, no cell values. AuditInputError: a chosen
    quasi-identifier is not a column of the anonymized table.
    """
    settings = settings or SecondOpinionSettings()
    tables = pair_tables(original.table, anonymized.table, log)
    columns = measure_unchanged(tables)
    with Threads(1) as thread:  # results of earlier work are there when later work begins
        later = thread.submit
        suggestions = later(suggest_roles, tables.written["anonymized"], seed=settings.seed)
        surrogates = later(lambda: measure_surrogates(tables, suggestions.result(), settings))
        classes = later(lambda: _classes(tables, suggestions.result(), surrogates.result(), settings))
        sanity = later(lambda: measure_sanity(tables, suggestions.result(), columns, surrogates.result()))
        standouts = later(lambda: _standouts(tables, suggestions.result(), classes.result()))
        relinkage = later(measure_relinkage, tables, columns, settings)
        pseudonyms = later(measure_pseudonyms, tables)
        return SecondOpinionMeasurement(
            settings=settings,
            columns=columns,
            finer=measure_finer(tables),
            completed=measure_completed(tables),
            exact_ends=measure_exact_ends(tables),
            blanked=measure_blanked(tables),
            structure=measure_structure(tables),
            leftovers=_leftovers(anonymized, tables),
            marks=tables.marks,
            hidden=_hidden(tables, columns, settings),
            suggestions=suggestions.result(),
            surrogates=tuple(name for name in tables.anonymized.column_names if name in surrogates.result()),
            classes=classes.result(),
            sanity=sanity.result(),
            standouts=standouts.result(),
            relinkage=relinkage.result(),
            pseudonyms=pseudonyms.result(),
            texts=measure_texts(
                tables.written["anonymized"],
                skip={*surrogates.result(), *columns_of_people(suggestions.result())},
                model=text_model,
            ),
        )


def _leftovers(anonymized: Dataset, tables: LoggedTables) -> tuple[Leftover, ...]:
    """Look for values of the original, first of all of columns that were taken out, in what is no cell."""
    entries = {name: tables.log.entry(name) for name in tables.original.column_names}
    people = {name for name, each in entries.items() if each.takes_out and is_high_risk(each.semantic)}
    return measure_leftovers(anonymized, tables.written["original"], people, tables.written["anonymized"])


def _hidden(
    tables: LoggedTables, columns: tuple[ColumnComparison, ...], settings: SecondOpinionSettings
) -> HiddenOriginals:
    """Look for original values; what one check has explained, the later ones leave out."""
    disguises = measure_disguises(tables, columns, settings)
    explained = told_by(disguises)
    computed = measure_computed(tables, columns, settings, explained=explained)
    in_texts = measure_in_texts(tables, columns, settings, explained=explained)
    told = ((one.original, one.anonymized) for one in in_texts if one.form == "values")
    of_one = ((one.originals[0], one.anonymized) for one in computed)
    search = Search(
        tables=tables,
        settings=settings,
        left=frozenset(column.anonymized for column in columns if column.is_left),
    )
    return HiddenOriginals(
        disguises=disguises,
        computed=computed,
        in_texts=in_texts,
        in_codes=measure_in_codes(tables, columns, settings, explained={*explained, *told, *of_one}),
        masked=measure_masked(tables, settings),
        derivations=(
            *measure_derivations(search),
            *measure_pieces(search),
            *measure_relations(search),
        ),
        sorting=measure_sorting(search),
        kept_likeness=measure_kept_likeness(tables, columns, settings),
    )


def _classes(
    tables: LoggedTables,
    suggestions: Sequence[RoleSuggestion],
    surrogates: frozenset[str],
    settings: SecondOpinionSettings,
) -> ClassesMeasurement:
    real = [one for one in suggestions if one.column not in surrogates]
    return measure_classes(tables, real, settings.quasi_identifiers, left_out=surrogates)


def _standouts(
    tables: LoggedTables, suggestions: Sequence[RoleSuggestion], classes: ClassesMeasurement
) -> Standouts:
    known = classes.chosen.quasi_identifiers if classes.chosen else ()
    return measure_standouts(tables, suggestions, quasi_identifiers=known, persons=classes.persons)


def with_quasi_identifiers(
    measured: SecondOpinionMeasurement, anonymized: Dataset, quasi_identifiers: Sequence[str]
) -> SecondOpinionMeasurement:
    """Return the same measurement of a table over other quasi-identifiers, none for a proposed set.

    Only the classes are formed again. AuditInputError: one of them is not a column of the table.
    """
    chosen = tuple(quasi_identifiers)
    return replace(
        measured,
        settings=replace(measured.settings, quasi_identifiers=chosen),
        classes=measure_chosen_classes(
            CodedTable(table=anonymized.table, blanks=marked),
            [one for one in measured.suggestions if one.column not in measured.surrogates],
            chosen,
            measured.classes.persons,
        ),
    )


def judge_second_opinion(
    measured: SecondOpinionMeasurement,
    *,
    thresholds: SecondOpinionThresholds | None = None,
    read: Mapping[str, Reading] | None = None,
) -> SecondOpinion:
    """Hold what was measured, and what a person has read, against thresholds; fast enough for a slider."""
    thresholds = thresholds or SecondOpinionThresholds()
    read = {each.column: (read or {})[each.column] for each in measured.texts if each.column in (read or {})}
    check_reading(measured.texts, read)
    texts = {each.column for each in measured.texts if each.is_text}
    alike = {each.anonymized for each in measured.hidden.kept_likeness}
    alike |= {each.anonymized for each in measured.classes.functions}
    hidden = _judge_hidden(measured.hidden, thresholds, measured.columns)
    alike |= {each.column or "" for each in hidden if each.verdict is Verdict.FAIL}
    found = [
        *judge_relinkage(measured.relinkage, thresholds),
        *judge_unchanged(measured.columns, thresholds, measured.suggestions),
        *judge_finer(measured.finer, thresholds),
        *judge_completed(measured.completed),
        *judge_exact_ends(measured.exact_ends),
        *judge_blanked(measured.blanked, thresholds),
        *hidden,
        *judge_leftovers(measured.leftovers),
        *(one for one in judge_sanity(measured.sanity, thresholds) if one.column not in texts),
        *text_findings(measured.texts, read),
        *judge_classes(measured.classes, thresholds),
        *judge_standouts(measured.standouts, thresholds),
        *judge_pseudonyms(measured.pseudonyms, thresholds),
        *judge_surrogates([name for name in measured.surrogates if name not in alike]),
        *judge_structure(measured.structure, measured.classes, thresholds),
    ]
    semantics = {column.anonymized: column.semantic for column in measured.columns}
    findings = folded(gravest_first(found, measured.suggestions, semantics))
    return SecondOpinion(
        verdict=worst([Verdict.PASS, *(finding.verdict for finding in findings)]),
        findings=findings,
        thresholds=thresholds,
        read=read,
    )


def _judge_hidden(
    measured: HiddenOriginals,
    thresholds: SecondOpinionThresholds,
    columns: Sequence[ColumnComparison] = (),
) -> list[Finding]:
    """Return the findings; a column that derivations tell enough of is not told as readable too.

    Nor is the order of one whose values other columns show in other records, or whose values are the
    original's own, which are as often in any order.
    """
    moved = {(one.original, one.anonymized) for one in columns if one.compared_by == "records"}
    same = {(one.original, one.anonymized) for one in columns if one.holds_same_values}
    in_order = [
        one
        for one in measured.sorting
        if (pair := (one.original, one.anonymized)) not in moved and (one.witness or pair not in same)
    ]
    disguised = [
        *judge_disguises(measured.disguises, thresholds),
        *judge_computed(measured.computed, thresholds),
    ]
    explained = {
        name: worst(finding.verdict for finding in disguised if finding.column == name)
        for name in {finding.column for finding in disguised}
        if name is not None
    }
    derived = judge_derivations(measured.derivations, thresholds, explained)
    told = {finding.column for finding in derived if finding.verdict is Verdict.FAIL}
    found = [
        *disguised,
        *judge_in_texts(measured.in_texts),
        *(one for one in judge_in_codes(measured.in_codes, thresholds) if one.column not in told),
        *judge_masked(measured.masked, thresholds),
        *derived,
        *judge_sorting(in_order, explained),
    ]
    return [*found, *judge_kept_likeness(measured.kept_likeness, {finding.column for finding in found})]


_MANY = 4  # findings of one check from which they are told as one

_KINDS = (
    ("national identification number", "identity document or account number"),
    ("person's name",),
    ("patient or person number", "e-mail address", "phone number", "online identifier or network address"),
    ("postal address", "date of birth", "coordinates", "date of death"),
)
_SEMANTICS = (("ssn", "passport"), ("name",), ("_id", "mrn", "mail", "phone"), ("birth", "address"))
_NAMES_PEOPLE = frozenset({"originals_beside_the_table"})
_ABOUT_THE_FILE = frozenset({"row_count_differs", "column_not_in_log", "logged_column_missing"})


def gravest_first(
    findings: Sequence[Finding], suggestions: Sequence[RoleSuggestion], semantics: Mapping[str, str]
) -> tuple[Finding, ...]:
    """Return the findings, worst first; of these numbers and names of people before shares of records."""
    kinds = {one.column: one.kind for one in suggestions}

    def rank(finding: Finding) -> int:
        if finding.column is None:
            named = finding.check in _NAMES_PEOPLE
            return 1 if named else len(_KINDS) + (2 if finding.check in _ABOUT_THE_FILE else 1)
        kind, semantic = kinds.get(finding.column, ""), semantics.get(finding.column, "").casefold()
        by_kind = (place for place, names in enumerate(_KINDS) if kind in names)
        return min(next(by_kind, len(_KINDS)), _rank_of_semantic(semantic))

    return tuple(sorted(findings, key=lambda finding: (-finding.verdict.severity, rank(finding))))


def _rank_of_semantic(semantic: str) -> int:
    for place, words in enumerate(_SEMANTICS):
        if any(word in semantic for word in words):
            return place
    return len(_KINDS)


def folded(findings: Sequence[Finding]) -> tuple[Finding, ...]:
    """Return the findings, four or more single columns of one check and verdict told as one, all named."""
    return tuple(_folded(findings))


def _folded(findings: Sequence[Finding]) -> Iterator[Finding]:
    groups: dict[tuple[str, Verdict], list[Finding]] = {}
    for finding in findings:
        if finding.column is not None and finding.verdict is not Verdict.PASS:
            groups.setdefault((finding.check, finding.verdict), []).append(finding)
    for finding in findings:
        group = groups.get((finding.check, finding.verdict), [])
        if finding.column is None or len({one.column for one in group}) < _MANY:
            yield finding
        elif finding is group[0]:
            yield _as_one(group)


def _as_one(group: Sequence[Finding]) -> Finding:
    """Return the first finding with the columns of the others in its message."""
    columns = tuple(dict.fromkeys(one.column for one in group if one.column is not None))
    others = columns[1:]
    return replace(
        group[0],
        message=text(
            "{finding} So it is with {n} more column: {columns}.",
            "{finding} So it is with {n} more columns: {columns}.",
            n=len(others),
            finding=own(group[0].message),
            columns=listed(others),
        ),
        column=None,
        columns=columns,
        n_affected=sum(one.n_affected or 0 for one in group),
    )
