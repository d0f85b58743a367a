"""Cells that were forgotten amid changed ones, columns only renamed, and what columns that were left give."""

from collections.abc import Callable

import numpy as np
import pytest

from core.verdict import Verdict
from tests.second_opinion_examples import log_of, opinion_on

Column = list[str]
RNG = np.random.default_rng(9)
N = 600
BORN = np.datetime64("1940-01-01") + RNG.integers(0, 60 * 365, N)
YEARS = BORN.astype("datetime64[Y]").astype(int) + 1970
TOWNS = [f"{name}" for name in RNG.choice(["Kranj", "Koper", "Celje", "Ptuj", "Bled", "Izola"], N)]
REGION = {"Kranj": "West", "Koper": "West", "Celje": "East", "Ptuj": "East", "Bled": "West", "Izola": "West"}
AGES = RNG.integers(18, 90, N)
SEX = [*RNG.choice(["F", "M"], N)]


def found(before: Column, after: Column, action: str = "generalize", **others: Column) -> dict[str, Verdict]:
    """Return the verdicts of the checks of the released column, the rows being in another order."""
    kept = {"sex": SEX, **others}
    order = np.random.default_rng(1).permutation(len(before))
    log = log_of(x=("other", action), **dict.fromkeys(kept, ("other", "keep")))
    released = {"x": after, **kept}
    released = {name: [cells[i] for i in order] for name, cells in released.items()}
    opinion = opinion_on({"x": before, **kept}, released, log)
    return {each.check: each.verdict for each in opinion.findings}


def with_some(after: Column, before: Column, n: int = 12) -> Column:
    after = [*after]
    for i in np.random.default_rng(2).choice(len(after), n, replace=False):
        after[i] = before[i]
    return after


DATES, DECADES = [*map(str, BORN)], [f"{each // 10 * 10}s" for each in YEARS]
BANDS = [f"{each // 10 * 10}-{each // 10 * 10 + 9}" for each in AGES]
OLD_DATES = [each if y < 1945 else f"{y // 10 * 10}s" for each, y in zip(DATES, YEARS, strict=True)]
YOUNG = [str(each) if each < 25 else band for each, band in zip(AGES, BANDS, strict=True)]
MAILS = [f"ana{i}@mail.si" for i in range(N)]


@pytest.mark.parametrize(
    ("before", "after", "verdict"),
    [
        (DATES, DECADES, Verdict.FAIL),
        (TOWNS, [REGION[each] for each in TOWNS], Verdict.WARN),
        (MAILS, ["user of mail.si"] * N, Verdict.FAIL),
    ],
)
def test_left_amid_changed__cells_that_were_forgotten(
    before: Column, after: Column, verdict: Verdict
) -> None:
    assert found(before, with_some(after, before))["left_amid_changed"] is verdict
    assert "left_amid_changed" not in found(before, after)


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (
            DATES,
            [each if year < 1945 else f"{year // 10 * 10}s" for each, year in zip(DATES, YEARS, strict=True)],
        ),
        (
            [*map(str, AGES)],
            [str(each) if each < 25 else band for each, band in zip(AGES, BANDS, strict=True)],
        ),
        ([f"{each}.5" for each in AGES], [f"{each + 0.01 * (i % 9):.2f}" for i, each in enumerate(AGES)]),
        (TOWNS, ["Bled" if each in ("Bled", "Kranj") else "Rest" for each in TOWNS]),
    ],
)
def test_left_amid_changed__a_stretch_that_stays_and_numbers_that_meet_are_none(
    before: Column, after: Column
) -> None:
    assert "left_amid_changed" not in found(before, after)


CODES = {name: f"G{at}" for at, name in enumerate(REGION)}


@pytest.mark.parametrize(
    "before", [TOWNS, [each + " mesto" for each in TOWNS], [str(each % 7) + "a" for each in AGES]]
)
def test_only_renamed__categories_to_be_coarser(before: Column) -> None:
    names = {each: f"Z{at}" for at, each in enumerate(dict.fromkeys(before))}
    assert found(before, [names[each] for each in before])["only_renamed"] is Verdict.WARN


@pytest.mark.parametrize("action", ["generalize", "pseudonymize"])
def test_only_renamed__coarser_categories_and_pseudonyms_are_none(action: str) -> None:
    renamed = {"generalize": REGION, "pseudonymize": CODES}[action]
    assert "only_renamed" not in found(TOWNS, [renamed[each] for each in TOWNS], action)


WAGE = np.exp(RNG.normal(9.7, 0.4, N)).round(2)


def means_of(size: int) -> Column:
    order = np.argsort(WAGE, kind="stable")
    means = np.empty(N)
    means[order] = WAGE[order].reshape(-1, size).mean(axis=1).round(2).repeat(size)
    return [f"{each:.2f}" for each in means]


@pytest.mark.parametrize("size", [2, 3, 4])
def test_derived_means__of_few_neighbours(size: int) -> None:
    assert found([*map(str, WAGE)], means_of(size), "microaggregation")["derived_means"] is Verdict.FAIL


@pytest.mark.parametrize("made", [lambda: means_of(10), lambda: [f"{each:.0f}" for each in WAGE]])
def test_derived_means__of_many_and_rounded_ones_are_none(made: Callable[[], Column]) -> None:
    assert "derived_means" not in found([*map(str, WAGE)], made(), "microaggregation")


def test_derived_left__a_total_gives_what_was_taken_out_unless_noise_is_in_it() -> None:
    bonus = RNG.uniform(100, 900, N).round(2)
    noise = RNG.normal(0, 5_000, N)
    total, hidden = WAGE + bonus, ["-"] * N
    others = {"bonus": [*map(str, bonus)], "total": [f"{each:.2f}" for each in total]}
    assert found([*map(str, WAGE)], hidden, "suppress", **others)["derived_left"] is Verdict.FAIL
    others["total"] = [f"{each:.2f}" for each in total + noise]
    assert "derived_left" not in found([*map(str, WAGE)], hidden, "suppress", **others)


def test_order__of_values_that_are_the_originals_own_says_nothing() -> None:
    """Values that were shuffled occur as often as before, in whatever order they are sorted."""
    x, y = WAGE.astype(str), RNG.integers(1, 6, N).astype(str)
    released = {"x": [*RNG.permutation(x)], "y": [*RNG.permutation(y)]}
    opinion = opinion_on({"x": [*x], "y": [*y]}, released, log_of(x=("x", "shuffle"), y=("y", "shuffle")))
    assert "in_the_original_order" not in {each.check for each in opinion.findings}
