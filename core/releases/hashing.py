"""Counts of classes under hashes with a key, so that they can be kept without the values they stand for.

Each distinct value of a column is hashed once, those of a class together, and a class with a sensitive value
likewise (BLAKE2b with a key, RFC 7693). Who has not the key can neither try a value out nor see that two
classes share one.
"""

import hashlib
import hmac
from collections.abc import Iterable, Sequence
from dataclasses import replace

import numpy as np

from core.coding import CodedColumn, CodedTable, combination_codes
from core.coding import coded as coded_values
from core.releases.counts import PART_BITS, ClassCounts, KeyArray, ValueCounts, count_classes
from core.releases.settings import ReleasedTable
from core.values.stretches import in_one_form

_BYTES = 8  # of a hash


def hashed_counts(table: ReleasedTable, salt: bytes) -> ClassCounts:
    """Count a table's classes and values by hash; persons where a column says whose a record is.

    Values are hashed in one spelling, a missing quasi-identifier as a value of its own.
    """
    of_value, of_class, of_both = (
        hmac.digest(salt, what, "sha256") for what in (b"value", b"class", b"value in class")
    )
    coded, roles, n_records = CodedTable(table=table.dataset.table), table.roles, table.dataset.n_records
    columns = {name: _folded(coded[name].trimmed) for name in (*roles.quasi_identifiers, *roles.sensitive)}
    codes = {name: each.codes.astype(np.int64) for name, each in columns.items()}
    classes = combination_codes([codes[name] for name in roles.quasi_identifiers], n_records=n_records)
    unit = None if roles.person is None else coded[roles.person].trimmed.codes.astype(np.int64)
    counts = count_classes(classes, {name: codes[name] for name in roles.sensitive}, unit=unit)
    first = np.zeros(int(classes.max(initial=-1)) + 1, dtype=np.int64)
    first[classes[::-1]] = np.arange(n_records)[::-1]
    records = first[counts.keys.astype(np.int64)]
    words = {name: _of_values(each, name, of_value) for name, each in columns.items()}
    hashed = _of_rows([words[name][codes[name][records]] for name in roles.quasi_identifiers], of_class)
    order = np.argsort(hashed)
    place = np.empty_like(order)
    place[order] = np.arange(len(order))
    values = {}
    for name, each in counts.values.items():
        told = words[name][each.part.astype(np.int64)]
        part = _of_rows([hashed[each.class_of], told], of_both) >> np.uint64(64 - PART_BITS)
        values[name] = ValueCounts.in_order(place[each.class_of], part, each.counts)
    return ClassCounts(keys=hashed[order], counts=counts.counts[order], values=values)


def _folded(column: CodedColumn) -> CodedColumn:
    """Return a column in which values that differ in their spelling alone are one."""
    values = in_one_form(column.values)
    if values.equals(column.values):
        return column
    found = coded_values(values)
    return replace(found, codes=np.append(found.codes, -1)[column.codes], name=column.name)


def _of_values(column: CodedColumn, name: str, key: bytes) -> KeyArray:
    """Return shape (n_values + 1,): the hash of each value, and of a missing one, of a column so named."""
    head = f"{len(name)} {name} "
    texts = (*(f"{head}={value}" for value in column.values.to_pylist()), head)
    return _hashes((words.encode("utf-8", "surrogatepass") for words in texts), key)


def _of_rows(columns: Sequence[KeyArray], key: bytes) -> KeyArray:
    """Return shape (n,): the hash of each row of hashes."""
    rows = np.column_stack(columns).astype("<u8").tobytes()
    width = _BYTES * len(columns)
    return _hashes((rows[at : at + width] for at in range(0, len(rows), width)), key)


def _hashes(messages: Iterable[bytes], key: bytes) -> KeyArray:
    blake2b = hashlib.blake2b
    found = b"".join([blake2b(each, digest_size=_BYTES, key=key).digest() for each in messages])
    return np.frombuffer(found, "<u8").astype(np.uint64)
