"""Counts that follow from two others: of bands that overlap, and of tables beside each other."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from enum import Enum
from math import erf, gcd, inf, log, sqrt

import scipy

from core.counts.bands import band, with_common_bands
from core.counts.bounds import bounds_of
from core.counts.cube import Cube, Key

_NOWHERE = -(2**31)  # the place of a category that a table has not
_BY_CHANCE = 0.01  # that counts of different people agree so well
_ROUNDED = 3  # the least number of which all counts are multiples where they were rounded


@dataclass(frozen=True, kw_only=True)
class Difference:
    """Two published counts of which one holds the other, and what the rest is."""

    smaller: Key
    larger: Key
    n: int
    other: str = ""  # another table that one of them stands in
    counts: tuple[int, int]  # of the smaller, or this table's, and of the other one
    rows: tuple[int, int]  # the records they stand in; -1 for a sum of several
    is_sure: bool = True  # whether both count the same people, or some of the same


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


def differences_between(
    whole_cube: Cube, others: Sequence[tuple[str, Cube]], *, is_sure: bool = True
) -> Iterator[Difference]:
    """Yield cells that another table counts otherwise: whoever has both sees the rest.

    Tables are held against each other by the columns that both have. A table that has further ones shows
    totals over them, or cells that add up to these.
    """
    for name, each in others:
        cube, other = with_common_bands(whole_cube, each)
        for mine, theirs in common_keys(cube, other):
            count, whole = count_of(cube, mine), count_of(other, theirs)
            if count is not None and whole is not None:
                yield Difference(
                    smaller=mine,
                    larger=mine,
                    n=abs(whole - count),
                    other=name,
                    counts=(count, whole),
                    rows=(cube.rows.get(mine, -1), other.rows.get(theirs, -1)),
                    is_sure=is_sure,
                )


def common_keys(one: Cube, other: Cube) -> Iterator[tuple[Key, Key]]:
    """Yield the place in both tables of what either lists, by the columns that both have."""
    columns = [each for each in one.dimensions if each in other.dimensions]
    of_one, of_other = ({each: _places(cube, each) for each in columns} for cube in (one, other))
    seen = set()
    for cube in (one, other):
        axes = [cube.dimensions.index(each) for each in columns]
        seen |= {tuple(cube.name_of(at, key[at]) for at in axes) for key in cube.cells}
    for names in sorted(seen, key=str):
        named = dict(zip(columns, names, strict=True))
        mine, theirs = (
            tuple(
                places[each].get(named[each], _NOWHERE) if each in named else -1 for each in cube.dimensions
            )
            for cube, places in ((one, of_one), (other, of_other))
        )
        if _NOWHERE not in (*mine, *theirs):
            yield mine, theirs


class SamePeople(Enum):
    """Whether two tables count the same people."""

    YES = "yes"
    PERHAPS = "perhaps"
    NO = "no"


def same_people(one: Cube, other: Cube) -> SamePeople:
    """Return whether what both tables count says that these are the same people, all or some of them.

    Of different people, counts differ as those of two Poisson draws do; how much less they do is combined
    over cells (Fisher's method). PERHAPS where one table is nowhere above the other, and where counts agree
    so well and half of them exactly; NO of what is rounded in both, since its differences are no people.
    """
    pairs = _common_ranges(one, other)
    if not pairs or gcd(*one.shown, *other.shown) >= _ROUNDED:
        return SamePeople.NO
    one_sided = any(
        all(few[0] <= many[1] for few, many in each) for each in (pairs, [p[::-1] for p in pairs])
    )
    bounded = [(mine, theirs) for mine, theirs in pairs if 0 < mine[1] + theirs[1] < inf]
    apart = [max(theirs[0] - mine[1], mine[0] - theirs[1], 0) for mine, theirs in bounded]
    chances = [
        erf((gap + (mine[1] - mine[0] + theirs[1] - theirs[0] + 1) / 2) / sqrt(2 * (mine[1] + theirs[1])))
        for gap, (mine, theirs) in zip(apart, bounded, strict=True)
    ]
    agree = scipy.special.chdtrc(2 * max(len(chances), 1), -2 * sum(map(log, chances))) < _BY_CHANCE
    if agree and one_sided:
        return SamePeople.YES
    return SamePeople.PERHAPS if one_sided or (agree and 2 * apart.count(0) >= len(apart)) else SamePeople.NO


def can_agree(one: Cube, other: Cube) -> bool:
    """Return whether two tables can have the same counts wherever both have a cell."""
    return all(mine[0] <= theirs[1] and theirs[0] <= mine[1] for mine, theirs in _common_ranges(one, other))


def _common_ranges(one: Cube, other: Cube) -> list[tuple[tuple[float, float], tuple[float, float]]]:
    """Return what both tables tell of each cell by the columns that both have, totals over these aside."""
    one, other = with_common_bands(one, other)
    axes = [at for at, name in enumerate(one.dimensions) if name in other.dimensions]
    return [
        (_range(one, mine), _range(other, theirs))
        for mine, theirs in common_keys(one, other)
        if all(mine[at] >= 0 for at in axes)
    ]


def with_counts_of(cube: Cube, others: Sequence[Cube]) -> Cube:
    """Return a table with the counts of others that it does not show, as far as they fit its own."""
    for other in others:
        told = {
            mine: count
            for mine, theirs in common_keys(cube, other)
            if count_of(cube, mine) is None
            and (mine in cube.cells or min(mine) < 0)
            and (count := count_of(other, theirs)) is not None
        }
        if not told:
            continue
        further = replace(cube, cells={**cube.cells, **told}, rows={**dict.fromkeys(told, -1), **cube.rows})
        if bounds_of(further, only=()).is_consistent:
            cube = further
    return cube


def _range(cube: Cube, key: Key) -> tuple[float, float]:
    """Return the least and the most that a cell can be by its own count and marks, or those of its parts."""
    if (count := count_of(cube, key)) is not None:
        return count, count
    parts = [
        (known, known) if (known := cube.known(part)) is not None else cube.span(part)
        for part in (cube.parts(key) if min(key) < 0 else [key])
    ]
    return sum(least for least, _ in parts), sum(most for _, most in parts)


def _places(cube: Cube, dimension: str) -> dict[str | None, int]:
    """Return the place of each category of a dimension, of its sums and of its total."""
    at = cube.dimensions.index(dimension)
    found: dict[str | None, int] = {None: -1}
    found |= {name: -2 - number for number, (name, _) in enumerate(cube.sums[at])}
    return found | {name: place for place, name in enumerate(cube.categories[at])}


def count_of(cube: Cube, key: Key) -> int | None:
    """Return a cell's count as published, or as its parts add up to."""
    if key in cube.cells:
        return cube.cells[key]
    parts = [cube.known(part) for part in cube.parts(key)] if min(key) < 0 else [None]
    return None if None in parts else sum(each or 0 for each in parts)
