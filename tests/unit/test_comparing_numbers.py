"""Columns as numbers, and what holds them against each other: by rank, by letters, as sets, once sorted."""

import numpy as np
import pyarrow as pa
import pytest

from core.comparing.nearest import letter_pairs, n_found, n_nearest_texts, order_kept, related
from core.comparing.numbers import PARTS, counted_numbers, read_amounts
from core.comparing.sets import are_drawn_alike, are_drawn_anew, counted
from core.comparing.sorted_alike import agree
from core.values.dates import read_days

N = 400
RNG = np.random.default_rng(6)
PAY = np.exp(RNG.normal(10, 0.5, N))


# --- reading


@pytest.mark.parametrize(
    ("written", "kind", "numbers"),
    [
        (["1,200", "3,400", "12,500"], "number", [1200, 3400, 12500]),
        (["1.200,50", "3,25", "12.500,75"], "number", [1200.5, 3.25, 12500.75]),
        (["1,200.50", "3.25", "0.75"], "number", [1200.5, 3.25, 0.75]),
        (["1,5", "2,25", "3,125"], "number", [1.5, 2.25, 3.125]),
        (["€ 12", "-€13", "€ 15 "], "number", [12, -13, 15]),
        (["P-001", "P-002", "P-009"], "number", [1, 2, 9]),
        (["1 200 kr", "3 400 kr", "12 kr"], "number", [1200, 3400, 12]),
        (["0fa0", "00ab", "1234"], "number", [4000, 171, 4660]),
        (["1.25e+07", "4E+05", "2.5e-01", "31"], "number", [12_500_000, 400_000, 0.25, 31]),
        (["1,25E+07", "4,5E+05", "2,25E+01"], "number", [12_500_000, 450_000, 22.5]),
        (["1970-01-02", None, "1970-02-01", "1971-01-01"], "date", [1, np.nan, 31, 365]),
        (["2. 1. 1970", "15. 1. 1970", "1. 2. 1970"], "date", [1, 14, 31]),
    ],
)
def test_read_amounts__reads_numbers_and_dates_however_written(
    written: list[str | None], kind: str, numbers: list[float]
) -> None:
    amounts = read_amounts(pa.chunked_array([pa.array(written, pa.string())]))
    assert amounts is not None
    assert amounts.kind == kind
    np.testing.assert_array_equal(amounts.numbers, numbers)


@pytest.mark.parametrize(
    "written", [["30-39", "40-49", "50-59"], ["Ana", "Eva", "Rok"], ["", " ", None], ["1", "two", "three"]]
)
def test_read_amounts__reads_neither_bands_nor_words(written: list[str | None]) -> None:
    assert read_amounts(pa.array(written, pa.string())) is None


def test_read_amounts__takes_dates_apart() -> None:
    amounts = read_amounts(pa.array(["1999-12-31", "2000-02-29", "2001-01-01"]))
    assert amounts is not None
    assert {part: amounts.part(part).tolist() for part in PARTS} == {
        "year": [1999, 2000, 2001],
        "short year": [99, 0, 1],
        "month": [12, 2, 1],
        "year and month": [199912, 200002, 200101],
        "day": [31, 29, 1],
        "month and day": [1231, 229, 101],
        "day and month": [3112, 2902, 101],
        "day of year": [365, 60, 1],
        "week": [52, 9, 1],
        "weekday": [4, 1, 0],
        "weekday_1": [5, 2, 1],
    }
    assert amounts.readings["dmY"].tolist() == [31121999, 29022000, 1012001]


@pytest.mark.parametrize(
    ("texts", "numbers"),
    [
        ([f"P{one:03d}" for one in range(12)], list(range(12))),
        ([f"P{one:03d}/24" for one in range(12)], None),
        ([f"P{one}24" for one in range(12)], list(range(12))),  # in steps of a hundred
        ([f"P{one**3:03d}" for one in range(12)], None),  # with gaps
        ([f"{'PQR'[one % 3]}{one:03d}" for one in range(12)], None),
        ([f"{'PQR'[one % 3]}{one:03d}" for one in range(60)], list(range(60))),
        ([f"P{one}-{one}" for one in range(12)], None),
        ([f"P{one}" for one in range(9)], None),
        ([*(f"P{one}" for one in range(99)), "none"], [*range(99), -1]),
        ([], None),
    ],
)
def test_counted_numbers(texts: list[str], numbers: list[int] | None) -> None:
    found = counted_numbers(pa.array(texts, pa.string()))
    assert (None if found is None else found.tolist()) == numbers


@pytest.mark.parametrize(
    ("written", "days"),
    [
        (["1970-01-02T06:00:00Z", "1970-01-03 12:00", "1970-01-01"], [1.25, 2.5, 0]),
        (["1.2.1970 오후 3:00", "13.2.1970 오전 12:30", "2.2.1970"], [31.625, 43 + 1 / 48, 32]),
        (["2/13/1970 12:00 PM", "2/1/1970 6:00:00 p.m.", "2/1/1970 6:00:00 AM"], [43.5, 31.75, 31.25]),
        (["1970-032", "1971-365", "1970-W01-4"], [31, 729, 0]),
        (["2. februar 1970", "3. marec 1970", "4. maj 1970"], [32, 61, 123]),
        (["1970", "1970-02", "30.2.1970"], [np.nan] * 3),
        (["19700102", "12", "none"], [1, np.nan, np.nan]),
    ],
)
def test_read_days__of_any_spelling_with_the_time_of_day(written: list[str], days: list[float]) -> None:
    np.testing.assert_allclose(read_days(pa.array(written)), days)


# --- matchers


@pytest.mark.parametrize(
    ("values", "kind"),
    [
        (np.log(PAY), "one to one"),
        (-(PAY**3), "one to one"),
        (np.round(PAY, -3), "in order"),
        (PAY * (1 + RNG.normal(0, 0.0005, N)), "all but in order"),
        (PAY * (1 + RNG.normal(0, 0.014, N)), "nearly in order"),
        (PAY * (1 + RNG.normal(0, 0.3, N)), None),
        (RNG.permutation(PAY), None),
        (np.median(PAY) < PAY, None),
    ],
)
def test_order_kept__by_how_far_records_are_from_their_place(values: np.ndarray, kind: str | None) -> None:
    found, n = order_kept(PAY, values.astype(float))
    assert found == kind
    assert 0 <= n <= N


def test_n_nearest_texts__counts_texts_alone_nearest_to_their_own() -> None:
    names = ["Katarina Novak", "Gregor Horvat", "Petra Zupan", "", "Luka Kos"]
    near = ["Katar1na Nowak", "GREGOR HORVAAT", "Pedra Supan", "Rok", ""]
    before = letter_pairs(names)
    assert n_nearest_texts(before, letter_pairs(near)) == (3, 3)
    assert n_nearest_texts(before, letter_pairs(near[::-1])) == (1, 3)
    assert n_nearest_texts(letter_pairs(["Ana Kos"] * 3), letter_pairs(["Ana Kos"] * 3)) == (3, 3)
    assert n_nearest_texts(before, letter_pairs([""] * 5)) == (0, 0)


@pytest.mark.parametrize(("noise", "found"), [(0.0, N), (0.2, N), (20_000.0, 0)])
def test_related__of_two_columns_with_the_same_noise_find_each_difference(noise: float, found: int) -> None:
    before = np.column_stack([PAY, RNG.normal(50, 9, N)])
    same = RNG.normal(0, 3000, N)
    after = before + same[:, None] + RNG.normal(0, noise, before.shape)
    relation = related(before, after, seed=0)
    if not found:
        assert relation is None
        return
    assert relation is not None
    one_class = np.zeros(N, dtype=np.int64)
    known = before @ relation.of_before + relation.constant
    counts = n_found((after @ relation.of_after, one_class), (known, one_class), relation.near, 1.0)
    assert counts[1] == N
    assert counts[0] > N / 2


@pytest.mark.parametrize(
    ("released", "is_alike", "is_anew"),
    [
        (PAY, True, False),
        (RNG.permutation(PAY)[: N // 2], True, False),
        (RNG.choice(PAY, N), False, False),
        (np.exp(RNG.normal(10, 0.5, N)), False, True),
    ],
    ids=["kept", "half of them", "bootstrapped", "of other people"],
)
def test_sets__drawn_alike_or_anew(released: np.ndarray, is_alike: bool, is_anew: bool) -> None:
    assert are_drawn_alike(counted(PAY), counted(released)) is is_alike
    bins = np.linspace(0, 100_000, 60)
    ours, theirs = (np.histogram(np.round(each), bins)[0] for each in (PAY, np.exp(RNG.normal(10, 0.5, N))))
    assert are_drawn_anew(ours, theirs)
    assert are_drawn_anew(ours, ours) is False
    values = np.union1d(PAY, released)
    counts = [np.searchsorted(np.sort(each), values, side="right") for each in (PAY, released)]
    assert are_drawn_anew(*(np.diff(one, prepend=0) for one in counts)) is is_anew


@pytest.mark.parametrize("in_blocks", [False, True])
def test_agree__rows_agree_and_no_more_once_moved_on(in_blocks: bool) -> None:
    rng = np.random.default_rng(1)
    groups = rng.integers(0, 3, N)
    blocks = np.arange(N) // 40 if in_blocks else None
    assert agree(groups, groups, blocks=blocks, n_tried=100)
    assert agree(groups, np.where(rng.random(N) < 0.2, 0, groups), blocks=blocks)
    assert not agree(groups, rng.permutation(groups), blocks=blocks)
    assert not agree(np.sort(groups), np.sort(groups), blocks=blocks)  # moved on, they agree as well
    assert not agree(np.zeros_like(groups), groups, blocks=blocks)
