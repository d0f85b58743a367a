"""What is kept of a release so that the next one can be held against it: counts by salted hashes, no data.

Of each class (the combination of quasi-identifiers as written, white space around values aside) and of each
class with a known value of a sensitive attribute the ledger holds how many there are, under the first 64 bits
of HMAC-SHA-256 of what they are. The key is the publisher's salt. It stands in the ledger, unless it is kept
in a file of its own: whoever has salt and ledger can try values out, and find what the release shows anyway.
"""

from __future__ import annotations

import base64
import binascii
import hashlib
import hmac
import json
import secrets
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from core.coding import CodedTable, IntArray, combination_codes
from core.errors import AuditInputError
from core.releases.counts import ClassCounts, ValueCounts, count_classes
from core.releases.settings import EarlierTable, ReleasedTable, Roles
from core.words import input_error

FORMAT = "anonaudit-ledger"
VERSION = 1
LEAST_SALT = 16  # bytes
_SALT_BYTES = 32
_BLOCK = 64  # bytes of a block of SHA-256
_BETWEEN = "\x1f"  # between the parts of what is hashed; in values it is doubled
_MISSING = "\x1e"


@dataclass(frozen=True, kw_only=True, eq=False)
class LedgerTable:
    """The counts of one table of a release."""

    name: str
    roles: Roles  # of which columns classes and values are; whether persons were counted
    counts: ClassCounts


@dataclass(frozen=True, kw_only=True, eq=False)
class Ledger:
    """The counts of a release."""

    name: str  # of the file it was read from
    salt: bytes
    is_salt_inside: bool
    k: int
    tables: tuple[LedgerTable, ...]


def ledger_table(table: ReleasedTable, salt: bytes) -> LedgerTable:
    """Count a table's classes and values by salted hash; persons where a column says whose a record is."""
    roles = table.roles.common(table.dataset.columns)
    coded = CodedTable(table=table.dataset.table)
    unit = None if roles.person is None else coded[roles.person].trimmed.codes.astype(np.int64)
    columns = [coded[name].trimmed for name in roles.quasi_identifiers]
    classes = combination_codes(
        [each.codes.astype(np.int64) + 1 for each in columns], n_records=table.dataset.n_records
    )
    values = {name: coded[name].trimmed for name in roles.sensitive}
    counts = count_classes(
        classes, {name: each.codes.astype(np.int64) for name, each in values.items()}, unit=unit
    )
    first = np.unique(classes, return_index=True)[1][counts.keys.astype(np.int64)]
    parts = [
        pc.fill_null(
            each.values.cast(pa.large_string()).take(pa.array(_codes_or_null(each.codes[first]))), _MISSING
        )
        for each in columns
    ]
    written = {name: each.values.to_pylist() for name, each in values.items()}
    digest = _hashing(salt)
    head = _BETWEEN.join(map(_escaped, roles.quasi_identifiers)) + _BETWEEN
    texts = _joined(parts, len(first))
    whole = [digest((head + words).encode("utf-8", "surrogatepass")) for words in texts]
    return LedgerTable(name=table.name, roles=roles, counts=_by_hash(counts, whole, written, digest))


def _codes_or_null(codes: IntArray) -> pa.Array:
    return pa.array(codes, pa.int64(), mask=codes < 0)


def _escaped(words: str) -> str:
    return words.replace(_BETWEEN, _BETWEEN * 2).replace(_MISSING, _MISSING * 2)


def _joined(parts: Sequence[pa.Array], n: int) -> list[str]:
    """Return each class in one text, that only it has."""
    if not parts:
        return [""] * n
    escaped = []
    for part in parts:
        encoded = part.dictionary_encode()
        values = [each if each == _MISSING else _escaped(each) for each in encoded.dictionary.to_pylist()]
        escaped.append(pa.array(values, pa.large_string()).take(encoded.indices))
    found: list[str] = pc.binary_join_element_wise(
        *escaped, pa.scalar(_BETWEEN, pa.large_string())
    ).to_pylist()
    return found


def _hashing(salt: bytes) -> Callable[[bytes], bytes]:
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


def _by_hash(
    counts: ClassCounts,
    whole: Sequence[bytes],
    written: Mapping[str, Sequence[str]],
    digest: Callable[[bytes], bytes],
) -> ClassCounts:
    """Return the counts with hashes for keys; a value is hashed with its class and its attribute's name."""
    keys = np.frombuffer(b"".join(whole), "<u8").astype(np.uint64)
    order = np.argsort(keys)
    place = np.empty_like(order)
    place[order] = np.arange(len(order))
    values = {}
    for name, each in counts.values.items():
        if each.codes is None:
            continue
        tails = [
            f"{_BETWEEN}{_escaped(name)}{_BETWEEN}{value}".encode("utf-8", "surrogatepass")
            for value in written[name]
        ]
        hashes = [
            digest(whole[at] + tails[value])
            for at, value in zip(each.class_of.tolist(), each.codes.tolist(), strict=True)
        ]
        cell = np.frombuffer(b"".join(hashes), "<u8").astype(np.uint64)
        by_key = np.argsort(cell)
        values[name] = ValueCounts(
            keys=cell[by_key], class_of=place[each.class_of][by_key], counts=each.counts[by_key]
        )
    return ClassCounts(keys=keys[order], counts=counts.counts[order], values=values)


def new_ledger(
    tables: Sequence[ReleasedTable],
    *,
    k: int,
    earlier: Sequence[EarlierTable | Ledger] = (),
    salt: bytes | None = None,
) -> bytes:
    """Return a release's ledger, with the salt given, that of the first earlier ledger, or a fresh one."""
    known = [each.salt for each in earlier if isinstance(each, Ledger) and each.is_salt_inside]
    used = salt or next(iter(known), None) or secrets.token_bytes(_SALT_BYTES)
    counted = [ledger_table(table, used) for table in tables if table.roles.quasi_identifiers]
    return ledger_bytes(counted, salt=used, is_salt_inside=salt is None, k=k)


def ledger_bytes(tables: Sequence[LedgerTable], *, salt: bytes, is_salt_inside: bool, k: int) -> bytes:
    """Return the ledger of a release as the bytes of a JSON file, sealed with the salt."""
    document: dict[str, object] = {
        "format": FORMAT,
        "version": VERSION,
        "hash": "hmac-sha-256-64",
        "salt": base64.b64encode(salt).decode() if is_salt_inside else None,
        "salt_check": _salt_check(salt),
        "k": k,
        "tables": [_table_document(table) for table in tables],
    }
    return json.dumps(document | {"seal": _seal(document, salt)}, ensure_ascii=False, indent=1).encode()


def _table_document(table: LedgerTable) -> dict[str, object]:
    counts = table.counts
    return {
        "table": table.name,
        "counts": "record" if table.roles.person is None else "person",
        "person_column": table.roles.person,
        "quasi_identifiers": list(table.roles.quasi_identifiers),
        "n": counts.n,
        "n_classes": len(counts.keys),
        "classes": {"hashes": _packed(counts.keys, "<u8"), "counts": _packed(counts.counts, "<u4")},
        "values": {
            name: {
                "hashes": _packed(each.keys, "<u8"),
                "classes": _packed(each.class_of, "<u4"),
                "counts": _packed(each.counts, "<u4"),
            }
            for name, each in counts.values.items()
        },
    }


def _packed(numbers: np.ndarray, form: str) -> str:
    return base64.b64encode(numbers.astype(form).tobytes()).decode()


def _salt_check(salt: bytes) -> str:
    return hmac.new(salt, FORMAT.encode(), "sha256").hexdigest()[:16]


def _seal(document: Mapping[str, object], salt: bytes) -> str:
    words = json.dumps(document, ensure_ascii=False, sort_keys=True, separators=(",", ":"))
    return hmac.new(salt, words.encode("utf-8", "surrogatepass"), "sha256").hexdigest()


def read_ledger(data: bytes, *, name: str, salt: bytes | None = None) -> Ledger:
    """Read a ledger.

    Parameters
    ----------
    data
        The bytes of the file.
    name
        Its name, for messages.
    salt
        The publisher's salt, where it is kept apart; None takes the one in the ledger.

    Raises
    ------
    AuditInputError
        No ledger, or one cut short; of another version; without its salt, or with another; changed after it
        was written.
    """
    try:
        document = json.loads(data)
    except (ValueError, RecursionError):
        raise input_error("{file} is no ledger, or was cut short: it is not whole JSON.", file=name) from None
    if not isinstance(document, dict) or document.get("format") != FORMAT:
        raise input_error("{file} is no ledger of a release.", file=name)
    if document.get("version") != VERSION:
        raise input_error(
            "{file} is a ledger of another version than {version}; give the earlier release itself.",
            file=name,
            version=VERSION,
        )
    inside = document.get("salt")
    found = _salt(inside, name) if inside is not None else salt
    if found is None:
        raise input_error("{file} does not hold its salt; give it with --ledger-salt.", file=name)
    if (inside is not None and salt is not None and found != salt) or document.get(
        "salt_check"
    ) != _salt_check(found):
        raise input_error("{file} was written with another salt.", file=name)
    seal = document.pop("seal", None)
    if not isinstance(seal, str) or not hmac.compare_digest(seal.encode(), _seal(document, found).encode()):
        raise _changed(name)
    try:
        tables = tuple(_table(each) for each in document["tables"])
        k = int(document["k"])
    except (KeyError, TypeError, ValueError, IndexError, AttributeError):
        raise _changed(name) from None
    return Ledger(name=name, salt=found, is_salt_inside=inside is not None, k=k, tables=tables)


def _changed(name: str) -> AuditInputError:
    return input_error("{file} was changed after it was written; its counts cannot be believed.", file=name)


def _salt(written: object, name: str) -> bytes:
    try:
        return base64.b64decode(str(written), validate=True)
    except (binascii.Error, ValueError):
        raise _changed(name) from None


def _table(found: Mapping[str, object]) -> LedgerTable:
    person = found["person_column"]
    classes, values = found["classes"], found["values"]
    if not isinstance(classes, dict) or not isinstance(values, dict):
        raise TypeError
    n_classes = len(_unpacked(classes["hashes"], "<u8"))
    counts = ClassCounts(
        keys=_unpacked(classes["hashes"], "<u8"),
        counts=_unpacked(classes["counts"], "<u4", n_classes).astype(np.int64),
        values={str(name): _value_counts(each, n_classes) for name, each in values.items()},
    )
    roles = Roles(
        quasi_identifiers=_names(found["quasi_identifiers"]),
        sensitive=tuple(counts.values),
        person=None if person is None else str(person),
    )
    return LedgerTable(name=str(found["table"]), roles=roles, counts=counts)


def _names(found: object) -> tuple[str, ...]:
    if not isinstance(found, list):
        raise TypeError
    return tuple(map(str, found))


def _value_counts(found: Mapping[str, str], n_classes: int) -> ValueCounts:
    keys = _unpacked(found["hashes"], "<u8")
    class_of = _unpacked(found["classes"], "<u4", len(keys)).astype(np.int64)
    if (class_of >= n_classes).any():
        raise ValueError
    return ValueCounts(
        keys=keys, class_of=class_of, counts=_unpacked(found["counts"], "<u4", len(keys)).astype(np.int64)
    )


def _unpacked(written: str, form: str, n: int | None = None) -> np.ndarray:
    numbers = np.frombuffer(base64.b64decode(written, validate=True), form).astype(np.uint64)
    if n is not None and len(numbers) != n:
        raise ValueError
    return numbers


def read_salt(data: bytes, *, name: str) -> bytes:
    """Return the salt of a file: its bytes, white space at its ends aside.

    Raises
    ------
    AuditInputError
        Fewer than 16 bytes, which could be tried out.
    """
    salt = data.strip()
    if len(salt) < LEAST_SALT:
        raise input_error("{file}: a salt needs at least {n} bytes.", file=name, n=LEAST_SALT)
    return salt
