"""Class sizes where a missing quasi-identifier matches every value.

Classes are grouped by which of their quasi-identifiers are missing; two groups are joined on the columns
that neither misses, so the work grows with groups² and classes, never with classes².
"""

from __future__ import annotations

from typing import NamedTuple, cast

import numpy as np
import numpy.typing as npt

from core.coding import IntArray, combined_codes
from core.equivalence import EquivalenceClasses
from core.errors import AuditInputError

BoolArray = npt.NDArray[np.bool_]
CodeArray = npt.NDArray[np.int32]

_MOST_WORK = 200_000_000  # classes visited over all joins
_MOST_PAIRS = 50_000_000  # pairs of class and item that one spreading may make


class Pairs(NamedTuple):
    """How often each item occurs in each class; only pairs that occur, sorted by class, then item."""

    of_class: IntArray
    item: IntArray
    n: IntArray


def spread(pairs: Pairs, codes: CodeArray, missing: BoolArray) -> Pairs:
    """Return the pairs with each class replaced by all classes that are compatible with it."""
    groups = _groups_by_missing(missing)
    if len(groups) * len(codes) > _MOST_WORK:
        raise _too_much(len(groups))
    own = [_of_group(pairs, group, n_classes=len(codes)) for group in groups]
    found: list[Pairs] = []
    n_pairs = 0
    for receivers in groups:
        joined = [
            _join(given, codes, missing, receivers, givers) for given, givers in zip(own, groups, strict=True)
        ]
        found.append(summed(_concatenated(joined)))
        n_pairs += len(found[-1].of_class)
        if n_pairs > _MOST_PAIRS:
            raise _too_much(len(groups))
    return summed(_concatenated(found))


def compatible_sizes(
    codes: CodeArray, missing: BoolArray, classes: EquivalenceClasses, person_of_record: IntArray | None
) -> IntArray:
    """Return shape (n_classes,): records, or distinct persons, compatible with each class."""
    numbers = np.arange(classes.n_classes, dtype=np.int64)
    if person_of_record is None:
        own = Pairs(numbers, np.zeros_like(numbers), classes.class_sizes)
        return spread(own, codes, missing).n
    known = (classes.class_of_record >= 0) & (person_of_record >= 0)
    of_class, person = classes.class_of_record[known], person_of_record[known]
    persons = spread(summed(Pairs(of_class, person, np.ones_like(of_class))), codes, missing)
    return np.maximum(np.bincount(persons.of_class, minlength=classes.n_classes), 1)


def summed(pairs: Pairs) -> Pairs:
    """Return the pairs with equal ones added up, sorted by class and then by item."""
    if not len(pairs.of_class):
        return pairs
    n_items = int(pairs.item.max()) + 1
    found, position = np.unique(pairs.of_class * n_items + pairs.item, return_inverse=True)
    n = np.bincount(position, weights=pairs.n, minlength=len(found)).astype(np.int64)
    return Pairs(found // n_items, found % n_items, n)


def _groups_by_missing(missing: BoolArray) -> list[IntArray]:
    """Return the classes that miss the same columns, a group each."""
    packed = np.packbits(missing, axis=1)
    pattern = combined_codes(list(packed.T.astype(np.int64)), n_records=len(missing))
    order = np.argsort(pattern, kind="stable")
    starts = np.flatnonzero(np.diff(pattern[order])) + 1
    return cast("list[IntArray]", np.split(order, starts))


def _of_group(pairs: Pairs, group: IntArray, *, n_classes: int) -> Pairs:
    """Return the pairs of one group's classes, the class as its position in the group."""
    position = np.full(n_classes, -1, dtype=np.int64)
    position[group] = np.arange(len(group))
    place = position[pairs.of_class]
    inside = place >= 0
    return Pairs(place[inside], pairs.item[inside], pairs.n[inside])


def _join(given: Pairs, codes: CodeArray, missing: BoolArray, receivers: IntArray, givers: IntArray) -> Pairs:
    """Return what classes of one group receive from the compatible classes of another."""
    shared = np.flatnonzero(~(missing[receivers[0]] | missing[givers[0]]))
    both = np.concatenate([receivers, givers])
    combined = combined_codes([codes[both, column] for column in shared], n_records=len(both))
    keys = np.unique(combined, return_inverse=True)[1]
    offered = summed(Pairs(keys[len(receivers) :][given.of_class], given.item, given.n))
    wanted = keys[: len(receivers)]
    first = np.searchsorted(offered.of_class, wanted, side="left")
    n_taken = np.searchsorted(offered.of_class, wanted, side="right") - first
    skipped = np.repeat(first - (np.cumsum(n_taken) - n_taken), n_taken)
    taken = skipped + np.arange(int(n_taken.sum()))
    return Pairs(np.repeat(receivers, n_taken), offered.item[taken], offered.n[taken])


def _concatenated(parts: list[Pairs]) -> Pairs:
    return Pairs(*(np.concatenate(columns) for columns in zip(*parts, strict=True)))


def _too_much(n_groups: int) -> AuditInputError:
    return AuditInputError(
        f"Records miss quasi-identifiers in {n_groups:,} different ways, too many to compare each with each; "
        "count missing as a value, or leave such records out."
    )
