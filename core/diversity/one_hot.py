"""Columns that look like one category written as several 0/1 columns."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from core.diversity.features import is_numeric, numbers_of

_END_OF_PREFIX = re.compile(r"[^\W_][\W_]+(?=[^\W_])")  # "job_", "job=", "job: "
_MOST_SPELLINGS = 16  # "0", "0.0", " 1" and the like


def zero_one_columns(table: pa.Table, columns: Sequence[str]) -> tuple[str, ...]:
    """Return the columns that hold 0 and 1 and nothing else; missing values aside, and both of them."""
    return tuple(name for name in columns if _is_zero_one(table[name]))


def suggest_one_hot_groups(table: pa.Table, columns: Sequence[str]) -> tuple[tuple[str, ...], ...]:
    """Return groups of columns that look like one category written as several 0/1 columns.

    The names of a group begin alike up to a separator ("job_clerk", "job_nurse"), and no record has
    a 1 in two of them. The shortest common beginning counts, a longer one where records have several
    1s. It is a suggestion: several rare properties of a person can look the same.

    Parameters
    ----------
    table
        Columns of text.
    columns
        Which of them to look at; those that are not 0/1 columns are passed over.

    Returns
    -------
    tuple of tuple of str
        Groups of at least two columns, in the order of the columns; no column is in two groups.
    """
    ones = {name: numbers_of(table[name]) == 1 for name in zero_one_columns(table, columns)}
    members: dict[str, list[str]] = {}
    for name in ones:
        for prefix in _prefixes(name):
            members.setdefault(prefix, []).append(name)
    place = {name: number for number, name in enumerate(ones)}
    found: list[tuple[str, ...]] = []
    grouped: set[str] = set()
    for prefix in sorted(members, key=len):
        group = tuple(name for name in members[prefix] if name not in grouped)
        if len(group) > 1 and _exclude_each_other(group, ones):
            found.append(group)
            grouped.update(group)
    return tuple(sorted(found, key=lambda group: place[group[0]]))


def _is_zero_one(column: pa.ChunkedArray) -> bool:
    distinct = pa.chunked_array([pc.drop_null(pc.unique(column))], pa.string())
    if not 2 <= len(distinct) <= _MOST_SPELLINGS or not is_numeric(distinct):
        return False
    return set(numbers_of(distinct).tolist()) == {0.0, 1.0}


def _prefixes(name: str) -> list[str]:
    return [name[: match.end()] for match in _END_OF_PREFIX.finditer(name)]


def _exclude_each_other(group: Sequence[str], ones: Mapping[str, npt.NDArray[np.bool_]]) -> bool:
    n_ones = np.zeros(len(ones[group[0]]), dtype=np.int64)
    for name in group:
        n_ones += ones[name]
    return bool(n_ones.max(initial=0) <= 1)
