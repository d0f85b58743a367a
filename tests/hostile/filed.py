"""Hostile settings, policies, reports, ledgers, keys and signatures: what is read beside data."""

import base64
import functools
import hashlib
import json
import math
import random
from collections.abc import Callable, Iterator, Mapping
from datetime import UTC, datetime
from typing import Any

from core.commands.audit import audit_again
from core.filed.deciding import Decision, decide
from core.filed.signing import NewKey, new_key, read_private_key, sign, signer_line
from core.files.named_files import alone
from core.policies.shipped import FOLDER
from core.releases import ReleasedTable, Roles, new_ledger
from core.releases.ledger import _seal
from core.reports import render_json
from core.reports.as_json import document_digest, json_bytes, part_digests
from core.settings.files import settings_asked, settings_toml
from core.tables import read_dataset
from tests.hostile.repeats import files

SIGNED = b"signed"
_DAY = datetime(2026, 11, 23, tzinfo=UTC)
_ODD = (
    *(None, True, -1, 0, 10**4_000, 1e308, math.inf, -math.inf, math.nan, "", "\ud800", "../../x"),
    *("\x1b[31m", [], {}, [[]] * 5_000, {"a": {}}, "x" * 100_000, "9" * 6_000, 2**63, "2026-13-40", [None]),
    {"": None},
)  # fmt: skip


@functools.cache
def report() -> bytes:
    """Return a report of a small table."""
    with alone(files("risk")):
        words = ["people.csv", "--quasi-identifier", "age", "sex", "--sensitive", "disease"]
        return render_json(audit_again("risk", [words]).full_report(_DAY))


def decided() -> bytes:
    decision = Decision(outcome="rejected", by="Ana", at=_DAY, reason="Too many alone.")
    return decide(report(), decision, name="report.json")


@functools.cache
def ledger() -> bytes:
    rows = "\n".join(f"{20 + i % 7},{'fm'[i % 2]},x{i % 3}" for i in range(60))
    dataset = read_dataset(f"age,sex,disease\n{rows}".encode(), name="t.csv")
    roles = Roles(quasi_identifiers=("age", "sex"), sensitive=("disease",), person=None)
    return new_ledger([ReleasedTable(name="t", dataset=dataset, roles=roles)], k=5)


@functools.cache
def key() -> NewKey:
    return new_key()


def signature() -> bytes:
    return sign(SIGNED, read_private_key(key().private, name="key"))


def settings() -> bytes:
    return settings_toml(settings_asked("risk", [["t.csv", *"--quasi-identifier age sex --k 5".split()]]))


FILED: Mapping[str, tuple[str, Callable[[], bytes]]] = {
    "settings": ("settings", settings),
    "policy": ("policy", lambda: next(FOLDER.glob("*.toml")).read_bytes()),
    "report": ("report", report),
    "decided report": ("decided", decided),
    "ledger": ("ledger", ledger),
    "private key": ("key", lambda: key().private),
    "signature": ("signature", signature),
    "signers": ("signers", lambda: signer_line("ana", key().public).encode()),
}


def rewritten(data: bytes, draw: random.Random) -> bytes | None:
    """Return a JSON document with an odd value somewhere, sealed anew; None of what is no JSON."""
    try:
        document = json.loads(data)
    except (ValueError, RecursionError):
        return None
    at: Any = document
    while isinstance(at, dict | list) and at:
        places = [*at] if isinstance(at, dict) else [*range(len(at))]
        place = draw.choice(places)
        if not isinstance(at[place], dict | list) or not at[place] or draw.random() < 0.1:
            at[place] = draw.choice(_ODD)
            break
        at = at[place]
    return sealed(document) if isinstance(document, dict) else None


def sealed(document: dict[str, Any]) -> bytes:
    """Write a document; whoever changes one can also make its digests fit."""
    try:
        if "decided_report_format" in document:
            document["report"] = json.loads(sealed(document["report"]))
            document["undecided"] |= _undecided(document["report"])
            rest = {name: it for name, it in document.items() if name != "digest"}
            document["digest"] = hashlib.sha256(json_bytes(rest)).hexdigest()
        elif "digests" in document:
            document["digests"] = part_digests(document)
            document["content_digest"] = document_digest(document)
        elif "seal" in document:
            bare = {name: value for name, value in document.items() if name != "seal"}
            document["seal"] = _seal(bare, base64.b64decode(document["salt"]))
        return json_bytes(document)
    except (ValueError, TypeError, KeyError, AttributeError):
        return json.dumps(document).encode()


def _undecided(document: dict[str, Any]) -> dict[str, Any]:
    data = json_bytes(document)
    return {"n_bytes": len(data), "sha256": hashlib.sha256(data).hexdigest()}


def _packed(document: dict[str, Any], *, is_sealed: bool) -> bytes:
    digests = {"digests": part_digests(document)} if is_sealed else {}
    return json.dumps(document | digests, separators=(",", ":")).encode()


def filed_killers() -> Iterator[tuple[str, str, bytes | Callable[[], bytes]]]:
    """Yield files that kept a process busy, or ended in an error nobody foresaw."""
    top = "[settings]\n"
    for how, text in {
        "100,000 unknown keys": top + "".join(f"a{i}=1\n" for i in range(100_000)),
        "15,000 unknown keys": top + "".join(f"a{i}=1\n" for i in range(15_000)),
        "a key of a megabyte": f"{top}{'k' * 1_000_000}=1\n",
        "a number of a megabyte": f"version=0x{'f' * 1_000_000}\n",
        "a number of 4,000 digits": f"{top}k={'9' * 4_000}\n",
        "a number beyond all": f"{top}k=1e999999\n",
        "brackets that never close": f"{top}a={'[' * 400_000}",
        "braces that never close": f"{top}a={'{a=' * 200_000}",
        "keys of a thousand parts": "\n".join(f"{'a.' * 999}b{i}=1" for i in range(500)),
        "tables of files": "".join(f'[files."a{i}"]\nk=3\n' for i in range(50_000)),
        "a list of texts": f"{top}quasi_identifiers=[{','.join(map(repr, map(str, range(90_000))))}]\n",
        "the version of another": f'version="{"9" * 900_000}"\n{top}'
        + "".join(f"a{i}=1\n" for i in range(9_000)),
        "quotation marks": 'a="""' + '"' * 1_000_000,
    }.items():
        for reader in ("settings", "policy"):
            yield reader, how, text.encode()
    limit = '[[limit]]\nkey="k"\nclause="c"\nsays="s"\nsource="s"\nyear=2024\nread=true\nvalue=%s\n'
    for how, text in {
        "limits without anything": "[[limit]]\n" * 9_000,
        "limits of unknown keys": "".join(f'[[limit]]\nkey="k{i}"\n' for i in range(9_000)),
        "kinds that nobody knows": f"{limit % 3}kinds={[f'k{i}' for i in range(90_000)]}\n",
        "a limit of 4,000 digits": limit % ("9" * 4_000),
        "a limit beyond all": limit % "1e999999",
    }.items():
        yield "policy", how, text.encode()
    for how, data in {
        "brackets that never close": b"[" * 1_000_000,
        "braces that never close": b'{"a":' * 500_000,
        "three million lists": b'{"format":[' + b"[]," * 3_000_000 + b"1]}",
        "five million signs": b'{"format":"' + b"\\u0041" * 5_000_000 + b'"}',
        "a number of a megabyte": b'{"tool":' + b"9" * 1_000_000 + b"}",
    }.items():
        for reader in ("report", "decided", "ledger", "log", "mapping"):
            yield reader, how, data
    filed: dict[str, Any] = json.loads(report())
    deep: list[Any] = [1] * 2_000_000
    for _ in range(200):
        deep = [deep]
    for how, more in {
        "a deep and wide part": {"more": {"x": deep}},
        "40,000 findings": {"findings": filed["findings"][:1] * 40_000},
        "60,000 figures": {"figures": filed["figures"][:1] * 60_000},
        "a figure of 4,000 digits": {"figures": [filed["figures"][0] | {"value": 10**4_000}]},
    }.items():
        yield (
            "report",
            how,
            functools.partial(_packed, filed | more, is_sealed=how != "a deep and wide part"),
        )
    kept: dict[str, Any] = json.loads(ledger())
    table = kept["tables"][0]
    for how, more in {
        "tables without end": {"tables": [table] * 20_000},
        "an endless k": {"k": math.inf},
        "a form that is a program": {"tables": [table | {"forms": ["<u8", *["9" * 100_000 + "f8"] * 5]}]},
        "an endless column": {"tables": [table | {"values": {"disease": math.inf}}]},
        "no quasi-identifiers": {"tables": [table | {"quasi_identifiers": []}]},
    }.items():
        yield "ledger", how, functools.partial(sealed, kept | more)
    line = signer_line("ana", key().public)
    for how, text in {
        "a pattern of brackets": line.replace('"anonaudit"', '"' + "[!a" * 10_000 + '"'),
        "a pattern of stars": line.replace('"anonaudit"', '"' + "*a" * 20_000 + '"'),
        "a name never closed": 'a "' + "x" * 60_000,
    }.items():
        yield "signers", how, text.encode()
