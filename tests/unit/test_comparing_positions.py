"""Columns as positions: numbers, and dates in whatever spelling each table has."""

import numpy as np
import pyarrow as pa
import pytest

from core.comparing.nearest_records import find_closest, find_nearest, likeness_tables, ranked
from core.comparing.positions import positions_of


@pytest.mark.parametrize(
    ("parts", "positions"),
    [
        ([["3", "1.5", None]], [[3, 1.5, np.nan]]),
        ([["1970-01-02", "1970-02-01"], ["02.01.1970", None]], [[1, 31], [1, np.nan]]),
        ([["12 March 1970", "31 January 1971"], ["12/03/70", "31/01/71"]], [[70, 395], [70, 395]]),
        ([["1970-01-02 06:00", "1970-01-03 12:30:00"]], [[1.25, 2 + 12.5 / 24]]),
    ],
)
def test_positions_of__reads_numbers_and_dates_table_by_table(parts, positions):
    found = positions_of([pa.array(part, pa.string()) for part in parts])
    assert found is not None
    for cells, expected in zip(found, positions, strict=True):
        np.testing.assert_allclose(cells, expected)


@pytest.mark.parametrize(
    "parts",
    [
        [["1970-01-02"] * 9 + ["unknown"]],  # of ten one is no date
        [["1970-01-02"] * 20, ["P0001"] * 20],
        [["3", "4"], ["3", "four"]],
        [[None, None], ["1970-01-02", "x"]],
    ],
)
def test_positions_of__leaves_words(parts):
    assert positions_of([pa.array(part, pa.string()) for part in parts]) is None


def test_positions_of__passes_over_the_one_of_twenty_that_is_no_date():
    (found,) = positions_of([pa.array(["1970-01-02"] * 19 + ["unknown"])]) or [np.empty(0)]
    assert np.isnan(found).tolist() == [False] * 19 + [True]


def test_records__are_as_near_by_dates_in_another_spelling_as_in_their_own():
    days = [np.datetime64("2001-01-01") + 3 * day for day in range(40)]
    iso = pa.table({"day": [str(day) for day in days], "sex": ["f", "m"] * 20})
    other = pa.table({"day": [day.item().strftime("%d.%m.%Y") for day in days], "sex": ["f", "m"] * 20})
    original, same, respelled = likeness_tables([iso, iso, other], ["day", "sex"], seed=0)
    for records in (same, respelled):
        assert find_nearest(ranked(records), ranked(original)).distance.tolist() == [0] * 40
        assert find_closest(records, original).nearest.tolist() == list(range(40))
    gaps = [find_closest(records, original).gap.tolist() for records in (same, respelled)]
    assert gaps[0] == gaps[1]
