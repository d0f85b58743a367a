"""Counts that follow from the difference of two others: bands that overlap, and tables beside each other."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import inf

from core.counts.cube import Cube, Key

_BAND = re.compile(r"(?P<low>\d{1,9})\s{0,3}(?:-|–|to|do|~)\s{0,3}(?P<high>\d{1,9})")
_FROM = re.compile(
    r"(?:>=?|≥|from|nad|over)\s{0,3}(?P<low>\d{1,9})"
    r"|(?P<plus>\d{1,9})\s{0,3}세?\s{0,3}(?:\+|and over|in več|이상)"
)
_UNTIL = re.compile(
    r"(?P<sign><=?|≤|under|pod|below|up to|do)\s{0,3}(?P<high>\d{1,9})"
    r"|(?P<less>\d{1,9})\s{0,3}세?\s{0,3}(?:미만|이하)"
)
_NOWHERE = -(2**31)  # the place of a category that a table has not
_BEYOND = (">", "nad", "over")  # the number itself is not in it
_BELOW = ("<", "under", "pod", "below")


@dataclass(frozen=True, kw_only=True)
class Difference:
    """Two published counts of which one holds the other, and what the rest is."""

    smaller: Key
    larger: Key
    n: int
    other: str = ""  # another table that one of them stands in
    counts: tuple[int, int]  # of the smaller, or this table's, and of the other one
    rows: tuple[int, int]  # the records they stand in; -1 for a sum of several


def band(category: str) -> tuple[float, float] | None:
    """Return the first and the last whole number that a category holds; None where it is no band.

    >>> band("30-39"), band("≥65"), band("65+"), band("<18"), band("up to 64"), band("female")
    ((30, 39), (65, inf), (65, inf), (-inf, 17), (-inf, 64), None)
    """
    words = category.strip().lower()
    if found := _BAND.search(words):
        return int(found["low"]), int(found["high"])
    if found := _FROM.search(words):
        low = int(found["low"] or found["plus"])
        return low + (found[0].startswith(_BEYOND) and not found[0].startswith(">=")), inf
    if found := _UNTIL.search(words):
        high = int(found["high"] or found["less"])
        sign = found["sign"] or found[0]
        is_below = (sign.startswith(_BELOW) and sign != "<=") or "미만" in sign
        return -inf, high - is_below
    return None


def differences_in(cube: Cube) -> Iterator[Difference]:
    """Yield pairs of cells that differ in one band, of which one holds the other and one end is shared."""
    for place, categories in enumerate(cube.categories):
        named = [*enumerate(categories), *((-2 - at, name) for at, (name, _) in enumerate(cube.sums[place]))]
        bands = [(number, found) for number, each in named if (found := band(each))]
        nested = [
            (one, other)
            for one, (low, high) in bands
            for other, (lowest, highest) in bands
            if one != other and lowest <= low and high <= highest and (lowest == low or high == highest)
        ]
        for key, count in cube.cells.items():
            for one, other in nested:
                larger = (*key[:place], other, *key[place + 1 :])
                whole = cube.cells.get(larger)
                if key[place] == one and count is not None and whole is not None:
                    yield Difference(
                        smaller=key,
                        larger=larger,
                        n=whole - count,
                        counts=(count, whole),
                        rows=(cube.rows[key], cube.rows[larger]),
                    )


def differences_between(cube: Cube, others: Sequence[tuple[str, Cube]]) -> Iterator[Difference]:
    """Yield cells that another table counts otherwise: whoever has both sees the rest.

    A table without one of the columns shows totals over it, which the cells of the other add up to.
    """
    for name, other in others:
        is_finer = len(other.dimensions) > len(cube.dimensions)
        few, many = (cube, other) if is_finer else (other, cube)
        if not {*few.dimensions} <= {*many.dimensions}:
            continue
        places = [_places(many, dimension) for dimension in many.dimensions]
        for key, count in few.cells.items():
            named = {each: few.name_of(at, key[at]) for at, each in enumerate(few.dimensions)}
            there = tuple(
                place.get(named.get(each), _NOWHERE)
                for place, each in zip(places, many.dimensions, strict=True)
            )
            whole = None if _NOWHERE in there else _count(many, there)
            if count is None or whole is None:
                continue
            rows = few.rows[key], many.rows.get(there, -1)
            mine = key if is_finer else there
            yield Difference(
                smaller=mine,
                larger=mine,
                n=abs(whole - count),
                other=name,
                counts=(count, whole) if is_finer else (whole, count),
                rows=rows if is_finer else rows[::-1],
            )


def _places(cube: Cube, dimension: str) -> dict[str | None, int]:
    """Return the place of each category of a dimension, of its sums and of its total."""
    at = cube.dimensions.index(dimension)
    found: dict[str | None, int] = {None: -1}
    found |= {name: -2 - number for number, (name, _) in enumerate(cube.sums[at])}
    return found | {name: place for place, name in enumerate(cube.categories[at])}


def _count(cube: Cube, key: Key) -> int | None:
    """Return a cell's count as published, or as its parts add up to."""
    if key in cube.cells:
        return cube.cells[key]
    parts = [cube.known(part) for part in cube.parts(key)] if min(key) < 0 else [None]
    return None if None in parts else sum(each or 0 for each in parts)
