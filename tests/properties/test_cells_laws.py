"""Laws of cell equality: an equivalence relation, exact for decimals, the same however it is asked."""

import re
from collections.abc import Iterator
from decimal import Context, Decimal

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.values.cells import canonical_text, cells_equal, cells_equal_to, equal_values, shared_codes
from tests.thorough import tried

EXACT = Context(prec=400, Emax=10**17, Emin=-(10**17))

digits = st.text("0123456789", min_size=0, max_size=22)
numbers = st.builds(
    "{}{}{}{}{}".format,
    st.sampled_from(["", "-", "+"]),
    digits,
    st.sampled_from(["", ".", ".0", ".5", ".50"]),
    st.sampled_from(["", "", "", "e0", "E1", "e-3", "e+20", "e-350", "e310"]),
    st.sampled_from(["", "", " "]),
)
spellings = (
    "0 -0 0.0 1 1.0 01 1e0 10e-1 yes Yes inf Inf nan 2020-01-02 2020/1/2 2020-01-02T00:00Z 9007199254740993 "
    "9007199254740992 9007199254740992.0"
).split()
written = st.sampled_from([*spellings, " 1", "yes ", "", " "])
cells = st.none() | written | numbers | st.text(max_size=6)
pairs = st.lists(st.tuples(cells, cells), max_size=12)


def said(cell: str | None, dates: bool) -> str | None:
    return None if cell is None else canonical_text(cell, dates=dates)


@pytest.fixture(params=["dictionary", "differing cells", "whole columns"], autouse=True, scope="module")
def _way(request: pytest.FixtureRequest) -> Iterator[None]:
    """Hold every law as repeating columns are compared, and in both ways that others are."""
    with pytest.MonkeyPatch.context() as patch:
        rarely, mostly = {
            "dictionary": (2.0, 2.0),
            "differing cells": (0.0, 0.5),
            "whole columns": (0.0, -1.0),
        }[request.param]
        patch.setattr("core.values.cells._RARELY", rarely)
        patch.setattr("core.values.cells._TOO_DISTINCT", mostly)
        patch.setattr("core.values.cells._MOSTLY", mostly)
        yield


@tried(150)
@given(pairs, st.booleans())
def test_cells_equal__is_equality_of_canonical_texts(
    rows: list[tuple[str | None, str | None]], dates: bool
) -> None:
    a, b = (pa.array([row[side] for row in rows], pa.string()) for side in (0, 1))
    expected = [said(x, dates) == said(y, dates) and x is not None for x, y in rows]
    assert cells_equal(a, b, dates=dates).tolist() == expected
    assert cells_equal(b, a, dates=dates).tolist() == expected


@tried(150)
@given(st.lists(cells, max_size=12), st.lists(cells, max_size=12), st.booleans())
def test_shared_codes__are_equal_exactly_where_cells_are(
    one: list[str | None], other: list[str | None], dates: bool
) -> None:
    shared = shared_codes(pa.array(one, pa.string()), pa.array(other, pa.string()), dates=dates)
    codes = [*shared.original.tolist(), *shared.anonymized.tolist()]
    values = [said(cell, dates) for cell in [*one, *other]]
    assert [code == -1 for code in codes] == [value is None for value in values]
    assert len(set(zip(codes, values, strict=True))) == len(set(codes)) == len(set(values))


@tried(150)
@given(st.lists(written | numbers, max_size=12, unique=True), st.booleans())
def test_equal_values__have_the_codes_of_the_same_cells(values: list[str], dates: bool) -> None:
    codes = equal_values(pa.array(values, pa.string()), dates=dates)
    known = list(range(len(values))) if codes is None else codes.tolist()
    assert (
        known
        == shared_codes(
            pa.array(values, pa.string()), pa.array([], pa.string()), dates=dates
        ).original.tolist()
    )


@tried(150)
@given(st.lists(written | numbers, min_size=1, max_size=8), st.booleans())
def test_cells_equal__is_reflexive_symmetric_and_transitive(values: list[str], dates: bool) -> None:
    column = pa.array(values)
    relation = {
        (i, j)
        for i, value in enumerate(values)
        for j in cells_equal_to(column, value, dates=dates).nonzero()[0]
    }
    everyone = range(len(values))
    assert all((i, i) in relation for i in everyone)
    assert all((j, i) in relation for i, j in relation)
    assert all((i, k) in relation for i, j in relation for k in everyone if (j, k) in relation)


@tried(300)
@given(numbers, numbers)
def test_canonical_text__of_numbers_is_equality_of_exact_decimals(one: str, other: str) -> None:
    both = [re.sub(r"\s", "", text) for text in (one, other)]
    if all(re.search(r"[0-9]", re.split("[eE]", text)[0]) for text in both):
        exact = [EXACT.create_decimal(text) for text in both]
        assert (canonical_text(one) == canonical_text(other)) == (exact[0] == exact[1])
        assert Decimal(canonical_text(one), EXACT) == exact[0]


@tried(300)
@given(cells.filter(lambda cell: cell is not None), st.booleans())
def test_canonical_text__is_its_own_canonical_text(cell: str, dates: bool) -> None:
    assert canonical_text(canonical_text(cell, dates=dates), dates=dates) == canonical_text(cell, dates=dates)
