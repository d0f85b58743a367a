"""One number masked twice, with other places visible each time: laid over each other they show more."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import combinations

import numpy as np
import numpy.typing as npt

from core.chance import NO_ACCIDENT, binomial_tail
from core.coding import BoolArray, CodedTable, IntArray
from core.delivery.keys import Persons, Place

Letters = npt.NDArray[np.uint32]
_MARKS = frozenset(map(ord, "*#•●■□xX?_·-"))
_HIDDEN, _AGREE = 0.95, 0.95  # share of cells that hide a place, and of persons whose visible places agree
_FEWEST_PERSONS, _SHORTEST, _LONGEST = 20, 5, 40


@dataclass(frozen=True, kw_only=True, eq=False)
class Overlay:
    """Two columns of masked numbers of the same persons."""

    one: Place
    other: Place
    n_places: int  # of a number, those that each column shows, and both together
    n_shown: tuple[int, int]
    n_together: int
    alike: IntArray  # shape (n_persons,): how many persons have the same number as both together show it


@dataclass(frozen=True, kw_only=True, eq=False)
class _Masked:
    place: Place
    letters: Letters  # shape (n_persons, n_places): code points; 0 where a person has no cell
    shown: BoolArray  # shape (n_places,)


def overlays(tables: Mapping[str, CodedTable], persons: Persons) -> tuple[Overlay, ...]:
    """Return two columns each that mask one number differently: they agree where both show a place.

    At least one place has to be shown by both, by which it is seen to be one number, beyond chance.
    """
    masked = [
        each
        for name, person in persons.of_record.items()
        for column in tables[name].table.column_names
        if (each := _masked(Place(name, column), tables[name], person, persons.n_persons)) is not None
    ]
    pairs = list(combinations(masked, 2))
    found = (_overlay(one, other, len(pairs)) for one, other in pairs)
    return tuple(each for each in found if each is not None)


def _masked(place: Place, table: CodedTable, person: IntArray, n_persons: int) -> _Masked | None:
    cells = table[place.column].trimmed
    some = cells.values.slice(0, 50).to_pylist()
    if not some or not _SHORTEST <= len(some[0]) <= _LONGEST or len({*map(len, some)}) > 1:
        return None
    if not any(ord(letter) in _MARKS for letter in some[0]):
        return None
    values, wide = [each.upper() for each in cells.values.to_pylist()], len(some[0])
    if any(len(each) != wide for each in values):
        return None
    letters = np.array([*values, ""], dtype=f"<U{wide}").view(np.uint32).reshape(-1, wide)
    of_person = np.zeros((n_persons, wide), dtype=np.uint32)
    known = person >= 0
    of_person[person[known]] = letters[cells.codes[known]]
    filled = of_person[:, 0] > 0
    if np.count_nonzero(filled) < _FEWEST_PERSONS:
        return None
    is_mark = np.isin(of_person[filled], [*_MARKS, *(ord(chr(each).upper()) for each in _MARKS)])
    hidden = is_mark.mean(axis=0) >= _HIDDEN
    return (
        _Masked(place=place, letters=of_person, shown=~hidden) if hidden.any() and not hidden.all() else None
    )


def _overlay(one: _Masked, other: _Masked, n_tried: int) -> Overlay | None:
    if len(one.shown) != len(other.shown):
        return None
    together = one.shown | other.shown
    if (together == one.shown).all() or (together == other.shown).all():
        return None
    filled = (one.letters[:, 0] > 0) & (other.letters[:, 0] > 0)
    mine, theirs = one.letters[filled], other.letters[filled]
    both = [*_telling(mine, theirs, np.flatnonzero(one.shown & other.shown))]
    if len(mine) < _FEWEST_PERSONS or not both:
        return None
    agreed = (mine[:, both] == theirs[:, both]).all(axis=1)
    shares = [
        sum(
            float(np.mean(mine[:, at] == each) * np.mean(theirs[:, at] == each))
            for each in np.unique(mine[:, at])
        )
        for at in both
    ]
    n = int(agreed.sum())
    if (
        n < _AGREE * len(mine)
        or float(binomial_tail(n, len(mine), float(np.prod(shares)))) >= NO_ACCIDENT / n_tried
    ):
        return None
    seen = np.where(one.shown, mine, theirs)[:, together]
    _, place, sizes = np.unique(seen, axis=0, return_inverse=True, return_counts=True)
    return Overlay(
        one=one.place,
        other=other.place,
        n_places=len(together),
        n_shown=(int(one.shown.sum()), int(other.shown.sum())),
        n_together=int(together.sum()),
        alike=sizes[place.ravel()],
    )


def _telling(mine: Letters, theirs: Letters, places: IntArray) -> Iterator[int]:
    """Yield the places whose characters differ from person to person in both columns."""
    for at in places:
        if len(np.unique(mine[:, at])) > 1 and len(np.unique(theirs[:, at])) > 1:
            yield int(at)
