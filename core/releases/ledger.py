"""What is kept of a release so that the next one can be held against it: counts by salted hashes, no data.

Of each class (the combination of quasi-identifiers, in one spelling) and of each
class with a known value of a sensitive attribute the ledger holds how many there are, under a hash of what
they are. The key is the publisher's salt. It stands in the ledger, unless it is kept in a file of its own:
whoever has salt and ledger can try values out, and find what the release shows anyway.
"""

import base64
import binascii
import hashlib
import hmac
import json
import secrets
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from core.errors import AuditInputError
from core.files.plain_text import parsed_json
from core.releases.counts import ClassCounts, ValueCounts
from core.releases.hashing import hashed_counts
from core.releases.settings import EarlierTable, ReleasedTable, Roles
from core.words import input_error

FORMAT = "anonaudit-ledger"
VERSION = 4
LEAST_SALT = 16  # bytes
_SALT_BYTES = 32
_LOW = 8  # bits of the hash of a value in its class that stand apart from the others
_LARGEST, _MOST_TABLES = 512 << 20, 2_000  # bytes; tables
_PACKED = b'"packed": "'
_FORMS = ("<u1", "<u2", "<u4")


@dataclass(frozen=True, kw_only=True, eq=False)
class LedgerTable:
    """The counts of one table of a release."""

    name: str
    roles: Roles  # of which columns classes and values are; whether persons were counted
    unpack: Callable[[], ClassCounts]  # many ledgers stay packed until each is compared

    @property
    def counts(self) -> ClassCounts:
        """Return the counts, which are made anew each time."""
        return self.unpack()


@dataclass(frozen=True, kw_only=True, eq=False)
class Ledger:
    """The counts of a release."""

    name: str  # of the file it was read from
    salt: bytes
    is_salt_inside: bool
    k: int
    tables: tuple[LedgerTable, ...]


def new_ledger(
    tables: Sequence[ReleasedTable],
    *,
    k: int,
    earlier: Sequence[EarlierTable | Ledger] = (),
    salt: bytes | None = None,
) -> bytes:
    """Return a release's ledger, with the salt given, that of the first earlier ledger, or a fresh one.

    It is a JSON file, sealed with the salt.
    """
    known = [each.salt for each in earlier if isinstance(each, Ledger) and each.is_salt_inside]
    used = salt or next(iter(known), None) or secrets.token_bytes(_SALT_BYTES)
    document: dict[str, object] = {
        "format": FORMAT,
        "version": VERSION,
        "hash": "blake2b-64",
        "salt": base64.b64encode(used).decode() if salt is None else None,
        "salt_check": _salt_check(used),
        "k": k,
        "tables": [_table_document(each, used) for each in tables if each.roles.quasi_identifiers],
    }
    return json.dumps(document | {"seal": _seal(document, used)}, ensure_ascii=False, indent=1).encode()


def _table_document(table: ReleasedTable, salt: bytes) -> dict[str, object]:
    roles = table.roles.common(table.dataset.columns)
    counts = hashed_counts(ReleasedTable(name=table.name, dataset=table.dataset, roles=roles), salt)
    n_of = {name: len(each.counts) for name, each in counts.values.items()}
    numbers = [counts.keys, counts.counts]
    for name, each in counts.values.items():
        numbers += [each.part >> np.uint64(_LOW), each.part & np.uint64(2**_LOW - 1)]
        numbers += [each.counts, counts.n_values[name]]
    forms = ["<u8", *(_form(each) for each in numbers[1:])]
    packed = b"".join(each.astype(form).tobytes() for each, form in zip(numbers, forms, strict=True))
    return {
        "table": table.name,
        "counts": "record" if roles.person is None else "person",
        "person_column": roles.person,
        "quasi_identifiers": list(roles.quasi_identifiers),
        "n": counts.n,
        "n_classes": len(counts.keys),
        "values": n_of,
        "forms": forms,
        "sha256": hashlib.sha256(packed).hexdigest(),
        "packed": base64.b64encode(packed).decode(),
    }


def _form(numbers: np.ndarray) -> str:
    most = int(numbers.max(initial=0))
    return next(form for form in _FORMS if most <= np.iinfo(form).max)


def _salt_check(salt: bytes) -> str:
    return hmac.new(salt, FORMAT.encode(), "sha256").hexdigest()[:16]


def _seal(document: Mapping[str, object], salt: bytes) -> str:
    """Return what nobody can write without the salt; what is packed is held by its own hash."""
    tables = document.get("tables")
    if isinstance(tables, list):
        bare = [{name: value for name, value in each.items() if name != "packed"} for each in tables]
        document = {**document, "tables": bare}
    words = json.dumps(document, ensure_ascii=False, sort_keys=True, separators=(",", ":"))
    return hmac.new(salt, words.encode("utf-8", "surrogatepass"), "sha256").hexdigest()


def read_ledger(data: bytes, *, name: str, salt: bytes | None = None) -> Ledger:
    """Read a ledger, which messages call `name`.

    `salt` is the publisher's, where it is kept apart; None takes the one in the ledger. AuditInputError: no
    ledger, or one cut short; of another version; without its salt, or with another; changed after it was
    written.
    """
    if len(data) > _LARGEST:
        raise input_error(
            "{file} is larger than {most} MB, which no ledger is.", file=name, most=_LARGEST >> 20
        )
    rest, packed = _cut(data)
    try:
        document = parsed_json(rest)
    except ValueError:
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
    try:
        if not hmac.compare_digest(str(seal).encode(), _seal(document, found).encode()):
            raise _changed(name)
        tables = tuple(_table(each, packed) for each in document["tables"][:_MOST_TABLES])
        if len(tables) < len(document["tables"]):
            raise _changed(name)
        k = int(document["k"])
    except (KeyError, TypeError, ValueError, IndexError, AttributeError, OverflowError):
        raise _changed(name) from None
    return Ledger(name=name, salt=found, is_salt_inside=inside is not None, k=k, tables=tables)


def _cut(data: bytes) -> tuple[bytes, dict[str, memoryview]]:
    """Return a ledger with a few words in place of what is packed, and this by them, to parse little."""
    packed: dict[str, memoryview] = {}
    parts, start = [], 0
    while (begin := data.find(_PACKED, start)) >= 0:
        begin += len(_PACKED)
        end = data.find(b'"', begin)
        if end < 0 or data.find(b"\\", begin, end) >= 0:  # cut short; written otherwise
            break
        words = f"({len(packed)})"  # brackets are not of base64
        packed[words] = memoryview(data)[begin:end]
        parts += [data[start:begin], words.encode()]
        start = end
    return b"".join([*parts, data[start:]]), packed


def _changed(name: str) -> AuditInputError:
    return input_error("{file} was changed after it was written; its counts cannot be believed.", file=name)


def _salt(written: object, name: str) -> bytes:
    try:
        return base64.b64decode(str(written), validate=True)
    except (binascii.Error, ValueError):
        raise _changed(name) from None


def _table(found: Mapping[str, object], packed: Mapping[str, memoryview]) -> LedgerTable:
    person = found["person_column"]
    sensitive, unpack = _packed_table(found, packed)
    roles = Roles(
        quasi_identifiers=_names(found["quasi_identifiers"]),
        sensitive=sensitive,
        person=None if person is None else str(person),
    )
    return LedgerTable(name=str(found["table"]), roles=roles, unpack=unpack)


def _names(found: object) -> tuple[str, ...]:
    if not isinstance(found, list) or not found:
        raise TypeError
    return tuple(map(str, found))


def _packed_table(
    found: Mapping[str, object], cut: Mapping[str, memoryview]
) -> tuple[tuple[str, ...], Callable[[], ClassCounts]]:
    """Return the sensitive attributes of a table, and what unpacks its counts: it is looked at already."""
    written = str(found["packed"])
    packed = binascii.a2b_base64(cut.get(written, written), strict_mode=True)
    values, n_classes = found["values"], int(str(found["n_classes"]))
    forms = _names(found["forms"])
    if forms[:1] != ("<u8",) or {*forms[1:]} - {*_FORMS}:
        raise ValueError
    if not isinstance(values, dict) or hashlib.sha256(packed).hexdigest() != found["sha256"]:
        raise ValueError
    n_of = {str(name): int(n) for name, n in values.items()}
    lengths = [n_classes, n_classes, *(n for each in n_of.values() for n in (each, each, each, n_classes))]
    sizes = [n * np.dtype(form).itemsize for n, form in zip(lengths, forms, strict=True)]
    if sum(sizes) != len(packed):
        raise ValueError

    def arrays() -> Iterator[np.ndarray]:
        for start, n, form in zip(np.cumsum([0, *sizes]).tolist(), lengths, forms, strict=False):
            yield np.frombuffer(packed, form, n, start)

    def unpack() -> ClassCounts:
        numbers = arrays()
        keys, counts = next(numbers), next(numbers)
        kept = {}
        for name in n_of:
            high, low, n, n_values = (next(numbers) for _ in range(4))
            kept[name] = ValueCounts(
                class_of=np.repeat(np.arange(n_classes), n_values),
                part=(high.astype(np.uint64) << np.uint64(_LOW)) | low,
                counts=n.astype(np.int64),
            )
        return ClassCounts(
            keys=keys.astype(np.uint64, copy=False), counts=counts.astype(np.int64), values=kept
        )

    n_values = list(arrays())[5::4]
    if any(int(each.sum()) != n for each, n in zip(n_values, n_of.values(), strict=True)):
        raise ValueError
    return tuple(n_of), unpack


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
