"""Ledgers of the first version: read still, and no longer written.

Of each class the values were hashed as one text, and of each class and sensitive value its hash with the
value, one by one (the first 64 bits of HMAC-SHA-256).
"""

import base64
from collections.abc import Mapping, Sequence

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from core.coding import CodedTable
from core.releases.counts import PART_BITS, ClassCounts, KeyArray, ValueCounts
from core.releases.hashing import as_keys, counted, hashing
from core.releases.settings import ReleasedTable

_BETWEEN = "\x1f"  # between the parts of what is hashed; in values it is doubled
_MISSING = "\x1e"


def hashed_counts(table: ReleasedTable, salt: bytes) -> ClassCounts:
    """Count a table's classes and values by the hashes of the first version."""
    coded = CodedTable(table=table.dataset.table)
    roles = table.roles
    columns = {name: coded[name].trimmed for name in (*roles.quasi_identifiers, *roles.sensitive)}
    counts, first = counted(table, coded, columns)
    parts = []
    for name in table.roles.quasi_identifiers:
        column = coded[name].trimmed
        words = [*map(_escaped, column.values.to_pylist()), _MISSING]
        codes = np.where(column.codes < 0, len(column.values), column.codes)
        parts.append(pa.array(words, pa.large_string()).take(pa.array(codes[first])))
    joined = pc.binary_join_element_wise(*parts, pa.scalar(_BETWEEN, pa.large_string())).to_pylist()
    head = _BETWEEN.join(map(_escaped, table.roles.quasi_identifiers)) + _BETWEEN
    digest = hashing(salt)
    whole = [digest((head + words).encode("utf-8", "surrogatepass")) for words in joined]
    values = {}
    for name, each in counts.values.items():
        tails = [
            f"{_BETWEEN}{_escaped(name)}{_BETWEEN}{value}".encode("utf-8", "surrogatepass")
            for value in coded[name].trimmed.values.to_pylist()
        ]
        of_class, of_value = each.class_of.tolist(), each.part.tolist()
        values[name] = as_keys(
            [digest(whole[at] + tails[value]) for at, value in zip(of_class, of_value, strict=True)]
        )
    keys = as_keys(whole)
    order = np.argsort(keys)
    place = np.argsort(order)
    return ClassCounts(
        keys=keys[order],
        counts=counts.counts[order],
        values={
            name: _values(place[each.class_of], values[name], each.counts)
            for name, each in counts.values.items()
        },
    )


def _escaped(words: str) -> str:
    return words.replace(_BETWEEN, _BETWEEN * 2).replace(_MISSING, _MISSING * 2)


def _values(class_of: np.ndarray, keys: KeyArray, counts: np.ndarray) -> ValueCounts:
    return ValueCounts.in_order(class_of, keys >> np.uint64(64 - PART_BITS), counts)


def unpacked(found: Mapping[str, object]) -> ClassCounts:
    """Return the counts of a table of a ledger; whatever is wrong with it raises what Python raises."""
    classes, values = found["classes"], found["values"]
    if not isinstance(classes, dict) or not isinstance(values, dict):
        raise TypeError
    keys, counts = _numbers([classes["hashes"], classes["counts"]])
    kept = {}
    for name, each in values.items():
        hashes, class_of, n = _numbers([each["hashes"], each["classes"], each["counts"]])
        if (class_of >= len(keys)).any():
            raise ValueError
        kept[str(name)] = _values(class_of.astype(np.int64), hashes, n.astype(np.int64))
    return ClassCounts(keys=keys, counts=counts.astype(np.int64), values=kept)


def _numbers(packed: Sequence[str]) -> list[KeyArray]:
    """Return hashes of 64 bits, and as many numbers of 32 bits of each other kind."""
    forms = ["<u8", *["<u4"] * (len(packed) - 1)]
    found = [
        np.frombuffer(base64.b64decode(each, validate=True), form).astype(np.uint64)
        for each, form in zip(packed, forms, strict=True)
    ]
    if any(len(each) != len(found[0]) for each in found):
        raise ValueError
    return found
