"""A table of counts as cells of categories: inner cells, totals, and which of them are suppressed.

Categories may be sums of others in their column: a year and its quarters, a region and its towns.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
import pyarrow as pa

from core.coding import BoolArray, FloatArray, IntArray
from core.people.names import COUNT_NAMES, TOTAL_WORDS
from core.people.roles.vocabulary import name_tokens
from core.words import input_error

_NUMBER = re.compile(r"\d{1,15}|\d{1,3}(?:[, .\u00a0]\d{3})+")
_SUPPRESSED = re.compile(r"[<≤]=? ?\d+|[*#x.:~–-]{0,3}|[xcs]", re.IGNORECASE)
_BELOW = re.compile(r"(?P<sign><=?|≤) ?(?P<most>\d{1,9})")
_MOST_CELLS = 200_000
_MOST_ROWS = 50_000  # of a table that is looked at for counts
_N_LOOKED_AT = 1_000  # different values of a column
# A cell: the category of each dimension, -1 for the total over it, -2, -3 … for one that is the sum of some.
Key = tuple[int, ...]


@dataclass(frozen=True, kw_only=True, eq=False)
class Cube:
    """Counts by category; dimensions are columns."""

    dimensions: tuple[str, ...]
    categories: tuple[tuple[str, ...], ...]  # of each dimension, without its total and sums of some
    cells: Mapping[Key, int | None]  # published cells and totals; None where suppressed
    rows: Mapping[Key, int]  # the record that each cell stands in, from 0
    marks: Mapping[Key, int] = field(default_factory=dict)  # the most that marks such as ``<5`` leave a cell
    # of each dimension, categories that are sums of others, and of which; -2 stands for the first of them
    sums: tuple[tuple[tuple[str, tuple[int, ...]], ...], ...] = ()

    @property
    def shape(self) -> tuple[int, ...]:
        """Return the number of categories by dimension."""
        return tuple(map(len, self.categories))

    @cached_property
    def inner(self) -> tuple[Key, ...]:
        """Return the cells without any total, listed or not."""
        return tuple(map(tuple, np.ndindex(*self.shape)))

    @cached_property
    def totals(self) -> tuple[Key, ...]:
        """Return the published cells over some dimension's total."""
        return tuple(key for key in self.cells if min(key) < 0)

    @cached_property
    def has_inner(self) -> bool:
        """Whether any inner cell is listed; else only totals are published."""
        return any(min(key) >= 0 for key in self.cells)

    def parts(self, total: Key) -> tuple[Key, ...]:
        """Return the inner cells that a total is the sum of."""
        axes = [self.places_of(dimension, place) for dimension, place in enumerate(total)]
        grid = np.stack(np.meshgrid(*axes, indexing="ij"), axis=-1).reshape(-1, len(axes))
        return tuple(map(tuple, grid.tolist()))

    def places_of(self, dimension: int, place: int) -> Sequence[int]:
        """Return the categories that a place of a key stands for."""
        if place >= 0:
            return (place,)
        return range(self.shape[dimension]) if place == -1 else self.sums[dimension][-2 - place][1]

    def name_of(self, dimension: int, place: int) -> str | None:
        """Return the category that a place of a key stands for, None for the total."""
        if place >= 0:
            return self.categories[dimension][place]
        return None if place == -1 else self.sums[dimension][-2 - place][0]

    def known(self, key: Key) -> int | None:
        """Return an inner cell's count, 0 where the table lists inner cells without it; None if unknown."""
        return self.cells.get(key, 0 if self.has_inner else None)

    def with_suppressed(self, keys: Sequence[Key]) -> "Cube":
        """Return the table with further cells suppressed."""
        return Cube(
            dimensions=self.dimensions,
            categories=self.categories,
            cells={**self.cells, **dict.fromkeys(keys)},
            rows=self.rows,
            marks=self.marks,
            sums=self.sums,
        )

    @property
    def shown(self) -> tuple[int, ...]:
        """Return the counts that are shown, totals too."""
        return tuple(each for each in self.cells.values() if each is not None)

    @cached_property
    def shows_zeros(self) -> bool:
        """Whether some inner cell shows that nobody is in it: then no mark stands for 0."""
        return any(count == 0 and min(key) >= 0 for key, count in self.cells.items())

    def span(self, key: Key) -> tuple[float, float]:
        """Return the least and the most that a suppressed cell can be, by its mark and its totals' marks."""
        marks = [self.marks[key]] if key in self.marks else []
        for total, most in self._marked_totals:
            if all(
                here in self.places_of(at, there)
                for at, (there, here) in enumerate(zip(total, key, strict=True))
            ):
                marks.append(most)
        return (1.0 if key in self.marks and self.shows_zeros else 0.0), float(min(marks, default=np.inf))

    @cached_property
    def _marked_totals(self) -> list[tuple[Key, int]]:
        return [(key, most) for key, most in self.marks.items() if min(key) < 0]


def whole_number(written: str | None) -> int | None:
    """Return a count as written, with separators of thousands or without; None where it is none.

    >>> whole_number("1,204"), whole_number(" 7 "), whole_number("<5"), whole_number("3.5")
    (1204, 7, None, None)
    """
    found = _NUMBER.fullmatch((written or "").strip())
    return int(re.sub(r"\D", "", found[0])) if found else None


def is_total(written: str | None) -> bool:
    """Whether a category stands for all others.

    >>> [is_total(word) for word in ("Total", "All ages", "Skupaj", "합계", "Tallinn", None)]
    [True, True, True, True, False, False]
    """
    tokens = name_tokens(written or "")
    return bool(tokens) and tokens[0] in TOTAL_WORDS and len(tokens) <= 2


def read_cube(table: pa.Table, dimensions: Sequence[str], count: str) -> Cube:
    """Read a table of texts with a cell in each row: its categories, and its count.

    A count that is blank or no whole number (``*``, ``<5``, ``x``) is suppressed. Inner cells that are not
    listed beside others are 0. AuditInputError: a cell stands in two rows, the table has more than 200,000
    inner cells, or no count at all.
    """
    written = [table[name].to_pylist() for name in dimensions]
    coded = [_coded(values) for values in written]
    cells = table[count].to_pylist()
    counts = [whole_number(value) for value in cells]
    if not any(each is not None for each in counts):
        raise input_error("{column} holds no whole number of at least 0.", column=f"`{count}`")
    n_cells = int(np.prod([len(categories) for categories, _ in coded], dtype=object))
    if n_cells > _MOST_CELLS:
        raise input_error(
            "The table has {n} cells over {columns}; at most {most} are read.",
            n=n_cells,
            columns=list(dimensions),
            most=_MOST_CELLS,
        )
    keys = list(zip(*(codes for _, codes in coded), strict=True))
    if len(set(keys)) < len(keys):
        raise input_error(
            "Several rows stand for one cell over {columns}. Name every column of categories, or sum them.",
            columns=list(dimensions),
        )
    columns = [_with_sums(at, categories, keys, counts) for at, (categories, _) in enumerate(coded)]
    keys = [tuple(places[at] for (_, places, _), at in zip(columns, key, strict=True)) for key in keys]
    return Cube(
        dimensions=tuple(dimensions),
        categories=tuple(categories for categories, _, _ in columns),
        sums=tuple(sums for _, _, sums in columns),
        cells=dict(zip(keys, counts, strict=True)),
        rows={key: row for row, key in enumerate(keys)},
        marks={key: most for key, cell in zip(keys, cells, strict=True) if (most := _mark(cell)) is not None},
    )


def _with_sums(
    at: int, categories: tuple[str, ...], keys: Sequence[Key], counts: Sequence[int | None]
) -> tuple[tuple[str, ...], dict[int, int], tuple[tuple[str, tuple[int, ...]], ...]]:
    """Return a column's categories without sums of others, the place of each, and the sums."""
    contexts: dict[Key, dict[int, int | None]] = {}
    for key, count in zip(keys, counts, strict=True):
        contexts.setdefault((*key[:at], *key[at + 1 :]), {})[key[at]] = count
    found = subtotals_of(categories, [*contexts.values()])
    sums = {each.category: -2 - number for number, each in enumerate(found)}
    kept = [each for each in range(len(categories)) if each not in sums]
    places = {-1: -1, **sums, **{each: place for place, each in enumerate(kept)}}
    named = tuple((categories[each.category], tuple(places[part] for part in each.parts)) for each in found)
    return tuple(categories[each] for each in kept), places, named


def _mark(written: str | None) -> int | None:
    """Return the most that a suppressed count can be by what stands in its place, such as ``<5``."""
    found = _BELOW.fullmatch((written or "").strip())
    return None if found is None else int(found["most"]) - (found["sign"] == "<")


def _coded(values: Sequence[str | None]) -> tuple[tuple[str, ...], list[int]]:
    """Return the categories in order of appearance, and the place of each value, -1 for a total."""
    places: dict[str, int] = {}
    codes = [
        -1 if is_total(value) else places.setdefault((value or "").strip(), len(places)) for value in values
    ]
    return (tuple(places), codes) if places else (("",), [0] * len(codes))  # of totals alone: no dimension


def looks_like_counts(table: pa.Table, columns: Sequence[str]) -> tuple[str, bool] | None:
    """Return the column that seems to count people, and whether rows of totals say so; None without.

    Its values are whole numbers (or suppressed), and every row is another cell of the columns that hold no
    numbers. It is named as counts are, or some rows are totals. All are columns of text; those in `columns`
    nobody chose for something else.
    """
    if not 2 <= table.num_rows <= _MOST_ROWS:
        return None
    are_counts = {name: _are_counts(table[name]) for name in table.column_names}
    numbers = [name for name in columns if are_counts[name]]
    worded = [name for name in table.column_names if not are_counts[name]]
    if not numbers or not worded:
        return None
    cells = list(zip(*(table[name].to_pylist() for name in worded), strict=True))
    if len(set(cells)) < len(cells):
        return None
    has_totals = any(map(_has_total, (table[name] for name in worded)))
    named = [name for name in numbers if " ".join(name_tokens(name)) in COUNT_NAMES]
    if named:
        return named[0], has_totals
    return (numbers[-1], True) if has_totals and len(numbers) == 1 else None


def _are_counts(column: pa.ChunkedArray) -> bool:
    """Whether nearly all different values are whole numbers, and they do not just number the rows."""
    values = column.drop_null().unique().slice(0, _N_LOOKED_AT).to_pylist()
    values = [value for value in values if not _SUPPRESSED.fullmatch(value.strip())]
    numbers = [number for value in values if (number := whole_number(value)) is not None]
    if not values or len(numbers) < 0.8 * len(values):
        return False
    return len(numbers) < len(column) or max(numbers) - min(numbers) >= len(column)


def _has_total(column: pa.ChunkedArray) -> bool:
    values = column.unique()
    return len(values) <= _N_LOOKED_AT and any(map(is_total, values.to_pylist()))


@dataclass(frozen=True, kw_only=True, eq=False)
class Equations:
    """What published totals say of the unknown inner cells: `matrix` @ unknown = `totals`, none below 0."""

    unknown: tuple[Key, ...]
    matrix: FloatArray  # shape (n_equations, n_unknown) of 0 and 1
    totals: FloatArray  # shape (n_equations,)

    @property
    def component_of(self) -> IntArray:
        """Return shape (n_unknown,): which cells are tied by equations, a number for each such set."""
        group = np.arange(len(self.unknown))
        for row in self.matrix.astype(np.bool_):
            tied = np.unique(group[row])
            if len(tied) > 1:
                group[np.isin(group, tied)] = tied[0]
        return group

    def of(self, chosen: BoolArray) -> tuple[FloatArray, FloatArray]:
        """Return the equations that some of the cells, a whole set of tied ones, stand in."""
        rows = self.matrix[:, chosen].any(axis=1)
        return self.matrix[np.ix_(rows, chosen)], self.totals[rows]


def equations_of(cube: Cube) -> Equations:
    """Return what the totals that are published say of the inner cells that are not."""
    unknown = tuple(key for key in cube.inner if cube.known(key) is None)
    place = {key: number for number, key in enumerate(unknown)}
    rows, totals = [], []
    for total in cube.totals:
        if (published := cube.cells[total]) is None:
            continue
        parts = cube.parts(total)
        row = np.zeros(len(unknown))
        row[[place[key] for key in parts if key in place]] = 1
        rows.append(row)
        totals.append(published - sum(cube.known(key) or 0 for key in parts if key not in place))
    return Equations(
        unknown=unknown,
        matrix=np.array(rows).reshape(len(rows), len(unknown)),
        totals=np.array(totals, dtype=np.float64),
    )


_MOST_CATEGORIES = 300  # of a column that is looked at
_FEWEST_CONTEXTS = 2  # in which the sum of neighbours is no chance


@dataclass(frozen=True, kw_only=True)
class Subtotal:
    """A category, and those that it is the sum of: neither is itself a sum."""

    category: int
    parts: tuple[int, ...]


Counts = Mapping[int, int | None]  # of one context (the categories of all other columns): by category


def subtotals_of(categories: Sequence[str], contexts: Sequence[Counts]) -> list[Subtotal]:
    """Return the categories of a column, in the table's order and without its total, that are sums of others.

    A category is one of those that begin with its name, or of its neighbours in the order of the table, where
    its count is theirs together: in every context of which all are shown, in two at least for neighbours, and
    nowhere less than what is shown of them. `contexts` are, by combination of the other columns, the counts
    by category, None where suppressed, with -1 for the total over the column.
    """
    left = list(range(len(categories))) if len(categories) <= _MOST_CATEGORIES else []
    leaves: dict[int, tuple[int, ...]] = {each: (each,) for each in left}
    found: list[Subtotal] = []
    while (sums := _first_sum(categories, contexts, left, leaves)) is not None:
        category, parts = sums
        leaves[category] = tuple(sorted(leaf for part in parts for leaf in leaves[part]))
        found.append(Subtotal(category=category, parts=leaves[category]))
        left = [each for each in left if each not in parts]
    return found


def _first_sum(
    categories: Sequence[str],
    contexts: Sequence[Counts],
    left: Sequence[int],
    leaves: Mapping[int, tuple[int, ...]],
) -> tuple[int, tuple[int, ...]] | None:
    open_ones = [each for each in left if leaves[each] == (each,)]
    for category in sorted(open_ones, key=lambda each: -len(categories[each])):
        parts = tuple(each for each in left if _is_within(categories[each], categories[category]))
        if len(parts) > 1 and _n_agreeing(category, parts, left, contexts) > 0:
            return category, parts
    for place, category in enumerate(left):
        if category in open_ones:
            for parts in _neighbours(left, place):
                if _n_agreeing(category, parts, left, contexts) >= _FEWEST_CONTEXTS:
                    return category, parts
    return None


def _is_within(name: str, of: str) -> bool:
    """Whether a category is named as a part of another: ``2024-Q1`` of ``2024``, ``SI011`` of ``SI01``."""
    if not of or name == of or not name.startswith(of):
        return False
    return not name[len(of)].isalnum() or (of[-1].isdigit() and not any(map(str.isspace, name)))


def _neighbours(left: Sequence[int], place: int) -> Iterator[tuple[int, ...]]:
    for end in range(place + 3, len(left) + 1):
        yield tuple(left[place + 1 : end])
    for start in range(place - 2, -1, -1):
        yield tuple(left[start:place])


def _n_agreeing(
    category: int, parts: tuple[int, ...], left: Sequence[int], contexts: Sequence[Counts]
) -> int:
    """Return in how many contexts that show all the sum is right; -1 where it is wrong in one."""
    agreeing = set()
    for number, counts in enumerate(contexts):
        whole, some = counts.get(category), [counts.get(each, 0) for each in parts]
        known = sum(each or 0 for each in some)
        every = [counts.get(each, 0) for each in left]
        if None not in every and whole and sum(each or 0 for each in every) == counts.get(-1):
            return -1  # the total counts it beside them
        if whole is None:
            continue
        if whole < known or (None not in some and whole != known):
            return -1
        if None not in some and whole:
            agreeing.add(number)
    return len(agreeing)
