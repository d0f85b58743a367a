"""What a table may be at most, whatever its file packs it into; known before its records are read."""

from __future__ import annotations

from core.apart import SMALL_FILE_BYTES
from core.errors import AuditInputError

MOST_COLUMNS = 20_000
LONGEST_RECORD = 32 << 20  # bytes, a megabyte more where a block of text is cut
LARGEST_TEXT_OF_SMALL_FILE = 384 << 20  # bytes; while the text is made it takes twice that


def check_n_columns(n_columns: int, *, name: str) -> None:
    """Refuse a table of more columns than any audit answers for within a minute."""
    if n_columns > MOST_COLUMNS:
        raise AuditInputError(
            f"{name}: the table has {n_columns:,} columns; at most {MOST_COLUMNS:,} are read. Leave out "
            "columns that are not released, or check the delimiter."
        )


def record_too_long(name: str) -> AuditInputError:
    """Return the problem of text whose records, or first lines, do not end."""
    return AuditInputError(
        f"{name}: a record is longer than {LONGEST_RECORD >> 20} MB, so its cells do not end where they "
        "should, or hold something else than values. Check quotation marks and line ends, or leave that "
        "column out."
    )


def check_text(n_bytes: int, *, of: int, name: str) -> None:
    """Refuse a small file whose cells come to far more text than it holds."""
    if of <= SMALL_FILE_BYTES and n_bytes > LARGEST_TEXT_OF_SMALL_FILE:
        raise AuditInputError(
            f"{name}: the file of {of:,} bytes would unpack to {n_bytes / 1e6:,.0f} MB of text; at "
            f"most {LARGEST_TEXT_OF_SMALL_FILE >> 20} MB are read from a file below {SMALL_FILE_BYTES >> 20} "
            "MB. Audit a part of it."
        )
