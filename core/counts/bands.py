"""Bands: categories that are ranges of numbers, and what tables that are cut at different numbers share."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import pairwise
from math import inf

from core.counts.cube import Cube, Key
from core.values.stretches import interval

Range = tuple[float, float]  # the first and the last whole number

_WHOLE = re.compile(r"\d{1,9}")


def band(category: str) -> Range | None:
    """Return the first and the last whole number that a category holds; None where it is no band.

    >>> band("30-39"), band("≥65"), band("65+"), band("<18"), band("up to 64"), band("female")
    ((30, 39), (65, inf), (65, inf), (-inf, 17), (-inf, 64), None)
    """
    found = interval(category)
    if found is None or not all(each == "" or _WHOLE.fullmatch(each) for each in found[:2]):
        return None
    return (
        int(found.low) + (not found.has_low) if found.low else -inf,
        int(found.high) - (not found.has_high) if found.high else inf,
    )


def common_parts(columns: Sequence[Sequence[str]]) -> tuple[list[str], list[dict[str, tuple[int, ...]]]]:
    """Return the finest parts that categories of several tables make together, and those of each category.

    Bands are cut wherever one of the tables cuts; what is no band is a part by itself.

    >>> common_parts([["0-9", "10+"], ["0-4", "5+"]])
    (['0-4', '5-9', '10+'], [{'0-9': (0, 1), '10+': (2,)}, {'0-4': (0,), '5+': (1, 2)}])
    """
    ranges = [_ranges(each) for each in columns]
    if not all(ranges):
        names = list(dict.fromkeys(name for each in columns for name in each))
        return names, [{name: (names.index(name),) for name in each} for each in columns]
    bands = {each for found in ranges for each in found.values()}
    cuts = sorted({cut for low, high in bands for cut in (low, high + 1)})
    parts = [
        (low, high - 1) for low, high in pairwise(cuts) if any(a <= low and high - 1 <= b for a, b in bands)
    ]
    named = {found: name for each in ranges for name, found in each.items()}
    others = list(
        dict.fromkeys(
            name for each, found in zip(columns, ranges, strict=True) for name in each if name not in found
        )
    )
    names = [*(named.get(each) or _written(each) for each in parts), *others]
    return names, [
        {
            name: tuple(
                at for at, (low, high) in enumerate(parts) if found[name][0] <= low and high <= found[name][1]
            )
            if name in found
            else (len(parts) + others.index(name),)
            for name in each
        }
        for each, found in zip(columns, ranges, strict=True)
    ]


def with_common_bands(one: Cube, other: Cube) -> tuple[Cube, Cube]:
    """Return two tables whose bands of a column are cut at different numbers by the cuts that both have."""
    for column in one.dimensions:
        if column not in other.dimensions:
            continue
        at, there = one.dimensions.index(column), other.dimensions.index(column)
        mine, theirs = one.categories[at], other.categories[there]
        if set(mine) == set(theirs):
            continue
        _, parts = common_parts([mine, theirs])
        placed = [[part for each in found.values() for part in each] for found in parts]
        is_cut_alike = all(len(each) == 1 for found in parts for each in found.values())
        if is_cut_alike or any(len({*each}) < len(each) for each in placed):  # or bands of one table overlap
            continue
        wholes = _joined([each for found in parts for each in found.values()])
        names = {part: str(min(whole)) for whole in wholes for part in whole}
        one = _coarser(one, at, [names[parts[0][name][0]] for name in mine])
        other = _coarser(other, there, [names[parts[1][name][0]] for name in theirs])
    return one, other


def _ranges(categories: Sequence[str]) -> Mapping[str, Range]:
    """Return the bands among categories, whole numbers too; none where two are the same one."""
    found = {}
    for name in categories:
        if (each := band(name)) is not None:
            found[name] = each
        elif name.strip().isdecimal() and len(name.strip()) < 10:
            found[name] = int(name), int(name)
    is_proper = len(set(found.values())) == len(found) and all(low <= high for low, high in found.values())
    return found if is_proper else {}


def _written(part: Range) -> str:
    low, high = part
    if high == inf:
        return f"{low:.0f}+"
    return f"≤{high:.0f}" if low == -inf else f"{low:.0f}-{high:.0f}"


def _joined(sets: Sequence[Sequence[int]]) -> list[set[int]]:
    """Return the smallest sets that no given set stands in two of."""
    wholes: list[set[int]] = []
    for each in sets:
        touched = [whole for whole in wholes if whole & {*each}]
        wholes = [whole for whole in wholes if whole not in touched] + [{*each}.union(*touched)]
    return wholes


def _coarser(cube: Cube, at: int, wholes: Sequence[str]) -> Cube:
    """Return a table with the categories of a column put together; sums of some of them are left out."""
    names = tuple(dict.fromkeys(wholes))
    parts = [[place for place, whole in enumerate(wholes) if whole == name] for name in names]
    cells: dict[Key, int | None] = {key: n for key, n in cube.cells.items() if key[at] == -1}
    rows = {key: cube.rows[key] for key in cells}
    for key in dict.fromkeys((*key[:at], -1, *key[at + 1 :]) for key in cube.cells if key[at] >= 0):
        is_inner = min((*key[:at], *key[at + 1 :]), default=0) >= 0
        for place, within in enumerate(parts):
            keys = [(*key[:at], part, *key[at + 1 :]) for part in within]
            if is_inner or all(each in cube.cells for each in keys):
                counts, whole = [cube.known(each) for each in keys], (*key[:at], place, *key[at + 1 :])
                cells[whole] = None if None in counts else sum(each or 0 for each in counts)
                rows[whole] = cube.rows.get(keys[0], -1) if len(keys) == 1 else -1
    return replace(
        cube,
        categories=(*cube.categories[:at], names, *cube.categories[at + 1 :]),
        sums=(*cube.sums[:at], (), *cube.sums[at + 1 :]),
        cells=cells,
        rows=rows,
        marks={},
    )
