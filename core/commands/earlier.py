"""Earlier releases on the command line: what is read of them, and the ledger that is written for the next."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import NamedTuple

from core.commands.output import check_new_files, print_problems, write_new_files
from core.commands.reading import table_reader
from core.errors import AuditInputError
from core.releases import (
    EarlierTable,
    Ledger,
    ReleasedTable,
    new_ledger,
    read_ledger,
    read_salt,
)
from core.tables import Dataset
from core.words import text

ENDINGS = frozenset({".csv", ".tsv", ".txt", ".xlsx", ".xls", ".parquet", ".gz", ".zip"})


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare earlier releases, and the ledger of this one."""
    parser.add_argument(
        "--earlier",
        type=Path,
        action="extend",
        nargs="+",
        default=[],
        metavar="RELEASE",
        help="an earlier release of the same people: a table, a folder of tables, or its ledger (.json); "
        "repeatable",
    )
    parser.add_argument(
        "--ledger",
        type=Path,
        metavar="FILE",
        help="write what the next release is held against: counts of classes by salted hash, no data; the "
        "file may not exist, and only you may read it",
    )
    parser.add_argument(
        "--ledger-salt",
        type=Path,
        metavar="FILE",
        help="a secret of at least 16 bytes, kept apart from ledgers (default: the salt stands in the "
        "ledger, the same as in the first one given)",
    )


def files_of(given: Iterable[Path], *, also: frozenset[str] = frozenset()) -> list[Path]:
    """Return the files, and those of the folders that end like tables."""
    found = []
    for path in given:
        if not path.is_dir():
            found.append(path)
            continue
        ends = ENDINGS | also
        inside = sorted(each for each in path.iterdir() if each.suffix.lower() in ends and each.is_file())
        if not inside:
            raise AuditInputError(text("{folder} holds no table.", folder=str(path)))
        found += inside
    return found


class Before(NamedTuple):
    """The earlier releases that were given."""

    releases: list[EarlierTable | Ledger]
    salt: bytes | None  # kept apart; None where ledgers hold it
    is_incomplete: bool  # whether one could not be read, which was said

    def write_ledger(self, path: Path | None, tables: Sequence[ReleasedTable], *, k: int) -> None:
        """Write the ledger of this release, where one is asked for, for its owner alone to read."""
        if path is not None:
            data = new_ledger(tables, k=k, earlier=self.releases, salt=self.salt)
            write_new_files("--ledger", {path: data}, private=True)


def read_before(arguments: argparse.Namespace) -> Before:
    """Read the earlier releases; those that cannot be read are said. Refuse a ledger not to be written."""
    if arguments.ledger is not None:
        check_new_files("--ledger", arguments.ledger)
    salt = None
    if arguments.ledger_salt is not None:
        salt = read_salt(_bytes(arguments.ledger_salt), name=str(arguments.ledger_salt))
    releases, problems = _read(arguments.earlier, salt, table_reader(arguments))
    print_problems(problems)
    return Before(releases, salt, bool(problems))


def _bytes(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError as error:
        cannot = "{file} cannot be read: {reason}."
        raise AuditInputError(text(cannot, file=str(path), reason=str(error.strerror))) from None


def _read(
    given: Sequence[Path], salt: bytes | None, read: Callable[[Path], Dataset]
) -> tuple[list[EarlierTable | Ledger], tuple[str, ...]]:
    found: list[EarlierTable | Ledger] = []
    problems: list[str] = []
    for each in given:
        try:
            paths = files_of([each], also=frozenset({".json"}))
        except AuditInputError as error:
            problems += error.problems
            continue
        for path in paths:
            name = str(path.relative_to(each.parent)) if each.is_dir() else path.name
            try:
                if path.suffix.lower() == ".json":
                    found.append(read_ledger(_bytes(path), name=name, salt=salt))
                else:
                    found.append(EarlierTable(release=name, dataset=read(path)))
            except AuditInputError as error:
                problems += error.problems
    return found, tuple(problems)
