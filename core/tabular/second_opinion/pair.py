"""An original table, its anonymized table and the log, column by column."""

from __future__ import annotations

import math
import os
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from functools import cached_property
from typing import Literal

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from core.cells import CodeArray, canonical_codes, shared_codes
from core.coding import value_codes
from core.tabular.log import AnonymizationLog, LogEntry, columns_alike, folded
from core.tabular.second_opinion.marks import without_marks

IntArray = npt.NDArray[np.int64]

Order = Literal["kept", "changed", "unknown"]

_KEPT = 0.95  # share of values, rows or records from which they count as kept
_NO_ACCIDENT = 5  # standard deviations beyond chance
_LARGEST_CODE = 2**62
_COUNTED_DIRECTLY = 4  # codes per record up to which counting needs no renumbering


@dataclass(frozen=True, kw_only=True)
class ColumnPair:
    """An original column and the anonymized column it became, with what the log says of it."""

    original: str
    anonymized: str
    entry: LogEntry | None

    @property
    def action(self) -> str:
        """Return the logged action, empty where nothing is logged."""
        return self.entry.action if self.entry else ""

    @property
    def semantic(self) -> str:
        """Return the logged semantic, empty where nothing is logged."""
        return self.entry.semantic if self.entry else ""


@dataclass(frozen=True, kw_only=True, eq=False)
class CodedPair:
    """A pair of columns with equal values coded alike.

    Attributes
    ----------
    pair
        The columns' names.
    original, anonymized
        Shapes (n_original_records,) and (n_anonymized_records,): 0 … n_values - 1, -1 where blank.
    """

    pair: ColumnPair
    original: CodeArray
    anonymized: CodeArray

    @cached_property
    def n_values(self) -> int:
        """Return the number of codes."""
        return 1 + max(int(self.original.max(initial=-1)), int(self.anonymized.max(initial=-1)))

    @cached_property
    def original_counts(self) -> IntArray:
        """Return shape (n_values,): original cells per value."""
        return _counts(self.original, self.n_values)

    @cached_property
    def anonymized_counts(self) -> IntArray:
        """Return shape (n_values,): anonymized cells per value."""
        if self.anonymized is self.original:
            return self.original_counts
        return _counts(self.anonymized, self.n_values)

    @cached_property
    def n_same_row(self) -> int:
        """Return the cells that are equal in the same row; needs tables of equal length."""
        if self.anonymized is self.original:
            return int(self.original_counts.sum())
        return int(np.count_nonzero((self.original == self.anonymized) & (self.original >= 0)))

    @cached_property
    def n_same_values(self) -> int:
        """Return the cells whose value reappears in the anonymized column, each only once."""
        return int(np.minimum(self.original_counts, self.anonymized_counts).sum())

    @cached_property
    def n_same_row_by_chance(self) -> float:
        """Return how many cells would be equal in the same row if the rows were in random order."""
        products = self.original_counts.astype(float) @ self.anonymized_counts
        return float(products) / max(len(self.original), 1)


def _counts(codes: CodeArray, n_values: int) -> IntArray:
    return np.bincount(codes + 1, minlength=n_values + 1)[1:]


@dataclass(frozen=True, kw_only=True, eq=False)
class TablePair:
    """Two tables and the log, with their columns paired and coded.

    Attributes
    ----------
    original, anonymized
        Tables of text; missing is null, and so is a mark such as ``***``, see `without_marks`.
    log
        What is claimed.
    coded
        A coded pair per original column that has an anonymized one, in the order of the original.
    marks, original_marks
        Column of the anonymized, and of the original table to the cells that held a mark, where any did.
    """

    original: pa.Table
    anonymized: pa.Table
    log: AnonymizationLog
    coded: tuple[CodedPair, ...]
    marks: Mapping[str, int] = field(default_factory=dict)
    original_marks: Mapping[str, int] = field(default_factory=dict)

    @property
    def n_original(self) -> int:
        """Return the number of original records."""
        return int(self.original.num_rows)

    @property
    def n_anonymized(self) -> int:
        """Return the number of anonymized records."""
        return int(self.anonymized.num_rows)

    @property
    def in_order(self) -> bool:
        """Whether cells are compared row by row: unless the order of the records has changed."""
        return self.order != "changed"

    @cached_property
    def _counted(self) -> dict[tuple[str, str], int]:
        return {}

    def n_distinct(self, side: str, name: str) -> int:
        """Return the distinct values of a column of the ``original`` or the ``anonymized``, counted once."""
        if (side, name) not in self._counted:
            table = self.original if side == "original" else self.anonymized
            self._counted[side, name] = pc.count_distinct(table[name], mode="only_valid").as_py()
        return self._counted[side, name]

    def distinct_share(self, side: str, name: str) -> float:
        """Return distinct / non-blank cells of a column, 0 of none."""
        column = (self.original if side == "original" else self.anonymized)[name]
        n_filled = len(column) - column.null_count
        return self.n_distinct(side, name) / n_filled if n_filled else 0.0

    @cached_property
    def order(self) -> Order:
        """Whether row i of both tables is the same record, as far as the values show.

        ``changed``: the tables differ in length, or columns keep their values but not their rows
        while whole records stay together. ``kept``: some column keeps its values in their rows
        far beyond chance. Else ``unknown``.
        """
        if self.n_original != self.n_anonymized or self._records_moved():
            return "changed"
        return "kept" if any(_keeps_rows(pair) for pair in self.coded) else "unknown"

    def _records_moved(self) -> bool:
        """Whether records, over the columns that keep their values, are found in other rows."""
        keeping = [
            pair for pair in self.coded if pair.n_same_values >= _KEPT * pair.original_counts.sum() > 0
        ]
        if all(pair.n_same_row >= _KEPT * pair.n_same_values for pair in keeping):
            return False
        original, anonymized = joint_codes(keeping)
        n_found = np.count_nonzero(np.isin(anonymized, original))
        return bool(n_found >= _KEPT * self.n_anonymized)


def _keeps_rows(pair: CodedPair) -> bool:
    """Whether at least half of what reappears beyond chance is in its own row, and that is no accident."""
    found = pair.n_same_row - pair.n_same_row_by_chance
    possible = pair.n_same_values - pair.n_same_row_by_chance
    return found >= possible / 2 and found > _NO_ACCIDENT * math.sqrt(pair.n_same_row_by_chance + 1)


def joint_codes(pairs: Sequence[CodedPair]) -> tuple[IntArray, IntArray]:
    """Give equal combinations of values of both tables one code.

    Parameters
    ----------
    pairs
        At least one; a blank is a value of its own.

    Returns
    -------
    tuple[IntArray, IntArray]
        Shapes (n_original_records,) and (n_anonymized_records,): codes from 0, at most four times as
        many as records; one array twice where the tables do not differ in these columns.
    """
    n_original = len(pairs[0].original)
    same = all(pair.original is pair.anonymized for pair in pairs)
    codes = np.zeros(n_original if same else n_original + len(pairs[0].anonymized), dtype=np.int64)
    size = 1
    for pair in pairs:
        n_values = pair.n_values + 1
        if size > _LARGEST_CODE // n_values:
            codes = value_codes(pa.array(codes))
            size = int(codes.max(initial=-1)) + 1
        codes *= n_values
        codes += pair.original + 1 if same else np.concatenate([pair.original, pair.anonymized]) + 1
        size *= n_values
    if size > _COUNTED_DIRECTLY * len(codes):
        codes = value_codes(pa.array(codes))
    return (codes, codes) if same else (codes[:n_original], codes[n_original:])


def pair_tables(original: pa.Table, anonymized: pa.Table, log: AnonymizationLog) -> TablePair:
    """Pair the columns of two tables and code their values.

    Cells are equal as trimmed text, as numbers or as dates. An original column without an
    anonymized one has no pair. Where only letter case and the like tell two names apart, see
    `columns_alike`, the original's columns bear the anonymized names.
    """
    alike = columns_alike(original.column_names, anonymized.column_names)
    original = original.rename_columns([alike.get(name, name) for name in original.column_names])
    (original, original_marks), (anonymized, marks) = without_marks(original), without_marks(anonymized)
    log = log.for_columns(original.column_names, anonymized.column_names)
    pairs = column_pairs(original.column_names, anonymized.column_names, log)

    def coded(pair: ColumnPair) -> CodedPair:
        return _coded(pair, original[pair.original], anonymized[pair.anonymized])

    with ThreadPoolExecutor(os.cpu_count()) as threads:
        return TablePair(
            original=original,
            anonymized=anonymized,
            log=log,
            coded=tuple(threads.map(coded, pairs)),
            marks=marks,
            original_marks=original_marks,
        )


def _coded(pair: ColumnPair, original: pa.ChunkedArray, anonymized: pa.ChunkedArray) -> CodedPair:
    if original.equals(anonymized):
        codes = canonical_codes(original, dates=True)
        return CodedPair(pair=pair, original=codes, anonymized=codes)
    original_codes, anonymized_codes = shared_codes(original, anonymized, dates=True)
    return CodedPair(pair=pair, original=original_codes, anonymized=anonymized_codes)


def column_pairs(
    original: Sequence[str], anonymized: Sequence[str], log: AnonymizationLog
) -> tuple[ColumnPair, ...]:
    """Pair columns: of the same name, else all that begin with the original's name and ``_``.

    A column whose own name exists in the original is never another column's expansion. Of several
    original columns that an expansion could belong to, the longest name wins. A log entry's
    ``source`` settles it.
    """
    positions = {name: i for i, name in enumerate(original)}
    kept = frozenset(anonymized)
    pairs = [
        ColumnPair(original=name, anonymized=name, entry=log.entries.get(name))
        for name in original
        if name in kept
    ]
    by_spelling = (positions, {folded(name): i for i, name in reversed(list(enumerate(original)))})
    for name in (name for name in anonymized if name not in positions):
        entry = log.entries.get(name)
        if entry is not None and entry.source is not None and entry.source in positions:
            source: str | None = entry.source
        else:
            source = _source(name, original, by_spelling, kept)
        if source is not None:
            pairs.append(ColumnPair(original=source, anonymized=name, entry=entry or log.entries.get(source)))
    return tuple(sorted(pairs, key=lambda pair: positions[pair.original]))


def _source(
    name: str,
    originals: Sequence[str],
    by_spelling: tuple[Mapping[str, int], Mapping[str, int]],
    kept: frozenset[str],
) -> str | None:
    """Return the longest name of an original column, itself not kept, that another name begins with.

    As written, else as folded; `by_spelling` holds the positions of the originals by both.
    """
    for written, positions in zip((name, folded(name)), by_spelling, strict=True):
        ends = [i for i, character in enumerate(written) if character == "_"]
        found = (positions.get(written[:end]) for end in reversed(ends))
        source = next((originals[i] for i in found if i is not None and originals[i] not in kept), None)
        if source is not None:
            return source
    return None
