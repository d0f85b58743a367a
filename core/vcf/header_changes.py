"""What was done to the header's lines beside masking: their order, their number, what they declare.

Whoever masks a header blanks lines or takes them out. Those that are left stand as they stood, each as often
as it did, and declare what they declared.
"""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from collections.abc import Set as AbstractSet
from itertools import pairwise
from typing import NamedTuple

from core.vcf.header import VcfHeader, attributes_of

_DECLARING = (b"Number", b"Type")
_NAMING = (b"Source", b"Version")  # may be taken out
_DECLARATIONS = (b"##INFO", b"##FORMAT", b"##FILTER", b"##ALT")

_ID = re.compile(rb'(##[^=]*)=<(?:[^">]*,)?ID=([^,>]+)')

Identity = tuple[bytes, bytes]


class Header(NamedTuple):
    """The lines of a header, and what each is: its key and, of a definition, its ID."""

    lines: tuple[bytes, ...]
    identities: tuple[Identity, ...]


def misplaced_lines(original: VcfHeader, anonymized: VcfHeader) -> set[int]:
    """Return the lines that stand after one they preceded in the original, or more often than there.

    Lines sorted by their key, as some programs write them, are in an order that tells nothing; lines without
    an ID that masking wrote anew may stand anywhere.
    """
    identities = {raw: _identity(raw) for raw in {*original.lines, *anonymized.lines}}
    before, after = (
        Header(one.lines, tuple(map(identities.__getitem__, one.lines))) for one in (original, anonymized)
    )
    return {*_moved(before, after), *_repeated(before, after)}


def _moved(before: Header, after: Header) -> Iterator[int]:
    if _is_sorted(before.lines, after.lines):
        return
    texts, identities = Counter(before.lines), Counter(before.identities)
    pairs = [*enumerate(zip(before.lines, before.identities, strict=True))]
    by_text = {raw: place for place, (raw, _) in pairs if texts[raw] == 1}
    by_identity = {one: place for place, (_, one) in pairs if one[1] and identities[one] == 1}
    latest = -1
    for number, (raw, identity) in enumerate(zip(after.lines, after.identities, strict=True)):
        place = by_text.get(raw, by_identity.get(identity, -1))
        if 0 <= place < latest:
            yield number
        latest = max(latest, place)


def _is_sorted(before: Sequence[bytes], after: Sequence[bytes]) -> bool:
    """Tell whether lines are sorted by key, and those of one key by text or as they were."""
    places = {raw: place for place, raw in enumerate(before)}
    rows = [(raw.partition(b"=")[0], places.get(raw, -1), raw) for raw in after[1:]]
    by_text = all(one[0] < other[0] or one[2] <= other[2] for one, other in pairwise(rows))
    as_before = all(one[0] < other[0] or one[1] <= other[1] for one, other in pairwise(rows))
    return (by_text or as_before) and all(one[0] <= other[0] for one, other in pairwise(rows))


def _repeated(before: Header, after: Header) -> Iterator[int]:
    """Yield the lines that are there more often than in the original; without an ID, by what they say."""
    allowed = Counter(before.identities)
    seen: Counter[Identity] = Counter()
    for number, (raw, identity) in enumerate(zip(after.lines, after.identities, strict=True)):
        name = identity if identity[1] else (b"", raw)
        seen[name] += 1
        if seen[name] > max(1, allowed[identity]):
            yield number


def redeclared_lines(original: VcfHeader, anonymized: VcfHeader) -> set[int]:
    """Return the lines that declare a field otherwise than the original, or an earlier format."""
    known = set(original.lines)
    changed = {number: raw for number, raw in enumerate(anonymized.lines) if raw not in known}
    identities = {number: _identity(raw) for number, raw in changed.items()}
    declared = {identity for identity in identities.values() if identity[0] in _DECLARATIONS}
    own: dict[Identity, dict[bytes, bytes]] = {}
    for raw in original.lines if declared else ():
        if (identity := _identity(raw)) in declared:
            own.setdefault(identity, attributes_of(raw)[1])
    return {
        number
        for number, raw in changed.items()
        if (identities[number] in own and _declares_otherwise(raw, own[identities[number]]))
        or (raw.startswith(b"##fileformat=") and raw < original.lines[0])
    }


def _declares_otherwise(raw: bytes, own: dict[bytes, bytes]) -> bool:
    _, attributes = attributes_of(raw)
    return any(attributes.get(name) != own.get(name) for name in _DECLARING) or any(
        name in attributes and attributes[name] != own.get(name) for name in _NAMING
    )


def contigs_removed(original: VcfHeader, anonymized: VcfHeader, used: AbstractSet[bytes]) -> int:
    """Return how many of the original's contigs were taken out while others were left.

    None if exactly those are left that have records, which some programs see to.
    """
    before = set(original.contigs)
    left = before.intersection(anonymized.contigs)
    return len(before) - len(left) if left and left != before.intersection(used) else 0


def _identity(raw: bytes) -> Identity:
    """Return a line's key and, of a definition, its ID."""
    found = _ID.match(raw)
    return (found[1], found[2]) if found else (raw.partition(b"=")[0], b"")
