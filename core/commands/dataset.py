"""``python -m core dataset``: several tables of one delivery, read together."""

from __future__ import annotations

import argparse
from collections.abc import Iterable
from pathlib import Path

from core.commands.output import print_json, print_lines, print_problems
from core.delivery import (
    DeliverySettings,
    DeliveryThresholds,
    audit_delivery,
    delivery_document,
    delivery_lines,
)
from core.errors import AuditInputError
from core.settings_form import add_options, from_options
from core.tables import Dataset, read_dataset
from core.verdict import exit_code
from core.words import text

FORMS = (DeliverySettings, DeliveryThresholds)
_ENDINGS = frozenset({".csv", ".tsv", ".txt", ".xlsx", ".xls", ".parquet", ".gz", ".zip"})


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
    parser.add_argument("--json", action="store_true", help="print one JSON document")


def run(arguments: argparse.Namespace) -> int:
    """Audit the tables together, print the result, return the exit code."""
    settings = from_options(DeliverySettings, arguments)
    thresholds = from_options(DeliveryThresholds, arguments)
    datasets, problems = _read(_files(arguments.tables))
    print_problems(problems)
    audit = audit_delivery(datasets, settings, thresholds)
    if arguments.json:
        print_json(delivery_document(audit))
    else:
        print_lines(delivery_lines(audit))
    return exit_code(audit.overall, incomplete=bool(problems))


def _files(given: Iterable[Path]) -> list[Path]:
    """Return the files, and those of the folders that end like tables."""
    found = []
    for path in given:
        if not path.is_dir():
            found.append(path)
            continue
        inside = sorted(each for each in path.iterdir() if each.suffix.lower() in _ENDINGS and each.is_file())
        if not inside:
            raise AuditInputError(text("{folder} holds no table.", folder=str(path)))
        found += inside
    return found


def _read(paths: Iterable[Path]) -> tuple[list[Dataset], tuple[str, ...]]:
    datasets: list[Dataset] = []
    problems: list[str] = []
    for path in paths:
        try:
            datasets.append(read_dataset(path))
        except AuditInputError as error:
            problems += error.problems
    return datasets, tuple(problems)
