"""Which row and which column of one table is compared with which of the other."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TypeVar

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from core.coding import BoolArray, IntArray, SharedCodes, combined_codes, sorted_distinct
from core.comparing.names import aligned_names
from core.comparing.nearest_records import N_THREADS
from core.engines import key_problems, no_common_key
from core.errors import refuse
from core.processes.jobs import Threads
from core.tables import Dataset
from core.values.cells import as_numbers, canonical_codes, cells_equal, shared_codes
from core.values.dates import read_dates
from core.words import Text, counted, text

Result = TypeVar("Result")

_WORTH_A_THREAD = 50_000  # rows
_TOO_LARGE_AT_ONCE = 500_000  # rows; coding two such columns at once would double the peak of memory


@dataclass(frozen=True, kw_only=True, eq=False)
class TablePair:
    """Two tables side by side: common columns, and the rows that belong together.

    Cells are compared once, when first asked for, and kept: what the person ignores afterwards
    only leaves some of them out.
    """

    original: Dataset  # the tables
    scrambled: Dataset
    columns: tuple[str, ...]  # columns in both tables, in the original's order, without the key
    key: str | None  # the column that pairs the rows; None pairs them by position
    # shape (n_pairs,), row numbers from 0 of the rows that belong together; None when the rows cannot be
    # paired
    original_rows: IntArray | None = field(repr=False)
    scrambled_rows: IntArray | None = field(repr=False)
    row_problem: str  # why rows cannot be paired, else empty
    notes: tuple[str, ...]  # sentences about what was assumed while aligning

    @property
    def n_pairs(self) -> int:
        """Return the number of rows that are compared with their own row; 0 when none can be."""
        return 0 if self.original_rows is None else len(self.original_rows)

    @property
    def only_in_original(self) -> tuple[str, ...]:
        """Return the columns that the scrambled table does not have."""
        there = set(self.scrambled.columns)
        return tuple(name for name in self.original.columns if name not in there)

    @property
    def only_in_scrambled(self) -> tuple[str, ...]:
        """Return the columns that the original table does not have."""
        there = set(self.original.columns)
        return tuple(name for name in self.scrambled.columns if name not in there)

    @cached_property
    def equal(self) -> Mapping[str, BoolArray]:
        """Return by column shape (n_pairs,): True where both cells are there and equal."""
        return self._by_column(lambda name: cells_equal(*self.paired_cells(name), dates=True))

    @cached_property
    def codes(self) -> Mapping[str, SharedCodes]:
        """Return by column the codes of all original and all scrambled cells, of the smallest signed type."""

        def compute(name: str) -> SharedCodes:
            codes = shared_codes(self.original.table[name], self.scrambled.table[name], dates=True)
            kind = np.min_scalar_type(-max(codes.n_values, 1))
            return SharedCodes(
                original=codes.original.astype(kind, copy=False),
                anonymized=codes.anonymized.astype(kind, copy=False),
            )

        pa.default_memory_pool().release_unused()
        codes = self._by_column(compute, most_rows=_TOO_LARGE_AT_ONCE)
        pa.default_memory_pool().release_unused()
        return codes

    def paired_cells(self, name: str) -> tuple[pa.ChunkedArray, pa.ChunkedArray]:
        """Return a column of both tables, the rows that belong together side by side."""
        original, scrambled = self.original.table[name], self.scrambled.table[name]
        if self.key is None:
            return original, scrambled
        return original.take(self.original_rows), scrambled.take(self.scrambled_rows)

    def _by_column(
        self, compute: Callable[[str], Result], *, most_rows: float = np.inf
    ) -> Mapping[str, Result]:
        """Compute something for every column, two columns at a time unless rows are few, or too many."""
        if not _WORTH_A_THREAD <= self.original.n_records < most_rows:
            return {name: compute(name) for name in self.columns}
        with Threads(N_THREADS) as pool:
            return dict(zip(self.columns, pool.map(compute, self.columns), strict=True))


_FEWEST_PSEUDONYMS = 20  # rows; of fewer, distinct values that do not match say little
_LOOKED_AT = 1_000
_NO_KEY = 0.5  # distinct values over rows, up to which what follows from them is no accident


def new_pseudonyms(pair: TablePair) -> tuple[str, ...]:
    """Return the columns that never repeat a value and share none, as names replaced by new ones do.

    Measured numbers and dates are none: noise makes them differ in every row, and says much of the row.
    """
    if min(pair.original.n_records, pair.scrambled.n_records) < _FEWEST_PSEUDONYMS:
        return ()
    return tuple(name for name in pair.columns if _is_new_pseudonym(pair, name))


def _is_new_pseudonym(pair: TablePair, name: str) -> bool:
    """Whether a column is one; the first rows rule most columns out."""
    sides = [table.table[name] for table in (pair.original, pair.scrambled)]
    firsts = [side.slice(0, _LOOKED_AT).combine_chunks() for side in sides]
    if not all(map(_never_repeats, firsts)) or any(map(_is_measured, firsts)):
        return False
    return all(map(_never_repeats, sides)) and not shared_codes(*sides, dates=True).n_same_values


def _never_repeats(cells: pa.ChunkedArray | pa.Array) -> bool:
    return not cells.null_count and pc.count_distinct(cells).as_py() == len(cells)


def _is_measured(cells: pa.Array) -> bool:
    numbers = as_numbers(cells)
    if numbers is not None:
        return not bool((numbers == np.round(numbers)).all())
    return bool(read_dates(cells).known.any())


def pair_tables(original: Dataset, scrambled: Dataset, *, key: str | None = None) -> TablePair:
    """Align two tables: columns by name, whatever its case and spaces; rows by position or by a key.

    Tables of different length cannot be paired by position: the pair then says so and serves only
    what does not depend on the order of rows.
    """
    as_written, scrambled = scrambled, with_names_of(original, scrambled)
    problems: list[str] = [
        text("{file} has no records below its header.", file=table.name)
        for table in (original, scrambled)
        if not table.n_records
    ]
    common = _common(original, scrambled)
    problems += _key_problems(original, scrambled, key)
    problems += column_problems(original.name, scrambled.name, common, key)
    columns = tuple(name for name in common if name != key)
    refuse(problems)
    original_rows, scrambled_rows, row_problem = _pair_rows(original, scrambled, key)
    return TablePair(
        original=original,
        scrambled=scrambled,
        columns=columns,
        key=key,
        original_rows=original_rows,
        scrambled_rows=scrambled_rows,
        row_problem=row_problem,
        notes=(*_notes(original, scrambled, key, original_rows), *_renaming_note(as_written, scrambled)),
    )


def column_problems(original: str, scrambled: str, common: Sequence[str], key: str | None) -> list[str]:
    """Say that two tables have no column in common, or none but the key."""
    if not common:
        none = (
            "{original} and {scrambled} have no column name in common; rows can only be compared over "
            "columns of the same name."
        )
        return [text(none, original=original, scrambled=scrambled)]
    if set(common) == {key}:
        alone = "The key column “{key}” is the only common column, so nothing is left to compare."
        return [text(alone, key=key)]
    return []


def with_names_of(original: Dataset, other: Dataset) -> Dataset:
    """Return a table with the original's column names where its own differ in case or spaces alone."""
    names = aligned_names(original.columns, other.columns)
    return other if names == other.columns else replace(other, table=other.table.rename_columns(names))


def _renaming_note(as_written: Dataset, scrambled: Dataset) -> Iterator[Text]:
    """Say how many columns were aligned although their names are spelled otherwise."""
    n = sum(a != b for a, b in zip(as_written.columns, scrambled.columns, strict=True))
    if not n:
        return
    yield text(
        "{n} column of {file} aligned although the name is spelled otherwise.",
        "{n} columns of {file} aligned although the name is spelled otherwise.",
        n=n,
        file=scrambled.name,
    )


def _common(table: Dataset, other: Dataset) -> list[str]:
    """Return the columns of a table that the other has too, in the table's order."""
    there = set(other.columns)
    return [name for name in table.columns if name in there]


def _key_problems(original: Dataset, scrambled: Dataset, key: str | None) -> list[str]:
    """Say what keeps the key from naming one row each."""
    if key is None:
        return []
    problems: list[str] = []
    for table in (original, scrambled):
        counts = None
        if key in table.columns:
            codes = canonical_codes(table.table[key])
            n_repeated = int(np.count_nonzero(np.bincount(codes[codes >= 0]) > 1))
            counts = int(np.count_nonzero(codes < 0)), n_repeated
        problems += key_problems(key, table.name, counts)
    return problems


def _pair_rows(
    original: Dataset, scrambled: Dataset, key: str | None
) -> tuple[IntArray | None, IntArray | None, str]:
    """Return the rows that belong together, or why there are none."""
    if key is None:
        if original.n_records != scrambled.n_records:
            return None, None, _different_lengths(original, scrambled)
        rows = np.arange(original.n_records)
        return rows, rows, ""
    codes = shared_codes(original.table[key], scrambled.table[key])
    row_of_code = np.full(codes.n_values, -1, dtype=np.int64)
    row_of_code[codes.anonymized] = np.arange(scrambled.n_records)
    partner = row_of_code[codes.original]
    rows = np.flatnonzero(partner >= 0)
    if not len(rows):
        return None, None, no_common_key(key, original.name, scrambled.name).problems[0]
    return rows, partner[rows], ""


def _different_lengths(original: Dataset, scrambled: Dataset) -> Text:
    """Say that rows cannot be compared by position."""
    return text(
        "{original} has {rows} and {scrambled} has {other_rows}, so rows cannot be compared by position; "
        "what does not depend on the order of rows is judged alone. Name a key column that is in both tables "
        "to compare row by row.",
        original=original.name,
        rows=counted(original.n_records, "row"),
        scrambled=scrambled.name,
        other_rows=counted(scrambled.n_records, "row"),
    )


def _notes(original: Dataset, scrambled: Dataset, key: str | None, rows: IntArray | None) -> Iterator[str]:
    """Say what was assumed while aligning."""
    if _common(original, scrambled) != _common(scrambled, original):
        yield "The columns are in a different order in the two tables; they are compared by name."
    if key is not None and rows is not None:
        yield text(
            "Rows are paired by the key column “{key}”, which itself is not compared: {pairs}; rows without "
            "a partner: {alone} of the original, {other_alone} scrambled.",
            key=key,
            pairs=counted(len(rows), "pair"),
            alone=original.n_records - len(rows),
            other_alone=scrambled.n_records - len(rows),
        )


def follows(pair: TablePair, name: str, other: str) -> bool:
    """Whether each value of another column stands beside one value of this one, in the original."""
    codes = [pair.codes[each].original for each in (other, name)]
    n_values = len(sorted_distinct(codes[0]))
    together = combined_codes(codes, n_records=len(codes[0]))
    return n_values < _NO_KEY * len(together) and len(sorted_distinct(together)) == n_values
