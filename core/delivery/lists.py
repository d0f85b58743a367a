"""Columns whose cells hold lists, such as ``chess;golf``: their parts are facts one by one."""

from dataclasses import dataclass

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from core.coding import CodedColumn, IntArray, value_codes

_MARKS = (";", "|", ",", "/")
_SEVERAL = 0.5  # share of distinct cells that hold several parts
_REPEATED = 3  # times a part stands in the distinct cells, on average
_LONGEST = 40  # letters of a part; sentences have commas too
_FEWEST_PARTS = 3


@dataclass(frozen=True, kw_only=True, eq=False)
class ItemList:
    """The parts of a column's lists, each once in a record."""

    record: IntArray  # shape (n_parts,): the record each is in, and its code from 0
    item: IntArray


def read_list(values: CodedColumn) -> ItemList | None:
    """Return the parts of the lists in a column, None where its cells hold no lists.

    They do where one mark parts at least half of the distinct cells into several short parts, each of which
    stands in three of them on average.
    """
    if len(values.values) < _FEWEST_PARTS:
        return None
    for mark in _MARKS:
        split = pc.split_pattern(values.values, mark)
        lengths = pc.list_value_length(split).to_numpy()
        if np.mean(lengths > 1) < _SEVERAL:
            continue
        parts = pc.utf8_trim_whitespace(split.flatten())
        kinds = pc.unique(parts)
        fits = len(parts) >= _REPEATED * len(kinds) >= _REPEATED * _FEWEST_PARTS
        if fits and pc.max(pc.utf8_length(kinds)).as_py() <= _LONGEST and _are_words(kinds):
            return _records(values, value_codes(parts), lengths)
    return None


def _are_words(kinds: pa.Array) -> bool:
    """Return whether parts are words or codes, and no pieces of numbers and dates."""
    return bool(pc.mean(pc.match_substring_regex(kinds, r"\p{L}")).as_py() >= _SEVERAL)


def _records(values: CodedColumn, item: IntArray, lengths: IntArray) -> ItemList:
    first = np.cumsum(lengths) - lengths
    record = np.flatnonzero(values.codes >= 0)
    cell = values.codes[record].astype(np.int64)
    n_parts = lengths[cell].astype(np.int64)
    place = np.arange(n_parts.sum()) - np.repeat(np.cumsum(n_parts) - n_parts, n_parts)
    return ItemList(record=np.repeat(record, n_parts), item=item[np.repeat(first[cell], n_parts) + place])
