"""Columns that others give exactly: sums, differences, products and quotients, and other units."""

import numpy as np
import pytest

from core.comparing.worked_out import worked_out

RNG = np.random.default_rng(4)
N = 300
WAGE = np.exp(RNG.normal(9.7, 0.4, N)).round()
BONUS, RENT = np.exp(RNG.normal(7, 0.8, N)).round(), np.exp(RNG.normal(6, 1, N)).round()
VISIT, AGE = RNG.integers(19_000, 19_700, N).astype(float), RNG.integers(6_500, 33_000, N).astype(float)
HEIGHT, WEIGHT = RNG.normal(171, 9, N).round(1), RNG.normal(76, 13, N).round(1)
BMI = (WEIGHT / (HEIGHT / 100) ** 2).round(3)
STARS, MORE_STARS = RNG.integers(1, 6, N) + 0.0, RNG.integers(1, 6, N) + 0.0
PLACE = np.arange(N) + 0.0
SCORES = RNG.normal(50, 10, N).round()


def some_missing(column: np.ndarray) -> np.ndarray:
    column = column.copy()
    column[RNG.choice(N, 30, replace=False)] = np.nan
    return column


@pytest.mark.parametrize(
    ("target", "others", "by"),
    [
        (
            some_missing(WAGE),
            {"rent": RENT, "bonus": BONUS, "total": WAGE + BONUS + RENT},
            {"rent", "bonus", "total"},
        ),
        (VISIT - AGE, {"visit": VISIT, "age": AGE, "score": SCORES}, {"visit", "age"}),
        (WEIGHT, {"height": HEIGHT, "bmi": BMI, "score": SCORES}, {"height", "bmi"}),
        (
            some_missing(STARS),
            {"other": MORE_STARS, "sum": STARS + MORE_STARS, "score": SCORES},
            {"other", "sum"},
        ),
        (1.0 - STARS // 3, {"score": SCORES, "is_high": STARS // 3}, {"is_high"}),
        (HEIGHT, {"score": SCORES, "inches": (HEIGHT / 2.54).round(1)}, {"inches"}),
    ],
)
def test_column__is_worked_out_of_the_fewest_others(
    target: np.ndarray, others: dict[str, np.ndarray], by: set[str]
) -> None:
    assert {*worked_out(target, others)} == by


@pytest.mark.parametrize(
    ("target", "others"),
    [
        (WAGE, {"bonus": BONUS, "rest": (WAGE + BONUS + RNG.normal(0, 2_000, N)).round()}),
        (PLACE % 2, {"but for 1 in 12": (1 - PLACE % 2) * (PLACE % 12 > 0)}),
        (1.0 * (PLACE % 40 == 0), {"hardly varies": 3.0 * (PLACE % 40 == 0)}),
        (WAGE[:20], {"total": WAGE[:20] * 2}),
        (WEIGHT, {"height": HEIGHT, "score": SCORES}),
    ],
)
def test_column__is_not_worked_out_of_what_goes_with_it(
    target: np.ndarray, others: dict[str, np.ndarray]
) -> None:
    assert worked_out(target, others) == ()
