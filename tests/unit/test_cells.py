"""Cells are equal as trimmed text, as exact numbers and, where asked for, as dates."""

import numpy as np
import pyarrow as pa
import pytest

from core.values.cells import (
    as_numbers,
    canonical_codes,
    canonical_text,
    canonical_values,
    cells_equal,
    cells_equal_to,
    shared_codes,
)
from tests.cases.table import holds_for_each
from tests.kinds import Patch


def _pairs(texts: str) -> list[tuple[str, str]]:
    """Return pairs that stand a space apart, `=` between both and `·` for a space."""
    return [(one, other) for one, other in (pair.replace("·", " ").split("=") for pair in texts.split(" "))]


SAME = _pairs(
    "-999=-999.0 -999=·-999· 25023=25023.0 1e3=1000 1E+3=1000.00 .5=0.50 5.=5 +7=7 00123=123 -0=0 0.000=0e99 "
    f"1e-400=10e-401 1e400=0.1e401 9007199254740993=9007199254740993.0 1{'0' * 60}=1e60 0.{'0' * 60}1=1e-61 "
    "inf=+Infinity -inf=-INF nan=NaN \u00a0abc\u3000=abc =·"
)
DIFFERENT = _pairs(
    "9007199254740993=9007199254740992 0.1=0.10000000000000000555 1e400=1e401 1e-400=1e-401 1e-400=0 "
    "1e400=inf inf=-inf nan=inf 1,000=1000 1=-1 Yes=yes a·b=ab 1e=1 .=0 =0 0x10=16 \u0661=1 "
    "2020-01-02=2020/1/2"
)
SAME_DATES = _pairs(
    "2020-01-02=2020/1/2 2020-01-02=2020.1.2 2020-01-02=2020-01-02T00:00:00 2020-01-02=2020-01-02·0:00 "
    "2020-01-02=2020-01-02T00:00:00.000Z 2020-01-02T09:30:00.50=2020/1/2·9:30:00.5+00:00 25023=25023.0 "
    "2020-01-02T09:30:00+09:00=2020-1-2·9:30+0900"
)
DIFFERENT_DATES = _pairs(
    "2020-01-02=2020-01-03 2020-01-02=2020-01-02T00:00:01 2020-01-02=2020-01-02T00:00:00+09:00 "
    "2020-02-30=2020/2/30 2020-01-02T24:00=2020-01-03 2020-01-02=2020-01/02"
)


@pytest.fixture(params=["dictionary", "differing cells", "whole columns"], autouse=True)
def _way(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Run every test as repeating columns are compared, and in both ways that others are."""
    rarely, mostly = {"dictionary": (2.0, 2.0), "differing cells": (0.0, 0.5), "whole columns": (0.0, -1.0)}[
        request.param
    ]
    monkeypatch.setattr("core.values.cells._RARELY", rarely)
    monkeypatch.setattr("core.values.cells._TOO_DISTINCT", mostly)
    monkeypatch.setattr("core.values.cells._MOSTLY", mostly)


def both_ways(a: str, b: str, *, dates: bool) -> list[bool]:
    """Ask every function that compares, in either order."""
    one, other = pa.array([a, "x"]), pa.array([b, "y"])
    codes = shared_codes(one, other, dates=dates)
    return [
        canonical_text(a, dates=dates) == canonical_text(b, dates=dates),
        bool(cells_equal(one, other, dates=dates)[0]),
        bool(cells_equal(other, one, dates=dates)[0]),
        bool(cells_equal_to(one, b, dates=dates)[0]),
        bool(cells_equal_to(pa.array([b]), a, dates=dates)[0]),
        bool(codes.original[0] == codes.anonymized[0]),
    ]


def test_cells_equal__values_and_dates_in_two_spellings_and_others() -> None:
    for pairs, dates, equal in (
        (SAME, False, True),
        (DIFFERENT, False, False),
        (SAME_DATES, True, True),
        (DIFFERENT_DATES, True, False),
    ):
        assert [pair for pair in pairs if both_ways(*pair, dates=dates) != [equal] * 6] == []


def test_cells_equal__of_columns() -> None:
    a, b = pa.array([None, None, "1", "x"], pa.string()), pa.array([None, "1", None, "x"], pa.string())
    assert cells_equal(a, b).tolist() == [False, False, False, True]
    assert cells_equal_to(a, "1").tolist() == [False, False, True, False]
    assert not cells_equal(pa.array(["a", "b"]), pa.array(["b", "c"])).any()
    a = pa.array(["1.0", "unknown", "2", "-x", "3 "])
    b = pa.array(["1", "unknown ", "2.5", "-y", "3"])
    assert cells_equal(a, b).tolist() == [True, True, False, False, True]
    whole = pa.array(["1", "b", None, "2.0"])
    chunked = pa.chunked_array([whole.slice(0, 1), whole.slice(1)]).cast(pa.large_string())
    assert cells_equal(whole, chunked).tolist() == [True, True, False, True]
    assert cells_equal(whole.slice(2), chunked.slice(2)).tolist() == [False, True]
    none = pa.chunked_array([], pa.string())
    assert cells_equal(none, none).tolist() == []


@pytest.mark.parametrize("dates", [True, False])
def test_cells_equal__columns_that_look_alike_are_compared_as_they_are(dates: bool) -> None:
    a = pa.array(["2020-01-02", "2020-13-45", "1234-56-78"])
    assert cells_equal(a, a.take(pa.array([0, 2, 2])), dates=dates).tolist() == [True, False, True]
    assert cells_equal(pa.array(["12345-6-78"]), pa.array(["12345-6-79"]), dates=dates).tolist() == [False]
    assert cells_equal(pa.array(["-5", "-12"]), pa.array(["-5.0", "-12"]), dates=dates).all()
    assert not cells_equal(pa.array(["-", "--5"]), pa.array(["-0", "-5"]), dates=dates).any()


@pytest.mark.parametrize("texts", [[], [None, None], ["", ""]])
def test_cells_equal__nothing_to_compare(texts: list[str | None]) -> None:
    column = pa.array(texts, pa.string())
    assert cells_equal(column, column).tolist() == [text is not None for text in texts]
    assert canonical_values(column).to_pylist() == texts


def test_codes_and_values__of_columns() -> None:
    codes = shared_codes(pa.array(["x", None, "2", "2.0"]), pa.array(["2.00", "x ", "y"]))
    assert codes.original.tolist() == [0, -1, 1, 1]
    assert codes.anonymized.tolist() == [1, 0, 2]
    codes = shared_codes(pa.array(["-0", "5.0", None]), pa.array(["5", "0.0"]))
    assert (codes.original.tolist(), codes.anonymized.tolist()) == ([0, 1, -1], [1, 0])
    assert codes.original.dtype == codes.anonymized.dtype == np.int32
    assert canonical_codes(pa.array(["1", "1.0", None, "a"])).tolist() == [0, 0, -1, 1]
    values = pa.chunked_array([[" 1.50", None], ["1e2", "abc "]])
    assert canonical_values(values).to_pylist() == ["1.5", None, "100", "abc"]
    assert canonical_text("123e-2") == "1.23"
    assert canonical_text("1.5e300") == "15e299"
    assert canonical_text("9" * 50) == "9" * 50 + "e0"
    assert canonical_text("-" + "9" * 40 + ".0") == "-" + "9" * 40
    assert canonical_text("1e" + "9" * 18) == "1e" + "9" * 18
    assert canonical_text("1e" + "9" * 19) == "1e" + "9" * 19


NUMBERS: list[tuple[list[str | None], list[float | None] | None]] = [
    ([" 1.50", None, "2e1"], [1.5, None, 20.0]),
    (["1", "+2"], [1.0, 2.0]),
    ([None, None], [None, None]),
    *((texts, None) for texts in (["1", "x"], ["1", "2"] * 2000 + ["x"], ["1", "inf"], ["1", "nan"])),
    (["1", "1e999"], None),
]


def test_as_numbers__takes_finite_numbers_only() -> None:
    def holds(texts: list[str | None], expected: list[float | None] | None) -> None:
        found = as_numbers(pa.array(texts, pa.string()))
        numbers = None if found is None else [None if np.isnan(one) else one for one in found.tolist()]
        assert numbers == expected

    holds_for_each(NUMBERS, holds)


def test_cells_equal__columns_too_large_for_32_bits_are_compared_with_64(monkeypatch: Patch) -> None:
    monkeypatch.setattr("core.values.cells._LARGEST_ARRAY", 1)
    column = pa.chunked_array([["1", "b"], ["2.0"]])
    assert canonical_values(column).type == pa.large_string()
    assert cells_equal(column, pa.array(["1.0", "b", "3"])).tolist() == [True, True, False]
