"""Intervals of numbers, days of any precision and cut codes as stretches of a line."""

import numpy as np
import pytest

from core.values.stretches import day_ends, interval, number_ends

INF = np.inf


def _numbers(*values: str) -> list[tuple[float, float]]:
    low, high = number_ends(values, [np.ones(len(values), dtype=bool)])
    return list(zip(low.tolist(), high.tolist(), strict=True))


@pytest.mark.parametrize(
    ("values", "ends"),
    [
        (["20-29", "30–39"], [(20, 30), (30, 40)]),
        (["20-30", "30-40"], [(20, 30), (30, 40)]),  # one begins where another ends
        (["[20,30)", "[30; 40)", "≥ 40"], [(20, 30), (30, 40), (40, INF)]),
        (["under 18", "18 to 64", "65 and over"], [(-INF, 18), (18, 65), (65, INF)]),
        (["pod 18", "18 do 64", "65 in več"], [(-INF, 18), (18, 65), (65, INF)]),
        (["18세 미만", "18~64세", "65세 이상"], [(-INF, 18), (18, 65), (65, INF)]),
        (["500-999", "1.000-1.999", "2.000+"], [(500, 1000), (1000, 2000), (2000, INF)]),
        (["10,5-12,4", "12,5+"], [(10.5, 12.5), (12.5, INF)]),
        (["1,5-2,4", "2,5-3,4", "7"], [(1.5, 2.5), (2.5, 3.5), (7, 7.1)]),
    ],
)
def test_number_ends__are_where_intervals_begin_and_end(
    values: list[str], ends: list[tuple[float, float]]
) -> None:
    assert _numbers(*values) == ends


@pytest.mark.parametrize(
    "values",
    [["20", "30"], ["007", "008-010"], ["flu", "cold"], ["2020-01-02", "2021-03-04"], ["1-2-3", "A1-5"]],
)
def test_number_ends__are_none_of_numbers_alone_codes_and_words(values: list[str]) -> None:
    assert np.isnan(_numbers(*values)).all()


def test_interval__is_none_of_what_only_looks_so() -> None:
    for text in ("", "12", "2020-01-02", "1-2-3", "female", "A1-5", "12**"):
        assert interval(text) is None


def test_day_ends__are_of_days_months_quarters_and_years() -> None:
    low, high = day_ends(["1970-01-02", "1970-02", "1970-Q1", "Q4 1969", "1971", "2187", "flu"])
    assert low[:5].tolist() == [1, 31, 0, -92, 365]
    assert high[:5].tolist() == [2, 59, 90, 0, 730]
    assert high[5] - low[5] == 365
    assert np.isnan(low[6])
