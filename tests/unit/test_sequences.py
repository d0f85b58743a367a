"""Intervals, weekdays and numbers of a person's records; days between two columns; what stands in order."""

from collections import Counter
from collections.abc import Sequence

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.coding import CodedTable
from core.sequences import (
    alike_by_bag,
    in_order_of,
    judge_orders,
    judge_sequences,
    judge_span,
    measure_time,
    orders_beside,
    ranks_of,
)
from core.verdict import Verdict
from tests.thorough import tried


def coded(**columns: Sequence[object]) -> CodedTable:
    return CodedTable(
        table=pa.table(
            {
                name: pa.array([None if each is None else str(each) for each in cells], pa.string())
                for name, cells in columns.items()
            }
        )
    )


def dates(days: Sequence[int], first: str = "1968-03-04") -> list[str | None]:
    return [None if day < 0 else str(np.datetime64(first) + day) for day in days]


RECORDS = st.lists(st.tuples(st.integers(0, 4), st.integers(0, 3)), max_size=20)


@tried(150)
@given(RECORDS, st.lists(st.integers(0, 2), min_size=5, max_size=5))
def test_alike_by_bag__counts_who_has_the_same_items_as_often(
    records: list[tuple[int, int]], start: list[int]
) -> None:
    person, item = (np.array([each[place] for each in records], dtype=np.int64) for place in (0, 1))
    bags = [(Counter(i for p, i in records if p == each), start[each]) for each in range(5)]
    assert alike_by_bag(person, item, np.array(start)).tolist() == [bags.count(each) for each in bags]
    nobody = np.zeros(0, dtype=np.int64)
    assert alike_by_bag(nobody, nobody, nobody).tolist() == []


DATED = st.lists(st.tuples(st.integers(-1, 5), st.integers(-1, 20)), min_size=1, max_size=20)


@pytest.mark.slow
@tried(150)
@given(DATED, st.lists(st.integers(0, 30), min_size=6, max_size=6), st.sampled_from([1, 7]))
def test_sequences__are_those_of_each_person_however_dates_are_shifted(
    records: list[tuple[int, int]], shifts: list[int], step: int
) -> None:
    of = {each: sorted(day for person, day in records if person == each and day >= 0) for each in range(6)}
    of = {each: days for each, days in of.items() if len(days) > 1}
    gaps = [tuple(np.diff(days)) for days in of.values()]
    weekdays = [tuple(day % 7 for day in days) for days in of.values()]
    for moved in (0, step):
        days = [day + (moved * shifts[person] if day >= 0 and person >= 0 else 0) for person, day in records]
        person = np.array([person for person, _ in records], dtype=np.int64)
        found = measure_time(coded(day=dates(days)), ["day"], [], person).sequences
        assert len(found) == bool(of)
        for each in found:
            assert each.n_persons == len(of)
            assert each.alike_by_intervals.tolist() == [gaps.count(one) for one in gaps]
            assert each.alike_by_number.tolist() == [[*map(len, gaps)].count(len(one)) for one in gaps]
            if moved in (0, 7):
                assert each.alike_by_weekdays.tolist() == [weekdays.count(one) for one in weekdays]


def test_sequences__days_counted_from_a_start_are_days_and_other_numbers_none() -> None:
    person = np.repeat(np.arange(4), 2)
    table = coded(days_since_start=[0, 3, 0, 3, 0, 5, 0, 90], floor=[1, 2] * 4, age=[30, 31] * 4)
    (found,) = measure_time(table, table.table.column_names, [], person).sequences
    assert (found.column, found.share_alone, found.share_alone_by_weekdays) == ("days_since_start", 0.5, None)
    finding = judge_sequences(found, "visits.")
    assert finding.verdict is Verdict.FAIL
    assert "`visits.days_since_start`" in finding.message
    assert "2 of 4 persons" in finding.message


def test_spans__of_two_and_three_columns_of_one_record() -> None:
    days = [dates(each) for each in ([0, 0, 0, 0], [1, 1, 2, 2], [3, 4, 4, 5])]
    table = coded(first=days[0], second=days[1], third=days[2])
    *pairs, together = measure_time(table, table.table.column_names, [], np.arange(4)).spans
    assert [span.n_alone for span in pairs] == [0, 2, 0]
    assert (together.columns, together.n_alone) == (("first", "second", "third"), 4)
    came, left = dates([0, 10, 20, 30, 40], "1950-01-01"), dates([3, 13, 23, 39, -1], "1950-01-01")
    table = coded(came=came, left=left, year=[1950] * 5)
    (span,) = measure_time(table, ["came", "left", "year"], [], np.arange(5)).spans
    assert (span.columns, span.n_persons, span.n_alone) == (("came", "left"), 4, 1)
    assert judge_span(span).verdict is Verdict.WARN
    assert judge_span(span).remedy == (
        "Release the days between `came`, `left` rounded, instead of the dates: 1 person is alone by them."
    )


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        (["65+", "0-39", "40-64", None], [2, 0, 1, np.nan]),
        (["2024-Q3", "2024-Q1", "2023-Q4"], [2, 1, 0]),
        (["<5", "5-9", "10-14"], [0, 1, 2]),
        (["1.5", "-2", "3"], [1.5, -2, 3]),
        (["W1", "W2"], None),
        (["north", "south"], None),
    ],
)
def test_ranks__of_numbers_dates_and_intervals(values: list[str], expected: list[float] | None) -> None:
    found = ranks_of(coded(c=values)["c"])
    if expected is None:
        assert found is None
    else:
        np.testing.assert_array_equal(found, expected)


def test_orders__of_records_bands_and_constant_values() -> None:
    rng = np.random.default_rng(0)
    n = 400
    band = np.sort(rng.integers(0, 4, n))
    key = rng.permutation(n)
    table = coded(key=[f"{i:04d}" for i in key], band=[f"{10 * b}-{10 * b + 9}" for b in band])
    (found,) = measure_time(table, ["band"], ["key"], None).orders
    assert (found.column, found.by) == (None, "band")
    counted_off = coded(key=range(n), band=[f"{10 * b}-{10 * b + 9}" for b in band])
    (found,) = measure_time(
        counted_off, ["band"], ["key"], None
    ).orders  # the order of the records is that of the numbers
    assert (found.column, found.by) == ("key", "band")
    (finding,) = judge_orders([("persons.", found)])
    assert finding.verdict is Verdict.WARN
    assert "`persons.key` stand in the order of `persons.band`" in finding.message
    shuffled = rng.permutation(n)
    assert measure_time(coded(key=key, band=band[shuffled]), ["band"], ["key"], None).orders == ()
    assert list(judge_orders([])) == []
    n = 200
    rows = np.arange(n)
    for mark in ((rows > 90) + 0, (rows > 90) + 1):
        assert measure_time(coded(key=rows, group=mark), ["group"], ["key"], None).orders == ()
    bands = coded(key=rows, age=["18-39" if row < 90 else "40-99" for row in rows])
    (found,) = measure_time(bands, ["age"], ["key"], None).orders
    assert (found.column, found.by) == ("key", "age")
    decades = coded(key=rows, age=np.where(rows < 90, 20, 40))
    (found,) = measure_time(decades, ["age"], ["key"], None).orders
    assert (found.column, found.by) == ("key", "age")
    few = np.arange(20.0)
    assert in_order_of(few, few, coarse=False) is None
    assert in_order_of(np.arange(100.0), np.zeros(100)) is None
    assert in_order_of(np.zeros(100), np.arange(100.0), coarse=False) is None
    assert in_order_of(np.arange(100.0), -np.arange(100.0), coarse=False) == pytest.approx(-1)


def test_orders__whole_dates_in_order_tell_nothing_more_and_pseudonyms_given_by_them_do() -> None:
    rng = np.random.default_rng(1)
    person = rng.permutation(np.repeat(np.arange(100), 3))
    first = rng.permutation(100)
    days = 3 * first[person] + np.array([0, 400, 800])[rng.integers(0, 3, 300)]
    days[np.unique(person, return_index=True)[1]] = 3 * first
    table = coded(person=[f"p{first[each]:03d}" for each in person], day=dates(days.tolist()))
    (found,) = measure_time(table, ["day"], ["person"], person).orders
    assert (found.column, found.by) == ("person", "day")
    by_day = table.table.sort_by("day")
    alone = CodedTable(table=by_day.select(["day"]))
    assert measure_time(alone, ["day"], [], None).orders == ()


def test_orders__beside_an_original_that_something_orders() -> None:
    rng = np.random.default_rng(2)
    n = 300
    age, name = rng.integers(20, 80, n), np.sort(rng.choice(9000, n, replace=False))
    original = coded(name=[f"n{each:04}" for each in name], age=age)
    band = [f"{each // 20 * 20}-{each // 20 * 20 + 19}" for each in age]
    released = coded(key=rng.permutation(n), band=band, age=age // 20)
    (found,) = orders_beside(released, original, ["key"], name="o.csv")
    assert (found.column, found.by) == (None, "o.csv: name")
    shuffled = rng.permutation(n)
    mixed = coded(age=(age // 20)[shuffled])
    assert list(orders_beside(mixed, original, [], name="o.csv")) == []
    counted_off = coded(key=name[shuffled] // 3, age=(age // 20)[shuffled])
    turned = coded(name=[f"n{each:04}" for each in name[shuffled]], age=age[shuffled])
    (found,) = orders_beside(counted_off, turned, ["key"], name="o.csv")
    assert (found.column, found.by) == ("key", "o.csv: name")
    kept = coded(name=[f"n{each:04}" for each in name], age=age)
    assert list(orders_beside(kept, original, [], name="o.csv")) == []
    assert list(orders_beside(coded(age=age[:9]), original, [], name="o.csv")) == []
    assert list(orders_beside(coded(age=[1] * n), original, [], name="o.csv")) == []
