"""Columns as a model and a count need them: features as numbers, sensitive attributes as codes."""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from core.attribute_disclosure import Distance, ordered_codes
from core.coding import BoolArray, FloatArray, IntArray, combined_codes, value_codes
from core.errors import refuse
from core.people.roles import PERSON_KINDS, Role, RoleSuggestion
from core.people.roles.vocabulary import match_name
from core.values.cells import as_numbers
from core.values.folded_text import folded_text, says_unknown
from core.values.numbers import plain_numbers
from core.words import Text, text

Float32Array = npt.NDArray[np.float32]

MISSING_CATEGORY = ""


@dataclass(frozen=True, kw_only=True)
class FeatureColumn:
    """A feature: its name, and its categories, the missing one ("") last; numbers have none."""

    name: str
    categories: tuple[str, ...] | None = None

    @property
    def width(self) -> int:
        """Return the number of encoded columns: 1 for numbers, one per category otherwise."""
        return 1 if self.categories is None else len(self.categories)


@dataclass(frozen=True, kw_only=True, eq=False)
class FeatureSpace:
    """How feature values are held and encoded.

    Values are a matrix of shape (n_records, n_columns): numbers as they are with NaN for missing,
    categories as their position. The encoding, which models and trees see, replaces missing numbers
    by 0 and categories by 0/1 columns.
    """

    columns: tuple[FeatureColumn, ...]  # the features
    has_missing_numbers: bool = True  # whether any number may be missing; False saves looking for them

    @cached_property
    def offsets(self) -> IntArray:
        """Return shape (n_columns + 1,): where each column's encoding begins, and the total width."""
        return np.cumsum([0, *(column.width for column in self.columns)], dtype=np.int64)

    @cached_property
    def _all_numeric(self) -> bool:
        return all(column.categories is None for column in self.columns)

    def position(self, name: str) -> int:
        """Return a column's position."""
        return self._positions[name]

    @cached_property
    def _positions(self) -> dict[str, int]:
        return {column.name: position for position, column in enumerate(self.columns)}

    def encode(self, values: FloatArray, columns: Sequence[int] | None = None) -> FloatArray:
        """Return shape (n_records, encoded width): the encoding of all columns, or of those given.

        `values` always holds all columns; the encoding comes in the order of `columns`.
        """
        chosen = range(len(self.columns)) if columns is None else columns
        if self._all_numeric or all(self.columns[position].categories is None for position in chosen):
            return self._without_missing(values if columns is None else values[:, list(chosen)])
        return np.hstack([self._encode_one(values[:, position], position) for position in chosen])

    def encoded_names(self, columns: Sequence[int]) -> list[tuple[int, int | None]]:
        """Return, per encoded column, the feature's position and the category it stands for."""
        return [
            (position, None if self.columns[position].categories is None else category)
            for position in columns
            for category in range(self.columns[position].width)
        ]

    def _without_missing(self, numbers: FloatArray) -> FloatArray:
        return np.nan_to_num(numbers, nan=0.0) if self.has_missing_numbers else numbers

    def _encode_one(self, cells: FloatArray, position: int) -> FloatArray:
        column = self.columns[position]
        if column.categories is None:
            return self._without_missing(cells)[:, None]
        return (cells[:, None] == np.arange(column.width)).astype(np.float64)


def read_features(
    tables: Sequence[pa.Table], names: Sequence[str], *, categorical: Sequence[str]
) -> tuple[FeatureSpace, tuple[FloatArray, ...]]:
    """Turn the feature columns of one or more tables into numbers with common categories."""
    everywhere = set.intersection(*(set(table.column_names) for table in tables))
    problems = [
        text("The feature “{column}” is not a column of every table.", column=name)
        for name in names
        if name not in everywhere
    ]
    refuse(problems)
    of_categories = set(categorical)
    problems = [
        problem
        for name in names
        if (problem := _column_problem(name, [t[name] for t in tables], name in of_categories))
    ]
    refuse(problems)
    read = [_read_column(name, [t[name] for t in tables], name in of_categories) for name in names]
    has_missing = any(np.isnan(cells).any() for _, by_table in read for cells in by_table)
    space = FeatureSpace(columns=tuple(column for column, _ in read), has_missing_numbers=has_missing)
    return space, tuple(
        np.column_stack([cells[position] for _, cells in read]) for position in range(len(tables))
    )


def is_numeric(column: pa.ChunkedArray) -> bool:
    """Return whether every known value of a column of text reads as a finite number; of none, False."""
    return column.null_count < len(column) and n_not_numbers(column) == 0


def n_not_numbers(column: pa.ChunkedArray) -> int:
    """Return how many known values of a column of text do not read as a finite number."""
    values = pc.drop_null(column)
    if as_numbers(values) is not None:
        return 0
    plain = plain_numbers(values.combine_chunks(), share=0)
    numbers = None if plain is None else plain.texts.cast(pa.float64()).to_numpy(zero_copy_only=False)
    return len(values) - (0 if numbers is None else int(np.isfinite(numbers).sum()))


def numbers_of(column: pa.ChunkedArray) -> FloatArray:
    """Return shape (n_records,): a column of numbers as text as such, NaN where missing."""
    numbers = as_numbers(column)
    assert numbers is not None  # noqa: S101 - asked before
    return numbers


def row_codes(values: FloatArray, columns: Sequence[int]) -> IntArray:
    """Return shape (n_records,): one code per distinct combination of the columns; NaN is a value."""
    codes = [np.unique(values[:, position], return_inverse=True)[1] for position in columns]
    combined = combined_codes([code.astype(np.int64) for code in codes], n_records=len(values))
    return np.unique(combined, return_inverse=True)[1].astype(np.int64)


def _column_problem(name: str, cells: Sequence[pa.ChunkedArray], categorical: bool) -> Text | None:
    if all(each.null_count == len(each) for each in cells):
        return text(
            "The feature “{column}” has no value in any record; leave it out of the features.", column=name
        )
    n_text = 0 if categorical else sum(n_not_numbers(each) for each in cells)
    if n_text:
        n_known = sum(len(each) - each.null_count for each in cells)
        return text(
            "The feature “{column}” holds text in {found} of {n} value; say that it is categorical "
            "(`--categorical`), or leave it out of the features (`--leave-out`).",
            "The feature “{column}” holds text in {found} of {n} values; say that it is categorical "
            "(`--categorical`), or leave it out of the features (`--leave-out`).",
            n=n_known,
            column=name,
            found=n_text,
        )
    return None


def _read_column(
    name: str, cells: Sequence[pa.ChunkedArray], categorical: bool
) -> tuple[FeatureColumn, list[FloatArray]]:
    if not categorical:
        return FeatureColumn(name=name), [numbers_of(each) for each in cells]
    texts = [each.cast(pa.string()).combine_chunks() for each in cells]
    known = sorted({value for each in texts for value in pc.unique(each).to_pylist() if value is not None})
    missing = [MISSING_CATEGORY] if any(each.null_count for each in texts) else []
    value_set = pa.array(known, pa.string())
    codes = [
        pc.fill_null(pc.index_in(each, value_set=value_set), len(known)).to_numpy(zero_copy_only=False)
        for each in texts
    ]
    column = FeatureColumn(name=name, categories=(*known, *missing))
    return column, [each.astype(np.float64) for each in codes]


@dataclass(frozen=True, kw_only=True, eq=False)
class SensitiveAttribute:
    """A sensitive attribute of some records."""

    name: str  # the column
    codes: IntArray = field(repr=False)  # shape (n_records,): what is counted for diversity, -1 for missing
    numeric: bool  # whether all known values are numbers; the ordered distance is used then
    # shape (n_bins - 1,): a number up to the first edge is in the first bin, and so on; None where values are
    # counted as they are
    edges: FloatArray | None
    n_distinct: int  # distinct numbers, or meanings of texts

    @property
    def distance(self) -> Distance:
        """Return which distance t-closeness is measured with."""
        return "ordered" if self.numeric else "equal"

    @property
    def n_values(self) -> int:
        """Return the number of values or bins that diversity can count."""
        return int(self.codes.max(initial=-1)) + 1

    def code(self, column: pa.ChunkedArray) -> IntArray:
        """Return shape (n_records,): codes of another column of text, in the same bins."""
        if not self.numeric:
            return _text_codes(column)
        if self.edges is None:
            return ordered_codes(numbers_of(column))
        return _binned(numbers_of(column), self.edges)


def read_sensitive(column: pa.ChunkedArray, *, name: str, n_bins: int | None) -> SensitiveAttribute:
    """Read a sensitive attribute; numbers with more than `n_bins` distinct values are binned.

    Bins hold about equal numbers of records. A missing value is none: it makes no cell more diverse.
    """
    numeric = is_numeric(column)
    as_written = ordered_codes(numbers_of(column)) if numeric else _text_codes(column)
    n_distinct = int(as_written.max(initial=-1)) + 1
    edges = None
    if numeric and n_bins is not None and n_distinct > n_bins:
        numbers = numbers_of(column)
        known = numbers[~np.isnan(numbers)]
        edges = np.quantile(known, np.arange(1, n_bins) / n_bins, method="inverted_cdf")
        edges = np.unique(edges[edges < known.max()])
    return SensitiveAttribute(
        name=name,
        codes=as_written if edges is None else _binned(numbers_of(column), edges),
        numeric=numeric,
        edges=edges,
        n_distinct=n_distinct,
    )


def _text_codes(column: pa.ChunkedArray) -> IntArray:
    """Return codes of what texts mean: spellings of one word are one value, words for unknown are none."""
    texts = folded_text(pc.fill_null(column.combine_chunks(), ""))
    known = ~says_unknown(texts)
    codes = np.full(len(texts), -1, dtype=np.int64)
    codes[known] = value_codes(texts.filter(pa.array(known)))
    return codes


def _binned(numbers: FloatArray, edges: FloatArray) -> IntArray:
    codes = np.searchsorted(edges, numbers, side="left")
    return np.where(np.isnan(numbers), -1, codes).astype(np.int64)


_END_OF_PREFIX = re.compile(r"[^\W_][\W_]+(?=[^\W_])")  # "job_", "job=", "job: "
_A_FLAG = 2  # values of a column that says whether there is a number
_FEWEST_OF_A_LABEL = 2  # records, on the average
_NUMBERS = PERSON_KINDS | {"phone number", "record identifier"}
_MOST_SPELLINGS = 16  # "0", "0.0", " 1" and the like


def zero_one_columns(table: pa.Table, columns: Sequence[str]) -> tuple[str, ...]:
    """Return the columns that hold 0 and 1 and nothing else; missing values aside, and both of them."""
    return tuple(name for name in columns if _is_zero_one(table[name]))


def suggest_one_hot_groups(table: pa.Table, columns: Sequence[str]) -> tuple[tuple[str, ...], ...]:
    """Return groups of columns that look like one category written as several 0/1 columns.

    The names of a group begin alike up to a separator ("job_clerk", "job_nurse"), and no record has
    a 1 in two of them. The shortest common beginning counts, a longer one where records have several
    1s. It is a suggestion: several rare properties of a person can look the same.

    Parameters
    ----------
    table
        Columns of text.
    columns
        Which of them to look at; those that are not 0/1 columns are passed over.

    Returns
    -------
    tuple of tuple of str
        Groups of at least two columns, in the order of the columns; no column is in two groups.
    """
    ones = {name: numbers_of(table[name]) == 1 for name in zero_one_columns(table, columns)}
    members: dict[str, list[str]] = {}
    for name in ones:
        for prefix in [name[: match.end()] for match in _END_OF_PREFIX.finditer(name)]:
            members.setdefault(prefix, []).append(name)
    place = {name: number for number, name in enumerate(ones)}
    found: list[tuple[str, ...]] = []
    grouped: set[str] = set()
    for prefix in sorted(members, key=len):
        group = tuple(name for name in members[prefix] if name not in grouped)
        if len(group) > 1 and _exclude_each_other(group, ones):
            found.append(group)
            grouped.update(group)
    return tuple(sorted(found, key=lambda group: place[group[0]]))


def suggest_label(columns: Sequence[str], roles: Iterable[RoleSuggestion], *, usual: str = "") -> str | None:
    """Return the column that a model may predict: the `usual` one, else the last; None where none can be.

    What names people, is called a number of theirs, or differs in most records is no label: a model could
    only learn it by heart. Neither is what has one value.
    """
    named = {each.column: each for each in roles}
    possible = [name for name in columns if _may_be_label(named[name])]
    return usual if usual in possible else next(reversed(possible), None)


def _may_be_label(role: RoleSuggestion) -> bool:
    match = match_name(role.column)
    is_numbered = match is not None and match.rule.kind in _NUMBERS and role.n_distinct > _A_FLAG
    is_identifier = role.role is Role.DIRECT_IDENTIFIER or role.counts_rows or is_numbered
    return not is_identifier and 1 < role.n_distinct <= role.n_nonblank / _FEWEST_OF_A_LABEL


def _is_zero_one(column: pa.ChunkedArray) -> bool:
    distinct = pa.chunked_array([pc.drop_null(pc.unique(column))], pa.string())
    if not 2 <= len(distinct) <= _MOST_SPELLINGS or not is_numeric(distinct):
        return False
    return set(numbers_of(distinct).tolist()) == {0.0, 1.0}


def _exclude_each_other(group: Sequence[str], ones: Mapping[str, BoolArray]) -> bool:
    n_ones = np.zeros(len(ones[group[0]]), dtype=np.int64)
    for name in group:
        n_ones += ones[name]
    return bool(n_ones.max(initial=0) <= 1)
