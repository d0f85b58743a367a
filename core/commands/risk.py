"""``python -m core risk``: the disclosure risk of a table."""

from __future__ import annotations

import argparse
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from core.commands import earlier
from core.commands.output import (
    add_evidence_option,
    add_text_options,
    check_new_files,
    print_evidence,
    print_json,
    print_lines,
    with_evidence,
    write_new_files,
)
from core.commands.policies import judged, looks, policy_document, policy_lines
from core.commands.reading import add_reading_options, table_reader
from core.commands.risk_release import check_hierarchies, check_release, write_hierarchies, write_release
from core.counts import audit_counts
from core.counts.document import counts_document, counts_summary
from core.counts.settings import CountThresholds
from core.errors import AuditInputError
from core.free_text import read_cells
from core.risk import (
    PERSON_RELEASED,
    Hierarchy,
    RiskAudit,
    RiskSettings,
    RiskThresholds,
    SudaSettings,
    WhatIfSettings,
    check_settings,
    check_undeclared,
    judge_risk,
    measure_columns,
    measure_risk,
    measure_special_uniques,
    read_hierarchy,
    released_table,
    risk_document,
    risk_summary,
    search_what_if,
    suggested_settings,
    violations_csv,
    what_if_settings,
)
from core.risk.views import evidence_tables
from core.settings_form import add_options, described, from_options
from core.tables import Dataset, ReadOptions, read_dataset
from core.verdict import exit_code
from core.words import text

FORMS = (RiskSettings, RiskThresholds, SudaSettings, WhatIfSettings)
FURTHER_FORMS = (CountThresholds,)  # of a table of counts


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the table, what its columns are, and what the figures are held against."""
    parser.add_argument("table", type=Path, metavar="TABLE", help="the table to be released")
    population = parser.add_mutually_exclusive_group()
    population.add_argument(
        "--population", type=Path, metavar="FILE", help="a table of everybody the records were drawn from"
    )
    for form in FORMS:
        for name in described(form):
            add_options(population if name == "population_size" else parser, form, name)
    parser.add_argument(
        "--hierarchy",
        action="extend",
        nargs="+",
        default=[],
        metavar="COL=FILE",
        help="groups of a column's values, a line each, as value;level 1;level 2;…: of a quasi-identifier "
        "for --what-if, of a sensitive attribute for t; repeatable",
    )
    parser.add_argument("--original", type=Path, metavar="FILE", help="the table before anonymization")
    earlier.add_arguments(parser)
    _add_searches(parser)
    add_text_options(parser)
    add_reading_options(parser)
    add_evidence_option(parser)
    for name in ("n_largest", "dominance_share", "p_share"):
        add_options(parser, CountThresholds, name)
    parser.add_argument(
        "--also",
        action="extend",
        nargs="+",
        default=[],
        type=Path,
        metavar="FILE",
        help="with --counts: further tables of the same columns that are published too",
    )
    _add_violations(parser)
    parser.add_argument("--json", action="store_true", help="print one JSON document")


def _add_violations(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--violations",
        type=Path,
        metavar="FILE",
        help="write the records that miss a threshold, by their position, as CSV; the file may not exist",
    )
    parser.add_argument(
        "--violations-with-values",
        action="store_true",
        help="with --violations: the records' quasi-identifiers too, which the file then gives away",
    )


def _add_searches(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--suda", action="store_true", help="search the smallest sets of values that single records out"
    )
    parser.add_argument(
        "--what-if",
        action="store_true",
        help="search the cheapest generalizations that reach k, and with --sensitive ℓ, entropy ℓ and t",
    )
    parser.add_argument(
        "--write-hierarchies",
        type=Path,
        metavar="DIR",
        help="with --what-if: write the hierarchies searched, a file for each quasi-identifier, in the form "
        "of --hierarchy; they hold the table's values",
    )
    parser.add_argument(
        "--release",
        type=Path,
        metavar="FILE",
        help="with --what-if: write the cheapest generalized table that holds when counted again, as CSV, "
        "and how it was made beside it, as .json; neither may exist. It holds only columns named above",
    )
    parser.add_argument(
        "--person-released",
        choices=PERSON_RELEASED,
        default=PERSON_RELEASED[0],
        help="whether fresh random pseudonyms stand in the person column of a release, or it is left out "
        "(default: pseudonym)",
    )


def run(arguments: argparse.Namespace) -> int:
    """Measure and judge the table, print the result, return the exit code."""
    thresholds, wanted = from_options(RiskThresholds, arguments), _what_if_choices(arguments)
    size = from_options(SudaSettings, arguments).max_size
    _check_files(arguments)
    read = table_reader(arguments)
    dataset = read(arguments.table)
    before = earlier.read_before(arguments)
    settings = _settings(arguments, dataset)
    if settings.is_of_counts:
        return _audit_counts(arguments, dataset, settings)
    groups = _hierarchies(arguments.hierarchy, dataset)
    population = None if arguments.population is None else read(arguments.population)
    measured = measure_risk(
        dataset,
        settings=settings,
        hierarchies={name: each for name, each in groups.items() if name not in settings.quasi_identifiers},
        original=None if arguments.original is None else read(arguments.original),
        population=population,
        text_model=arguments.text_model,
        earlier=before.releases,
    )
    before.write_ledger(arguments.ledger, [released_table(dataset, settings)], k=thresholds.k)
    if arguments.release is not None:
        check_undeclared(measured)
    audit = judge_risk(measured, thresholds, read=read_cells(arguments.read))
    _write_violations(arguments, audit, dataset)
    columns = measure_columns(measured, dataset)
    suda = measure_special_uniques(measured, dataset, max_size=size) if arguments.suda else None
    what_if = None
    if arguments.what_if and measured.classes.n_classes:
        asked = what_if_settings(measured, thresholds, choices=wanted)
        own = {name: each for name, each in groups.items() if name in settings.quasi_identifiers}
        what_if = search_what_if(measured, dataset, settings=asked, hierarchies=own, population=population)
    if arguments.write_hierarchies is not None:
        write_hierarchies(arguments.write_hierarchies, what_if)
    written = write_release(arguments.release, what_if, audit, dataset, person=arguments.person_released)
    evidence = evidence_tables(audit, dataset) if arguments.evidence == "masked" else None
    document = risk_document(audit, columns=columns, suda=suda, what_if=what_if)
    document |= {} if arguments.release is None else {"release": written.document}
    lines = [*risk_summary(audit, columns=columns, suda=suda, what_if=what_if), *written.lines]
    _print_result(arguments, document | with_evidence(evidence), lines, dataset, settings)
    print_evidence(() if arguments.json else evidence or ())
    return exit_code(audit.overall, incomplete=written.is_missing or before.is_incomplete)


def _check_files(arguments: argparse.Namespace) -> None:
    """Refuse files that cannot be written, before any work is done."""
    check_release(arguments.release, what_if=arguments.what_if)
    if arguments.violations is not None:
        check_new_files("--violations", arguments.violations)
    check_hierarchies(arguments.write_hierarchies, what_if=arguments.what_if)


def _write_violations(arguments: argparse.Namespace, audit: RiskAudit, dataset: Dataset) -> None:
    if arguments.violations is not None:
        shown = dataset if arguments.violations_with_values else None
        write_new_files("--violations", {arguments.violations: violations_csv(audit, shown)})


def _print_result(
    arguments: argparse.Namespace,
    document: dict[str, object],
    lines: Sequence[str],
    dataset: Dataset,
    settings: RiskSettings,
) -> None:
    """Print document or lines, with what a policy makes of the result."""
    outcome = judged(arguments, document, looks(arguments, dataset, settings.leave_out))
    if arguments.json:
        print_json(document | policy_document(outcome))
    else:
        print_lines([*lines, *policy_lines(outcome)])


def _audit_counts(arguments: argparse.Namespace, dataset: Dataset, settings: RiskSettings) -> int:
    """Audit a table of counts, print the result, return the exit code."""
    check_settings(settings, dataset.columns)
    audit = audit_counts(
        dataset,
        counts=settings.counts,
        dimensions=settings.categories(dataset.columns),
        sensitive=settings.sensitive,
        magnitude=settings.magnitude,
        contributor=settings.contributor,
        others=[*map(table_reader(arguments), arguments.also)],
        thresholds=from_options(CountThresholds, arguments),
    )
    _print_result(arguments, counts_document(audit), counts_summary(audit), dataset, settings)
    return exit_code(audit.overall, incomplete=False)


def _settings(arguments: argparse.Namespace, dataset: Dataset) -> RiskSettings:
    """Return what was chosen; without quasi-identifiers, those that names and values suggest."""
    chosen = from_options(RiskSettings, arguments, quasi_identifiers=tuple(arguments.quasi_identifier or ()))
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


def _hierarchies(given: Sequence[str], dataset: Dataset) -> Mapping[str, Hierarchy]:
    """Read each file as a table without header; a first line that is no value of the column is its header."""
    found = {}
    for pair in given:
        column, path = _named(pair, "--hierarchy", "FILE")
        if column not in dataset.columns:
            absent = "--hierarchy: there is no column {column} in {file}."
            raise AuditInputError(text(absent, column=f"`{column}`", file=dataset.name))
        values = {value.strip() for value in dataset.table[column].unique().to_pylist() if value is not None}
        read = read_dataset(Path(path), options=ReadOptions(header="none"))
        found[column] = read_hierarchy(read, values=values)
    return found


def _named(pair: str, option: str, what: str) -> tuple[str, str]:
    column, separator, value = pair.rpartition("=")
    if not separator:
        needs = "{option} needs COL={what}, received {given}."
        raise AuditInputError(text(needs, option=option, what=what, given=pair))
    return column, value


def _what_if_choices(arguments: argparse.Namespace) -> WhatIfSettings:
    weights = []
    for pair in arguments.column_weight or ():
        column, value = _named(pair, "--column-weight", "WEIGHT")
        try:
            weights.append((column, float(value)))
        except ValueError:
            no_number = "--column-weight: {value} is no number."
            raise AuditInputError(text(no_number, value=value)) from None
    return from_options(WhatIfSettings, arguments, weights=tuple(weights))
