"""Which anonymized record at a site is an original record's own."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Hashable, Sequence

from core.vcf.records import Record

# What two records must have in common, the closest first; of several alike, the first is the first's.
_ALIKE: tuple[Callable[[Record], Hashable], ...] = (
    lambda record: record.line,
    lambda record: (record.ref, record.alt),
    lambda record: (record.ref.upper(), record.alt.upper()),
    lambda record: (record.ref, record.rest),
    lambda record: (record.ref, record.id),
    lambda record: record.ref,
    lambda _record: None,
)


def own_records(originals: Sequence[Record], kept: Sequence[Record]) -> list[int]:
    """Return for each original record at a site the place of its own anonymized record, −1 for none.

    Records that are equal are each other's own; others are paired by REF and ALT, in any case; then by REF
    and what the masking left of the rest; then by REF; at last by their order. The work grows with the number
    of records, not with their pairs.
    """
    if len(originals) == len(kept) == 1:
        return [0]
    own = [-1] * len(originals)
    free = dict.fromkeys(range(len(kept)))
    left = list(range(len(originals)))
    for alike in _ALIKE:
        if not left or not free:
            break
        by_key: dict[Hashable, list[int]] = defaultdict(list)
        for place in reversed(free):
            by_key[alike(kept[place])].append(place)
        for number in left:
            places = by_key.get(alike(originals[number]))
            if places:
                own[number] = places.pop()
                del free[own[number]]
        left = [number for number in left if own[number] < 0]
    return own
