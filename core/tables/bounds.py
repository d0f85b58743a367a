"""What a table may be at most, whatever its file packs it into; known before its records are read."""

from core.errors import AuditInputError
from core.processes.bounds import SMALL_FILE_BYTES
from core.words import input_error

MOST_COLUMNS = 20_000
LONGEST_RECORD = 32 << 20  # bytes, a megabyte more where a block of text is cut
_LARGEST_TEXT_OF_SMALL_FILE = 384 << 20  # bytes; while the text is made it takes twice that


def check_n_columns(n_columns: int, *, name: str) -> None:
    """Refuse a table of more columns than any audit answers for within a minute."""
    if n_columns > MOST_COLUMNS:
        raise input_error(
            "{file}: the table has {n} columns; at most {most} are read. Leave out columns that are not "
            "released, or check the delimiter.",
            file=name,
            n=n_columns,
            most=MOST_COLUMNS,
        )


def record_too_long(name: str) -> AuditInputError:
    """Return the problem of text whose records, or first lines, do not end."""
    return input_error(
        "{file}: a record is longer than {most} MB, so its cells do not end where they should, or hold "
        "something else than values. Check quotation marks and line ends, or leave that column out.",
        file=name,
        most=LONGEST_RECORD >> 20,
    )


def check_text(n_bytes: int, *, of: int, name: str) -> None:
    """Refuse a small file whose cells come to far more text than it holds."""
    if of <= SMALL_FILE_BYTES and n_bytes > _LARGEST_TEXT_OF_SMALL_FILE:
        raise input_error(
            "{file}: the file of {size} bytes would unpack to {unpacked} MB of text; at most {most} MB "
            "are read from a file below {small} MB. Audit a part of it.",
            file=name,
            size=of,
            unpacked=round(n_bytes / 1e6),
            most=_LARGEST_TEXT_OF_SMALL_FILE >> 20,
            small=SMALL_FILE_BYTES >> 20,
        )
