"""Coarse values that another released column makes exact again."""

from collections.abc import Mapping

import numpy as np
import pytest

from core.tabular.log import read_log
from core.tabular.second_opinion.completed import (
    judge_blanked,
    judge_completed,
    judge_exact_ends,
    measure_blanked,
    measure_completed,
    measure_exact_ends,
)
from core.tabular.second_opinion.pair import pair_tables
from core.tabular.settings import SecondOpinionThresholds
from core.verdict import Verdict
from tests.second_opinion_examples import dataset

THRESHOLDS = SecondOpinionThresholds()
N = 800
RNG = np.random.default_rng(5)
BORN = np.datetime64("1940-01-01") + RNG.integers(0, 60 * 365, N)
YEAR = BORN.astype("datetime64[Y]").astype(int) + 1970
MONTH = BORN.astype("datetime64[M]").astype(int) % 12 + 1
AGE = RNG.integers(18, 90, N)
LAB = np.round(RNG.uniform(4, 8.4, N), 1)
SEX = np.array(["F", "M"])[RNG.integers(0, 2, N)]
ZODIAC = np.array("rat ox tiger hare dragon snake horse goat ape hen dog pig".split())[YEAR % 12]
SIGNS = RNG.permutation(np.array([f"g{each}" for each in range(10)]))
LOG = read_log(
    b'{"_meta": {"mode": "low"}, "log_info": {"x": {"semantic": "other", "action": "generalize"}}}'
)

Column = list[str]


def held(exact: np.ndarray, coarse: Column, other: np.ndarray) -> list[tuple[str, str, Verdict]]:
    """Return what is found where the released rows are in another order."""
    original: Mapping[str, Column] = {"x": [*map(str, exact)], "other": [*map(str, other)], "sex": [*SEX]}
    order = RNG.permutation(N)
    released = {"x": [coarse[i] for i in order], "other": [str(other[i]) for i in order]}
    released["sex"] = [str(SEX[i]) for i in order]
    tables = pair_tables(dataset(original).table, dataset(released).table, LOG)
    found = measure_completed(tables)
    return [(one.by, one.unit, each.verdict) for one, each in zip(found, judge_completed(found), strict=True)]


@pytest.mark.parametrize(
    ("exact", "coarse", "other", "unit"),
    [
        (BORN, [f"{each // 10 * 10}s" for each in YEAR], ZODIAC, "year"),
        (BORN, [f"{each // 20 * 20}-{each // 20 * 20 + 19}" for each in YEAR], YEAR % 20 + 1, "year"),
        (AGE, [f"{each // 10 * 10}-{each // 10 * 10 + 9}" for each in AGE], SIGNS[AGE % 10], "value"),
        (LAB, ["<6.2" if each < 6.2 else ">=6.2" for each in LAB], np.round(LAB % 2.2 * 10), "value"),
    ],
)
def test_column_that_completes_a_coarse_one__is_fail(
    exact: np.ndarray, coarse: Column, other: np.ndarray, unit: str
) -> None:
    assert held(exact, coarse, other) == [("other", unit, Verdict.FAIL)]


def test_column_that_tells_the_exact_value_by_itself__is_warn() -> None:
    assert held(
        AGE,
        [f"{each // 10 * 10}+" if each >= 80 else f"{each // 10 * 10}-{each // 10 * 10 + 9}" for each in AGE],
        AGE + 7,
    ) == [("other", "value", Verdict.WARN)]


@pytest.mark.parametrize(
    "other", [MONTH, np.array(["ward a", "ward b", "ward c"])[AGE % 3], RNG.permutation(ZODIAC), YEAR // 10]
)
def test_column_that_says_little_more__is_none(other: np.ndarray) -> None:
    assert held(BORN, [f"{each // 10 * 10}s" for each in YEAR], other) == []


def test_coarse_column_without_stretches__is_none() -> None:
    assert held(BORN, ["young" if each > 1980 else "old" for each in YEAR], ZODIAC) == []


COST = RNG.integers(300, 5_000, N)
COST[5] = 418_250
HIGH = np.where(np.arange(N) == 5, 8.97, LAB)


def ends(exact: np.ndarray, coarse: Column) -> list[tuple[str, int | None]]:
    """Return the columns of which a range ends at what somebody has, and how many do."""
    tables = pair_tables(dataset({"x": [*map(str, exact)]}).table, dataset({"x": coarse}).table, LOG)
    return [(each.column or "", each.n_affected) for each in judge_exact_ends(measure_exact_ends(tables))]


@pytest.mark.parametrize(
    ("exact", "coarse"),
    [
        (COST, ["300-2000" if each <= 2000 else "2001-418250" for each in COST]),
        (HIGH, ["4.0-5.9" if each < 6 else "6.0-8.97" for each in HIGH]),
        (COST, ["<= 2000" if each <= 2000 else "(2000, 418250]" for each in COST]),
    ],
)
def test_range_that_ends_at_the_value_of_one_person__is_told(exact: np.ndarray, coarse: Column) -> None:
    assert ends(exact, coarse) == [("x", 1)]


@pytest.mark.parametrize("top", ["2001-5000000", ">2000", "2001-420000"])
def test_range_with_a_round_or_open_end__is_none(top: str) -> None:
    assert ends(COST, ["0-2000" if each <= 2000 else top for each in COST]) == []


def test_ranges_that_a_person_laid_out__are_none() -> None:
    years = 1940 + np.minimum(RNG.integers(0, 60, N), 58)
    years[[3, 4]] = 1940, 1999
    years[5:] = np.clip(years[5:], 1941, 1998)
    assert ends(years, [f"{each // 20 * 20}-{each // 20 * 20 + 19}" for each in years]) == []
    doses = np.clip(RNG.integers(200, 900, N), 200, 840)
    doses[0] = 847
    laid_out = [f"{200 + (each - 200) // 216 * 216}-{415 + (each - 200) // 216 * 216}" for each in doses]
    assert ends(doses, laid_out) == []


def test_range_whose_end_many_have__is_none() -> None:
    paid = np.minimum(COST, 4_321)
    assert ends(paid, ["0-2000" if each <= 2000 else "2001-4321" for each in paid]) == []


WORDS = ["asthma", "flu", "fracture", "HIV"]
ILL = [WORDS[each] for each in RNG.choice(4, N, p=[0.4, 0.3, 0.25, 0.05])]


def blanked(released: Column, exact: Column = ILL) -> list[tuple[str, int | None]]:
    """Return the columns of which one value was taken out, the released records in another order."""
    order = RNG.permutation(len(released))
    tables = pair_tables(dataset({"x": exact}).table, dataset({"x": [released[i] for i in order]}).table, LOG)
    return [
        (each.column or "", each.n_affected) for each in judge_blanked(measure_blanked(tables), THRESHOLDS)
    ]


@pytest.mark.parametrize("word", ["", "***", "(confidential)"])
def test_value_that_alone_was_blanked__is_told(word: str) -> None:
    assert blanked([word if each == "HIV" else each for each in ILL]) == [("x", ILL.count("HIV"))]


def test_blanks_that_hide_several_values__are_none() -> None:
    hidden = [*ILL]
    for at in [i for i, each in enumerate(ILL) if each == "HIV"] + [0, 1, 2, 3]:
        hidden[at] = ""
    assert blanked(hidden) == []
    assert blanked(["" if each in ("HIV", "flu") else each for each in ILL]) == []
    rare = [*ILL[:-4], *["leprosy"] * 4]
    assert blanked(["" if each == "leprosy" else each for each in rare], rare) == []
