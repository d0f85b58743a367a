"""Counts of classes under hashes with a key, so that they can be kept without the values they stand for.

Each distinct value of a column is hashed once (HMAC-SHA-256); the numbers of a class are then hashed
together, all classes at once (SipHash-2-4: Aumasson & Bernstein, INDOCRYPT 2012), and those of a class and a
sensitive value likewise. Who has not the key can neither try a value out nor see that two classes share one.
"""

import hashlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

import numpy as np

from core.coding import CodedColumn, CodedTable, IntArray, combination_codes
from core.coding import coded as coded_values
from core.releases.counts import PART_BITS, ClassCounts, KeyArray, ValueCounts, count_classes
from core.releases.settings import ReleasedTable
from core.stretches import in_one_form

_BLOCK = 64  # bytes of a block of SHA-256
_SIP_START = (0x736F6D6570736575, 0x646F72616E646F6D, 0x6C7967656E657261, 0x7465646279746573)


def hashing(salt: bytes) -> Callable[[bytes], bytes]:
    """Return HMAC-SHA-256 with one key, the first 8 bytes of it; the key's blocks are hashed once."""
    key = (hashlib.sha256(salt).digest() if len(salt) > _BLOCK else salt).ljust(_BLOCK, b"\0")
    inner = hashlib.sha256(bytes(byte ^ 0x36 for byte in key))
    outer = hashlib.sha256(bytes(byte ^ 0x5C for byte in key))

    def digest(message: bytes) -> bytes:
        first, second = inner.copy(), outer.copy()
        first.update(message)
        second.update(first.digest())
        return second.digest()[:8]

    return digest


def as_keys(digests: Sequence[bytes]) -> KeyArray:
    """Return shape (n,): 8 bytes each as little-endian numbers."""
    return np.frombuffer(b"".join(digests), "<u8").astype(np.uint64)


def siphash(words: Sequence[KeyArray], key: bytes, *, rest: int | None = None) -> KeyArray:
    """Return shape (n,): SipHash-2-4 of n messages of as many 64-bit words, which are little-endian.

    The key has 16 bytes. `rest` is the last block, the bytes after the words with the length of a message
    above them; None where the words are all.
    """
    halves = np.frombuffer(key, "<u8")
    v = [np.full(len(words[0]), halves[at % 2] ^ np.uint64(start)) for at, start in enumerate(_SIP_START)]
    last = np.uint64(8 * len(words) % 256 << 56 if rest is None else rest)
    for word in (*words, last):
        v[3] ^= word
        _rounds(v, 2)
        v[0] ^= word
    v[2] ^= np.uint64(0xFF)
    _rounds(v, 4)
    return v[0] ^ v[1] ^ v[2] ^ v[3]


def _rounds(v: list[KeyArray], n: int) -> None:
    for _ in range(n):
        for one, other, by in ((0, 1, 13), (2, 3, 16), (0, 3, 21), (2, 1, 17)):
            v[one] += v[other]
            v[other] = _turned(v[other], by) ^ v[one]
            if other == 1:
                v[one] = _turned(v[one], 32)


def _turned(words: KeyArray, by: int) -> KeyArray:
    turned: KeyArray = words << np.uint64(by)
    turned |= words >> np.uint64(64 - by)
    return turned


def hashed_counts(table: ReleasedTable, salt: bytes, *, is_folded: bool = True) -> ClassCounts:
    """Count a table's classes and values by hash; persons where a column says whose a record is.

    Values are hashed in one spelling, unless they are to be told apart as written (`is_folded`).
    """
    digest = hashing(salt)
    key = digest(b"first half") + digest(b"second half")
    coded = CodedTable(table=table.dataset.table)
    roles = table.roles
    columns = {name: coded[name].trimmed for name in (*roles.quasi_identifiers, *roles.sensitive)}
    if is_folded:
        columns = {name: _folded(column) for name, column in columns.items()}
    counts, first = counted(table, coded, columns)
    words = [
        _words(columns[name], name, digest)[columns[name].codes[first]] for name in roles.quasi_identifiers
    ]
    classes = siphash(words, key)
    order = np.argsort(classes)
    place = np.empty_like(order)
    place[order] = np.arange(len(order))
    values = {}
    for name, each in counts.values.items():
        told = _words(columns[name], name, digest)[each.part.astype(np.int64)]
        part = siphash([classes[each.class_of], told], key) >> np.uint64(64 - PART_BITS)
        values[name] = ValueCounts.in_order(place[each.class_of], part, each.counts)
    return ClassCounts(keys=classes[order], counts=counts.counts[order], values=values)


def _folded(column: CodedColumn) -> CodedColumn:
    """Return a column in which values that differ in their spelling alone are one."""
    values = in_one_form(column.values)
    if values.equals(column.values):
        return column
    found = coded_values(values)
    return replace(found, codes=np.append(found.codes, -1)[column.codes], name=column.name)


def counted(
    table: ReleasedTable, coded: CodedTable, columns: Mapping[str, CodedColumn]
) -> tuple[ClassCounts, IntArray]:
    """Count a table's classes and values by their codes; and return a record of each class."""
    roles, n_records = table.roles, table.dataset.n_records
    unit = None if roles.person is None else coded[roles.person].trimmed.codes.astype(np.int64)
    classes = combination_codes(
        [columns[name].codes.astype(np.int64) for name in roles.quasi_identifiers], n_records=n_records
    )
    values = {name: columns[name].codes.astype(np.int64) for name in roles.sensitive}
    counts = count_classes(classes, values, unit=unit)
    first = np.zeros(int(classes.max(initial=-1)) + 1, dtype=np.int64)
    first[classes[::-1]] = np.arange(n_records)[::-1]
    return counts, first[counts.keys.astype(np.int64)]


def _words(column: CodedColumn, name: str, digest: Callable[[bytes], bytes]) -> KeyArray:
    """Return shape (n_values + 1,): the hash of each value, and of a missing one, of a column so named."""
    head = f"{len(name)} {name} "
    texts = (*(f"{head}={value}" for value in column.values.to_pylist()), head)
    return as_keys([digest(words.encode("utf-8", "surrogatepass")) for words in texts])
