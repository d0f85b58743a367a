"""A decision on a filed report: a new file that holds it as filed, and says what was decided and why."""

import hashlib
import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import PureWindowsPath
from typing import Annotated, Any, Literal

import pyarrow as pa
from msgspec import Meta, Struct, convert, field, to_builtins
from msgspec.structs import replace

from core import __version__
from core.errors import AuditInputError, refuse
from core.filed.reading import (
    LARGEST_REPORT,
    FiledReport,
    as_json,
    changed_parts,
    looked_at,
    read_report,
    refuse_larger,
)
from core.reports.as_json import json_bytes
from core.reports.model import in_utc
from core.verdict import Verdict
from core.words import Text, input_error, own, text

Outcome = Literal["approved", "rejected", "returned"]
OUTCOMES: Mapping[str, Text] = {
    "approved": text("Approved"),
    "rejected": text("Rejected"),
    "returned": text("Returned for changes"),
}
DECIDED_FORMAT = 1
LONGEST_NAME, LONGEST_REASON = 200, 10_000  # letters
_Said = Annotated[str, Meta(pattern=r"\S")]
_CHANGED = (
    "{file} was changed since it was decided, or damaged: what it holds does not fit its digest. Take it "
    "again from where it was filed."
)


class Accepted(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A finding that was accepted for a reason."""

    number: int  # place among the report's findings, from 1
    check: str
    column: str | None
    verdict: Verdict
    message: str
    reason: _Said


class Decision(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What somebody decided on a report."""

    outcome: Outcome = field(name="decision")
    by: _Said
    at: datetime
    reason: _Said
    accepted: tuple[Accepted, ...] = field(name="accepted_findings", default=())

    def still_failing(self, report: FiledReport) -> int:
        """Return how many findings that FAIL nobody accepted."""
        taken = {each.number for each in self.accepted}
        found = enumerate(report.findings, start=1)
        return sum(each.verdict is Verdict.FAIL and number not in taken for number, each in found)

    @property
    def told(self) -> Text:
        """Return who decided what and when, in a sentence."""
        return text(
            "{outcome} by {name} on {date}: {reason}",
            outcome=OUTCOMES[self.outcome],
            name=self.by,
            date=f"{in_utc(self.at):%Y-%m-%d}",
            reason=self.reason,
        )


class _Undecided(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The file that was decided on."""

    name: str
    n_bytes: int
    sha256: str


class _Parts(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What the file of a decided report holds, in its order."""

    decided_report_format: int
    anonaudit: str
    decision: Decision
    undecided: _Undecided
    report: dict[str, Any]
    digest: str

    def document(self) -> dict[str, Any]:
        """Return all of it as JSON has it."""
        found: dict[str, Any] = to_builtins(self, enc_hook=str)  # sentences know what they are made of
        return found

    def whole_digest(self) -> str:
        """Return the digest that all but itself comes to."""
        content = {key: value for key, value in self.document().items() if key != "digest"}
        return hashlib.sha256(json_bytes(content)).hexdigest()


@dataclass(frozen=True, kw_only=True)
class DecidedReport:
    """A decided report that is as it was written."""

    name: str
    data: bytes
    decision: Decision
    report: FiledReport  # the undecided one
    undecided: bytes  # its file

    @property
    def sha256(self) -> str:
        """Return the digest of the decided report's file."""
        return hashlib.sha256(self.data).hexdigest()


def read_undecided(data: bytes, *, name: str) -> FiledReport:
    """Read a report to decide on: one that is byte for byte as AnonAudit wrote it, and not decided yet.

    Of a page the report is that which it carries.
    """
    data = as_json(data)
    if is_decided(data):
        decided = read_decided(data, name=name)
        raise input_error(
            "{file} is decided already: {decision} A new decision is made on the undecided report.",
            file=name,
            decision=decided.decision.told,
        )
    report = read_report(data, name=name)
    if report.changed:
        raise input_error(
            "{file} was changed since it was made ({parts}); nothing is decided on it.",
            file=name,
            parts=", ".join(report.changed),
        )
    if json_bytes(report.document) != data:
        raise input_error(
            "{file} is not byte for byte as AnonAudit wrote it: it was opened and saved by another program. "
            "Take it again from where it was filed.",
            file=name,
        )
    return report


def accepted_findings(report: FiledReport, given: Iterable[str]) -> tuple[Accepted, ...]:
    """Return the findings that exceptions name, each as FINDING=REASON.

    FINDING is the finding's number in the report, from 1, its check, or check and column as CHECK/COLUMN.
    """
    found: dict[int, Accepted] = {}
    problems: list[str] = []
    for words in given:
        key, separator, reason = (part.strip() for part in words.partition("="))
        numbers = _numbers(report, key)
        if not separator or not reason:
            problems.append(
                text("An exception needs FINDING=REASON with a reason, received {given}.", given=words)
            )
        elif not numbers:
            problems.append(
                text("The report has no finding {key}; an exception names one that is there.", key=key)
            )
        elif len(numbers) > 1:
            several = "The report has {n} findings {key}; name one by its number: {numbers}."
            told = ", ".join(map(str, numbers[:8])) + (", …" if len(numbers) > 8 else "")
            problems.append(text(several, n=len(numbers), key=key, numbers=told))
        elif numbers[0] in found:
            problems.append(text("Two exceptions name the finding {key}.", key=key))
        else:
            found[numbers[0]] = accepted_finding(report, numbers[0], reason)
    refuse(problems)
    return tuple(found[number] for number in sorted(found))


def accepted_finding(report: FiledReport, number: int, reason: str) -> Accepted:
    """Return a report's finding, by its place from 1, with the reason why it is accepted."""
    finding = report.findings[number - 1]
    return Accepted(
        number=number,
        check=finding.check,
        column=finding.column,
        verdict=finding.verdict,
        message=finding.message,
        reason=reason,
    )


def _numbers(report: FiledReport, key: str) -> list[int]:
    """Return the places of the findings that a word may mean."""
    numbered = list(enumerate(report.findings, start=1))
    if key.isascii() and key.isdigit():
        return [number for number, _ in numbered if str(number) == key]
    check, _, column = key.partition("/")
    exact = [number for number, each in numbered if (each.check, each.column or "") == (check, column)]
    return exact or [number for number, each in numbered if each.check == key]


def decide(data: bytes, decision: Decision, *, name: str) -> bytes:
    """Return the decided report of an undecided one's bytes.

    Raises
    ------
    AuditInputError
        No report of ours, changed since it was made, decided already, or a decision that lacks something.
    """
    data = as_json(data)
    report = read_undecided(data, name=name)
    _check(decision)
    parts = _Parts(
        decided_report_format=DECIDED_FORMAT,
        anonaudit=__version__,
        decision=replace(decision, at=in_utc(decision.at)),
        undecided=_Undecided(name=name, n_bytes=len(data), sha256=report.sha256),
        report=dict(report.document),
        digest="",
    )
    return json_bytes(replace(parts, digest=parts.whole_digest()).document())


def _check(decision: Decision) -> None:
    problems = []
    for what, words, longest in (
        ("The name of who decides", decision.by, LONGEST_NAME),
        ("The reason", decision.reason, LONGEST_REASON),
        *(("The reason of an exception", each.reason, LONGEST_REASON) for each in decision.accepted),
    ):
        if not words.strip():
            problems.append(text("{what} is missing; a decision needs it.", what=own(what)))
        elif len(words) > longest:
            problems.append(text("{what} is longer than {most} letters.", what=own(what), most=longest))
        elif any(ord(letter) in range(0xD800, 0xE000) for letter in words):
            problems.append(text("{what} holds half a character.", what=own(what)))
    numbers = [each.number for each in decision.accepted]
    for number in sorted({each for each in numbers if numbers.count(each) > 1}):
        problems.append(text("Two exceptions name the finding {key}.", key=str(number)))
    if problems:
        raise AuditInputError(*dict.fromkeys(problems))


def is_decided(data: bytes) -> bool:
    """Return whether a file begins as decided reports do."""
    return b'"decided_report_format"' in data[:80]


def read_decided(data: bytes, *, name: str) -> DecidedReport:
    """Read a decided report, and refuse one that is not byte for byte as it was written.

    Raises
    ------
    AuditInputError
        Another file, one that was cut short, changed by hand or damaged, or one of a newer form.
    """
    refuse_larger(data, 2 * LARGEST_REPORT, name=name)
    parts = convert(looked_at(read_whole_decision, data, name=name), _Parts)
    undecided = json_bytes(parts.report)
    report = read_report(undecided, name=parts.undecided.name)
    return DecidedReport(name=name, data=data, decision=parts.decision, report=report, undecided=undecided)


def read_whole_decision(data: pa.Buffer, name: str) -> bytes:
    """Return a decided report that was checked."""
    given = bytes(data)
    try:
        document = json.loads(given.decode("utf-8"))
        newer = isinstance(document, dict) and _is_newer(document)
        whole = not newer and _is_whole(document, given)
    except (ValueError, RecursionError, LookupError, TypeError, AttributeError):
        newer = whole = False
    if newer:
        raise input_error(
            "{file} was decided with a newer version of AnonAudit, {version}; this is {ours}. Read it with "
            "that version.",
            file=name,
            version=str(document.get("anonaudit")),
            ours=__version__,
        )
    if not whole:
        raise input_error(_CHANGED, file=name)
    return json.dumps(document).encode()


def _is_newer(document: Mapping[str, Any]) -> bool:
    form = document.get("decided_report_format")
    return isinstance(form, int) and form > DECIDED_FORMAT


def _is_whole(document: Any, data: bytes) -> bool:
    """Return whether a decided report is as it was written: every byte, its digests, and its report's own."""
    parts = convert(document, _Parts)
    undecided, filed = json_bytes(parts.report), parts.undecided
    return (
        json_bytes(parts.document()) == data
        and parts.digest == parts.whole_digest()
        and (filed.n_bytes, filed.sha256) == (len(undecided), hashlib.sha256(undecided).hexdigest())
        and filed.name == PureWindowsPath(filed.name).name != ""
        and str(parts.decision.at) == str(in_utc(parts.decision.at))
        and _accepts_what_is_there(parts.decision.accepted, parts.report["findings"])
        and not ("digests" in parts.report and changed_parts(parts.report))
    )


def _accepts_what_is_there(accepted: Sequence[Accepted], findings: Sequence[Mapping[str, Any]]) -> bool:
    """Return whether each accepted finding is the one of its number."""
    shared = ("check", "column", "verdict", "message")
    numbers = [each.number for each in accepted]
    return len({*numbers}) == len(numbers) and all(
        number > 0 and [getattr(each, key) for key in shared] == [findings[number - 1][key] for key in shared]
        for number, each in zip(numbers, accepted, strict=True)
    )


def decision_lines(decided: DecidedReport) -> list[Text]:
    """Return what was decided, and on what, as lines for people."""
    decision, report = decided.decision, decided.report
    lines = [
        decision.told,
        text(
            "Of: {title}, {verdict}, made {date} ({file})",
            title=own(report.document["title"]),
            verdict=report.verdict.word,
            date=report.created_at,
            file=report.name,
        ),
        text("SHA-256 of the undecided report: {digest}", digest=report.sha256),
    ]
    for each in decision.accepted:
        message = "Accepted, {verdict}: {finding} Reason: {reason}"
        lines.append(text(message, verdict=each.verdict.word, finding=own(each.message), reason=each.reason))
    if decision.outcome == "approved" and (n := decision.still_failing(report)):
        lines.append(
            text(
                "Approved although {n} finding of FAIL is accepted by nobody.",
                "Approved although {n} findings of FAIL are accepted by nobody.",
                n=n,
            )
        )
    return lines


def decided_name(name: str) -> str:
    """Return how the decided report of a file is called."""
    return f"{name.removesuffix('.json').removesuffix('.html')}_decided.json"
