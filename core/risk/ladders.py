"""Generalization ladders: for each column, ever coarser ways of writing its values, up to none at all."""

import math
import re
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Literal, cast

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from core.coding import BoolArray, FloatArray, IntArray
from core.errors import refuse
from core.risk.settings import Hierarchy
from core.tables import Dataset
from core.values.dates import Dates, begins_with_the_day, read_dates
from core.values.numbers import plain_numbers
from core.words import Written, input_error, text


def read_hierarchy(dataset: Dataset, *, values: Collection[str] | None = None) -> Hierarchy:
    """Read a hierarchy: a line for each value, the value first, then its groups from small to large.

    A last column with one and the same group in all lines is the group of all and left out, as it
    tells nothing apart.

    Parameters
    ----------
    dataset
        At least two columns; their names do not matter. The form that the field's tools exchange,
        ``value;level 1;level 2;…`` without a header, is read as a table without one.
    values
        The column's values: a first line whose value is none of them is a header. None: there is none, or
        it was read as one.

    Raises
    ------
    AuditInputError
        Fewer than two columns, missing cells, a value with two lines, or a group that lies in two
        groups of the next level.
    """
    columns = [dataset.table[name].to_pylist() for name in dataset.columns]
    if values is not None and columns[0] and columns[0][0] not in values:
        columns = [cells[1:] for cells in columns]
    return _hierarchy(dataset.name, columns)


def hierarchy_for(dataset: Dataset, table: Dataset) -> tuple[str, Hierarchy]:
    """Return the column of a table that a hierarchy is for, and the hierarchy.

    The file names the column in its header, or else in its own name: ``age.csv``, ``hierarchy_age.csv``.
    """
    if dataset.columns[0] in table.columns:
        return dataset.columns[0], read_hierarchy(dataset)
    stem = dataset.name.rsplit(".", 1)[0].casefold()
    named = [
        column for column in table.columns if re.search(rf"(^|[^\w]|_){re.escape(column.casefold())}$", stem)
    ]
    if not named:
        raise input_error(
            "{file}: it is not said which column these groups are for. Name the first column as that "
            "column is named, or let the file's name end with it, as in hierarchy_age.csv.",
            file=dataset.name,
        )
    columns = [dataset.table[name].to_pylist() for name in dataset.columns]
    if dataset.reading.header_line:  # what was taken for a header is the first line
        columns = [[name, *cells] for name, cells in zip(dataset.columns, columns, strict=True)]
    return max(named, key=len), _hierarchy(dataset.name, columns)


def _hierarchy(name: str, columns: list[list[str | None]]) -> Hierarchy:
    problems = []
    if len(columns) < 2:
        problems.append(text("{file} needs two columns or more: the value, then its groups.", file=name))
    n_missing = sum(cell is None for column in columns for cell in column)
    if n_missing:
        problems.append(
            text(
                "{file} lacks {n} cell; give every value a group on every level.",
                "{file} lacks {n} cells; give every value a group on every level.",
                n=n_missing,
                file=name,
            )
        )
    n_repeated = len(columns[0]) - len(set(columns[0]))
    if n_repeated:
        problems.append(
            text(
                "{file} has {n} line for a value that has one already.",
                "{file} has {n} lines for values that have one already.",
                n=n_repeated,
                file=name,
            )
        )
    for level, (groups, above) in enumerate(pairwise(columns[1:]), start=1):
        if len(set(zip(groups, above, strict=True))) > len(set(groups)):
            several = "{file}: a group of level {level} lies in several groups of level {above}."
            problems.append(text(several, file=name, level=level, above=level + 1))
    refuse(problems)
    kept = columns[:-1] if len(set(columns[-1])) == 1 else columns
    return Hierarchy(groups={value: tuple(groups) for value, *groups in zip(*kept, strict=True)})


Kind = Literal["number", "date", "code", "category", "own"]

SUPPRESSED = "*"
OTHER = "other"

_MOSTLY = 0.9  # share of distinct values that must be of a kind; the others stay as they are
_COARSER = 0.6  # a level is worth offering when it leaves at most this share of the groups below it
_MOST_LOOKED_AT = 20_000  # distinct values, evenly spaced, that tell the kind of a column
_MOST_LEVELS = 7  # the values themselves and no value at all included
_LEADING_ZERO = r"^0[0-9]"
_CODE = r"^[0-9A-Za-z][0-9A-Za-z./-]*$"
_SHORTEST_CODE = 3


@dataclass(frozen=True, kw_only=True, eq=False)
class Level:
    """One way of writing a column's values."""

    description: str  # what is done, in plain words
    group_of_value: IntArray  # shape (n_values,): the group of each value, 0 … n_groups - 1
    names: pa.Array  # shape (n_groups,), how each group is written; null for the group of missing cells
    # shape (n_values,), in [0, 1]: precision lost (NCP), 0 for a value that stays exact, 1 for one that is
    # not shown
    loss_of_value: FloatArray

    @property
    def n_groups(self) -> int:
        """Return the number of groups."""
        return len(self.names)


@dataclass(frozen=True, kw_only=True, eq=False)
class Ladder:
    """The ways of writing one column, finest first; every group of a level lies within one of the next."""

    column: str  # the column
    kind: Kind  # what its values are
    # At least one: the values as they are. The last of several is ``*`` for every value.
    levels: tuple[Level, ...]


def build_ladder(column: str, values: pa.Array, counts: IntArray, *, kind: Kind | None = None) -> Ladder:
    """Derive a ladder from a column's values.

    Numbers are grouped into intervals of growing width, dates in any spelling shortened to month, year and
    decade, codes cut from the right, and rare categories grouped as ``other``. A missing value stays missing
    on every level but the last. Values that are not of the column's kind stay as they are up to the last
    level.

    References
    ----------
    The loss is the normalized certainty penalty: Xu et al., Utility-based anonymization using local recoding,
    KDD 2006; Ghinita et al., Fast data anonymization with low information loss, VLDB 2007.
    """
    if kind is not None and kind not in _LADDERS:
        unknown = "kind must be one of {known}, received {kind}."
        raise input_error(unknown, known=", ".join(_LADDERS), kind=repr(kind))
    found = kind or kind_of_values(values)
    levels = [_as_they_are(values)]
    if len(values) > 1:
        for level in _LADDERS[found](values, counts):
            if 1 < level.n_groups <= _COARSER * levels[-1].n_groups:
                levels.append(level)
        levels = [*_spread(levels), _dropped(values)]
    return Ladder(column=column, kind=found, levels=tuple(levels))


def _spread(levels: Sequence[Level]) -> list[Level]:
    """Return the first, the last and evenly spaced levels between them, one less than the most."""
    if len(levels) < _MOST_LEVELS:
        return list(levels)
    positions = np.linspace(0, len(levels) - 1, _MOST_LEVELS - 1).round().astype(int)
    return [levels[position] for position in positions]


def kind_of_values(values: pa.Array) -> Kind:
    """Return what distinct values are, judged by nine in ten of them; missing ones are passed over.

    Numbers with leading zeros, and texts of letters and digits without spaces, are codes; not where some
    are written as dates that begin with the day, because a code is cut from the right.
    """
    known = values.drop_null()
    if not len(known):
        return "category"
    known = known.take(pa.array(np.arange(0, len(known), -(-len(known) // _MOST_LOOKED_AT))))
    trimmed = pc.utf8_trim_whitespace(known)
    if float(read_dates(known).known.mean()) >= _MOSTLY:
        return "date"
    if plain_numbers(trimmed, share=_MOSTLY) is not None:
        zeros = pc.match_substring_regex(trimmed, _LEADING_ZERO)
        return "code" if pc.any(zeros).as_py() else "number"
    digits = pc.match_substring_regex(trimmed, "[0-9]")
    long = pc.greater_equal(pc.utf8_length(trimmed), _SHORTEST_CODE)
    coded = pc.and_(pc.and_(digits, long), pc.match_substring_regex(trimmed, _CODE))
    if _share(coded) < _MOSTLY or float(begins_with_the_day(known).mean()) > 1 - _MOSTLY:
        return "category"
    return "code"


def _share(mask: pa.Array) -> float:
    return float(pc.mean(mask.cast(pa.float64())).as_py())


def _as_they_are(values: pa.Array) -> Level:
    return Level(
        description="as it is",
        group_of_value=np.arange(len(values)),
        names=values,
        loss_of_value=np.zeros(len(values)),
    )


def _dropped(values: pa.Array) -> Level:
    return Level(
        description="not shown",
        group_of_value=np.zeros(len(values), dtype=np.int64),
        names=pa.array([SUPPRESSED]),
        loss_of_value=np.ones(len(values)),
    )


def _level(description: str, written: pa.Array, position: FloatArray | None = None) -> Level:
    """Return the level that writes values as given; widths are measured in positions, NaN where none."""
    encoded = pc.dictionary_encode(written, null_encoding="encode")
    group = encoded.indices.to_numpy(zero_copy_only=False).astype(np.int64)
    names = encoded.dictionary
    loss = (
        _category_loss(group, _missing(written), len(names))
        if position is None
        else _width_loss(group, position, len(names))
    )
    return Level(description=description, group_of_value=group, names=names, loss_of_value=loss)


def _missing(values: pa.Array) -> BoolArray:
    return cast("BoolArray", values.is_null().to_numpy(zero_copy_only=False))


def _category_loss(group: IntArray, missing: BoolArray, n_groups: int) -> FloatArray:
    """Return distinct values in the group / distinct values, 0 for a single one; missing is none."""
    distinct = np.bincount(group[~missing], minlength=n_groups)
    share = np.where(distinct > 1, distinct / max(int(np.count_nonzero(~missing)), 1), 0.0)
    return cast("FloatArray", share[group])


def _width_loss(group: IntArray, position: FloatArray, n_groups: int) -> FloatArray:
    """Return range of the group / range of all values; 0 for a value without a position."""
    known = ~np.isnan(position)
    lower, upper = np.full(n_groups, np.inf), np.full(n_groups, -np.inf)
    np.minimum.at(lower, group[known], position[known])
    np.maximum.at(upper, group[known], position[known])
    domain = float(np.ptp(position[known])) if known.any() else 0.0
    width = np.where(upper >= lower, upper - lower, 0.0) / (domain or 1.0)
    return cast("FloatArray", np.where(known, width[group], 0.0))


def _number_levels(values: pa.Array, counts: IntArray) -> Iterator[Level]:
    """Yield intervals of 1, 5, 10, 50, … times a power of ten, narrowest first."""
    del counts
    numbers, known = _parsed_numbers(values)
    distinct = np.unique(numbers[known])
    if len(distinct) < 2:
        return
    base = 10.0 ** np.floor(np.log10(float(np.diff(distinct).min())))
    finest = np.floor(np.round(np.where(known, numbers, 0.0) / base, 9))
    n_groups, times = len(distinct), 5
    while times * base <= 10 * float(np.ptp(distinct)):
        index = np.floor(finest / times)
        if (n_found := len(np.unique(index[known]))) <= _COARSER * n_groups:
            n_groups = n_found
            yield _intervals(values, index, times * base, known, numbers)
        times *= 2 if str(times).startswith("5") else 5


def _parsed_numbers(values: pa.Array) -> tuple[FloatArray, BoolArray]:
    """Return each value as a number, NaN where it is none, and where it is one."""
    plain = plain_numbers(values, share=0)
    if plain is None:
        return np.full(len(values), np.nan), np.zeros(len(values), dtype=bool)
    numbers = plain.texts.cast(pa.float64()).to_numpy(zero_copy_only=False)
    return numbers, ~np.isnan(numbers)


def _intervals(
    values: pa.Array, index: FloatArray, step: float, known: BoolArray, numbers: FloatArray
) -> Level:
    bounds = np.unique(index[known])
    names = [f"[{_plain(bound * step)}, {_plain((bound + 1) * step)})" for bound in bounds.tolist()]
    written = pa.array(names).take(pa.array(np.searchsorted(bounds, index).clip(max=len(bounds) - 1)))
    return _level(
        text("intervals of {step}", step=Written(_plain(step))),
        pc.if_else(pa.array(known), written, values),
        np.where(known, numbers, np.nan),
    )


def _plain(number: float) -> str:
    return f"{round(number, 9) + 0.0:.12g}"


_DATES = {
    "day": "dates to the day",
    "month": "dates to the month",
    "year": "dates to the year",
    "decade": "dates to the decade",
}


def _date_levels(values: pa.Array, counts: IntArray) -> Iterator[Level]:
    """Yield day (where there are times), month, year and decade, as far as the dates say them."""
    del counts
    dates = read_dates(values)
    levels = tuple(_DATES)
    finer = {"day": 0 if dates.has_time else 1, "month": 1, "year": 2}[dates.finest]
    for precision in levels[finer:]:
        written = pc.if_else(pa.array(dates.known), _dates_to(dates, precision), values)
        yield _level(_DATES[precision], written, dates.positions())


def _dates_to(dates: Dates, precision: str) -> pa.Array:
    """Return shape (n_values,): dates in ISO 8601 to a precision; a year of two digits stays one."""
    year, month, day = dates.year, np.maximum(dates.month, 0), np.maximum(dates.day, 0)
    whole = ((year * 13 + month) * 32 + day) * 2 + dates.century_known
    parts = {"day": 1, "month": 32, "year": 13 * 32, "decade": 13 * 32 * 10}[precision]
    keys, position = np.unique(whole // (2 * parts) * 2 + dates.century_known, return_inverse=True)
    names = []
    for key in keys.tolist():
        first = key // 2 * parts
        date = (first // (13 * 32), first // 32 % 13, first % 32)
        names.append(_date_name(*date, precision=precision, century_known=bool(key % 2)))
    return pa.array(names, pa.string()).take(pa.array(position))


def _date_name(year: int, month: int, day: int, *, precision: str, century_known: bool) -> str:
    written = f"{year:04d}" if century_known else f"'{year % 100:02d}"
    return {
        "day": f"{written}-{month:02d}-{day:02d}",
        "month": f"{written}-{month:02d}",
        "year": written,
        "decade": f"{written[:-1]}0s",
    }[precision]


def _code_levels(values: pa.Array, counts: IntArray) -> Iterator[Level]:
    """Yield codes with ever fewer characters, a ``*`` for those cut off."""
    del counts
    trimmed = pc.utf8_trim_whitespace(values)
    longest = int(pc.max(pc.utf8_length(trimmed)).as_py() or 0)
    for length in range(longest - 1, 0, -1):
        cut = pc.binary_join_element_wise(pc.utf8_slice_codeunits(trimmed, 0, length), SUPPRESSED, "")
        yield _level(text("first {n} character", "first {n} characters", n=length), cut)


def _category_levels(values: pa.Array, counts: IntArray) -> Iterator[Level]:
    """Yield the more frequent half of the values, a quarter, …, all others as ``other``."""
    missing = _missing(values)
    ranked = np.sort(counts[~missing])[::-1]
    n_kept = len(ranked) // 2
    while n_kept >= 1:
        at_least = int(ranked[n_kept - 1])
        rare = (counts < at_least) & ~missing
        yield _level(
            text(
                "values of fewer than {n} record as {other}",
                "values of fewer than {n} records as {other}",
                n=at_least,
                other=OTHER,
            ),
            pc.if_else(pa.array(rare), OTHER, values),
        )
        n_kept //= 2


_LADDERS: dict[Kind, Callable[[pa.Array, IntArray], Iterator[Level]]] = {
    "number": _number_levels,
    "date": _date_levels,
    "code": _code_levels,
    "category": _category_levels,
}


def _own_ladder(column: str, values: pa.Array, hierarchy: Hierarchy) -> Ladder:
    """Return the ladder that a hierarchy gives: a level for each of its columns, then no value at all."""
    forms = [None if value is None else value.strip() for value in values.to_pylist()]
    known = [form for form in forms if form is not None]
    lacking = sum(form not in hierarchy.groups for form in known)
    if lacking:
        raise input_error(
            "The hierarchy lacks {n} of {total} values of {column}; give each value a line.",
            n=lacking,
            total=len(known),
            column=f"`{column}`",
        )
    numbers, is_number = _parsed_numbers(values)
    position = numbers if known and is_number.sum() == len(known) else None
    levels = [_as_they_are(values)]
    for depth in range(len(next(iter(hierarchy.groups.values()), ()))):
        written = pa.array([None if f is None else hierarchy.groups[f][depth] for f in forms], pa.string())
        description = text("level {level} of the hierarchy given", level=depth + 1)
        levels.append(_level(description, written, position))
    if len(values) > 1:
        levels.append(_dropped(values))
    return Ladder(column=column, kind="own", levels=tuple(levels))


def ladder_csv(ladder: Ladder) -> bytes:
    """Return a ladder as a hierarchy file: value;level 1;level 2;…, a line each, without a header."""
    values = ladder.levels[0].names.to_pylist()
    written = [level.names.take(pa.array(level.group_of_value)).to_pylist() for level in ladder.levels[1:]]
    lines = [
        ";".join(_quoted(cell) for cell in (value, *groups))
        for value, *groups in zip(values, *written, strict=True)
        if value is not None
    ]
    return ("\n".join(lines) + "\n").encode()


def _quoted(cell: str | None) -> str:
    written = cell or ""
    return '"' + written.replace('"', '""') + '"' if any(each in written for each in ';"\n\r') else written


def column_ladders(
    table: pa.Table,
    quasi_identifiers: Sequence[str],
    *,
    kinds: Mapping[str, Kind] | None = None,
    hierarchies: Mapping[str, Hierarchy] | None = None,
) -> tuple[tuple[Ladder, ...], dict[str, IntArray]]:
    """Derive a ladder for each quasi-identifier of a table."""
    ladders, codes = [], {}
    for name in quasi_identifiers:
        blank = pc.equal(pc.utf8_length(pc.utf8_trim_whitespace(table[name])), 0)
        encoded = pc.dictionary_encode(pc.if_else(blank, None, table[name]), null_encoding="encode")
        encoded = encoded.combine_chunks()
        codes[name] = encoded.indices.to_numpy(zero_copy_only=False).astype(np.int64)
        values = encoded.dictionary
        counts = np.bincount(codes[name], minlength=len(values))
        given = (hierarchies or {}).get(name)
        ladders.append(
            build_ladder(name, values, counts, kind=(kinds or {}).get(name))
            if given is None
            else _own_ladder(name, values, given)
        )
    return tuple(ladders), codes


def thinned(ladders: Sequence[Ladder], *, max_nodes: int) -> tuple[Ladder, ...]:
    """Leave levels out of the longest ladders until their combinations are few enough.

    The first and the last level of a ladder always stay, so too many columns stay too many.
    """
    levels = [list(ladder.levels) for ladder in ladders]
    while math.prod(map(len, levels)) > max_nodes and (longest := max(levels, key=len))[2:]:
        del longest[len(longest) // 2]
    return tuple(
        Ladder(column=ladder.column, kind=ladder.kind, levels=tuple(kept))
        for ladder, kept in zip(ladders, levels, strict=True)
    )
