"""What stays when dates are shifted and numbers replaced: intervals, weekdays, numbers of records, and order.

To shift all dates of a person by days of their own hides when something happened, and keeps how long after
the record before it; by whole weeks it keeps the weekdays too. Whoever knows a few of a person's real dates
finds the same intervals. Pseudonyms or records that stand in the order of a date or an age tell it finer than
the column beside them does.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from core.chance import average_ranks
from core.coding import CodedColumn, CodedTable, FloatArray, IntArray, combined_codes, value_codes
from core.known import alike_by_bag
from core.people.roles.vocabulary import name_tokens
from core.values.cells import as_numbers
from core.values.dates import Dates, read_dates
from core.values.stretches import day_ends, number_ends
from core.verdict import Finding, Verdict
from core.words import listed, percent, share_of, text

# Share of persons with intervals of their own: up to the first PASS, from the second FAIL.
FEW_BY_INTERVALS, MANY_BY_INTERVALS = 0.05, 0.5
_MOSTLY = 0.9  # share of a column's distinct values that are dates, from which it is one of dates
_DAY_WORDS = frozenset(
    [
        *("day", "days", "since", "offset", "elapsed", "dan", "dnevi", "dni", "dnevu"),
        *("일", "일수", "일차", "경과일", "경과일수"),
    ]
)
_START_WORDS = frozenset(("since", "offset", "elapsed", "경과일", "경과일수"))  # no durations
_MOST_SPANS, _MOST_DATES = (
    6,
    30,
)  # columns of days of a table that are held against each other, and all at once
_FEWEST_IN_ORDER, _LOOKED_AT = 30, 20_000
_IN_ORDER = 0.8  # rank correlation, of the largest that ties leave, from which records are in order
_SURELY = 5.0  # … and standard deviations of that of a random order
_TIES = 5  # records a value at least, where their order tells more than the value


@dataclass(frozen=True, kw_only=True, eq=False)
class Sequences:
    """The intervals between the days of each person's records, by one column of days."""

    column: str
    n_persons: int  # with at least two dated records: of them alone is spoken
    # shape (n_persons,): how many of them have the same intervals in the same order
    alike_by_intervals: IntArray
    alike_by_number: IntArray  # … and the same number of dated records
    alike_by_weekdays: IntArray | None = None  # … and the same weekdays in the same order; None of no dates

    @property
    def share_alone(self) -> float:
        """Return the share in [0, 1] of persons whose intervals nobody else has; 0 of nobody."""
        return _share_alone(self.alike_by_intervals)

    @property
    def share_alone_by_number(self) -> float:
        """Return the share in [0, 1] of persons whose number of records nobody else has; 0 of nobody."""
        return _share_alone(self.alike_by_number)

    @property
    def share_alone_by_weekdays(self) -> float | None:
        """Return the share in [0, 1] of persons whose weekdays nobody else has; None where not known."""
        return None if self.alike_by_weekdays is None else _share_alone(self.alike_by_weekdays)


def _share_alone(alike: IntArray) -> float:
    return float(np.mean(alike == 1)) if len(alike) else 0.0


@dataclass(frozen=True, kw_only=True)
class Span:
    """The days between columns of one record, which no shift of a person changes."""

    columns: tuple[str, ...]
    n_persons: int  # with all of these days in some record
    n_alone: int  # of them, with numbers of days between that nobody else has


@dataclass(frozen=True, kw_only=True)
class Ordered:
    """Pseudonyms, numbers or records that stand in the order of a column."""

    column: str | None  # of pseudonyms or numbers; None for the records of the table
    by: str
    correlation: float  # rank correlation in [-1, 1], over the largest that ties leave


@dataclass(frozen=True, kw_only=True)
class Time:
    """What the dates of a table and the order of its records and numbers tell."""

    sequences: tuple[Sequences, ...] = ()
    spans: tuple[Span, ...] = ()
    orders: tuple[Ordered, ...] = ()


def measure_time(
    table: CodedTable, columns: Sequence[str], numbers: Sequence[str], person: str | IntArray | None
) -> Time:
    """Return what the dates of a table and the order of its records and numbers tell.

    `columns` are those that are released, keys and numbers apart; `numbers` the released ones of pseudonyms
    and numbers of records. `person` says whose each record is, shape (n_records,) with -1 for nobody's, or
    names the column that does; None where nothing does: then there are no intervals, and every record is a
    person.
    """
    codes = (
        table.select([person])[person].trimmed.codes.astype(np.int64) if isinstance(person, str) else person
    )
    everybody = np.arange(table.table.num_rows)
    repeats = codes is not None and int(np.bincount(codes[codes >= 0], minlength=1).max()) > 1
    order = _Order(table, numbers, codes)
    sequences: list[Sequences] = []
    orders: list[Ordered] = []
    dates: dict[str, IntArray] = {}
    for column in columns:
        one = table.select([column])  # its codes are let go of before the next column's are made
        days, are_dates = _days(one, column, codes)
        if days is not None and codes is not None and repeats:
            found = _sequences(column, codes, days, are_dates=are_dates)
            sequences += [found] if found.n_persons else []
        if days is not None and are_dates and len(dates) < _MOST_DATES:
            dates[column] = days
        orders += order.of(one[column], is_dates=days is not None and are_dates)
    return Time(
        sequences=tuple(sequences),
        spans=tuple(_spans(dates, everybody if codes is None else codes)),
        orders=tuple(orders),
    )


def _spans(days: Mapping[str, IntArray], person: IntArray) -> Iterator[Span]:
    """Yield what the days between each two of some columns tell, and between all."""
    for pair in combinations(list(days)[:_MOST_SPANS], 2):
        yield _span(pair, days, person)
    if len(days) > 2:
        yield _span(tuple(days), days, person)


def _span(columns: tuple[str, ...], days: Mapping[str, IntArray], person: IntArray) -> Span:
    first = days[columns[0]]
    known = np.logical_and.reduce([person >= 0, *(days[each] >= 0 for each in columns)])
    who = person[known]
    gaps = [value_codes(days[each][known] - first[known]) for each in columns[1:]]
    gap = value_codes(combined_codes(gaps, n_records=len(who)))
    pairs = np.unique(combined_codes([gap, who], n_records=len(who)), return_index=True)[1]
    alone = np.bincount(gap[pairs], minlength=1)[gap[pairs]] == 1
    return Span(columns=columns, n_persons=len(np.unique(who)), n_alone=len(np.unique(who[pairs][alone])))


def _dates(table: CodedTable, column: str) -> IntArray | None:
    """Return each record's day, counted from a fixed weekday, -1 for none; None where they are no days."""
    coded = table[column].trimmed
    if not len(coded.values):
        return None
    dates = read_dates(coded.values)
    if dates.known.mean() < _MOSTLY or dates.finest != "day":
        return None
    positions = dates.positions()
    positions -= np.nanmin(positions) // 7 * 7
    days = np.append(np.where(dates.known, np.nan_to_num(positions), -1), -1)
    return days[coded.codes].astype(np.int64)


def _days(table: CodedTable, column: str, person: IntArray | None) -> tuple[IntArray | None, bool]:
    """Return days as of `_dates`, those counted from a person's own start too, and whether they are dates."""
    if (days := _dates(table, column)) is not None:
        return days, True
    coded = table[column].trimmed
    numbers = as_numbers(coded.values) if _DAY_WORDS & set(name_tokens(column)) else None
    if numbers is None or len(numbers) < 2 or (numbers % 1 != 0).any() or np.abs(numbers).max() > 1e6:
        return None, False
    counted = np.append(numbers - numbers.min(), -1)[coded.codes].astype(np.int64)
    says_start = bool(_START_WORDS & set(name_tokens(column)))
    return (counted, False) if says_start or _follow_each_other(counted, person) else (None, False)


def _follow_each_other(days: IntArray, person: IntArray | None) -> bool:
    """Return whether numbers are days from a start, and no durations, which come in any order.

    The days of nearly everybody stand in their order in the table, or begin with the same one.
    """
    if person is None:
        return False
    known = np.flatnonzero((person >= 0) & (days >= 0))
    known = known[np.argsort(person[known], kind="stable")]
    who, day = person[known], days[known]
    pairs = who[1:] == who[:-1]
    if not pairs.any():
        return False
    first = np.full(int(who.max()) + 1, np.iinfo(np.int64).max)
    np.minimum.at(first, who, day)
    begin = first[np.unique(who[1:][pairs])]
    return bool(
        np.mean(np.diff(day)[pairs] >= 0) >= _MOSTLY or np.bincount(begin).max() >= _MOSTLY * len(begin)
    )


def _sequences(column: str, person: IntArray, days: IntArray, *, are_dates: bool) -> Sequences:
    dated = (person >= 0) & (days >= 0)
    person, days = person[dated], days[dated]
    several = np.bincount(person, minlength=1)[person] > 1
    order = np.lexsort((days[several], person[several]))
    person, days = value_codes(person[several][order]), days[several][order]
    numbers = np.bincount(person)
    if not len(person):
        return Sequences(column=column, n_persons=0, alike_by_intervals=person, alike_by_number=person)
    nobody_apart = np.zeros(len(numbers), dtype=np.int64)
    rank = np.arange(len(person)) - np.repeat(np.cumsum(numbers) - numbers, numbers)
    gaps = np.diff(days, prepend=days[0])
    gaps[rank == 0] = 0
    in_order = value_codes(combined_codes([rank, gaps], n_records=len(person)))
    weekday = value_codes(rank * 7 + days % 7)
    return Sequences(
        column=column,
        n_persons=len(numbers),
        alike_by_intervals=alike_by_bag(person, in_order, nobody_apart),
        alike_by_number=np.bincount(numbers)[numbers],
        alike_by_weekdays=alike_by_bag(person, weekday, nobody_apart) if are_dates else None,
    )


# Order


def ranks_of(column: CodedColumn) -> FloatArray | None:
    """Return shape (n_records,): where each value stands among all, NaN for a missing one.

    Numbers, dates, intervals such as ``40-64`` and periods such as ``2024-Q1`` have an order; of other texts
    None is returned.
    """
    values = column.trimmed
    places = _places(values.values) if len(values.values) else None
    return None if places is None else np.append(places, np.nan)[values.codes]


def _places(values: pa.Array) -> FloatArray | None:
    numbers = as_numbers(values)
    if numbers is not None:
        return numbers
    dates: Dates = read_dates(values)
    if dates.known.all():
        return dates.positions()
    texts = values.to_pylist()
    for low, high in (number_ends(texts, [np.ones(len(texts), dtype=bool)]), day_ends(texts)):
        if not np.isnan(low).any():
            return np.unique(np.stack([low, high]), axis=1, return_inverse=True)[1].ravel().astype(np.float64)
    return None


def in_order_of(numbers: FloatArray, by: FloatArray, *, coarse: bool = True) -> float | None:
    """Return the rank correlation of numbers with what may order them, None where they are in no such order.

    Both have shape (n,), NaN where missing. `coarse`: whether `by` must repeat its values, as an order tells
    nothing of values that are all released.
    """
    known = np.flatnonzero(~(np.isnan(numbers) | np.isnan(by)))
    known = known[:: max(len(known) // _LOOKED_AT, 1)]
    if len(known) < _FEWEST_IN_ORDER:
        return None
    n_values = len(np.unique(by[known]))
    if n_values < 2 or (coarse and n_values * _TIES > len(known)):
        return None
    one, other = average_ranks(numbers[known]), average_ranks(by[known])
    if one.std() == 0:
        return None
    correlation = float(np.corrcoef(one, other)[0, 1])
    largest = float(np.corrcoef(np.sort(one), np.sort(other))[0, 1])
    if abs(correlation) < _IN_ORDER * largest or abs(correlation) * np.sqrt(len(known)) < _SURELY:
        return None
    return max(-1.0, min(1.0, correlation / largest))


_MARKS = ({0.0, 1.0}, {1.0, 2.0})  # of a group or an event: groups that follow each other hide no order


class _Order:
    """The places of some records, and of the pseudonyms and numbers in them.

    Records tell something by their order where it is that of intervals, months or the like, which hide what
    is finer, and not of plain numbers or whole dates. Pseudonyms tell when their person came, the first time,
    whatever the column.
    """

    def __init__(self, table: CodedTable, numbers: Sequence[str], person: IntArray | None) -> None:
        n_records = table.table.num_rows
        self.rows = np.arange(n_records)[:: max(n_records // _LOOKED_AT, 1)]
        self.person = person
        firsts = self.rows if person is None else _first_records(person)
        self.firsts = firsts[:: max(len(firsts) // _LOOKED_AT, 1)]
        n_persons = n_records if person is None else int(person.max(initial=-1)) + 1
        self.given: dict[str, tuple[IntArray, FloatArray]] = {}
        self.is_sorted = False
        for number in numbers:
            column = table.select([number])[number]
            at = self.firsts if column.n_distinct <= n_persons else self.rows
            self.given[number] = at, _ranks_at(column.trimmed, at)
            places = _ranks_at(column.trimmed, self.rows)
            self.is_sorted |= in_order_of(self.rows.astype(np.float64), places, coarse=False) is not None

    def of(self, column: CodedColumn, *, is_dates: bool) -> Iterator[Ordered]:
        """Yield what stands in the order of a column, which is no mark such as 0 and 1."""
        by, plain = ranks_of(column), as_numbers(column.trimmed.values)
        if by is None or (plain is not None and {*plain.tolist()} in _MARKS):
            return
        may_hide = not (is_dates or self.is_sorted or plain is not None)
        if may_hide and (rho := in_order_of(self.rows.astype(np.float64), by[self.rows])):
            yield Ordered(column=None, by=column.name, correlation=rho)
        first = by if self.person is None else _first(by, self.person)
        for number, (at, ranks) in self.given.items():
            of_number = (first if at is self.firsts else by)[at]
            if rho := in_order_of(ranks, of_number, coarse=not is_dates):
                yield Ordered(column=number, by=column.name, correlation=rho)


def orders_beside(
    table: CodedTable, original: CodedTable, numbers: Sequence[str], *, name: str
) -> Iterator[Ordered]:
    """Yield where the records of a table, or its pseudonyms, stand in the order of a column of its original.

    Only of tables with as many records, place by place: what one shows must go with what stands in the same
    place of the other. Columns that the table shows as they were are passed over: their order tells nothing.
    `numbers` are columns of the table with pseudonyms and numbers of records; `name` is the original's.
    """
    n_records = table.table.num_rows
    if original.table.num_rows != n_records:
        return
    rows = np.arange(n_records)[:: max(n_records // _LOOKED_AT, 1)]
    shared = [each for each in table.table.column_names if each in original.table.column_names]
    pairs = {
        each: tuple(_ranks_at(one.select([each])[each].trimmed, rows) for one in (table, original))
        for each in shared
    }
    if not any(_go_together(*pair) for pair in pairs.values()):
        return
    places = {number: _ranks_at(table.select([number])[number].trimmed, rows) for number in numbers}
    for column in original.table.column_names:
        ranks = _ranks_at(original.select([column])[column].trimmed, rows)
        if column in pairs and _are_alike(*pairs[column]):
            continue
        looked_at: list[tuple[str | None, FloatArray]] = [(None, rows.astype(np.float64)), *places.items()]
        for number, given in looked_at:
            if rho := in_order_of(given, ranks, coarse=False):
                yield Ordered(column=number, by=f"{name}: {column}", correlation=rho)


def _go_together(one: FloatArray, other: FloatArray) -> bool:
    """Return whether ranks agree place by place more than those of a random order."""
    known = ~(np.isnan(one) | np.isnan(other))
    first, second = average_ranks(one[known]), average_ranks(other[known])
    if np.count_nonzero(known) < _FEWEST_IN_ORDER or not first.std() or not second.std():
        return False
    return bool(abs(np.corrcoef(first, second)[0, 1]) * np.sqrt(len(first)) > _SURELY)


def _are_alike(one: FloatArray, other: FloatArray) -> bool:
    known = ~(np.isnan(one) | np.isnan(other))
    return bool(known.any() and np.mean(average_ranks(one[known]) == average_ranks(other[known])) >= _MOSTLY)


def _first_records(person: IntArray) -> IntArray:
    """Return the first record of each person."""
    first = np.full(int(person.max(initial=-1)) + 2, -1)
    first[person[::-1]] = np.arange(len(person))[::-1]
    return np.sort(first[:-1][first[:-1] >= 0])


def _first(values: FloatArray, person: IntArray) -> FloatArray:
    """Return shape (n_records,): the least value of each record's person, NaN where there is none."""
    first = np.full(int(person.max(initial=-1)) + 2, np.inf)
    np.fmin.at(first, person, values)
    first[-1] = np.inf  # of nobody
    return np.where(np.isinf(first), np.nan, first)[person]


def _ranks_at(column: CodedColumn, records: IntArray) -> FloatArray:
    """Return where the values of some records stand, as numbers or else in the alphabet; NaN if missing."""
    cells = column.values.take(pa.array(column.codes[records], mask=column.codes[records] < 0))
    numbers = as_numbers(cells)
    if numbers is not None:
        return numbers
    ranks = pc.rank(cells, tiebreaker="dense").to_numpy().astype(np.float64)
    ranks[column.codes[records] < 0] = np.nan
    return ranks


# Judging


def judge_sequences(found: Sequences, prefix: str = "") -> Finding:
    """Return the finding of intervals: FAIL where half are alone by them, WARN from 5 %."""
    shares = [found.share_alone, found.share_alone_by_number, found.share_alone_by_weekdays or 0.0]
    verdict = _by_share(max(shares[0], shares[2]))
    by_interval, by_number, by_weekday = (round(share * found.n_persons) for share in shares)
    column = f"{prefix}{found.column}"
    made = Finding.of("intervals", verdict, column=None if prefix else column, n_affected=by_interval)
    step = text(
        "Make {column} coarser, or keep fewer records a person: {n} person is alone by intervals, which "
        "shifting dates keeps.",
        "Make {column} coarser, or keep fewer records a person: {n} persons are alone by intervals, which "
        "shifting dates keeps.",
        column=f"`{column}`",
        n=by_interval,
    )
    if found.alike_by_weekdays is None:
        return made(
            text(
                "{column}: of those with two records or more, {persons} have intervals between their records "
                "that nobody else has, and {number} a number of records that nobody else has. Shifting dates "
                "changes neither.",
                column=f"`{column}`",
                persons=share_of(by_interval, found.n_persons, "persons"),
                number=by_number,
            )
        ).told(step=step)
    return made(
        text(
            "{column}: of those with two records or more, {persons} have intervals between their records "
            "that nobody else has, {weekdays} have such weekdays, and {number} such a number of records. "
            "Shifting all dates of a person keeps intervals and numbers, and by whole weeks the weekdays "
            "too.",
            column=f"`{column}`",
            persons=share_of(by_interval, found.n_persons, "persons"),
            weekdays=by_weekday,
            number=by_number,
        )
    ).told(step=step)


def judge_span(found: Span, prefix: str = "") -> Finding:
    """Return the finding of the days between columns of a record."""
    verdict = _by_share(found.n_alone / found.n_persons if found.n_persons else 0.0)
    made = Finding.of("spans", verdict, n_affected=found.n_alone)
    columns = [f"{prefix}{each}" for each in found.columns]
    step = text(
        "Release the days between {columns} rounded, instead of the dates: {n} person is alone by them.",
        "Release the days between {columns} rounded, instead of the dates: {n} persons are alone by them.",
        n=found.n_alone,
        columns=listed(columns, at_most=3),
    )
    if len(found.columns) > 2:
        return made(
            "{columns}: {persons} have numbers of days between them, all together, that nobody else has. "
            "Shifting all dates of a person changes nothing of it.",
            columns=listed(columns),
            persons=share_of(found.n_alone, found.n_persons, "persons"),
        ).told(step=step)
    return made(
        "{first} and {second}: {persons} have a number of days between the two that nobody else has. "
        "Shifting both dates changes nothing of it.",
        first=f"`{columns[0]}`",
        second=f"`{columns[1]}`",
        persons=share_of(found.n_alone, found.n_persons, "persons"),
    ).told(step=step)


def judge_orders(found: Sequence[tuple[str, Ordered]]) -> Iterator[Finding]:
    """Yield one warning about all that stands in the order of something; names begin with their prefix."""
    if not found:
        return
    prefix, worst = max(found, key=lambda each: abs(each[1].correlation))
    by = list(dict.fromkeys(f"{prefix}{each.by}" for prefix, each in found))
    correlation = percent(abs(worst.correlation))
    if worst.column is None:
        sentence = text(
            "The records stand in the order of {by} (rank correlation {correlation} of the largest "
            "possible): their places tell more than the values beside them.",
            by=listed(by),
            correlation=correlation,
        )
    else:
        sentence = text(
            "The values of {column} stand in the order of {by} (rank correlation {correlation} of the "
            "largest possible): they tell when or at which place somebody came, more than the values beside "
            "them.",
            column=f"`{prefix}{worst.column}`",
            by=listed(by),
            correlation=correlation,
        )
    yield Finding.of("order", Verdict.WARN)(sentence)


def _by_share(share: float) -> Verdict:
    if share <= FEW_BY_INTERVALS:
        return Verdict.PASS
    return Verdict.FAIL if share >= MANY_BY_INTERVALS else Verdict.WARN
