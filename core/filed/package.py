"""A decided report as a page, and evidence.zip: everything but the data, with how to verify it without us."""

import hashlib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from types import MappingProxyType

from core.filed.deciding import OUTCOMES, DecidedReport
from core.filed.signing import (
    NAMESPACE,
    check_signature,
    fingerprint,
    name_of_signer,
    read_signature,
    read_signers,
)
from core.files.plain_text import printable, shell_word, zip_of
from core.measures import MEASURES
from core.reports import RENDERERS, Figure, Report, render
from core.reports.as_json import json_bytes
from core.reports.model import time_text
from core.result import Col, Table
from core.words import Text, input_error, own, say, text

DECIDED, UNDECIDED, VERIFY, SUMS, INPUTS = (
    "decided.json",
    "report.json",
    "VERIFY.txt",
    "SHA256SUMS",
    "INPUTS_SHA256",
)
SIGNATURE, SIGNERS = f"{DECIDED}.sig", "allowed_signers"
PAGES = ("html", "xlsx", "csv")  # formats of the decided report that are written anew
FILED_ENDINGS = (".html", ".xlsx", ".zip")  # of the same report in other formats
_DECISION = (Col("what", "What", kind="words"), Col("told", "Told", kind="words"))
_ACCEPTED = (
    Col("number", "Finding"),
    Col("check", "Check"),
    Col("column", "Column"),
    Col("verdict", "Verdict", kind="words"),
    Col("message", "What was found", kind="words"),
    Col("reason", "Accepted because", kind="words"),
)
_SAME_REPORT = (
    "import sys; sys.path = [*filter(None, sys.path)]; import hashlib, json; h = lambda b: "
    "hashlib.sha256(b).hexdigest(); d = json.load(open('decided.json', encoding='utf-8')); r = "
    "open('report.json', 'rb').read(); k = d.pop('digest'); print(d['undecided']['sha256'] == h(r) and "
    "d['report'] == json.loads(r) and k == h((json.dumps(d, ensure_ascii=False, indent=2) + '\\n').encode()))"
)


@dataclass(frozen=True, kw_only=True)
class Signed:
    """A signature of a decided report that was checked."""

    signature: bytes
    fingerprint: str
    signers: bytes | None = None  # the list of signers, where there is one
    name: str = ""  # of who signed, where a list says so


def checked_signature(
    decided: DecidedReport,
    signature: bytes,
    *,
    name: str,
    signers: bytes | None = None,
    signers_name: str = "",
) -> Signed:
    """Return a signature once it is found to be of a decided report, and of a signer where a list is given.

    Raises
    ------
    AuditInputError
        No signature, one of something else, or one by a key that the list does not have.
    """
    found = read_signature(signature, name=name)
    check_signature(found, decided.data, name=name)
    signer = ""
    if signers is not None:
        signer = name_of_signer(found, read_signers(signers, name=signers_name), name=signers_name)
    return Signed(
        signature=signature, fingerprint=fingerprint(found.public_key), signers=signers, name=signer
    )


def decided_page(decided: DecidedReport) -> Report:
    """Return a decided report as the renderers take it; charts are in the report as it was filed."""
    document, decision = decided.report.document, decided.decision
    return Report(
        tool=decided.report.tool,
        title=document["title"],
        question=document["question"],
        verdict=decided.report.verdict,
        headline=text(
            "{decision} The audit itself said: {headline}",
            decision=decision.told,
            headline=own(decided.report.headline),
        ),
        inputs=decided.report.inputs,
        settings=decided.report.settings,
        figures=tuple(
            Figure(each.measure, each.value, each.threshold, each.verdict, each.of)
            for each in decided.report.figures
            if each.measure in MEASURES
        ),
        findings=decided.report.findings,
        tables=(*_decision_tables(decided), *decided.report.tables),
        limits=tuple(document["limits"]),
        created_at=decided.report.made_at,
        versions=document["versions"],
        verdicts=decided.report.verdicts,
        seeds=document["seeds"],
        arguments=decided.report.arguments,
    )


def _decision_tables(decided: DecidedReport) -> Iterator[Table]:
    decision = decided.decision
    rows: list[tuple[str, str]] = [
        ("Decision", OUTCOMES[decision.outcome]),
        ("Decided by", _typed(decision.by)),
        ("Decided", _typed(time_text(decision.at))),
        ("Reason", _typed(decision.reason)),
        ("SHA-256 of the undecided report", _typed(decided.report.sha256)),
        ("SHA-256 of the decided report", _typed(decided.sha256)),
    ]
    accepted = [
        (
            each.number,
            each.check,
            each.column or "",
            each.verdict.word,
            own(each.message),
            _typed(each.reason),
        )
        for each in decision.accepted
    ]
    yield Table("", "Decision", _DECISION, rows, name="Decision")
    if accepted:
        yield Table("", "Findings that were accepted", _ACCEPTED, accepted, name="Accepted")


def _typed(words: str) -> Text:
    """Return what a person typed, which is said in no language."""
    return text("{value}", value=words)


def evidence_files(
    decided: DecidedReport, *, signed: Signed | None = None, filed: Mapping[str, bytes] = MappingProxyType({})
) -> dict[str, bytes]:
    """Return the files of evidence.zip by name, with the signature where there is one.

    `filed` is the same report in other formats, as they were filed, by name. AuditInputError: one of these is
    one of the data, or a page of another report.
    """
    document = decided.report.document
    files = {DECIDED: decided.data, UNDECIDED: decided.undecided}
    page = decided_page(decided)
    files |= {f"decided.{RENDERERS[each].extension}": render(page, each) for each in PAGES}
    files["settings.json"] = json_bytes(
        {"settings": document["settings_said"], "command": document["command"]}
    )
    if policy := document.get("policy"):
        files["policy.json"] = json_bytes(policy)
    if signed is not None:
        files[SIGNATURE] = signed.signature
        files |= {SIGNERS: signed.signers} if signed.signers is not None else {}
    files |= {f"filed/{name}": data for name, data in filed.items()}
    files[INPUTS] = _sums((each.sha256, each.name) for each in decided.report.inputs)
    files[VERIFY] = verify_text(decided, files, signed).encode()
    _refuse_data(decided, files)
    digest = decided.report.document.get("content_digest", "")
    for name, data in filed.items():
        if name.endswith(".html") and digest.encode() not in data:
            raise input_error(
                "{file} is not a page of {report}; move it elsewhere.", file=name, report=decided.report.name
            )
    files[SUMS] = _sums((hashlib.sha256(data).hexdigest(), name) for name, data in sorted(files.items()))
    return files


def _sums(files: Iterable[tuple[str, str]]) -> bytes:
    """Return digests and names as sha256sum writes and reads them."""
    lines = []
    for digest, name in dict.fromkeys(files):
        written = name.replace("\\", "\\\\").replace("\n", "\\n")
        lines.append(f"{chr(92) * (written != name)}{digest}  {written}\n")
    return "".join(lines).encode()


def evidence_zip(
    decided: DecidedReport, *, signed: Signed | None = None, filed: Mapping[str, bytes] = MappingProxyType({})
) -> bytes:
    """Return evidence.zip; see :func:`evidence_files`."""
    return zip_of(evidence_files(decided, signed=signed, filed=filed))


def _refuse_data(decided: DecidedReport, files: Mapping[str, bytes]) -> None:
    inputs = {each.sha256: each.name for each in decided.report.inputs}
    for data in files.values():
        if (found := inputs.get(hashlib.sha256(data).hexdigest())) is not None:
            raise input_error(
                "{file} is one of the files audited; evidence.zip holds everything but the data.", file=found
            )


def verify_text(decided: DecidedReport, files: Mapping[str, bytes], signed: Signed | None) -> str:
    """Return how to verify the package step by step, each with a command, in the language spoken."""
    told: list[str] = [
        say("How to verify this package without AnonAudit"),
        "",
        _one_line(say(decided.decision.told)),
        "",
        say(
            "You need Python 3, and for a signature OpenSSH 8.1 or later. Unpack the archive and open a "
            "terminal in its folder. Lines that begin with $ are commands, given without the $."
        ),
    ]
    steps = [*_steps(decided, signed)]
    for number, (sentence, command, result) in enumerate(steps, start=1):
        told += ["", f"{number}. {_one_line(say(sentence))}", *([f"$ {command}"] if command else [])]
        told += [_one_line(say(result))]
    told += ["", say(_FOR_READING), "", say("What is here:")]
    told += [f"  {name}: {say(_ABOUT[name])}" for name in (*files, VERIFY, SUMS) if name in _ABOUT]
    return "\n".join([*told, ""])


def _one_line(words: str) -> str:
    """Return what people typed without breaks of lines, which could pass for steps and commands."""
    return " ".join(printable(words).split())


_FOR_READING = (
    "Pages, workbooks and tables here, those under filed/ too, are for reading: the steps prove decided.json "
    "and report.json. Where a page says otherwise, those hold."
)
_ABOUT = {
    DECIDED: "the decision, with the report as it was when it was decided",
    UNDECIDED: "the report, byte for byte",
    "decided.html": "decision and report to read",
    "decided.xlsx": "the same as a workbook",
    "decided.zip": "the same as CSV",
    "settings.json": "what the audit was asked, and the command",
    "policy.json": "whose limits were taken",
    SIGNATURE: "the signature of decided.json, in OpenSSH's format",
    SIGNERS: "whose keys may sign, in OpenSSH's format",
    INPUTS: "the SHA-256 of each file that was audited",
    VERIFY: "this text",
    SUMS: "the SHA-256 of each file here",
}


def _steps(decided: DecidedReport, signed: Signed | None) -> list[tuple[Text, str, Text]]:
    """Return sentence, command and what it has to print, in turn."""
    steps = [
        (
            text("The files are whole."),
            f"sha256sum -c {SUMS}",
            text("Every line has to end in OK. (macOS: shasum -a 256 -c)"),
        ),
        (
            text("The decision is on this very report, and neither was changed."),
            f'python3 -c "{_SAME_REPORT}"',
            text("It has to print True."),
        ),
        _signature_step(signed),
        (
            text(
                "The data are those that were audited. Put the files you were given beside this text, under "
                "the names in {file}.",
                file=INPUTS,
            ),
            f"sha256sum -c {INPUTS}",
            text("Every line has to end in OK. A file that fails is not the one that was audited."),
        ),
        (
            text(
                "The audit says the same again. With AnonAudit {version}, from its folder: python -m core "
                "verify, then {file} and the files audited.",
                version=decided.report.version,
                file=UNDECIDED,
            ),
            "",
            text("It has to say SAME. The command that made the report is in settings.json."),
        ),
    ]
    return [step for step in steps if step is not None]


def _signature_step(signed: Signed | None) -> tuple[Text, str, Text] | None:
    if signed is None:
        return (
            text("The decision is not signed: who decided is what the report says, and no proof of it."),
            "",
            text("Ask the person named, on another way, for the SHA-256 of decided.json."),
        )
    listed = f"verify -f {SIGNERS} -I {shell_word(signed.name)}"
    how = listed if signed.name else "check-novalidate"
    return (
        text(
            "The signature is of decided.json, by a key that the list of signers gives {name}.",
            name=signed.name,
        )
        if signed.name
        else text("The signature is of decided.json. Whose key it is, no list here says."),
        f"ssh-keygen -Y {how} -n {NAMESPACE} -s {SIGNATURE} < {DECIDED}",
        text(
            "It has to begin with Good and name the key {fingerprint}. Ask the person on another way whether "
            "that is their key: a list in this package is as good as where you have the package from.",
            fingerprint=signed.fingerprint,
        ),
    )
