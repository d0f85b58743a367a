"""``python -m core dataset``: several tables of one delivery, read together."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterable
from pathlib import Path

from core.commands import earlier
from core.commands.output import print_json, print_lines, print_problems
from core.commands.policies import judged, looks_of_all, policy_document, policy_lines
from core.commands.reading import add_reading_options, table_reader
from core.delivery import (
    DeliverySettings,
    DeliveryThresholds,
    audit_delivery,
    delivery_document,
    delivery_lines,
    released_tables,
)
from core.errors import AuditInputError
from core.settings_form import add_options, from_options
from core.tables import Dataset
from core.verdict import exit_code

FORMS = (DeliverySettings, DeliveryThresholds)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the tables, how they hang together, and what the figures are held against."""
    parser.add_argument(
        "tables",
        type=Path,
        nargs="+",
        metavar="TABLE",
        help="the tables of the delivery, or the folder they are in",
    )
    for form in FORMS:
        add_options(parser, form)
    earlier.add_arguments(parser)
    add_reading_options(parser)
    parser.add_argument("--json", action="store_true", help="print one JSON document")


def run(arguments: argparse.Namespace) -> int:
    """Audit the tables together, print the result, return the exit code."""
    settings = from_options(DeliverySettings, arguments)
    thresholds = from_options(DeliveryThresholds, arguments)
    datasets, problems = _read(earlier.files_of(arguments.tables), table_reader(arguments))
    print_problems(problems)
    before = earlier.read_before(arguments)
    audit = audit_delivery(datasets, settings, thresholds, earlier=before.releases)
    before.write_ledger(arguments.ledger, released_tables(audit.measurement, datasets), k=thresholds.k)
    document = delivery_document(audit)
    outcome = judged(arguments, document, looks_of_all(arguments, datasets))
    if arguments.json:
        print_json(document | policy_document(outcome))
    else:
        print_lines([*delivery_lines(audit), *policy_lines(outcome)])
    return exit_code(audit.overall, incomplete=bool(problems) or before.is_incomplete)


def _read(paths: Iterable[Path], read: Callable[[Path], Dataset]) -> tuple[list[Dataset], tuple[str, ...]]:
    datasets: list[Dataset] = []
    problems: list[str] = []
    for path in paths:
        try:
            datasets.append(read(path))
        except AuditInputError as error:
            problems += error.problems
    return datasets, tuple(problems)
