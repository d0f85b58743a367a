"""A column of two releases that wrote its values more or less coarsely, as stretches of one line.

Where releases cut the line differently, their values are not equal and yet overlap.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from core.coding import BoolArray, CodedColumn, CodedTable, FloatArray, IntArray
from core.values.stretches import Ends, code_ends, code_heads, day_ends, in_one_spelling, number_ends

_MOSTLY = 0.9  # share of a column's distinct values that must be of a kind; the others stand for themselves


@dataclass(frozen=True, kw_only=True, eq=False)
class Aligned:
    """A column of two releases, coded so that what may be the same has one code."""

    name: str
    later: IntArray  # shape (n_records,): codes from 0, missing is a value of its own
    earlier: IntArray
    # by code of `written`, where each value begins and ends on the line, NaN for what is no stretch; None
    # where no value of one release overlaps an unequal one of the other
    ends: Ends | None = None
    written_later: IntArray  # shape (n_records,): alike only for equal written values
    written_earlier: IntArray
    is_read: bool = False  # whether values are numbers, days or codes on a line, and no other words

    def written(self, *, is_later: bool) -> IntArray:
        """Return the codes of written values in one of the releases."""
        return self.written_later if is_later else self.written_earlier

    @property
    def is_changed(self) -> bool:
        """Return whether the releases cut the line differently."""
        return self.ends is not None


def aligned(later: CodedTable, earlier: CodedTable, name: str) -> Aligned:
    """Code a column of two releases alike.

    Where the releases cut a line differently, values that overlap, over however many others, get one code:
    the finest that both releases can be made as coarse as. Else equal values do: letter case, width, dashes
    and the way an interval is written aside, unless one release tells them apart.
    """
    (one, other), values = joint_codes(later[name].trimmed, earlier[name].trimmed)
    one, other = one + 1, other + 1
    ends = _ends(values, _present(one, len(values)), _present(other, len(values)))
    is_read = ends is not None
    if ends is not None:
        one, other, ends = _as_stretches(one, other, ends)
        n_values = len(ends[0])
        if not _cut_differently(*ends, _present(one, n_values), _present(other, n_values)):
            ends = None
    if ends is None:
        return Aligned(
            name=name, later=one, earlier=other, written_later=one, written_earlier=other, is_read=is_read
        )
    merged = _components(*ends)
    padded = tuple(np.concatenate([[np.nan], end]) for end in ends)
    group = np.concatenate([[0], merged + 1])
    return Aligned(
        name=name,
        later=group[one],
        earlier=group[other],
        ends=(padded[0], padded[1]),
        written_later=one,
        written_earlier=other,
        is_read=True,
    )


def _as_stretches(one: IntArray, other: IntArray, ends: Ends) -> tuple[IntArray, IntArray, Ends]:
    """Return codes from 1 that are alike for equal stretches, such as ``60+`` and ``≥60``, and their ends.

    Where a release tells equal stretches apart they stay apart.
    """
    low, high = ends
    known = ~np.isnan(low)
    place = np.zeros(len(low), dtype=np.int64)
    stretches, place[known] = np.unique(np.stack([low[known], high[known]]), axis=1, return_inverse=True)
    n_known = stretches.shape[1]
    place[~known] = n_known + np.arange(np.count_nonzero(~known))
    for codes in (one, other):
        present = np.flatnonzero(_present(codes, len(low)))
        if len(np.unique(place[present])) < len(present):
            return one, other, ends
    nothing = np.full(np.count_nonzero(~known), np.nan)
    to = np.concatenate([[0], place + 1])
    merged = np.concatenate([stretches[0], nothing]), np.concatenate([stretches[1], nothing])
    return to[one], to[other], merged


def joint_codes(one: CodedColumn, other: CodedColumn) -> tuple[tuple[IntArray, IntArray], pa.Array]:
    """Return the records' codes in both columns, alike for equal values, -1 for missing; and the values."""
    every = pa.concat_arrays([one.values.cast(pa.large_string()), other.values.cast(pa.large_string())])
    places, values = _alike(every, len(one.values))
    codes = np.append(places, -1)
    second = np.where(other.codes < 0, -1, other.codes + len(one.values))
    return (codes[one.codes], codes[second]), values


def _alike(every: pa.Array, n_first: int) -> tuple[IntArray, pa.Array]:
    """Return codes of the values of both, and the first value of each.

    Other letter case, width and dashes make no other value, unless one of them tells these apart.
    """
    for spelled in (in_one_spelling(every), every):
        places = spelled.dictionary_encode().indices.to_numpy(zero_copy_only=False).astype(np.int64)
        if all(len(np.unique(each)) == len(each) for each in (places[:n_first], places[n_first:])):
            break
    return places, every.take(pa.array(np.unique(places, return_index=True)[1]))


def _present(codes: IntArray, n_values: int) -> BoolArray:
    return np.bincount(codes, minlength=n_values + 1)[1:] > 0


def _ends(words: pa.Array, in_later: BoolArray, in_earlier: BoolArray) -> Ends | None:
    """Return where values begin and end, shape (n_values,) each; None where they are none, or all in both."""
    if not len(words) or (in_later & in_earlier).all():
        return None
    values = words.to_pylist()
    told = np.array([value.strip("*") != "" for value in values])
    for read in (number_ends, day_ends, _codes):
        low, high = read(values, (in_later, in_earlier))
        if np.count_nonzero(~np.isnan(low)) >= _MOSTLY * np.count_nonzero(told) > 0:
            return low, high
    return None


def _cut_differently(low: FloatArray, high: FloatArray, in_later: BoolArray, in_earlier: BoolArray) -> bool:
    """Return whether some value of one release overlaps a value of the other that is not the same stretch."""
    known = ~np.isnan(low)
    for mine, others in ((in_later, in_earlier), (in_earlier, in_later)):
        own = np.flatnonzero(mine & ~others & known)
        theirs = np.flatnonzero(others & known)
        # for each: the stretches that begin before its end, less those that end before it begins
        begun = np.searchsorted(np.sort(low[theirs]), high[own], side="left")
        ended = np.searchsorted(np.sort(high[theirs]), low[own], side="right")
        stretches = set(zip(low[theirs].tolist(), high[theirs].tolist(), strict=True))
        overlaps = (begun - ended) > 0
        if any(
            (low[at], high[at]) not in stretches or n > 1
            for at, n in zip(own[overlaps], (begun - ended)[overlaps], strict=True)
        ):
            return True
    return False


def _components(low: FloatArray, high: FloatArray) -> IntArray:
    """Return shape (n_values,): a number for each set of stretches that hang together."""
    known = np.flatnonzero(~np.isnan(low))
    order = known[np.argsort(low[known], kind="stable")]
    reach = np.maximum.accumulate(high[order])
    starts = np.append(True, low[order][1:] >= reach[:-1])[: len(order)]
    found = np.arange(len(low)) + len(low)  # values that are no stretch stand for themselves
    found[order] = np.cumsum(starts) - 1
    return found


def _codes(values: Sequence[str], parts: Sequence[BoolArray]) -> Ends:
    """Read values as codes that were cut short, by stars or to fewer characters, from the right."""
    heads, has_stars = code_heads(values)
    if not has_stars and not _are_cut(heads, *parts):
        return np.full(len(values), np.nan), np.full(len(values), np.nan)
    return code_ends(heads)


def _are_cut(heads: Sequence[str], in_later: BoolArray, in_earlier: BoolArray) -> bool:
    """Return whether one release has the beginnings of the other's codes, all of one length."""
    for short, long in ((in_later, in_earlier), (in_earlier, in_later)):
        lengths = {len(head) for head, here in zip(heads, short, strict=True) if here and head}
        if len(lengths) != 1:
            continue
        (length,) = lengths
        beginnings = {head for head, here in zip(heads, short, strict=True) if here}
        longer = [head for head, here in zip(heads, long, strict=True) if here and len(head) > length]
        if (
            length > 1
            and longer
            and sum(head[:length] in beginnings for head in longer) >= _MOSTLY * len(longer)
        ):
            return True
    return False
