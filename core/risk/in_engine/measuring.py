"""Disclosure risk of a table measured where it is: an engine runs the expressions, aggregates come back."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from core.classes import CountedClasses
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
from core.jobs import Result
from core.releases import Ledger
from core.releases.in_engine import BesideInEngine, TableInEngine, measure_releases_in_engine
from core.risk.columns import UnchosenColumns, unchosen_columns
from core.risk.comparison import ColumnChange, compared_classes
from core.risk.further_columns import FurtherColumns, further_columns
from core.risk.in_engine.classes import Records
from core.risk.in_engine.columns import is_searched, search_in_engine, search_unchosen
from core.risk.in_engine.sensitive import related_in_engine, sensitive_attribute
from core.risk.judging import RiskAudit, judge_risk
from core.risk.measuring import RiskMeasurement, released_roles, settings_for_other
from core.risk.population import population_uniques
from core.risk.population_estimates import risk_by_population_size
from core.risk.settings import RiskSettings, RiskThresholds, check_settings
from core.risk.suda import SETS_MAX_CELLS, ColumnsMeasurement, Suda, SudaSettings
from core.roles import Role, RoleSuggestion, suggest_by_name
from core.tables import ReadOptions
from core.verdict import Finding, not_in_engine
from core.words import input_error, listed, own

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
    with reach(address) as engine:
        found = _Found(measure_in_engine(engine, settings=settings, thresholds=thresholds, options=options))
        found.keep(lambda: found.search(engine, suda, options))
        if earlier:
            next_to = partial(beside, options=options, is_stopped=is_stopped)
            table = TableInEngine(name=found.measured.name, engine=engine, roles=released_roles(settings))
            found.keep(lambda: found.hold([table], earlier, next_to, options))
        counts = found.keep(lambda: _counts(engine, options)) if original is not None else None
    theirs_origin = None
    if original is not None and counts is not None:
        with reach(original) as before:
            theirs_origin = before.origin
            found.keep(lambda: found.compare(counts, before, thresholds, options))
    if found.measured.unanswered and is_stopped is not None and is_stopped():
        raise AuditInputError(*found.measured.unanswered)
    return AuditInEngine(
        judge_risk(found.measured, thresholds),
        engine.origin,
        found.columns,
        found.special,
        None if found.theirs is None else judge_risk(found.theirs, thresholds),
        theirs_origin,
        found.releases.origins,
        (*found.releases.problems, *found.measured.unanswered),
    )


class _Found:
    """What was found of a table; what engines that answer no more would have told is left out."""

    def __init__(self, measured: RiskMeasurement) -> None:
        self.measured = measured
        self.columns: ColumnsMeasurement | None = None
        self.special: Suda | None = None
        self.releases = BesideInEngine()
        self.theirs: RiskMeasurement | None = None

    def keep(self, work: Callable[[], Result]) -> Result | None:
        """Do more, unless the engine answers no more."""
        if self.measured.unanswered:
            return None
        try:
            return work()
        except UnansweredError as error:
            self.measured = replace(self.measured, unanswered=error.problems)
            return None

    def search(self, engine: Engine, suda: SudaSettings | None, options: ReadOptions) -> None:
        self.columns, self.special = search_in_engine(engine, self.measured, suda=suda, options=options)

    def hold(
        self,
        tables: Sequence[TableInEngine],
        earlier: Sequence[Address | Ledger],
        next_to: Callable[[Engine, Address], Engine],
        options: ReadOptions,
    ) -> None:
        self.releases = measure_releases_in_engine(tables, earlier, next_to=next_to, options=options)
        self.measured = replace(self.measured, releases=self.releases.measurement)

    def compare(
        self, counts: "_Counts", original: Engine, thresholds: RiskThresholds, options: ReadOptions
    ) -> None:
        self.measured, self.theirs = compare_in_engine(
            self.measured, counts, original, thresholds=thresholds, options=options
        )
        self.measured = replace(self.measured, unanswered=self.theirs.unanswered)


_Counts = Mapping[str, tuple[int, int]]  # distinct known values and missing cells by column


def _counts(engine: Engine, options: ReadOptions) -> _Counts:
    names = [name for name in engine.table.columns if is_groupable(engine.table[name])]
    keys = key_columns(engine, names, options)
    wanted: dict[str, Any] = {}
    for place, name in enumerate(names):
        wanted |= {f"n{place}": keys[name].value.nunique(), f"m{place}": keys[name].is_missing.sum()}
    found = engine.row(engine.table.agg(**wanted)) if wanted else {}
    return {
        name: (int(found[f"n{place}"] or 0), int(found[f"m{place}"] or 0)) for place, name in enumerate(names)
    }


def _change(
    measured: RiskMeasurement, name: str, before: tuple[int, int], after: tuple[int, int] | None
) -> ColumnChange:
    return ColumnChange(
        column=name,
        released=name in measured.columns,
        changed_share=None,
        ncp=None,
        n_values_original=before[0],
        n_values=after and after[0],
        n_missing_original=before[1],
        n_missing=after and after[1],
    )


def compare_in_engine(
    measured: RiskMeasurement,
    counts: _Counts,
    original: Engine,
    *,
    thresholds: RiskThresholds,
    options: ReadOptions | None = None,
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
    before = _counts(original, options or ReadOptions())
    compared = compared_classes(
        theirs.name,
        (measured.classes, measured.entry.n_in_table),
        (theirs.classes, theirs.entry.n_in_table),
        tuple(_change(measured, name, before[name], counts.get(name)) for name in before),
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
        return _by_name(names, engine.row(few.agg(**counts)) if names else {})


def _by_name(names: Sequence[str], counts: Mapping[str, int]) -> tuple[RoleSuggestion, ...]:
    """Suggest roles from names, and from how many cells and different values the columns have by place."""
    return tuple(
        suggest_by_name(name, n_nonblank=counts[f"n{place}"], n_distinct=counts[f"d{place}"])
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
    columns = tuple(engine.table.columns)
    check_settings(settings, columns)
    _check_asked(settings, thresholds)
    quasi = tuple(dict.fromkeys(settings.quasi_identifiers))
    sensitive = tuple(dict.fromkeys(settings.sensitive))
    person = (settings.person,) if settings.person else ()
    keys = key_columns(engine, (*quasi, *sensitive, *person), options or ReadOptions())
    with ExitStack() as kept:
        table = Records(engine, settings, keys, quasi, kept)
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
        measured = _going_on(
            measured,
            lambda: replace(
                measured,
                sensitive=(found := tuple(each.measure(classes) for each in attributes)),
                related=related_in_engine([*zip(attributes, found, strict=True)]),
            ),
        )
    found = _with_population(measured)
    return _going_on(found, lambda: _with_unchosen(found, engine, options or ReadOptions()))


def _going_on(measured: RiskMeasurement, work: Callable[[], RiskMeasurement]) -> RiskMeasurement:
    """Return the measurement with more, or as it is where the engine answers no more."""
    if measured.unanswered:
        return measured
    try:
        return work()
    except UnansweredError as error:
        return replace(measured, unanswered=error.problems)


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
    if size is None or not isinstance(classes, CountedClasses) or not classes.n_classes:
        return measured
    if classes.n_classes > _MOST_CLASSES:
        message = "There are {n} classes, too many to estimate the population from; leave its size out."
        raise input_error(message, n=classes.n_classes)
    sizes, n_classes = classes.size_histogram[0], classes.classes_of_size
    listed_sizes = np.repeat(sizes, n_classes)
    return replace(
        measured,
        population=risk_by_population_size(listed_sizes, population_size=size),
        uniques=population_uniques(listed_sizes, population_size=size),
    )


def _with_unchosen(measured: RiskMeasurement, engine: Engine, options: ReadOptions) -> RiskMeasurement:
    """Return the measurement with what is known of columns nobody chose, and what is not assessed."""
    settings = measured.settings
    named = {settings.person, *settings.quasi_identifiers, *settings.sensitive, *settings.leave_out}
    left = [name for name in measured.columns if name not in named]
    grouped = [name for name in left if is_groupable(engine.table[name])]
    keys = key_columns(engine, grouped, options)
    facts: dict[str, Any] = {}
    for place, name in enumerate(grouped):
        facts |= {f"n{place}": keys[name].value.count(), f"d{place}": keys[name].value.nunique()}
    found = engine.row(engine.table.agg(**facts)) if facts else {}
    unassigned = _by_name(grouped, found)
    together = [name for name in unchosen_columns(settings, measured.columns) if name in keys]
    n_unique = 0
    if together:
        values = engine.table.select(**{f"k{place}": keys[name].value for place, name in enumerate(together)})
        classes = values.group_by(list(values.columns)).agg(n=values.count())
        n_unique = int(engine.row(classes.agg(n=(classes.n == 1).sum()))["n"] or 0)
    n_values = {name: int(found[f"d{place}"]) for place, name in enumerate(grouped)}
    unchosen = UnchosenColumns(
        columns=tuple(together), n_records=measured.entry.n_in_table, n_unique=n_unique
    )
    searched = search_unchosen(engine, unchosen, keys, n_values)
    further = _classes_with_further(measured, engine, keys, n_values, options)
    return replace(
        measured,
        unassigned=tuple(sorted(unassigned, key=lambda each: (list(Role).index(each.role), -each.score))),
        unchosen=searched or unchosen,
        further=further or (),
        elsewhere=tuple(
            _not_assessed(
                measured, [name for name in left if name not in grouped], searched is None, further is None
            )
        ),
    )


def _classes_with_further(
    measured: RiskMeasurement,
    engine: Engine,
    keys: Mapping[str, KeyColumn],
    n_values: Mapping[str, int],
    options: ReadOptions,
) -> tuple[FurtherColumns, ...] | None:
    """Return the classes with each further column, and with all; None of too many records for that."""
    settings, quasi = measured.settings, measured.classes.quasi_identifiers
    names = further_columns(settings, measured.columns, n_values) if measured.classes.n_classes else ()
    if len(names) * measured.entry.n_in_table > SETS_MAX_CELLS:
        return None
    chosen = key_columns(engine, (*quasi, *filter(None, [settings.person])), options)
    with ExitStack() as kept:
        records = Records(engine, settings, chosen, quasi, kept)
        sets = [*((name,) for name in names), *((names,) if len(names) > 1 else ())]
        return tuple(records.classes_with(each, keys) for each in sets)


def _not_assessed(
    measured: RiskMeasurement, lists: Sequence[str], is_unsearched: bool, is_unjoined: bool
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
    if is_unsearched:
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
