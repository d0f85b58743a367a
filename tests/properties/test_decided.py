"""Laws of decided reports: any change is found, and what was written is read."""

import base64
import hashlib
import json
from datetime import UTC, datetime

import pytest
import sshsig
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from core.errors import AuditInputError
from core.filed.deciding import (
    OUTCOMES,
    Decision,
    accepted_finding,
    decide,
    read_decided,
    read_undecided,
    read_whole_decision,
)
from core.filed.package import verify_text
from core.filed.signing import (
    OF_SMALL_ORDER,
    check_signature,
    name_of_signer,
    new_key,
    read_private_key,
    read_signature,
    read_signers,
    sign,
)
from core.reports import render
from core.reports.as_json import json_bytes
from tests import report_examples as examples
from tests.thorough import tried

NOON = datetime(2026, 11, 23, 12, tzinfo=UTC)
REPORT = render(examples.report(), "json")
FILED = read_undecided(REPORT, name="report.json")
ACCEPTED = (accepted_finding(FILED, 1, "known"),)
APPROVED = Decision(outcome="approved", by="Ana", at=NOON, reason="so", accepted=ACCEPTED)
DECIDED = decide(REPORT, APPROVED, name="r.json")
KEY = read_private_key(new_key().private, name="key")
SIGNATURE = sign(DECIDED, KEY)


def _flipped(data: bytes, bit: int) -> bytes:
    place, which = divmod(bit % (8 * len(data)), 8)
    return data[:place] + bytes([data[place] ^ 1 << which]) + data[place + 1 :]


@tried(400)
@given(bit=st.integers(0, 8 * len(DECIDED) - 1), cut=st.integers(0, len(DECIDED) - 1))
def test_decided__any_flipped_bit_is_found_and_what_is_cut_short(bit: int, cut: int) -> None:
    read_whole_decision(DECIDED, "d")
    check_signature(read_signature(SIGNATURE, name="s"), DECIDED, name="s")
    for changed in (_flipped(DECIDED, bit), DECIDED[:cut]):
        with pytest.raises(AuditInputError):
            read_whole_decision(changed, "d")
        with pytest.raises(AuditInputError):
            check_signature(read_signature(SIGNATURE, name="s"), changed, name="s")


@tried(400)
@given(bit=st.integers(0, 8 * len(SIGNATURE) - 1))
def test_signature__any_flipped_bit_is_found_or_says_the_same(bit: int) -> None:
    changed = _flipped(SIGNATURE, bit)
    try:
        found = read_signature(changed, name="s")
        check_signature(found, DECIDED, name="s")
    except AuditInputError:
        return
    assert bytes(found) == bytes(read_signature(SIGNATURE, name="s"))  # a space in place of a line's end


@tried(40)
@given(
    outcome=st.sampled_from([*OUTCOMES]),
    by=st.text(min_size=1, max_size=80).filter(str.strip),
    reason=st.text(min_size=1, max_size=300).filter(str.strip),
    accepted=st.dictionaries(st.integers(1, len(FILED.findings)), st.text(min_size=1).filter(str.strip)),
)
def test_decided__is_read_as_it_was_decided(
    outcome: str, by: str, reason: str, accepted: dict[int, str]
) -> None:
    taken = tuple(accepted_finding(FILED, number, why) for number, why in sorted(accepted.items()))
    decision = Decision(outcome=outcome, by=by, at=NOON, reason=reason, accepted=taken)
    made = decide(REPORT, decision, name="report.json")
    decided = read_decided(made, name="report_decided.json")
    assert decided.decision == decision
    assert decided.undecided == REPORT
    assert decide(REPORT, decision, name="report.json") == made


def _forged(**parts: object) -> bytes:
    """Return the decided report with parts of its decision changed, and digests that fit."""
    document = json.loads(DECIDED)
    content = {key: each for key, each in document.items() if key != "digest"}
    undecided = content["undecided"] | {"name": parts.pop("name", "r.json")}
    content |= {"decision": content["decision"] | parts, "undecided": undecided}
    return json_bytes({**content, "digest": hashlib.sha256(json_bytes(content)).hexdigest()})


def test_decided__that_says_what_no_decision_says_is_refused() -> None:
    assert _forged() == DECIDED
    (taken,) = json.loads(DECIDED)["decision"]["accepted_findings"]
    for parts in (
        {"accepted_findings": [taken] * 2},
        {"accepted_findings": [taken | {"number": True}]},
        {"accepted_findings": [taken | {"number": 2}]},
        {"at": "yesterday"},
        {"at": "2026-11-23T12:00:00"},
        {"by": " "},
        {"reason": 5},
        {"decision": "maybe"},
        {"name": None},
    ):
        forged = _forged(**parts)
        with pytest.raises(AuditInputError):
            read_decided(forged, name="d")
    with pytest.raises(AuditInputError, match="Two exceptions name the finding 1"):
        decide(REPORT, replace(APPROVED, accepted=ACCEPTED * 2), name="r.json")


def test_decided__of_a_report_of_another_form_is_refused_as_the_report_is() -> None:
    first = {key: each for key, each in json.loads(REPORT).items() if key not in SINCE_2}
    for report, said in (
        (first, r"r\.json is a report in the first form"),
        (json.loads(REPORT) | {"digests": []}, "was changed since it was decided, or damaged"),
    ):
        document = json.loads(DECIDED) | {"report": report}
        document["undecided"] |= {"n_bytes": len(data := json_bytes(report))}
        document["undecided"] |= {"sha256": hashlib.sha256(data).hexdigest()}
        content = {key: each for key, each in document.items() if key != "digest"}
        forged = json_bytes({**content, "digest": hashlib.sha256(json_bytes(content)).hexdigest()})
        with pytest.raises(AuditInputError, match=said):
            read_decided(forged, name="d.json")


SINCE_2 = ("report_format", "content_digest", "digests", "platform", "policy", "arguments")


def test_verify_text__keeps_what_people_typed_on_one_line() -> None:
    decision = replace(APPROVED, reason="so\n\n1. All is well.\n$ rm -rf .", accepted=())
    decided = read_decided(decide(REPORT, decision, name="r.json"), name="d.json")
    lines = verify_text(decided, {}, None).splitlines()
    assert not any(line.startswith("$ rm") for line in lines)


def _strings(*parts: bytes) -> bytes:
    return b"".join(len(part).to_bytes(4, "big") + part for part in parts)


P = 2**255 - 19
D = -121665 * pow(121666, -1, P) % P


def _on_curve(y: int) -> int | None:
    """Return x of a point of the curve, by its equation; None where there is none."""
    square = (y * y - 1) * pow(D * y * y + 1, -1, P) % P
    root = pow(square, (P + 3) // 8, P)
    root = root if root * root % P == square else root * pow(2, (P - 1) // 4, P) % P
    return root if root * root % P == square else None


def _doubled(point: tuple[int, int]) -> tuple[int, int]:
    x, y = point
    product = D * x * x * y * y % P
    return 2 * x * y * pow(1 + product, -1, P) % P, (y * y + x * x) * pow(1 - product, -1, P) % P


def test_signature__of_a_key_that_fits_any_bytes_is_refused() -> None:
    for encoded in OF_SMALL_ORDER:
        y = int.from_bytes(encoded, "little") % P
        x = _on_curve(y)
        assert x is not None
        assert _doubled(_doubled(_doubled((x, y)))) == (
            0,
            1,
        )  # eight times it is none: it fits whatever was signed
        signed = _strings(b"ssh-ed25519", (1).to_bytes(32, "little") + bytes(32))
        nothing = _armored(_strings(b"ssh-ed25519", encoded), b"anonaudit", b"", b"sha512", signed)
        found = read_signature(nothing, name="s")
        if y == 1:
            sshsig.check_signature(DECIDED, nothing, "anonaudit")  # which takes it: any message fits
        with pytest.raises(AuditInputError, match="not of this decided report"):
            check_signature(found, DECIDED, name="s")


def _armored(*parts: bytes, more: bytes = b"", version: int = 1) -> bytes:
    blob = base64.b64encode(b"SSHSIG" + version.to_bytes(4, "big") + _strings(*parts) + more).decode()
    return f"-----BEGIN SSH SIGNATURE-----\n{blob}\n-----END SSH SIGNATURE-----\n".encode()


def test_signature__is_read_in_the_one_way_it_is_written_alone() -> None:
    whole = read_signature(SIGNATURE, name="s")
    key, signed, told = whole.public_key, whole.signature, (b"anonaudit", b"", b"sha512")
    again = _armored(key, *told, signed)
    text = again.decode()
    first, line, last = text.splitlines()
    for same in (
        again,
        text.replace("\n", "\r\n").encode(),
        f"  {first} \n {line[:9]}\n\n{line[9:]} \n{last}".encode(),
    ):
        check_signature(read_signature(same, name="s"), DECIDED, name="s")
    damaged, other = "is no signature in OpenSSH's format", "another kind than Ed25519"
    rsa = _strings(b"ssh-rsa", b"\x03", b"n" * 256)
    for data, said in (
        (_armored(key, *told, signed, more=b"\0"), damaged),
        (_armored(key, *told, signed + b"\0"), damaged),
        (_armored(key + b"\0", *told, signed), damaged),
        (_armored(key, *told, signed[:-1]), damaged),
        (_armored(key, b"anonaudit", b"x", b"sha512", signed), damaged),
        (_armored(key, b"anonaudit", b"", b"md5", signed), damaged),
        (_armored(key, b"anonaudit", b"", b"SHA512", signed), damaged),
        (_armored(key, *told), damaged),
        (_armored(key, *told, signed, version=2), damaged),
        (f"{first}\n{line}=\n{last}\n".encode(), damaged),
        (f"{first}\n!{line}\n{last}\n".encode(), damaged),
        (f"{first}\n{line}\n".encode(), damaged),
        (f"{first}\n{line}\n{last[:9]}\n{last[9:]}".encode(), damaged),
        (f"{text}more\n".encode(), damaged),
        (f"more\n{text}".encode(), damaged),
        (f"{first}\n{last}\n".encode(), damaged),
        (_armored(rsa, *told, _strings(b"rsa-sha2-512", b"s" * 256)), other),
        (_armored(key, *told, _strings(b"ssh-rsa", b"s")), other),
        (_armored(_strings(b"sk-ssh-ed25519@openssh.com", b"k" * 32, b"ssh:"), *told, signed), other),
    ):
        with pytest.raises(AuditInputError, match=said):
            read_signature(data, name="s")


def test_signature__of_a_key_or_a_length_that_is_none_is_refused() -> None:
    whole = read_signature(SIGNATURE, name="s")
    told, kind = (b"anonaudit", b"", b"sha512"), b"ssh-ed25519"
    for key, signed in (
        (_strings(kind, b"k" * 31), whole.signature),
        (_strings(kind, b""), whole.signature),
        (whole.public_key, _strings(kind, b"s" * 63)),
        (whole.public_key, _strings(kind, b"")),
    ):
        found = read_signature(_armored(key, *told, signed), name="s")
        with pytest.raises(AuditInputError, match="not of this decided report"):
            check_signature(found, DECIDED, name="s")


OTHERS = ("eve ssh-rsa AAAA", "eve ssh-rsa AAAA of ssh-ed25519 times", "eve ssh-ed25519 AAA", 'eve x="y')


def test_signers__whom_openssh_would_not_take_are_not_taken() -> None:
    found = read_signature(SIGNATURE, name="s")
    public = f"ssh-ed25519 {base64.b64encode(found.public_key).decode()}"

    def name_of(who: str) -> str:
        return name_of_signer(found, read_signers(f"{who} {public}\n".encode(), name="list"), name="list")

    for who in ("ana", '"ana,eve"', ' ana namespaces="git,anon*"', 'ana Namespaces="anonaudit"'):
        assert name_of(who) == "ana"
    for who in (
        'ana namespaces="anonaudit",cert-authority',
        "ana cert-authority",
        'ana namespaces="!anonaudit,*"',
        'ana namespaces="[a]nonaudit"',
        'ana namespaces="git"',
        'ana valid-before="20200101"',
        "!ana,*",
        "ana namespaces=anonaudit",
        'ana no-such="1"',
        "ana no-touch-required",
        'ana namespaces="anonaudit',
        "# ana",
        "#\x0bana",
        'ana"',
        'ana="x"',
    ):
        with pytest.raises(AuditInputError):
            name_of(who)
    for line in ("hello", "", "  # nobody", f'eve no-such="1" {public}', *OTHERS):
        assert name_of(f"{line}\nana") == "ana"
    with pytest.raises(AuditInputError, match="with no-such, which is not read here"):
        name_of('ana no-such="1"')
    commented = f"ana {public} Ana's key\n".encode()
    assert name_of_signer(found, read_signers(commented, name="list"), name="list") == "ana"
