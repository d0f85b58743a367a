"""Which line holds the column names, and what a column without a usable name is called."""

import re
from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass

from core.words import Text, joined, text

_FIXED = {"first_line": 0, "second_line": 1}
_UNNAMED = re.compile(r"Unnamed: \d+(_level_\d+)?")  # what pandas and exporters built on it write
_LARGEST_SEARCH = 10
_FEWEST_GAPS = 2  # names absent from a line that names groups of columns
_NUMBER = re.compile(r"\s*[+-]?[.,]?\d")


@dataclass(frozen=True, kw_only=True)
class Header:
    """The column names of a table: unique, none empty."""

    names: tuple[str, ...]  # one per column
    unnamed: tuple[str, ...] = ()  # those of `names` that stand for a missing name
    notes: tuple[str, ...] = ()  # sentences about names that were made up or changed


def header_position(first_rows: Sequence[Sequence[str]], *, header: str) -> int:
    """Return which of the first rows (blank ones not among them) holds the names; -1 for none.

    With ``auto`` it is the first row, unless half or more of its names are absent: then something
    else stands above the header, and the row below holds it. Several rows of one cell, such as a
    title and a date, may stand above; of a header of two lines it is the second, see `_is_second_line`.
    """
    if header == "none":
        return -1
    if header != "auto":
        return _FIXED[header] if header in _FIXED else int(header) - 1
    if not first_rows:
        return 0
    n_columns = Counter(len(row) for row in first_rows).most_common(1)[0][0]
    named = [sum(not is_unnamed(name) for name in row) for row in first_rows]
    largest = min(_LARGEST_SEARCH, len(first_rows)) - 2  # a record remains below
    position = 0
    while position < largest and named[position] <= 1 and 2 * named[position] <= n_columns:
        position += 1
    for candidate in range(position, min(position + 1, largest) + 1):
        if 2 * named[candidate] > n_columns:
            return candidate + _is_second_line(first_rows[candidate:])
    return 0


def _is_second_line(rows: Sequence[Sequence[str]]) -> bool:
    """Return whether a line above names groups of columns, with gaps, and the line below it the columns.

    The second line is full, of different names and no numbers, and some column below it is of numbers; at
    least two names of the first are absent, none of them the first, which the names of rows would lack.
    """
    above, second, *below = rows if len(rows) > 2 else ((), (), ())
    gaps = sum(is_unnamed(name) for name in above[1:])
    if gaps < _FEWEST_GAPS or is_unnamed(above[0]) or len(above) != len(second):
        return False
    are_names = len(set(second)) == len(second) and not any(map(is_unnamed, second))
    columns = [
        [cell for cell in cells if cell.strip()]
        for cells in zip(*(row for row in below if len(row) == len(second)), strict=True)
    ]
    return (
        are_names
        and not any(map(_NUMBER.match, second))
        and not any(name in cells for name, cells in zip(second, columns, strict=False))
        and any(cells and all(map(_NUMBER.match, cells)) for cells in columns)
    )


def without_end(row: Sequence[str], widths: Collection[int]) -> Sequence[str]:
    """Return a header without the empty names at its end that no record has a cell for."""
    n_names = len(row)
    while n_names and not row[n_names - 1].strip():
        n_names -= 1
    return row[:n_names] if set(widths) == {n_names} else row


def header_option(position: int) -> str:
    """Return the option that says the same as a detected position."""
    fixed = {position: option for option, position in _FIXED.items()}
    return "none" if position < 0 else fixed.get(position, str(position + 1))


def is_unnamed(name: str) -> bool:
    """Return whether a column's name is none, or one that a program gave it."""
    return not name.strip() or _UNNAMED.fullmatch(name.strip()) is not None


def lines_above(position: int) -> tuple[Text, ...]:
    """Return the note that lines above the column names were left out, none where there were none."""
    note = text(
        "The line above the column names was left out.",
        "The {n} lines above the column names were left out.",
        n=position,
    )
    return (note,) if position > 0 else ()


def rows_above(position: int) -> tuple[Text, ...]:
    """Return the same of rows of a sheet."""
    note = text(
        "The row above the column names was left out.",
        "The {n} rows above the column names were left out.",
        n=position,
    )
    return (note,) if position > 0 else ()


def numbered_columns(n_columns: int) -> Header:
    """Return the names of a table that has none: ``Column 1``, ``Column 2`` and so on."""
    names = tuple(f"Column {position}" for position in range(1, n_columns + 1))
    return Header(names=names, notes=("The file has no column names; columns are numbered.",))


def name_columns(row: Sequence[str]) -> Header:
    """Return unique column names: trimmed, empty ones stated, repeated ones numbered.

    A column without a name becomes ``Unnamed: 3``, its number counted from 1. A repeated name
    gets ``_2``, ``_3``, … and never the name of another column of the file.
    """
    written = [name.strip() for name in row]
    taken, seen, counters = set(written), set[str](), Counter[str]()
    names: list[str] = []
    for position, name in enumerate(written, start=1):
        unique = name or f"Unnamed: {position}"
        while unique in seen or (unique != name and unique in taken):
            counters[name] += 1
            unique = f"{name or f'Unnamed: {position}'}_{counters[name] + 1}"
        seen.add(unique)
        names.append(unique)
    unnamed = [unique for unique, name in zip(names, written, strict=True) if is_unnamed(name)]
    return Header(names=tuple(names), unnamed=tuple(unnamed), notes=tuple(_notes(row, written, names)))


def _notes(row: Sequence[str], written: Sequence[str], names: Sequence[str]) -> Iterator[Text]:
    without = [position for position, name in enumerate(written, start=1) if not name]
    if without:
        yield text(
            "Column {columns} has no name and is called {names}.",
            "Columns {columns} have no name and are called {names}.",
            n=len(without),
            columns=listed(without),
            names=listed(quoted([names[position - 1] for position in without])),
        )
    repeated = [unique for unique, name in zip(names, written, strict=True) if name and unique != name]
    if repeated:
        yield text(
            "Column names that occur more than once were numbered: {names}.", names=listed(quoted(repeated))
        )
    n_padded = sum(name != trimmed for name, trimmed in zip(row, written, strict=True) if trimmed)
    if n_padded:
        yield text(
            "Spaces around {n} column name were removed.",
            "Spaces around {n} column names were removed.",
            n=n_padded,
        )


def quoted(names: Sequence[str]) -> list[str]:
    """Return names between quotation marks."""
    return [f"“{name}”" for name in names]


def listed(items: Sequence[str] | Sequence[int], *, at_most: int = 5) -> Text:
    """Return ``a``, ``a and b``, ``a, b and c`` or ``a, b, c, d, e and 7 more``."""
    parts = [text("{name}", name=item) for item in items[:at_most]]
    if len(items) > at_most:
        return text("{names} and {more} more", names=joined(parts, ", "), more=len(items) - at_most)
    if len(items) == 1:
        return parts[0]
    return text("{names} and {last}", names=joined(parts[:-1], ", "), last=parts[-1])
