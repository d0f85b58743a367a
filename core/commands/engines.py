"""Tables in engines on the command line: options, addresses, and files that are too large for memory."""

import signal
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextvars import copy_context
from pathlib import Path
from threading import Event

import pyarrow as pa
from pyarrow import parquet

from core.commands.folders import tell_passed_over
from core.commands.reading import read_options
from core.engines import Address, address_of, refused_in_engine, tables_below
from core.errors import AuditInputError
from core.files.input_bytes import open_input
from core.files.named_files import is_alone
from core.processes.bounds import most_memory
from core.processes.jobs import Result
from core.settings.asked import Asked
from core.tools import tool
from core.words import Text, input_error, text

_LARGE_FILE = 32 << 20  # bytes; how many cells a smaller one has is found out in a process of its own
_MEMORY_FOR_A_CELL = 70  # bytes that an audit takes; measured with 10,000,000 records of eight columns
_MEMORY_FOR_A_LETTER = 24  # the same of a file of text


class _TerminatedError(BaseException):
    pass


def _in_thread(work: Callable[[Callable[[], bool]], Result]) -> Result:
    """Do work in a thread of its own: Ctrl+C in the midst of an engine's code would end the process at once.

    The work is told to stop instead, by SIGTERM too, and clears away what the engine wrote before the command
    ends.
    """

    def terminate(*_: object) -> None:
        raise _TerminatedError

    stopped = Event()
    former = signal.signal(signal.SIGTERM, terminate)
    try:
        with ThreadPoolExecutor(1) as beside:
            try:
                return beside.submit(copy_context().run, work, stopped.is_set).result()
            finally:
                stopped.set()
    except _TerminatedError:
        signal.signal(signal.SIGTERM, signal.SIG_DFL)
        signal.raise_signal(signal.SIGTERM)
        raise
    finally:
        signal.signal(signal.SIGTERM, former)


def measured(arguments: Asked, measure: Callable[..., Result], *tables: object, **settings: object) -> Result:
    """Return what `measure` finds in tables where they are, read and in memory as far as was asked for."""
    shared = {"options": read_options(arguments), "memory": arguments.memory_limit}
    return _in_thread(lambda is_stopped: measure(*tables, **settings, **shared, is_stopped=is_stopped))


def address_given(given: str | Path) -> tuple[Address, tuple[Text, ...]]:
    """Return where a table is, and why it is not read into memory where nobody asked for that."""
    if is_alone():
        raise AuditInputError(
            "A report of a table in an engine is not repeated: its records are not among the files."
        )
    if isinstance(given, str):
        address = address_of(given)
        if address is None:
            raise input_error(
                "The address of the table begins in a way that no engine has; see docs/engines.md."
            )
        return address, ()
    address = Address(engine="duckdb", place=str(given))
    if given.is_dir():
        below = (each for each in given.rglob("*") if not each.is_dir())
        tell_passed_over(given, tables_below(given), entries=below)
        return address, ()
    if _needed(given) <= most_memory():
        return address, ()
    return address, (too_large([given]),)


def too_large(files: Sequence[Path]) -> Text:
    """Say that files are not read into memory, because together they need more than there is."""
    message = (
        "{file} needs about {needed} GB of memory, and there are {most} GB; DuckDB measured it on disk, and "
        "what needs the records themselves is not assessed (docs/engines.md)."
    )
    needed, most = (max(each >> 30, 1) for each in (sum(map(_needed, files)), most_memory()))
    return text(message, file=" + ".join(each.name for each in files), needed=needed, most=most)


def are_too_large(files: Sequence[Path]) -> bool:
    """Tell whether files together need more memory than a process may take."""
    return not is_alone() and sum(map(_needed, files)) > most_memory()


def _needed(file: Path) -> int:
    """Return about how many bytes of memory the audit of a large file of Parquet or text takes, 0 else."""
    try:
        n_bytes = file.stat().st_size
        if n_bytes < _LARGE_FILE:
            return 0
        with open_input(file) as opened:
            head = opened.read(4)
        if head == b"PAR1":
            footer = parquet.read_metadata(file)
            return footer.num_rows * footer.num_columns * _MEMORY_FOR_A_CELL
    except (OSError, pa.ArrowException, AuditInputError):
        return 0  # its reader says what is wrong
    is_text = head[:2] not in (b"PK", b"\xd0\xcf", b"\x1f\x8b", b"\xff\xfe", b"\xfe\xff")
    return n_bytes * _MEMORY_FOR_A_LETTER if is_text else 0


def asked_of_records(arguments: Asked) -> list[str]:
    """Return which options are given that need the records."""
    declared = (each for each in tool(arguments.tool).asks if each.of_records)
    given = [each for each in declared if getattr(arguments, each.dest) not in (each.usual, [], None)]
    return [each.flag for each in sorted(given, key=lambda each: bool(each.choices))]


def refuse_records(arguments: Asked, *further: str) -> None:
    """Refuse options that need the records of a table in an engine; `further` ones are given besides."""
    if asked := [*asked_of_records(arguments), *further]:
        raise refused_in_engine(asked)
