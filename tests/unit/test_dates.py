"""Dates in the spellings that tables have, and texts that are none."""

import numpy as np
import pyarrow as pa
import pytest

from core.values.dates import begins_with_the_day, read_dates


def _read(*texts: str | None) -> list[tuple[int, int, int]]:
    found = read_dates(pa.array(texts, pa.string()))
    return list(zip(found.year.tolist(), found.month.tolist(), found.day.tolist(), strict=True))


@pytest.mark.parametrize(
    "text",
    [
        "2021-12-31",
        "2021/12/31",
        "2021.12.31",
        "2021. 12. 31.",
        "2021년 12월 31일",
        "20211231",
        "31122021",
        "31.12.2021",
        " 31. 12. 2021 ",
        "31/12/2021",
        "31-12-2021",
        "12/31/2021",
        "31.12.2021 14:05",
        "31.12.2021, 14:05:33",
        "31-12-2021:14.05",
        "31/12/2021:14:05:33",
        "12/31/2021 2:05:33 PM",
        "2021-12-31T14:05:33+01:00",
        "2021-12-31 오후 2:05",
        "31 December 2021",
        "31. december 2021",
        "31-DEC-2021",
        "31 Dec. 2021",
        "Dec 31, 2021",
        "December 31st, 2021",
        "31. Dezember 2021",
    ],
)
def test_read_dates__reads_a_day_in_every_usual_spelling(text: str) -> None:
    assert _read(text) == [(2021, 12, 31)]


@pytest.mark.parametrize("text", ["2021-12", "2021/12", "12/2021", "12.2021", "Dec 2021", "2021년 12월"])
def test_read_dates__reads_a_month(text: str) -> None:
    assert _read(text) == [(2021, 12, -1)]
    assert read_dates(pa.array([text])).finest == "month"


@pytest.mark.parametrize(
    "text",
    [
        None,
        "",
        "12.5",
        "2021.5",
        "1234.56",
        "2021",
        "30.02.2021",
        "31.13.2021",
        "12345678",
        "010-1234-5678",
        "192.168.1.20",
        "120/80",
        "Floor 12, 2021",
        "01234",
    ],
)
def test_read_dates__reads_nothing_else(text: str | None) -> None:
    assert _read(text) == [(-1, -1, -1)]


def test_read_dates__lets_the_column_settle_day_and_month() -> None:
    assert _read("1/2/2021", "25/2/2021") == [(2021, 2, 1), (2021, 2, 25)]
    assert _read("1/2/2021", "2/25/2021") == [(2021, 1, 2), (2021, 2, 25)]
    assert _read("1.2.2021") == [(2021, 2, 1)]  # dots stand in day-first dates


def test_read_dates__says_the_year_alone_where_day_and_month_may_be_exchanged() -> None:
    assert _read("1/2/2021", "3/4/2020") == [(2021, -1, -1), (2020, -1, -1)]
    assert _read("13/2/2021", "2/13/2021", "14/14/2021") == [(2021, -1, -1), (2021, -1, -1), (-1, -1, -1)]


def test_read_dates__reads_years_of_two_digits_where_they_can_be_nothing_else() -> None:
    assert _read("31.12.85", "1.2.03") == [(1985, 12, 31), (2003, 2, 1)]
    assert _read("85-12-31", "03-02-01") == [(1985, 12, 31), (2003, 2, 1)]
    assert _read("1/2/03", "4/5/06") == [(-1, -1, -1)] * 2
    assert not read_dates(pa.array(["31.12.85"])).century_known.any()
    days = [f"{day:02d}.{month:02d}.{year}" for day in range(1, 29) for month in (1, 7) for year in (21, 22)]
    assert _read(*days)[:2] == [(2021, 1, 1), (2022, 1, 1)]  # few last numbers, many first ones


@pytest.mark.parametrize("year", [1800, 1873, 2101, 2187, 2300])
def test_read_dates__reads_years_of_other_centuries(year: int) -> None:
    texts = (f"{year}-12-31", f"31.12.{year}", f"{year}1231", f"3112{year}", f"31-12-{year}:11.02")
    assert [_read(text) for text in texts] == [[(year, 12, 31)]] * len(texts)
    assert _read(f"12/{year}") == [(year, 12, -1)]


def test_read_dates__takes_numbers_for_no_dates_of_far_centuries() -> None:
    assert _read("17991231", "23011231", "12/1799", "31122301") == [(-1, -1, -1)] * 4


def test_positions__are_days_apart() -> None:
    found = read_dates(pa.array(["31.12.2021", "1.1.2022", "none"])).positions()
    assert found[1] - found[0] == 1
    assert np.isnan(found[2])


def test_begins_with_the_day__is_of_dates_whose_year_is_last() -> None:
    texts = ["31.12.2021", "31.12.", "31/12/21", "12/2021", "31-DEC-2021", "2021-12-31", "F32.1", None]
    assert begins_with_the_day(pa.array(texts)).tolist() == [True] * 5 + [False] * 3
