"""Numbers that were worked out from several original columns: a ratio, a sum, a rotation of them all.

A body-mass index beside neither height nor weight still finds everybody whose height and weight somebody
knows. Sums, differences, products and ratios of two columns are looked for in whole sets of values, whatever
the rows' order; combinations of all columns, such as principal components, row by row.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Sequence

import numpy as np

from core.coding import BoolArray, FloatArray
from core.tabular.second_opinion.derivations import Derivation, Search, are_drawn_alike, last_place
from core.tabular.second_opinion.pieces import identifies

_FEWEST_ROWS = 30
_FEWEST_DISTINCT, _LEAST_DISTINCT_SHARE = 20, 0.2  # of the numbers that were worked out
_MOST_COLUMNS = 20  # of either table
_MOST = 0.95  # share of rows that a combination explains
_LEAST_RANGE = 50  # last places between the smallest and the largest number
_COUNTED = 4.0  # last places by which a column moves the result, from which it is part of it

_FORMS: tuple[Callable[[FloatArray, FloatArray], FloatArray], ...] = (
    *(np.add, np.subtract, np.multiply, np.divide),
    lambda a, b: b - a,
    lambda a, b: b / a,
    lambda a, b: a / b**2,
    lambda a, b: b / a**2,
)


def measure_combined(search: Search) -> Iterator[Derivation]:
    """Yield each added or changed column of numbers that several original columns give."""
    tables = search.tables
    if search.n_told_apart < _FEWEST_ROWS:
        return
    originals = _numbers(search, "original", tables.original.column_names)
    for anonymized, after in _numbers(search, "anonymized", search.candidates).items():
        share = tables.distinct_share("anonymized", anonymized)
        if len(np.unique(after)) < _FEWEST_DISTINCT or share < _LEAST_DISTINCT_SHARE:
            continue
        own = search.stands_for.get(anonymized)
        others = {name: numbers for name, numbers in originals.items() if name != own}
        found = _of_two(search, others, after) or (
            () if tables.order == "changed" else _of_all(others, after, originals.get(own or ""))
        )
        if any(name in search.originals for name in found):
            n = int(np.count_nonzero(~np.isnan(after)))
            yield search.derivation(
                found[0], anonymized, kind="combined", counts=(n, n), others=tuple(found[1:])
            )


def _numbers(search: Search, side: str, names: Sequence[str]) -> dict[str, FloatArray]:
    """Return the first columns of numbers that name nobody, and of dates as days in the original."""
    read = ((name, search.amounts(side, name)) for name in names)
    found = (
        (name, amounts.numbers)
        for name, amounts in read
        if amounts is not None
        and (side == "original" if amounts.kind == "date" else not identifies(search, name))
    )
    return dict(itertools.islice(found, _MOST_COLUMNS))


def _of_two(search: Search, originals: dict[str, FloatArray], after: FloatArray) -> tuple[str, ...]:
    """Return the two columns of which some form is as often each of the numbers; empty where none are."""
    known = after[~np.isnan(after)]
    unit = 2 * last_place(known)
    numbers, counts = np.unique(np.rint(known / unit), return_counts=True)
    for first, second in itertools.combinations(originals, 2):
        if not {first, second}.intersection(search.originals):
            continue
        for form in _FORMS:
            with np.errstate(all="ignore"):
                made = form(originals[first], originals[second])
            made = _on_the_scale(made[np.isfinite(made)], known)
            if len(made) and are_drawn_alike(
                np.unique(np.rint(made / unit), return_counts=True), (numbers, counts)
            ):
                return first, second
    return ()


def _on_the_scale(made: FloatArray, known: FloatArray) -> FloatArray:
    """Return numbers times the power of ten that brings them to the size of the known ones."""
    if not len(made):
        return made
    sizes = float(np.median(np.abs(made))), float(np.median(np.abs(known)))
    if min(sizes) == 0:
        return made
    return made * 10.0 ** np.rint(np.log10(sizes[1] / sizes[0]))


def _of_all(originals: dict[str, FloatArray], after: FloatArray, own: FloatArray | None) -> tuple[str, ...]:
    """Return the columns of which the numbers are a linear combination, row by row; empty of none."""
    names = list(originals)
    if len(names) < 2:
        return ()
    columns = np.column_stack([originals[name] for name in names])
    rows = ~(np.isnan(columns).any(axis=1) | np.isnan(after))
    if np.count_nonzero(rows) < max(_FEWEST_ROWS, 0.5 * np.count_nonzero(~np.isnan(after))):
        return ()
    columns = columns[rows] - columns[rows].mean(axis=0)
    slopes = _explained(columns, after[rows])
    if slopes is None or (own is not None and _explained(columns, own[rows]) is not None):
        return ()
    moved = np.abs(slopes) * columns.std(axis=0) / last_place(after[rows])
    chosen = tuple(name for name, by in zip(names, moved, strict=True) if by >= _COUNTED)
    return chosen if len(chosen) > 1 else ()


def _explained(columns: FloatArray, after: FloatArray) -> FloatArray | None:
    """Return the slopes of the plane on which nearly all numbers lie to their last place; None of none."""
    unit = last_place(after)
    if np.ptp(after) < _LEAST_RANGE * unit or len(after) < _FEWEST_ROWS + 3 * columns.shape[1]:
        return None
    sizes = columns.std(axis=0)
    sizes[sizes == 0] = 1
    slopes = np.linalg.lstsq(columns / sizes, after - after.mean(), rcond=None)[0] / sizes
    is_near: BoolArray = np.abs(after - after.mean() - columns @ slopes) <= 2 * unit
    return slopes if is_near.mean() >= _MOST else None
