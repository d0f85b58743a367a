"""Disclosure risk of a table measured where it is: an engine runs the expressions, aggregates come back."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

import numpy as np

from core.engines import (
    SECRETS,
    Address,
    Engine,
    KeyColumn,
    Origin,
    beside,
    connected,
    is_groupable,
    key_columns,
    refused_in_engine,
)
from core.errors import AuditInputError, UnansweredError
from core.releases import Ledger
from core.releases.in_engine import BesideInEngine, TableInEngine, measure_releases_in_engine
from core.risk.columns import UnchosenColumns, unchosen_columns
from core.risk.comparison import ColumnChange, compared_classes
from core.risk.further_columns import further_columns
from core.risk.in_engine.classes import Records
from core.risk.in_engine.columns import is_searched, search_in_engine, unchosen_in_engine
from core.risk.in_engine.sensitive import related_in_engine, sensitive_attribute
from core.risk.judging import RiskAudit, judge_risk
from core.risk.measuring import ColumnFacts, RiskMeasurement, released_roles, settings_for_other
from core.risk.population import population_uniques
from core.risk.population_estimates import risk_by_population_size
from core.risk.settings import RiskSettings, RiskThresholds, check_settings
from core.risk.suda import SETS_MAX_CELLS, ColumnsMeasurement, Suda, SudaSettings
from core.roles import Role, RoleSuggestion, suggest_by_name
from core.tables import ReadOptions
from core.verdict import Finding, not_in_engine
from core.words import input_error, listed, own

Result = TypeVar("Result")
Instead = TypeVar("Instead")

_FEW_RECORDS = 10_000  # of which roles are suggested
_MOST_CLASSES = 20_000_000  # whose sizes are listed for estimates of the population


class AuditInEngine(NamedTuple):
    """What was found, and where."""

    audit: RiskAudit
    origin: Origin
    columns: ColumnsMeasurement | None  # none of too many classes
    suda: Suda | None  # none where not asked for
    original: RiskAudit | None = None  # the original measured the same way, where one was given
    original_origin: Origin | None = None
    earlier: tuple[Origin, ...] = ()  # where earlier releases are
    problems: tuple[str, ...] = ()  # with those that could not be used


def audit_in_engine(
    address: Address,
    *,
    settings: RiskSettings,
    thresholds: RiskThresholds,
    options: ReadOptions | None = None,
    memory: str | None = None,
    secrets: Path = SECRETS,
    is_stopped: Callable[[], bool] | None = None,
    suda: SudaSettings | None = None,
    original: Address | None = None,
    earlier: Sequence[Address | Ledger] = (),
) -> AuditInEngine:
    """Reach a table, and measure and judge it where it is.

    Parameters
    ----------
    address, options, memory, secrets, is_stopped
        See :func:`core.engines.connected`.
    settings, thresholds
        See :func:`measure_in_engine`.
    suda
        See :func:`search_in_engine`.
    original
        Where the table before anonymization is, in the same engine or another.
    earlier
        Where earlier releases are, in the same engine, and ledgers.

    Raises
    ------
    AuditInputError
        A table cannot be reached, or cannot be measured as asked.
    """
    reach = partial(connected, options=options, memory=memory, secrets=secrets, is_stopped=is_stopped)
    options = options or ReadOptions()
    asked, releases = _Asked(), BesideInEngine()
    counts: Mapping[str, ColumnFacts] | None = None
    with reach(address) as engine:
        measured = measure_in_engine(engine, settings=settings, thresholds=thresholds, options=options)
        asked.problems = measured.unanswered
        columns, special = asked.keep(
            lambda: search_in_engine(engine, measured, suda=suda, options=options), (None, None)
        )
        if earlier:
            next_to = partial(beside, options=options, is_stopped=is_stopped)
            table = TableInEngine(name=measured.name, engine=engine, roles=released_roles(settings))
            releases = asked.keep(
                lambda: measure_releases_in_engine([table], earlier, next_to=next_to, options=options),
                releases,
            )
        if original is not None:
            counts = asked.keep(lambda: _column_facts(engine, engine.table.columns, options)[1], None)
    measured = replace(measured, releases=releases.measurement)
    found = AuditInEngine(judge_risk(measured, thresholds), engine.origin, columns, special)
    if original is not None and counts is not None:
        with reach(original) as before:
            measured, theirs = asked.keep(
                lambda: compare_in_engine(measured, counts, before, thresholds=thresholds, options=options),
                (measured, None),
            )
        found = found._replace(original_origin=before.origin)
        if theirs is not None:
            found, asked.problems = found._replace(original=judge_risk(theirs, thresholds)), theirs.unanswered
    if asked.problems and is_stopped is not None and is_stopped():
        raise AuditInputError(*asked.problems)
    return found._replace(
        audit=judge_risk(replace(measured, unanswered=asked.problems), thresholds),
        earlier=releases.origins,
        problems=(*releases.problems, *asked.problems),
    )


class _Asked:
    """What engines were asked; after one that answers no more nothing more is."""

    problems: tuple[str, ...] = ()

    def keep(self, work: Callable[[], Result], instead: Instead) -> Result | Instead:
        """Return what is found, or something instead."""
        if self.problems:
            return instead
        try:
            return work()
        except UnansweredError as error:
            self.problems = error.problems
            return instead


def _column_facts(
    engine: Engine, names: Sequence[str], options: ReadOptions
) -> tuple[Mapping[str, KeyColumn], Mapping[str, ColumnFacts]]:
    """Return those of the columns that can be grouped, and how many values and missing cells each has."""
    names = [name for name in names if is_groupable(engine.table[name])]
    keys = key_columns(engine, names, options)
    wanted: dict[str, Any] = {}
    for place, name in enumerate(names):
        wanted |= {f"n{place}": keys[name].value.nunique(), f"m{place}": keys[name].is_missing.sum()}
    found = engine.row(engine.table.agg(**wanted)) if wanted else {}
    return keys, {
        name: ColumnFacts(
            column=name, n_values=int(found[f"n{place}"] or 0), n_missing=int(found[f"m{place}"] or 0)
        )
        for place, name in enumerate(names)
    }


def _change(measured: RiskMeasurement, before: ColumnFacts, after: ColumnFacts | None) -> ColumnChange:
    return ColumnChange(
        column=before.column,
        released=before.column in measured.columns,
        changed_share=None,
        ncp=None,
        n_values_original=before.n_values,
        n_values=None if after is None else after.n_values,
        n_missing_original=before.n_missing,
        n_missing=None if after is None else after.n_missing,
    )


def compare_in_engine(
    measured: RiskMeasurement,
    counts: Mapping[str, ColumnFacts],
    original: Engine,
    *,
    thresholds: RiskThresholds,
    options: ReadOptions,
) -> tuple[RiskMeasurement, RiskMeasurement]:
    """Compare the classes of a table with those of its `original`, each counted where it is.

    `counts` are the distinct known values and missing cells of the table's columns. Return the measurement
    with its comparison, of which what pairs records is None, and the original's own. AuditInputError: the
    original has none of the quasi-identifiers, or cannot be measured.
    """
    same = settings_for_other(measured.settings, original.table.columns)
    if same is None:
        raise input_error(
            "{file} has none of the quasi-identifiers, so that there are no classes to compare.",
            file=original.address.name,
        )
    measure = partial(measure_in_engine, original, thresholds=thresholds, options=options)
    refused: tuple[Finding, ...] = ()
    try:
        theirs = measure(settings=same)
    except AuditInputError as error:  # a sensitive attribute may have too many values before anonymization
        theirs = measure(settings=replace(same, sensitive=()))
        refused = tuple(
            not_in_engine(
                "No sensitive attribute of {file} was measured: {reason}",
                file=original.address.name,
                reason=own(problem),
            )
            for problem in error.problems
        )
    before = _column_facts(original, original.table.columns, options)[1]
    compared = compared_classes(
        theirs.name,
        (measured.classes, measured.entry.n_in_table),
        (theirs.classes, theirs.entry.n_in_table),
        tuple(_change(measured, each, counts.get(name)) for name, each in before.items()),
    )
    said = not_in_engine(
        "Precision lost, cells changed and records linked by their closest values were not assessed against "
        "{file}: records have no order in an engine to pair them by.",
        file=theirs.name,
    )
    return replace(measured, comparison=compared, elsewhere=(*measured.elsewhere, said, *refused)), theirs


def roles_in_engine(address: Address, *, secrets: Path = SECRETS) -> tuple[RoleSuggestion, ...]:
    """Suggest a role for each column that can be grouped, by its name and by counts over a few records."""
    with connected(address, secrets=secrets) as engine:
        few = engine.table.limit(_FEW_RECORDS)
        names = [name for name in few.columns if is_groupable(few[name])]
        counts = {f"n{place}": few[name].count() for place, name in enumerate(names)}
        counts |= {f"d{place}": few[name].nunique() for place, name in enumerate(names)}
        found = engine.row(few.agg(**counts)) if names else {}
    return tuple(
        suggest_by_name(name, n_nonblank=found[f"n{place}"], n_distinct=found[f"d{place}"])
        for place, name in enumerate(names)
    )


def measure_in_engine(
    engine: Engine, *, settings: RiskSettings, thresholds: RiskThresholds, options: ReadOptions | None = None
) -> RiskMeasurement:
    """Measure a table's disclosure risk where it is.

    Parameters
    ----------
    engine
        The table.
    settings
        What its columns are.
    thresholds
        The limits that classes are counted against.
    options
        Which words are missing values.

    Raises
    ------
    AuditInputError
        Settings that name no or wrong columns, or ask for what is not measured in an engine.
    """
    columns, options, asked = tuple(engine.table.columns), options or ReadOptions(), _Asked()
    check_settings(settings, columns)
    _check_asked(settings, thresholds)
    quasi = tuple(dict.fromkeys(settings.quasi_identifiers))
    sensitive = tuple(dict.fromkeys(settings.sensitive))
    person = (settings.person,) if settings.person else ()
    table = Records(engine, settings, key_columns(engine, (*quasi, *sensitive, *person), options), quasi)
    entry, facts = table.enter()
    attributes = [sensitive_attribute(table, name) for name in sensitive]
    classes = table.classes(attributes[0].items_as_written() if attributes else None)
    measured = RiskMeasurement(
        name=engine.address.name,
        columns=columns,
        settings=settings,
        entry=entry,
        classes=classes,
        quasi_identifiers=facts,
        sensitive=(),
        persons=table.persons() if settings.person else None,
        unassigned=(),
        unchosen=UnchosenColumns(columns=(), n_records=entry.n_in_table, n_unique=0),
    )
    found = asked.keep(lambda: tuple(each.measure(classes) for each in attributes), ())
    measured = replace(
        measured,
        sensitive=found,
        related=asked.keep(lambda: related_in_engine([*zip(attributes, found, strict=True)]), ()),
    )
    measured = _with_population(measured)
    measured = asked.keep(lambda: _with_unchosen(measured, table, options), measured)
    return replace(measured, unanswered=asked.problems)


def _check_asked(settings: RiskSettings, thresholds: RiskThresholds) -> None:
    """Refuse what is not measured in an engine, rather than leave it out."""
    asked = {
        "--missing=wildcard": settings.missing == "wildcard",
        "--several-sensitive=others_added": settings.several_sensitive == "others_added"
        and len(settings.sensitive) > 1,
        "--household": settings.household is not None or thresholds.household_risk is not None,
        "--weight": settings.weight is not None,
        "--counts": settings.is_of_counts,
        "--person-k": thresholds.person_k is not None,
    }
    wrong = [option for option, is_asked in asked.items() if is_asked]
    if wrong:
        raise refused_in_engine(wrong)


def _with_population(measured: RiskMeasurement) -> RiskMeasurement:
    """Return the measurement with what is known of a population of which the size is given."""
    size, classes = measured.settings.population_size, measured.classes
    if size is None or not classes.n_classes:
        return measured
    if classes.n_classes > _MOST_CLASSES:
        message = "There are {n} classes, too many to estimate the population from; leave its size out."
        raise input_error(message, n=classes.n_classes)
    sizes = np.repeat(classes.size_histogram[0], classes.classes_of_size)
    return replace(
        measured,
        population=risk_by_population_size(sizes, population_size=size),
        uniques=population_uniques(sizes, population_size=size),
    )


def _with_unchosen(measured: RiskMeasurement, table: Records, options: ReadOptions) -> RiskMeasurement:
    """Return the measurement with what is known of columns nobody chose, and what is not assessed."""
    settings, n_records = measured.settings, measured.entry.n_in_table
    named = {settings.person, *settings.quasi_identifiers, *settings.sensitive, *settings.leave_out}
    left = [name for name in measured.columns if name not in named]
    keys, facts = _column_facts(table.engine, left, options)
    n_values = {name: each.n_values for name, each in facts.items()}
    unassigned = (
        suggest_by_name(name, n_nonblank=n_records - each.n_missing, n_distinct=each.n_values)
        for name, each in facts.items()
    )
    together = tuple(name for name in unchosen_columns(settings, measured.columns) if name in keys)
    unchosen = UnchosenColumns(columns=together, n_records=n_records, n_unique=0)
    unchosen = unchosen_in_engine(table.engine, unchosen, keys, n_values)
    names = further_columns(settings, measured.columns, n_values) if measured.classes.n_classes else ()
    sets = [*((name,) for name in names), *((names,) if len(names) > 1 else ())]
    are_many = len(names) * n_records > SETS_MAX_CELLS
    said = _not_assessed(measured, [name for name in left if name not in keys], unchosen, are_many)
    return replace(
        measured,
        unassigned=tuple(sorted(unassigned, key=lambda each: (list(Role).index(each.role), -each.score))),
        unchosen=unchosen,
        further=() if are_many else tuple(table.classes_with(each, keys) for each in sets),
        elsewhere=tuple(said),
    )


def _not_assessed(
    measured: RiskMeasurement, lists: Sequence[str], unchosen: UnchosenColumns, is_unjoined: bool
) -> Iterator[Finding]:
    """Yield what is not assessed because the records stay where they are."""
    yield not_in_engine(
        "Whether values name people (direct identifiers, free text) was not looked at, because the "
        "records stay where "
        "the table is; columns were judged by their names and by how many different values they have."
    )
    yield not_in_engine(
        "Intervals between dates and the order of the records are not assessed: they need the records "
        "themselves."
    )
    if measured.classes.n_classes and not is_searched(measured):
        yield not_in_engine(
            "Which quasi-identifier adds how much, and which sets of them single out, are not assessed: "
            "there are too many classes ({n}) to group them again for each.",
            n=measured.classes.n_classes,
        )
    if measured.settings.person is None:
        yield not_in_engine(
            "Whether a column hides whose record it is was not looked at; choose a person column if there "
            "is one."
        )
    else:
        yield not_in_engine(
            "How many persons all their records together single out is not assessed: it needs the records "
            "themselves."
        )
    if unchosen.singles_out and not unchosen.smallest:
        yield not_in_engine("Which of the columns nobody chose single out most records was not searched.")
    if is_unjoined:
        yield not_in_engine(
            "What a further column known beside the quasi-identifiers does to classes was not counted: there "
            "are too many records to group them again for each."
        )
    if lists:
        yield not_in_engine(
            "Columns that cannot be grouped were not looked at: {columns}.", columns=listed(lists)
        )
