"""Disclosure risk of a table measured where it is: an engine runs the expressions, aggregates come back."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import NamedTuple

from core.engines import (
    SECRETS,
    Address,
    Engine,
    Origin,
    beside,
    connected,
    is_groupable,
    refused_in_engine,
)
from core.errors import AuditInputError, UnansweredError
from core.people.roles import RoleSuggestion, suggest_by_name
from core.processes.jobs import Result
from core.releases import Ledger
from core.releases.in_engine import BesideInEngine, TableInEngine, measure_releases_in_engine
from core.risk.comparison import ColumnChange, compared_classes
from core.risk.in_engine.columns import is_searched, search_in_engine
from core.risk.in_engine.source import EngineSource, column_facts
from core.risk.judging import RiskAudit, judge_risk
from core.risk.measuring import (
    ColumnFacts,
    RiskMeasurement,
    measure_source,
    released_roles,
    settings_for_other,
)
from core.risk.settings import RiskSettings, RiskThresholds, check_settings
from core.risk.suda import ColumnsMeasurement, Suda, SudaSettings
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
    """Reach a table, and measure and judge it where it is; AuditInputError: it cannot be, as asked.

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
    """
    reach = partial(connected, options=options, memory=memory, secrets=secrets, is_stopped=is_stopped)
    options = options or ReadOptions()
    next_to = partial(beside, options=options, is_stopped=is_stopped)
    hold = partial(measure_releases_in_engine, earlier=earlier, next_to=next_to, options=options)
    asked, releases = _Asked(), BesideInEngine()
    with reach(address) as engine:
        measured = measure_in_engine(engine, settings=settings, thresholds=thresholds, options=options)
        asked.problems = measured.unanswered
        search = partial(search_in_engine, engine, measured, suda=suda, options=options)
        columns, special = asked.keep(search) or (None, None)
        if earlier:
            table = [TableInEngine(name=measured.name, engine=engine, roles=released_roles(settings))]
            releases = asked.keep(partial(hold, table)) or releases
        columns_of = partial(column_facts, engine, engine.table.columns, options)
        counts = None if original is None else asked.keep(lambda: columns_of()[1])
    measured = replace(measured, releases=releases.measurement)
    found = AuditInEngine(judge_risk(measured, thresholds), engine.origin, columns, special)
    if original is not None and counts is not None:
        with reach(original) as before:
            compare = partial(compare_in_engine, measured, counts, before, thresholds=thresholds)
            measured, theirs = asked.keep(partial(compare, options=options)) or (measured, None)
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

    def keep(self, work: Callable[[], Result]) -> Result | None:
        """Return what is found, None of nothing."""
        if self.problems:
            return None
        try:
            return work()
        except UnansweredError as error:
            self.problems = error.problems
            return None


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
            "{file} has none of the quasi-identifiers, so that there are no groups to compare.",
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
    before = column_facts(original, original.table.columns, options)[1]
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
    check_settings(settings, tuple(engine.table.columns))
    _check_asked(settings, thresholds)
    source = EngineSource(engine, settings, options or ReadOptions())
    measured = measure_source(source)
    if measured.unanswered:
        return measured
    return replace(measured, elsewhere=(*source.doubtful_numbers(), *_not_assessed(measured, source)))


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


def _not_assessed(measured: RiskMeasurement, source: EngineSource) -> Iterator[Finding]:
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
            "there are too many groups ({n}) to count them again for each.",
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
    if source.further_names or len(measured.sensitive) > 1:
        yield not_in_engine(
            "Whether everybody in a group has the same value of a column nobody chose, or one of several "
            "attributes of yes and no, was not looked at: it needs the records themselves."
        )
    if measured.unchosen.singles_out and not measured.unchosen.smallest:
        yield not_in_engine("Which of the columns nobody chose single out most records was not searched.")
    if source.are_too_many:
        yield not_in_engine(
            "What a further column known beside the quasi-identifiers does to groups was not counted: there "
            "are too many records to group them again for each."
        )
    lists = [name for name in source.unchosen_names if not is_groupable(source.engine.table[name])]
    if lists:
        yield not_in_engine(
            "Columns that cannot be grouped were not looked at: {columns}.", columns=listed(lists)
        )
