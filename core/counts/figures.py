"""Figures beside counts: shares that give small counts away, and averages of few people."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from core.coding import FloatArray, IntArray
from core.counts.cube import Cube
from core.counts.differences import Difference
from core.people.roles.vocabulary import name_tokens
from core.values.cells import as_numbers

_SHARES = (
    0.9  # of the cells of a column whose figures are whole numbers of people, from which it is of shares
)
_NAMES_OF_SUMS = "sum,total,amount,vsota,skupno,znesek,합계,총액,합"
_NAMES_OF_AVERAGES = "mean,average,avg,rate,share,percent,povprečje,povprečna,povprečni,delež,평균,비율"
_NAMES_OF_EXTREMES = (
    "max,maximum,highest,largest,min,minimum,lowest,smallest,najvišja,najvišji,najnižja,najnižji,največja,"
    "največji,najmanjša,najmanjši,최대,최고,최소,최저,최댓값,최솟값"
)
_NAMES_OF_OTHERS = "median,sd,std,stdev,variance,mediana,odklon,중앙값,표준편차"
_SUMS, _AVERAGES, _EXTREMES, _OTHERS = (
    frozenset(name_tokens(names))
    for names in (_NAMES_OF_SUMS, _NAMES_OF_AVERAGES, _NAMES_OF_EXTREMES, _NAMES_OF_OTHERS)
)
_NO_SUMS = _EXTREMES | _OTHERS
_MOST_ROUNDED = 0.25  # people that rounding leaves open, on average, up to which that says something


@dataclass(frozen=True, kw_only=True, eq=False)
class Figures:
    """A column of figures beside counts."""

    column: str
    # shape (n_rows,): the people that follow where it is a share of them, and those left; NaN elsewhere
    people: FloatArray
    rest: FloatArray
    n_of_suppressed: int  # figures shown where the count is suppressed

    def n_below(self, least: int) -> int:
        """Return the rows in which from 1 to below `least` people follow."""
        few = ((self.people > 0) & (self.people < least)) | ((self.rest > 0) & (self.rest < least))
        return int(np.count_nonzero(few))


@dataclass(frozen=True, kw_only=True, eq=False)
class FiguresBetween:
    """A figure of the people by whom two counts differ, as subtraction gives it."""

    column: str
    n: IntArray  # shape (n_pairs,): those people
    error: FloatArray  # within which share of it the figure of one of them follows, as far as it is rounded

    def n_told(self, least: int, share: float) -> int:
        """Return the pairs of which a figure of fewer than `least` people follows to within a share."""
        return int(np.count_nonzero((self.n > 0) & (self.n < least) & (self.error <= share)))


def figures_between(
    column: str, differences: Sequence[Difference], table: pa.Table, others: Mapping[str, pa.Table]
) -> FiguresBetween | None:
    """Measure what a column of sums or averages tells of the people by whom counts differ; None of others.

    Those of n and m people with averages a and b leave (m·b - n·a) / (m - n) for each of the others, sums
    leave their difference, and rounding leaves as much open as it can add up to.
    """
    words = {*name_tokens(column)}
    written = {
        "": table[column],
        **{name: each[column] for name, each in others.items() if column in each.column_names},
    }
    figures = {name: _numbers(each.combine_chunks()) for name, each in written.items()}
    own = figures[""]
    if words & _NO_SUMS or own is None:
        return None
    is_sum = bool(words & _SUMS) or (not words & _AVERAGES and not is_figures(written[""]))
    half = {name: 0.5 * 10.0 ** -_decimals(each) for name, each in written.items()}
    n, error = [], []
    for each in differences:
        theirs = figures.get(each.other)
        if theirs is None or min(each.rows) < 0 or not each.n:
            continue
        values = own[each.rows[0]], theirs[each.rows[1]]
        weights = (1, 1) if is_sum else each.counts
        rest = (weights[1] * values[1] - weights[0] * values[0]) / (each.counts[1] - each.counts[0])
        left = (weights[0] * half[""] + weights[1] * half[each.other]) / each.n
        usual = max(
            abs(value) / (count if is_sum and count else 1)
            for value, count in zip(values, each.counts, strict=True)
        )
        n.append(each.n)
        error.append(left / max(abs(rest), usual) if max(abs(rest), usual) > 0 else np.inf)
    return FiguresBetween(column=column, n=np.array(n, dtype=np.int64), error=np.array(error)) if n else None


def is_extreme(column: str) -> bool:
    """Whether a column is named as one of largest or smallest values, which are those of one person each.

    >>> is_extreme("max_income"), is_extreme("najnižja plača"), is_extreme("mean_income")
    (True, True, False)
    """
    return bool({*name_tokens(column)} & _EXTREMES)


def named_as_figures(column: str) -> bool:
    """Whether a column is named as one of sums, averages or largest values.

    >>> named_as_figures("sum_income"), named_as_figures("평균 소득"), named_as_figures("region_code")
    (True, True, False)
    """
    return bool({*name_tokens(column)} & (_SUMS | _AVERAGES | _NO_SUMS))


def is_figures(column: pa.ChunkedArray) -> bool:
    """Whether a column holds figures and no categories: numbers with decimals, or per cent.

    >>> is_figures(pa.chunked_array([["2.5", "3"]])), is_figures(pa.chunked_array([["3 %", "4 %"]]))
    (True, True)
    >>> is_figures(pa.chunked_array([["2023", "2024"]])), is_figures(pa.chunked_array([["0-17", "18+"]]))
    (False, False)
    """
    numbers = _numbers(column.drop_null().unique())
    if numbers is None or not len(numbers):
        return False
    is_percent = "%" in column.drop_null()[0].as_py()
    return is_percent or bool((numbers % 1 != 0).any())


def _numbers(values: pa.ChunkedArray | pa.Array) -> FloatArray | None:
    """Return numbers, per cent signs and decimal commas aside; None where there are others."""
    return as_numbers(pc.replace_substring_regex(pc.utf8_trim_whitespace(values), r"\s?%$", ""))


def measure_figures(table: pa.Table, cube: Cube, column: str) -> Figures:
    """Measure what figures tell of the people they are of.

    A column is one of shares of the count where nearly all of its figures come to whole numbers of people, as
    far as they are rounded, and rounding leaves few open.
    """
    n = np.full(table.num_rows, np.nan)
    for key, row in cube.rows.items():
        if (count := cube.cells[key]) is not None:
            n[row] = count
    written = table[column]
    figures = _numbers(written.combine_chunks())
    assert figures is not None  # noqa: S101 - asked before
    people, rest = np.full_like(n, np.nan), np.full_like(n, np.nan)
    known = ~(np.isnan(n) | np.isnan(figures)) & (n > 0)
    decimals = _decimals(written)
    for whole in (100.0, 1.0):
        share = figures / whole
        if (
            not known.any()
            or (share[known] < 0).any()
            or (share[known] > 1).any()
            or share[known].max() < 0.02
        ):
            continue
        open_ = 0.5 * 10.0**-decimals / whole * n
        near = np.abs(share * n - np.round(share * n)) <= open_ + 1e-9
        if np.mean(near[known]) >= _SHARES and np.mean(open_[known]) <= _MOST_ROUNDED:
            people[known] = np.round(share * n)[known]
            rest[known] = n[known] - people[known]
            break
    return Figures(
        column=column,
        people=people,
        rest=rest,
        n_of_suppressed=int(np.count_nonzero(np.isnan(n) & ~np.isnan(figures))),
    )


def _decimals(written: pa.ChunkedArray) -> int:
    found = [re.search(r"[.,](\d{1,9})", each) for each in written.drop_null().unique().to_pylist()]
    return max((len(each[1]) for each in found if each), default=0)
