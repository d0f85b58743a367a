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
_BEYOND = (">", "nad", "over")  # the number itself is not in it
_BELOW = ("<", "under", "pod", "below")


@dataclass(frozen=True, kw_only=True)
class Difference:
    """Two published counts of which one holds the other, and what the rest is."""

    smaller: Key
    larger: Key
    n: int
    other: str = ""  # the table of the larger one, where that is another


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
                    yield Difference(smaller=key, larger=larger, n=whole - count)


def differences_between(cube: Cube, others: Sequence[tuple[str, Cube]]) -> Iterator[Difference]:
    """Yield cells that stand in another table too, with another count: whoever has both sees the rest."""
    for name, other in others:
        if set(other.dimensions) != set(cube.dimensions):
            continue
        ours = {_named(cube, key): key for key in cube.cells}
        for key, count in other.cells.items():
            mine = ours.get(_named(other, key))
            if mine is not None and count is not None and (own := cube.cells[mine]) is not None:
                yield Difference(smaller=mine, larger=mine, n=abs(count - own), other=name)


def _named(cube: Cube, key: Key) -> frozenset[tuple[str, str | None]]:
    return frozenset(
        (name, cube.name_of(at, place))
        for at, (name, place) in enumerate(zip(cube.dimensions, key, strict=True))
    )
