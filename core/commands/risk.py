"""``python -m core risk``: the disclosure risk of a table."""

from __future__ import annotations

import argparse
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import get_args

from core.commands.output import check_new_files, print_json, print_lines, write_new_files
from core.commands.risk_release import check_hierarchies, check_release, write_hierarchies, write_release
from core.errors import AuditInputError
from core.risk import (
    DISTANCES,
    MISSING,
    MISSING_SENSITIVE,
    PERSON_RELEASED,
    SEVERAL,
    USUAL_SET_SIZE,
    Hierarchy,
    Objective,
    RiskSettings,
    RiskThresholds,
    WhatIfSettings,
    check_undeclared,
    judge_risk,
    measure_columns,
    measure_risk,
    measure_special_uniques,
    read_hierarchy,
    risk_document,
    risk_summary,
    search_what_if,
    suggested_settings,
    violations_csv,
    what_if_settings,
)
from core.tables import Dataset, ReadOptions, read_dataset
from core.verdict import exit_code


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the table, what its columns are, and what the figures are held against."""
    parser.add_argument("table", type=Path, metavar="TABLE", help="the table to be released")
    parser.add_argument(
        "--quasi-identifier",
        action="extend",
        nargs="+",
        default=[],
        metavar="COL",
        help="a column that others may know about a person; repeatable; default: those suggested",
    )
    parser.add_argument(
        "--sensitive",
        action="extend",
        nargs="+",
        default=[],
        metavar="COL",
        help="a column whose values must not become known; repeatable",
    )
    parser.add_argument("--person", metavar="COL", help="whose record it is; classes then count persons")
    parser.add_argument(
        "--household", metavar="COL", help="which household it is of, for the risk that any member is found"
    )
    parser.add_argument("--weight", metavar="COL", help="sampling weights, for individual risk")
    population = parser.add_mutually_exclusive_group()
    population.add_argument(
        "--population", type=Path, metavar="FILE", help="a table of everybody the records were drawn from"
    )
    population.add_argument("--population-size", type=int, metavar="N", help="people in the population")
    parser.add_argument(
        "--leave-out", action="extend", nargs="+", default=[], metavar="COL", help="will not be released"
    )
    parser.add_argument(
        "--direct-identifier",
        action="extend",
        nargs="+",
        default=[],
        metavar="COL",
        help="names a person, whatever it looks like; the table fails with it, and no release has it",
    )
    parser.add_argument(
        "--harmless",
        action="extend",
        nargs="+",
        default=[],
        metavar="COL",
        help="harmless whatever it looks like, as a drug column called name; a release has it as it is",
    )
    parser.add_argument("--original", type=Path, metavar="FILE", help="the table before anonymization")
    _add_choices(parser)
    _add_thresholds(parser)
    _add_searches(parser)
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
    parser.add_argument("--json", action="store_true", help="print one JSON document")


def _add_searches(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--suda", action="store_true", help="search the smallest sets of values that single records out"
    )
    parser.add_argument(
        "--suda-size",
        type=int,
        default=USUAL_SET_SIZE,
        metavar="N",
        help=f"values of the largest set that --suda searches (default: {USUAL_SET_SIZE})",
    )
    parser.add_argument(
        "--what-if",
        action="store_true",
        help="search the cheapest generalizations that reach k, and with --sensitive l, entropy l and t",
    )
    parser.add_argument(
        "--max-suppression",
        type=float,
        default=WhatIfSettings().suppression_limit,
        metavar="SHARE",
        help="largest share of records, from 0 to below 1, that --what-if may suppress (default: 0.05)",
    )
    parser.add_argument(
        "--objective",
        choices=get_args(Objective),
        default=WhatIfSettings().objective,
        help="what --what-if makes as small as it can: precision lost, discernibility or the average class "
        "(default: ncp)",
    )
    parser.add_argument(
        "--column-weight",
        action="extend",
        nargs="+",
        default=[],
        metavar="COL=WEIGHT",
        help="how much a quasi-identifier counts in the precision lost (1); repeatable",
    )
    parser.add_argument(
        "--k-map",
        type=int,
        metavar="K",
        help="with --what-if and --population: people of the population that every class has to hold",
    )
    parser.add_argument(
        "--local-recoding",
        action="store_true",
        help="with --what-if: generalize records further that would be suppressed, as far as that helps",
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


def _add_choices(parser: argparse.ArgumentParser) -> None:
    defaults = RiskSettings(quasi_identifiers=())
    parser.add_argument(
        "--missing",
        choices=MISSING,
        default=defaults.missing,
        help="a missing quasi-identifier is a value, matches every value, or drops the record (default: "
        "value)",
    )
    parser.add_argument(
        "--distance",
        choices=DISTANCES,
        default=defaults.distance,
        help="between sensitive values for t (default: auto, ordered for numbers and equal otherwise)",
    )
    parser.add_argument(
        "--hierarchy",
        action="extend",
        nargs="+",
        default=[],
        metavar="COL=FILE",
        help="groups of a column's values, a line each, as value;level 1;level 2;…: of a quasi-identifier "
        "for --what-if, of a sensitive attribute for t; repeatable",
    )
    parser.add_argument(
        "--several-sensitive",
        choices=SEVERAL,
        default=defaults.several_sensitive,
        help="judge sensitive attributes one by one, or with the others added to the quasi-identifiers",
    )
    parser.add_argument(
        "--missing-sensitive",
        choices=MISSING_SENSITIVE,
        default=defaults.missing_sensitive,
        help="a missing sensitive value is unknown and not counted, or a value (default: unknown)",
    )
    parser.add_argument(
        "--recursive-c",
        type=float,
        default=defaults.recursive_c,
        metavar="C",
        help="c at which the largest recursive l is reported (default: 3)",
    )
    parser.add_argument(
        "--closeness",
        type=float,
        default=defaults.closeness,
        metavar="SHARE",
        help="sensitive numbers that differ by at most this share of the range between their 5 %% and 95 %% "
        "quantiles are taken as one where values are judged by what they mean (default: 0.01)",
    )


def _add_thresholds(parser: argparse.ArgumentParser) -> None:
    defaults = RiskThresholds()
    parser.add_argument(
        "--k",
        type=int,
        default=defaults.k,
        help="smallest class; usual are 3, 5, 11, 20; 1 is always met, where --average-risk decides alone "
        "(default: 5)",
    )
    parser.add_argument(
        "--l", type=int, default=defaults.l, help="different sensitive values in every class (default: 2)"
    )
    parser.add_argument(
        "--entropy-l", type=float, metavar="L", help="smallest entropy l; not judged by default"
    )
    parser.add_argument(
        "--t", type=float, help="largest distance of a class from the table; not judged by default"
    )
    parser.add_argument(
        "--average-risk", type=float, metavar="RISK", help="largest average risk; not judged by default"
    )
    parser.add_argument(
        "--alpha",
        type=float,
        metavar="SHARE",
        help="largest share of one value in a class; not judged by default",
    )
    parser.add_argument("--beta", type=float, help="largest basic β; not judged by default")
    parser.add_argument(
        "--delta", type=float, help="largest δ, values absent from a class passed over; not judged by default"
    )
    parser.add_argument(
        "--household-risk",
        type=float,
        metavar="RISK",
        help="with --household: largest risk that a household is found through any member (default: above "
        "1/k is a warning)",
    )
    parser.add_argument(
        "--person-k",
        type=int,
        metavar="K",
        help="with --person: persons, at least, that share the classes of all their records (default: fewer "
        "than k is a warning)",
    )


def run(arguments: argparse.Namespace) -> int:
    """Measure and judge the table, print the result, return the exit code."""
    thresholds = RiskThresholds(
        k=arguments.k,
        l=arguments.l,
        entropy_l=arguments.entropy_l,
        t=arguments.t,
        average_risk=arguments.average_risk,
        alpha=arguments.alpha,
        beta=arguments.beta,
        delta=arguments.delta,
        household_risk=arguments.household_risk,
        person_k=arguments.person_k,
    )
    check_release(arguments.release, what_if=arguments.what_if)
    if arguments.violations is not None:
        check_new_files("--violations", arguments.violations)
    check_hierarchies(arguments.write_hierarchies, what_if=arguments.what_if)
    dataset = read_dataset(arguments.table)
    settings = _settings(arguments, dataset)
    groups = _hierarchies(arguments.hierarchy, dataset)
    population = None if arguments.population is None else read_dataset(arguments.population)
    measured = measure_risk(
        dataset,
        settings=settings,
        hierarchies={name: each for name, each in groups.items() if name not in settings.quasi_identifiers},
        original=None if arguments.original is None else read_dataset(arguments.original),
        population=population,
    )
    if arguments.release is not None:
        check_undeclared(measured)
    audit = judge_risk(measured, thresholds)
    if arguments.violations is not None:
        shown = dataset if arguments.violations_with_values else None
        write_new_files("--violations", {arguments.violations: violations_csv(audit, shown)})
    columns = measure_columns(measured, dataset)
    suda = None
    if arguments.suda:
        suda = measure_special_uniques(measured, dataset, max_size=arguments.suda_size)
    what_if = None
    if arguments.what_if and measured.classes.n_classes:
        asked = what_if_settings(
            measured,
            thresholds,
            suppression_limit=arguments.max_suppression,
            choices=_what_if_choices(arguments),
        )
        own = {name: each for name, each in groups.items() if name in settings.quasi_identifiers}
        what_if = search_what_if(measured, dataset, settings=asked, hierarchies=own, population=population)
    if arguments.write_hierarchies is not None:
        write_hierarchies(arguments.write_hierarchies, what_if)
    written = write_release(arguments.release, what_if, audit, dataset, person=arguments.person_released)
    if arguments.json:
        document = risk_document(audit, columns=columns, suda=suda, what_if=what_if)
        print_json(document | ({} if arguments.release is None else {"release": written.document}))
    else:
        print_lines(risk_summary(audit, columns=columns, suda=suda, what_if=what_if))
        print_lines(written.lines)
    return exit_code(audit.overall, incomplete=written.is_missing)


def _settings(arguments: argparse.Namespace, dataset: Dataset) -> RiskSettings:
    """Return what was chosen; without quasi-identifiers, those that names and values suggest."""
    chosen = RiskSettings(
        quasi_identifiers=tuple(arguments.quasi_identifier),
        sensitive=tuple(arguments.sensitive),
        person=arguments.person,
        weight=arguments.weight,
        population_size=arguments.population_size,
        leave_out=tuple(arguments.leave_out),
        direct_identifiers=tuple(arguments.direct_identifier),
        other=tuple(arguments.harmless),
        missing=arguments.missing,
        distance=arguments.distance,
        several_sensitive=arguments.several_sensitive,
        missing_sensitive=arguments.missing_sensitive,
        recursive_c=arguments.recursive_c,
        closeness=arguments.closeness,
        household=arguments.household,
    )
    if chosen.quasi_identifiers:
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
            raise AuditInputError(f"--hierarchy: there is no column `{column}` in {dataset.name}.")
        values = {value.strip() for value in dataset.table[column].unique().to_pylist() if value is not None}
        read = read_dataset(Path(path), options=ReadOptions(header="none"))
        found[column] = read_hierarchy(read, values=values)
    return found


def _named(pair: str, option: str, what: str) -> tuple[str, str]:
    column, separator, value = pair.rpartition("=")
    if not separator:
        raise AuditInputError(f"{option} needs COL={what}, received {pair}.")
    return column, value


def _what_if_choices(arguments: argparse.Namespace) -> WhatIfSettings:
    weights = []
    for pair in arguments.column_weight:
        column, value = _named(pair, "--column-weight", "WEIGHT")
        try:
            weights.append((column, float(value)))
        except ValueError:
            raise AuditInputError(f"--column-weight: {value} is no number.") from None
    return WhatIfSettings(
        objective=arguments.objective,
        weights=tuple(weights),
        k_map=arguments.k_map,
        locally=arguments.local_recoding,
    )
