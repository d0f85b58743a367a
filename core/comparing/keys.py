"""Keys: whether what a cell shows holds the key of its own row, or of any row, beyond what chance gives.

Where rows are known, a hit is a cell that holds the value of its own row, and chance is counted exactly: how
many hold it if all rows stand in random order. Where they are not, a hit is a cell that holds any value, and
chance is how many hold made-up values of the same build, see :mod:`core.comparing.made_up`.
"""

from collections import defaultdict
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field

import numpy as np

from core.chance import poisson_tail
from core.coding import IntArray
from core.comparing.made_up import are_dates
from core.comparing.readings import BACKWARDS, keys_of

FEWEST = 3  # cells, and different values, that are no accident
_DENSE = 0.2  # share of a range of numbers that is taken, from which any number of it occurs by chance

Held = tuple[IntArray, IntArray]  # distinct pairs: a distinct cell, and the number of a value that it holds
Source = tuple[str, str]  # column of the values, and how they are written


@dataclass(frozen=True, kw_only=True)
class Hits:
    """Cells that hold a value, and how many would by chance."""

    n_hits: int
    n_compared: int  # cells that could
    n_by_chance: float
    by_rows: bool  # whether the value is that of their own row; else any

    def are_more(self, times: float, no_accident: float, *, least_share: float = 0.0) -> bool:
        """Whether they are so many times, and so improbably, more than chance gives."""
        least = max(FEWEST, least_share * self.n_compared, times * self.n_by_chance)
        expected = max(self.n_by_chance, 1 / (self.n_compared + 1) if least_share else 1e-9)
        return bool(self.n_hits >= least and poisson_tail(self.n_hits, expected) <= no_accident)


def hits_in_rows(held: Held, cells: IntArray, values: IntArray) -> Hits:
    """Count the cells that hold the value of their own row, and how many would in random order.

    Parameters
    ----------
    cells, values
        Shape (n_rows,): the distinct cell, and the number of the value, of each row; -1 for none.
    """
    text, number = held
    n_compared = int(np.count_nonzero((cells >= 0) & (values >= 0)))
    if not len(text):
        return Hits(n_hits=0, n_compared=n_compared, n_by_chance=0.0, by_rows=True)
    n_numbers = 1 + int(max(values.max(initial=-1), number.max(initial=-1)))
    pairs = np.sort(text * n_numbers + number)
    rows = np.flatnonzero((cells >= 0) & (values >= 0))
    of_rows = cells[rows] * n_numbers + values[rows]
    place = np.minimum(np.searchsorted(pairs, of_rows), len(pairs) - 1)
    n_of_text = np.bincount(cells[cells >= 0], minlength=int(text.max(initial=-1)) + 1)
    n_of_number = np.bincount(values[values >= 0], minlength=n_numbers)
    by_chance = (n_of_text[text] * n_of_number[number]).sum() / max(len(cells), 1)
    n_hits = int(np.count_nonzero(pairs[place] == of_rows))
    return Hits(n_hits=n_hits, n_compared=n_compared, n_by_chance=float(by_chance), by_rows=True)


@dataclass(kw_only=True, eq=False)
class Keys:
    """Keys of the values of some columns, to look for inside plain texts, or as the whole of them."""

    # whether each value counts that a key may stand for, as where rows are known; else one of them
    of_rows: bool
    inside: dict[Source, dict[str, Sequence[int]]] = field(default_factory=dict)  # key to numbers of values
    whole: dict[Source, dict[str, Sequence[int]]] = field(default_factory=dict)
    values: dict[str, Sequence[str]] = field(default_factory=dict)  # of each column

    def add(self, name: str, values: Sequence[str], *, like: Sequence[str] | None = None) -> None:
        """Add distinct values of a column; made-up ones as `like` the real ones are looked for."""
        self.values[name] = values
        dense = not self.of_rows and _are_dense(like or values)
        no_ends = dense or are_dates(like or values)  # a year ends no date
        for reading, keys in keys_of(values):
            # of numbers almost without gaps, any such number is one
            if (dense and reading.how != BACKWARDS) or (reading.place != "inside" and no_ends):
                continue
            if self.of_rows or reading.place != "rows":
                into = self.whole if reading.place == "whole" else self.inside
                self._add(into.setdefault((name, reading.how), {}), keys)

    def _add(self, known: dict[str, Sequence[int]], keys: Sequence[str]) -> None:
        for number, key in enumerate(keys):
            if key:
                known[key] = (*known.get(key, ()), number) if self.of_rows else (number,)

    def with_key(self, source: Source) -> set[int]:
        """Return the numbers of the values that have a key."""
        found = {**self.inside.get(source, {}), **self.whole.get(source, {})}
        return {number for numbers in found.values() for number in numbers}

    def held(self, texts: Sequence[str]) -> dict[Source, Held]:
        """Return which of some plain texts hold which values; the first word of a text is its whole."""
        pairs: defaultdict[Source, set[tuple[int, int]]] = defaultdict(set)
        known, ends = (frozenset[str]().union(*each.values()) for each in (self.inside, self.whole))
        lengths = sorted({len(key) for key in known})
        for text, shown in enumerate(texts):
            parts = {shown[at : at + n] for n in lengths for at in range(len(shown) - n + 1)} & known
            whole = {shown.partition(" ")[0]} & ends
            for places, keys in ((self.inside, parts), (self.whole, whole)):
                for source, numbers in places.items() if keys else ():
                    pairs[source].update((text, number) for key in keys for number in numbers.get(key, ()))
        return {source: _arrays(each) for source, each in pairs.items() if each}


def _arrays(pairs: Collection[tuple[int, int]]) -> Held:
    both = np.array(sorted(pairs), dtype=np.int64).reshape(-1, 2)
    return both[:, 0], both[:, 1]


def _are_dense(values: Sequence[str]) -> bool:
    """Whether the numbers that values are, or hold, fill a good part of their range."""
    numbers = {int(bare) for value in values if (bare := "".join(c for c in value if c.isdecimal())[:30])}
    return bool(numbers) and len(numbers) > _DENSE * (max(numbers) - min(numbers) + 1)
