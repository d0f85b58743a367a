"""Mappings of identifiers and tables of shifts, as CSV or any other table of two columns."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from core.coding import FloatArray
from core.errors import refuse
from core.tables import Dataset
from core.values.cells import as_numbers
from core.words import Text, input_error, text

_MOST_LINES = 5  # that a problem names


@dataclass(frozen=True, kw_only=True, eq=False)
class IdMap:
    """Original identifiers and what stands for them, shape (n_identifiers,) each, trimmed, without nulls."""

    originals: pa.Array
    pseudonyms: pa.Array


@dataclass(frozen=True, kw_only=True, eq=False)
class Shifts:
    """Days by which each person's dates were shifted; persons as in the originals, or by their pseudonyms."""

    persons: pa.Array  # shape (n_persons,), trimmed, without nulls
    days: FloatArray  # shape (n_persons,)


def read_mapping(table: Dataset) -> IdMap:
    """Read original identifiers and pseudonyms, in this order; every problem is told with its lines.

    AuditInputError: fewer than two columns, an empty cell, or an original twice.
    """
    originals, pseudonyms = _two_columns(table)
    refuse([*_empty(table.name, originals, pseudonyms), *_twice(table.name, originals)])
    return IdMap(originals=originals, pseudonyms=pseudonyms)


def read_shifts(table: Dataset) -> Shifts:
    """Read persons and days, in this order; every problem is told with its lines.

    AuditInputError: fewer than two columns, an empty cell, a person twice, days that are no whole number.
    """
    persons, written = _two_columns(table)
    problems = [*_empty(table.name, persons, written), *_twice(table.name, persons)]
    values = pc.unique(written).drop_null()
    wrong = [each for each in values.to_pylist() if not _is_whole(each)]
    if wrong:
        at = pc.is_in(written, value_set=pa.array(wrong, written.type)).to_numpy(zero_copy_only=False)
        problems.append(_at_lines(table.name, at, "{file}, {lines}: days have to be whole numbers."))
    refuse(problems)
    days = as_numbers(written)
    return Shifts(persons=persons, days=np.zeros(0) if days is None else days)


def _is_whole(written: str) -> bool:
    return written.lstrip("+-").isdecimal() and written.isascii() and len(written) < 8


def _two_columns(table: Dataset) -> tuple[pa.Array, pa.Array]:
    if len(table.columns) < 2:
        raise input_error("{file} needs two columns, and has one.", file=table.name)
    one, other = (
        pc.utf8_trim_whitespace(as_texts(table.table[name].combine_chunks())) for name in table.columns[:2]
    )
    return one, other


def _empty(name: str, *columns: pa.Array) -> Iterator[Text]:
    at = np.logical_or.reduce(
        [pc.fill_null(pc.equal(each, ""), True).to_numpy(zero_copy_only=False) for each in columns]
    )
    if at.any():
        yield _at_lines(name, at, "{file}, {lines}: a cell is empty.")


def _twice(name: str, column: pa.Array) -> Iterator[Text]:
    coded = pc.dictionary_encode(column.drop_null()).indices.to_numpy()
    filled = np.flatnonzero(column.is_valid().to_numpy(zero_copy_only=False))
    first = np.zeros(len(coded), dtype=bool)
    first[np.unique(coded, return_index=True)[1]] = True
    if not first.all():
        at = np.zeros(len(column), dtype=bool)
        at[filled[~first]] = True
        yield _at_lines(name, at, "{file}, {lines}: the same stands in a line before.")


def _at_lines(name: str, at: np.ndarray, message: str) -> Text:
    """Say where something is, as lines of the file with its line of names."""
    lines = [str(each + 2) for each in np.flatnonzero(at)]
    shown = ", ".join(lines[:_MOST_LINES])
    more = len(lines) - _MOST_LINES
    told = (
        text("line {lines} and {more} more", lines=shown, more=more)
        if more > 0
        else text("line {lines}", "lines {lines}", n=len(lines), lines=shown)
    )
    return text(message, file=name, lines=told)


def as_texts(values: pa.Array) -> pa.Array:
    """Return texts of whatever size as texts of one type, so that those of two tables can be compared."""
    return values.cast(pa.large_string())
