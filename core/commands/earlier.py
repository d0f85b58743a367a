"""Earlier releases on the command line: what is read of them, and the ledger that is written for the next."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from core.commands.folders import tell_passed_over
from core.commands.output import check_new_files, write_new_files
from core.commands.reading import table_reader
from core.engines import Address, address_of
from core.errors import AuditInputError
from core.files import named_files
from core.files.input_bytes import unreadable
from core.releases import EARLIER, EarlierTable, Ledger, ReleasedTable, new_ledger, read_ledger, read_salt
from core.settings.asked import Asked
from core.tables import Dataset
from core.words import input_error

if TYPE_CHECKING:
    from core.reports import InputFacts

ENDINGS = frozenset({".csv", ".tsv", ".txt", ".xlsx", ".xls", ".parquet", ".gz", ".zip"})


def files_of(given: Iterable[Path], *, also: frozenset[str] = frozenset()) -> list[Path]:
    """Return the files, and those of the folders that end like tables."""
    found = []
    for path in given:
        if not named_files.is_folder(path):
            found.append(path)
            continue
        ends = ENDINGS | also
        inside = [each for each in named_files.files_in(path) if each.suffix.lower() in ends]
        tell_passed_over(path, inside)
        if not inside:
            raise input_error("{folder} holds no table.", folder=str(path))
        found += inside
    return found


class Before(NamedTuple):
    """The earlier releases that were given."""

    releases: list[EarlierTable | Ledger]
    addresses: list[Address]  # of tables that are not read
    ledgers: list[tuple[str, bytes]]  # by name; ledgers alone
    salt: bytes | None  # kept apart; None where ledgers hold it
    problems: tuple[str, ...]  # with those that could not be read

    @property
    def elsewhere(self) -> list[Address | Ledger]:
        """Return the tables that are not read, and the ledgers."""
        return [*self.addresses, *(each for each in self.releases if isinstance(each, Ledger))]

    def facts(self) -> list[InputFacts]:
        """Return what a report says of them."""
        from core.reports import file_facts, input_facts  # noqa: PLC0415 - takes long to import

        tables = [each.dataset for each in self.releases if isinstance(each, EarlierTable)]
        ledgers = [file_facts(data, EARLIER, name=name) for name, data in self.ledgers]
        return [*(input_facts(each, EARLIER) for each in tables), *ledgers]

    def write_ledger(self, path: Path | None, tables: Sequence[ReleasedTable], *, k: int) -> None:
        """Write the ledger of this release, where one is asked for, for its owner alone to read."""
        if path is not None:
            data = new_ledger(tables, k=k, earlier=self.releases, salt=self.salt)
            write_new_files("--ledger", {path: data}, private={path})


def read_before(arguments: Asked) -> Before:
    """Read the earlier releases. Refuse a ledger not to be written."""
    if arguments.ledger is not None:
        check_new_files("--ledger", arguments.ledger)
    return _read(arguments, table_reader(arguments))


def read_before_in_engine(arguments: Asked) -> Before:
    """Read the ledgers, and say where the tables of earlier releases are."""
    before = _read(arguments, None)
    given = (address_of(each) for each in arguments.earlier if isinstance(each, str))
    return before._replace(addresses=[*(each for each in given if each is not None), *before.addresses])


def _bytes(path: Path) -> bytes:
    try:
        return named_files.bytes_at(path)
    except OSError as error:
        raise unreadable(error, file=str(path)) from None


def _read(arguments: Asked, read: Callable[[Path], Dataset] | None) -> Before:
    salt = None
    if arguments.ledger_salt is not None:
        salt = read_salt(_bytes(arguments.ledger_salt), name=str(arguments.ledger_salt))
    found: list[EarlierTable | Ledger] = []
    addresses: list[Address] = []
    ledgers: list[tuple[str, bytes]] = []
    problems: list[str] = []
    for each in (each for each in arguments.earlier if isinstance(each, Path)):
        try:
            paths = files_of([each], also=frozenset({".json"}))
        except AuditInputError as error:
            problems += error.problems
            continue
        for path in paths:
            name = str(path.relative_to(each.parent)) if each != path else named_files.source_at(path).name
            try:
                if path.suffix.lower() == ".json":
                    data = _bytes(path)
                    found.append(read_ledger(data, name=name, salt=salt))
                    ledgers.append((name, data))
                elif read is None:
                    addresses.append(Address(engine="duckdb", place=str(path)))
                else:
                    found.append(EarlierTable(release=name, dataset=replace(read(path), name=name)))
            except AuditInputError as error:
                problems += error.problems
    return Before(found, addresses, ledgers, salt, tuple(problems))
