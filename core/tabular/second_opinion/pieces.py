"""Pieces of an identifier that stand, as they were, at the same place of every value of another column.

The last four digits of a number, the first letters of a name or somebody's initials lead back to few people
however random the rest is. Whose is whose need not be known: a column holds the piece if its characters at
some place are the original's as often as those are, which values drawn anew are not.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from core.coding import IntArray, distinct_values
from core.comparing.numbers import counted_numbers
from core.comparing.readings import folded_texts, together
from core.comparing.sets import Counted, are_drawn_alike
from core.tabular.second_opinion.numbering import same_number_same_record
from core.tabular.second_opinion.pair import remembered
from core.tabular.second_opinion.search import Derivation, Search

_LONGEST = 24  # characters of a value
_LENGTHS = (2, 3)  # characters of the pieces that are looked for; of digits alone three
_FEWEST_RECORDS = 50
_LEAST_DISTINCT = 0.1  # share of records, below which a piece leads to too many
_MOST_COLUMNS = 12  # of either table
_MOST_NAMES = 3  # columns of names of which two give initials
_PROBED, _NEARLY_ALL = 100, 0.97  # pieces of which nearly all must be the original's
_MIX = np.uint64(0x9E3779B97F4A7C15)

_WORDS = r"^[^\p{L}]*(?P<first>\p{L})\p{L}*(?:[^\p{L}]+(?:.*[^\p{L}])?(?P<last>\p{L})\p{L}*)?[^\p{L}]*$"

_Letters = npt.NDArray[np.str_]
_Place = tuple[int, int]  # from the beginning (0) or the end (1) of a value, and how many characters from it


@dataclass(frozen=True, kw_only=True, eq=False)
class _Spelled:
    """The distinct values of a column, in small letters and without signs."""

    columns: tuple[str, ...]  # its name; of initials out of two columns, both names
    texts: list[str]  # at most 24 characters each
    counts: IntArray  # shape (n_values,): records of each

    @cached_property
    def sides(self) -> tuple[npt.NDArray[np.uint32], ...]:
        """Return shape (n_values, 24) twice: the characters from the beginning, and from the end."""
        both = self.texts, [text[::-1] for text in self.texts]
        return tuple(
            np.array(each, dtype=f"U{_LONGEST}").view(np.uint32).reshape(-1, _LONGEST) for each in both
        )

    @cached_property
    def shortest(self) -> int:
        """Return how long nearly all values are at least."""
        return int(np.quantile([len(text) for text in self.texts], 0.02))

    @remembered
    def numbers(self, places: tuple[_Place, ...]) -> Counted:
        """Return the distinct characters at some places, as numbers, and the records of each."""
        number = np.zeros(len(self.texts), dtype=np.uint64)
        for side, place in places:
            number = number * _MIX + self.sides[side][:, place]
        pieces, codes = np.unique(number, return_inverse=True)
        return pieces, np.bincount(codes, weights=self.counts).astype(np.int64)

    @cached_property
    def pieces(self) -> tuple[tuple[_Place, ...], ...]:
        """Return the places of all pieces."""
        is_varied = len({len(text) for text in self.texts}) > 1
        return tuple(
            tuple((side, place) for place in range(first, first + length))[:: -1 if side else 1]
            for length in _LENGTHS
            for side in range(1 + is_varied)
            for first in range(self.shortest - length + 1)
        )

    @remembered
    def characters(self, place: _Place) -> frozenset[int]:
        """Return the characters that stand at a place."""
        return frozenset(np.flatnonzero(np.bincount(self.sides[place[0]][:, place[1]])).tolist())


def measure_pieces(search: Search) -> Iterator[Derivation]:
    """Yield each column that holds pieces of identifiers that lead to few people."""
    if search.n_told_apart < _FEWEST_RECORDS:
        return
    tokens = list(itertools.islice(_tokens(search), _MOST_COLUMNS))
    sought = list(_sought(search)) if tokens else []
    for anonymized in tokens:
        (name,), texts = anonymized.columns, pa.array(anonymized.texts, pa.string())
        is_counted = counted_numbers(texts) is not None
        explained = {place for one, is_date in sought if is_date for place in _places(one, anonymized)}
        found = {
            one.columns: places
            for one, is_date in sought
            if not is_date
            and not (is_counted and not same_number_same_record(search.tables, one.columns[0], name))
            and (places := _places(one, anonymized) - explained)
        }
        held = tuple(sorted({place for places in found.values() for place in places}))
        n = int(anonymized.counts.sum())
        share = len(anonymized.numbers(held)[0]) / n
        if found and share >= _LEAST_DISTINCT:
            original, *others = dict.fromkeys(itertools.chain(*found))
            yield search.derivation(
                original,
                *anonymized.columns,
                kind="piece",
                counts=(n, n),
                distinct_share=share,
                others=tuple(others),
            )


def _sought(search: Search) -> Iterator[tuple[_Spelled, bool]]:
    """Yield the columns that identify people and were to be gone, and those of dates; whether it is one."""
    n_found = 0
    names: list[str] = []
    for name in search.originals:
        amounts = search.amounts("original", name, sampled=True)
        is_date = amounts is not None and amounts.kind == "date"
        if (is_date or (search.identifies(name) and search.taken_out(name))) and n_found < _MOST_COLUMNS:
            spelled = _spelled(search, "original", name)
            if spelled is not None:
                n_found += 1
                yield spelled, is_date
                names += [name] if "".join(spelled.texts[:_PROBED]).isalpha() else []
    for initials in _initials(search, names[:_MOST_NAMES]):
        yield initials, False


def _initials(search: Search, names: Sequence[str]) -> Iterator[_Spelled]:
    """Yield the first letters of the first and the last word of each column of names, and of two columns."""
    letters = {name: _first_letters(search, name) for name in names}
    of_one = [((name,), *letters[name]) for name in names]
    of_two = [((a, b), letters[a][0], letters[b][0]) for a, b in itertools.permutations(names, 2)]
    for columns, first, last in (*of_one, *of_two):
        both, counts = np.unique(np.char.add(first, last), return_counts=True)
        fit = np.char.str_len(both) == 2
        if fit.any():
            yield _Spelled(columns=columns, texts=both[fit].tolist(), counts=counts[fit])


def _first_letters(search: Search, name: str) -> tuple[_Letters, _Letters]:
    """Return the first letter of each cell, and of the last of its words where there are several."""
    column = distinct_values(search.cells("original", name, sampled=False))
    found = pc.extract_regex(folded_texts(column.values), _WORDS)
    parts = (pc.fill_null(pc.struct_field(found, part), "").to_pylist() for part in ("first", "last"))
    first, last = (np.array([*part, ""], dtype="U1")[column.codes] for part in parts)
    return first, last


def _tokens(search: Search) -> Iterator[_Spelled]:
    """Yield the columns that were added, and those whose values stand for what was to be gone."""
    for name in search.candidates:
        own = search.stands_for.get(name)
        if own is not None and not search.tables.log.entry(own).takes_out:
            continue
        if search.tables.distinct_share("anonymized", name) >= _LEAST_DISTINCT:
            spelled = _spelled(search, "anonymized", name)
            if spelled is not None:
                yield spelled


def _spelled(search: Search, side: str, name: str) -> _Spelled | None:
    column = distinct_values(search.cells(side, name, sampled=False))
    texts = together(folded_texts(column.values))
    lengths = pc.utf8_length(texts).to_numpy(zero_copy_only=False)
    fit = (lengths > 0) & (lengths <= _LONGEST)
    if not fit.any() or column.counts[fit].sum() < _NEARLY_ALL * column.n_filled:
        return None
    return _Spelled(columns=(name,), texts=texts.filter(pa.array(fit)).to_pylist(), counts=column.counts[fit])


def _places(original: _Spelled, anonymized: _Spelled) -> frozenset[_Place]:
    """Return the places of the anonymized values that hold a piece of the original's."""
    found: set[_Place] = set()
    for after, before in itertools.product(anonymized.pieces, original.pieces):
        if len(after) == len(before) and not found.issuperset(after):
            alike = zip(map(original.characters, before), map(anonymized.characters, after), strict=True)
            if all(ours >= theirs for ours, theirs in alike) and _are_kept(
                original.numbers(before), anonymized.numbers(after)
            ):
                found.update(after)
    return frozenset(found)


def _are_kept(before: Counted, after: Counted) -> bool:
    """Whether pieces that vary occur as often as before; first looked at by a few."""
    probe = after[0][:: max(1, len(after[0]) // _PROBED)]
    known = np.isin(probe, before[0]).mean() if len(after[0]) > 1 else 0.0
    return bool(known >= _NEARLY_ALL) and are_drawn_alike(before, after)
