"""``python -m core risk``: the disclosure risk of a table."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

from core.commands import earlier
from core.commands import engines as in_engine
from core.commands.audited import Audited
from core.commands.output import check_new_files, write_new_files
from core.commands.reading import table_reader
from core.commands.risk_release import check_hierarchies, check_release, write_hierarchies, write_release
from core.counts import audit_counts
from core.counts.report import counts_report
from core.counts.result import counts_result
from core.counts.settings import CountThresholds, no_ledger
from core.files.named_files import is_alone
from core.people.free_text import read_cells
from core.policies.of_report import looks
from core.releases import EARLIER, EarlierTable
from core.reports import InputFacts, Report, input_facts, origin_facts
from core.result import Result
from core.risk import (
    GROUPS,
    ColumnsMeasurement,
    Hierarchy,
    RiskAudit,
    RiskSettings,
    RiskThresholds,
    Suda,
    SudaSettings,
    WhatIf,
    WhatIfSettings,
    check_settings,
    check_undeclared,
    hierarchy_for,
    judge_risk,
    measure_columns,
    measure_risk,
    measure_special_uniques,
    read_hierarchy,
    released_table,
    search_what_if,
    settings_for_other,
    suggested_settings,
    violations_csv,
    what_if_settings,
)
from core.risk.evidence import evidence_tables
from core.risk.in_engine import AuditInEngine, audit_in_engine
from core.risk.proof import risk_proof
from core.risk.report import risk_report
from core.risk.result import risk_result
from core.settings.asked import Asked
from core.settings.form import from_options
from core.tables import Dataset, ReadOptions, read_dataset
from core.words import input_error, own


def audit(arguments: Asked) -> Audited:
    """Measure and judge the table, and write the files asked for."""
    thresholds, wanted = from_options(RiskThresholds, arguments), _what_if_choices(arguments)
    suda_settings = from_options(SudaSettings, arguments)
    if _asks_engine(arguments):
        return _audit_in_engine(arguments, thresholds)
    _check_files(arguments)
    read = table_reader(arguments)
    dataset = read(arguments.table)
    before = earlier.read_before(arguments)
    settings = _settings(arguments, dataset)
    if settings.is_of_counts:
        return _audit_counts(arguments, dataset, settings, before)
    groups, files = _hierarchies(arguments.hierarchy, dataset)
    population = None if arguments.population is None else read(arguments.population)
    original = None if arguments.original is None else read(arguments.original)
    measured = measure_risk(
        dataset,
        settings=settings,
        hierarchies={name: each for name, each in groups.items() if name not in settings.quasi_identifiers},
        original=original,
        population=population,
        text_model=arguments.text_model,
        earlier=before.releases,
    )
    before.write_ledger(arguments.ledger, [released_table(dataset, settings)], k=thresholds.k)
    if arguments.release is not None:
        check_undeclared(measured)
    audited = judge_risk(measured, thresholds, read=read_cells(arguments.read))
    _write_violations(arguments, audited, dataset)
    columns = measure_columns(measured, dataset)
    size = suda_settings.max_size
    suda = measure_special_uniques(measured, dataset, max_size=size) if arguments.suda else None
    what_if = None
    if arguments.what_if and measured.classes.n_classes:
        diverse = not arguments.what_if_k_alone
        asked = what_if_settings(measured, thresholds, choices=wanted, diverse=diverse)
        own_groups = {name: each for name, each in groups.items() if name in settings.quasi_identifiers}
        what_if = search_what_if(
            measured, dataset, settings=asked, hierarchies=own_groups, population=population
        )
    found = _Found(audited, dataset, original, population, groups, files, before, columns, suda, what_if)
    return _written(arguments, found)


class _Found(NamedTuple):
    """What was found, and on which files."""

    audited: RiskAudit
    dataset: Dataset
    original: Dataset | None
    population: Dataset | None
    groups: Mapping[str, Hierarchy]
    files: Sequence[Dataset]  # of the groups
    before: earlier.Before
    columns: ColumnsMeasurement | None
    suda: Suda | None
    what_if: WhatIf | None

    @property
    def searched(self) -> dict[str, Any]:
        """Return the searches."""
        return {"columns": self.columns, "suda": self.suda, "what_if": self.what_if}

    def result(self) -> Result:
        """Return all that is said of it."""
        return risk_result(self.audited, **self.searched)

    def report(self, created_at: datetime) -> Report:
        """Return the report."""
        named = {"table": self.dataset, "original": self.original, "population": self.population}
        inputs = [input_facts(each, own(role)) for role, each in named.items() if each is not None]
        return risk_report(
            self.audited,
            inputs=[*inputs, *(input_facts(each, GROUPS) for each in self.files), *self.before.facts()],
            created_at=created_at,
            other=_judge_original(self.audited, self.original, self.groups),
            groups=list(self.groups),
            **self.searched,
        ).with_tables(risk_proof(self.audited, self.dataset))


def _written(arguments: Asked, found: _Found) -> Audited:
    """Write the hierarchies and the table asked for, and return what was found."""
    audited, what_if = found.audited, found.what_if
    if arguments.write_hierarchies is not None:
        write_hierarchies(arguments.write_hierarchies, what_if)
    written = write_release(
        arguments.release, what_if, audited, found.dataset, person=arguments.person_released
    )
    left_out = audited.measurement.settings.leave_out
    released = {} if arguments.release is None else {"release": written.document}
    return Audited(
        verdict=audited.overall,
        report=found.report,
        evidence=evidence_tables(audited, found.dataset) if arguments.evidence == "masked" else None,
        result=found.result,
        further=released,
        tables=("columns", "special", "what_if", "generalization", "releases"),
        written=tuple(written.lines),
        looks=lambda policy: looks(policy, found.dataset, left_out=left_out),
        problems=found.before.problems,
        unread=found.before.problems,
        is_incomplete=written.is_missing,
    )


def _judge_original(
    audited: RiskAudit, original: Dataset | None, groups: Mapping[str, Hierarchy]
) -> RiskAudit | None:
    """Measure the original the same way, as far as it has the columns."""
    settings = audited.measurement.settings
    if original is None or (same := settings_for_other(settings, original.columns)) is None:
        return None
    wanted = {name: each for name, each in groups.items() if name in same.sensitive}
    return judge_risk(measure_risk(original, settings=same, hierarchies=wanted), audited.thresholds)


def _check_files(arguments: Asked) -> None:
    """Refuse files that cannot be written, before any work is done."""
    check_release(arguments.release, what_if=arguments.what_if)
    if arguments.violations is not None:
        check_new_files("--violations", arguments.violations)
    check_hierarchies(arguments.write_hierarchies, what_if=arguments.what_if)


def _write_violations(arguments: Asked, audit: RiskAudit, dataset: Dataset) -> None:
    if arguments.violations is not None:
        shown = dataset if arguments.violations_with_values else None
        write_new_files("--violations", {arguments.violations: violations_csv(audit, shown)})


def _audit_counts(
    arguments: Asked, dataset: Dataset, settings: RiskSettings, before: earlier.Before
) -> Audited:
    """Audit a table of counts."""
    check_settings(settings, dataset.columns)
    tables = [each.dataset for each in before.releases if isinstance(each, EarlierTable)]
    others = [*map(table_reader(arguments), arguments.also), *tables]
    if arguments.ledger is not None:
        raise input_error("--ledger counts persons: of a table of counts, keep the table itself.")
    audited = audit_counts(
        dataset,
        **settings.of_counts(dataset.columns),
        others=others,
        thresholds=from_options(CountThresholds, arguments),
    )

    return Audited(
        verdict=audited.overall,
        report=partial(counts_report, audited, (dataset, *others), settings),
        result=lambda: counts_result(audited, settings),
        looks=lambda policy: looks(policy, dataset, left_out=settings.leave_out),
        problems=(*before.problems, *(no_ledger(name) for name, _ in before.ledgers)),
    )


def _chosen(arguments: Asked) -> RiskSettings:
    return from_options(RiskSettings, arguments, quasi_identifiers=tuple(arguments.quasi_identifier or ()))


def _settings(arguments: Asked, dataset: Dataset) -> RiskSettings:
    """Return what was chosen; without quasi-identifiers, those that names and values suggest."""
    chosen = _chosen(arguments)
    if chosen.quasi_identifiers or chosen.is_of_counts:
        return chosen
    suggested = suggested_settings(dataset)
    taken = {*chosen.sensitive, *chosen.leave_out, chosen.person, chosen.weight, chosen.household}
    taken |= {*chosen.direct_identifiers, *chosen.other}
    quasi = tuple(column for column in suggested.quasi_identifiers if column not in taken)
    sensitive = chosen.sensitive or tuple(
        column for column in suggested.sensitive if column not in {*quasi, *taken}
    )
    return replace(chosen, quasi_identifiers=quasi, sensitive=sensitive, roles_suggested=True)


def _hierarchies(given: Sequence[str], dataset: Dataset) -> tuple[Mapping[str, Hierarchy], list[Dataset]]:
    """Read each file as a table without header; a first line that is no value of the column is its header."""
    found, files = {}, {}
    for pair in given:
        column, path = _named(pair, "--hierarchy", "FILE")
        if column not in dataset.columns:
            absent = "--hierarchy: there is no column {column} in {file}."
            raise input_error(absent, column=f"`{column}`", file=dataset.name)
        values = {value.strip() for value in dataset.table[column].unique().to_pylist() if value is not None}
        files[column] = read_dataset(Path(path), options=ReadOptions(header="none"))
        is_named = bool(files[column].reading.header_line)  # where a report of the page is repeated
        read = read_hierarchy(files[column], values=values)
        found[column] = hierarchy_for(files[column], dataset)[1] if is_named else read
    return found, list(files.values())


def _named(pair: str, option: str, what: str) -> tuple[str, str]:
    column, separator, value = pair.rpartition("=")
    if not separator:
        needs = "{option} needs COL={what}, received {given}."
        raise input_error(needs, option=option, what=what, given=pair)
    return column, value


def _what_if_choices(arguments: Asked) -> WhatIfSettings:
    weights = []
    for pair in arguments.column_weight or ():
        column, value = _named(pair, "--column-weight", "WEIGHT")
        try:
            weights.append((column, float(value)))
        except ValueError:
            no_number = "--column-weight: {value} is no number."
            raise input_error(no_number, value=value) from None
    return from_options(WhatIfSettings, arguments, weights=tuple(weights))


def _asks_engine(arguments: Asked) -> bool:
    """Tell whether a table is in an engine, or a folder, or a file that needs more memory than there is.

    A file stays in memory where an option needs its records.
    """
    tables = [each for each in (arguments.table, arguments.original) if each is not None]
    files = [each for each in tables if isinstance(each, Path)]
    if len(files) < len(tables) or any(isinstance(each, str) for each in arguments.earlier):
        return True
    if is_alone():
        return False
    is_large = any(in_engine.are_too_large([each]) for each in files)
    return any(each.is_dir() for each in files) or (is_large and not in_engine.asked_of_records(arguments))


def _audit_in_engine(arguments: Asked, thresholds: RiskThresholds) -> Audited:
    """Measure and judge a table where it is."""
    address, warnings = in_engine.address_given(arguments.table)
    original = None
    if arguments.original is not None:
        original, further = in_engine.address_given(arguments.original)
        warnings += further
    in_engine.refuse_records(arguments)
    settings = _chosen(arguments)
    suda = from_options(SudaSettings, arguments) if arguments.suda else None
    before = earlier.read_before_in_engine(arguments)
    found = in_engine.measured(
        arguments,
        audit_in_engine,
        address,
        settings=settings,
        thresholds=thresholds,
        suda=suda,
        original=original,
        earlier=before.elsewhere,
    )
    audited = found.audit
    searched: dict[str, Any] = {"columns": found.columns, "suda": found.suda}

    def report(created_at: datetime) -> Report:
        inputs = [*_inputs_in_engine(found), *before.facts()]
        return risk_report(audited, inputs=inputs, created_at=created_at, other=found.original, **searched)

    return Audited(
        verdict=audited.overall,
        report=report,
        result=lambda: risk_result(audited, **searched),
        tables=("columns", "special", "releases"),
        problems=(*before.problems, *found.problems),
        warnings=warnings,
    )


def _inputs_in_engine(found: AuditInEngine) -> list[InputFacts]:
    """Return what a report says of the tables."""
    inputs = [origin_facts(found.origin)]
    if found.original_origin is not None:
        inputs.append(origin_facts(found.original_origin, "original"))
    return [*inputs, *(origin_facts(each, EARLIER) for each in found.earlier)]
