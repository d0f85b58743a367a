"""A filed report: what it says, and whether it is as it was made; large ones are read in a process apart."""

import hashlib
import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields
from datetime import datetime
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple, NoReturn

import pyarrow as pa

from core import __version__
from core.apart import Answer, Document, EndedError, ask_apart, refused
from core.errors import AuditInputError
from core.holding import read_unchanged
from core.plain import parsed_json
from core.reports.as_json import REPORT_FORMAT, document_digest, part_digests
from core.reports.model import InputFacts
from core.tables import ReadOptions
from core.verdict import Finding, Verdict
from core.words import Text, input_error, text, text_of

LARGEST_REPORT = 32 << 20  # bytes
WORTH_APART = 4 << 20  # bytes; whatever smaller ones hold takes less than 200 MB
_ZIP = b"PK\x03\x04"
_PARTS: Mapping[str, type] = {
    **dict.fromkeys(("tool", "title", "question", "verdict", "headline", "created_at", "command"), str),
    **dict.fromkeys(("inputs", "figures", "findings", "tables", "limits"), list),
    **dict.fromkeys(("verdicts", "settings", "versions", "seeds", "result"), dict),
}
_PARTS_SINCE_2: Mapping[str, type] = {
    **dict.fromkeys(("content_digest", "platform"), str),
    **dict.fromkeys(("digests", "policy"), dict),
    "arguments": list,
}
_FACTS: Mapping[str, type] = {**dict.fromkeys(("role", "name", "sha256", "reading"), str), "n_bytes": int}
_OF_FIGURE = dict.fromkeys(("measure", "of", "label", "text", "threshold"), str)
_OF_FINDING = dict.fromkeys(("check", "message", "verdict"), str)
_OF_TABLE: Mapping[str, type] = {
    **dict.fromkeys(("name", "title", "note"), str),
    "columns": list,
    "rows": list,
}
_OPTIONS = {each.name for each in fields(ReadOptions)}
_CUT_SHORT = (
    "{file} is not whole JSON: it was cut short or changed. Take it again from where it was filed; of a "
    "report, give the JSON."
)
_NO_REPORT = "{file} is JSON, but no report of AnonAudit."
_NEWER = (
    "{file} was written by AnonAudit {version}, in a newer form than version {ours} reads. Read it with that "
    "version."
)
_ODD_PART = "{file}: “{part}” is not what a report holds there; it was changed by hand, or damaged."


class FiledFigure(NamedTuple):
    """A figure as it was filed."""

    measure: str
    of: str
    label: str
    value: float | None
    text: str
    threshold: str
    verdict: Verdict | None


@dataclass(frozen=True, kw_only=True)
class FiledReport:
    """A report of ours as it was filed.

    Attributes
    ----------
    name, sha256
        Of the file.
    document
        All that it holds.
    changed
        The parts whose digest no longer fits: changed since the report was made. Who changes the digests too
        is not found out by them.
    """

    name: str
    sha256: str
    document: Mapping[str, Any] = field(repr=False)
    changed: tuple[str, ...]

    @property
    def tool(self) -> str:
        """Return which tool made it."""
        return str(self.document["tool"])

    @property
    def format(self) -> int:
        """Return which form of report it is; version 0.1.0 wrote form 1."""
        return int(self.document.get("report_format", 1))

    @property
    def version(self) -> str:
        """Return the version of AnonAudit that made it."""
        return str(self.document["versions"].get("anonaudit", "–"))

    @property
    def versions(self) -> Mapping[str, str]:
        """Return the versions of what made it, AnonAudit's among them, and where."""
        return {**self.document["versions"], "platform": str(self.document.get("platform", ""))}

    @property
    def verdict(self) -> Verdict:
        """Return the overall verdict."""
        return Verdict(self.document["verdict"])

    @property
    def verdicts(self) -> Mapping[str, Verdict]:
        """Return the verdicts that the overall one is the worst of."""
        return {name: Verdict(one) for name, one in self.document["verdicts"].items()}

    @property
    def headline(self) -> str:
        """Return the sentence that explains the verdict."""
        return _sayable(str(self.document["headline"]), self.document.get("headline_said"))

    @property
    def created_at(self) -> str:
        """Return when it was made, in UTC."""
        return str(self.document["created_at"])

    @property
    def settings(self) -> Mapping[str, Any]:
        """Return the settings by their labels."""
        return dict(self.document["settings"])

    @property
    def policy(self) -> Mapping[str, Any]:
        """Return what a policy made of the result; empty where none was asked for."""
        return dict(self.document.get("policy", {}))

    @property
    def arguments(self) -> tuple[tuple[str, ...], ...]:
        """Return the words of each run of the command; none in the form of version 0.1.0."""
        return tuple(tuple(map(str, words)) for words in self.document.get("arguments", ()))

    @property
    def digest(self) -> str:
        """Return the digest of its content as it is now, its time left out."""
        return document_digest(self.document)

    @cached_property
    def inputs(self) -> tuple[InputFacts, ...]:
        """Return the files that were audited."""
        told = ("role", "name", "n_bytes", "sha256", "reading", "path", "options")
        return tuple(
            InputFacts(**{key: each[key] for key in told if key in each}) for each in self.document["inputs"]
        )

    @cached_property
    def figures(self) -> tuple[FiledFigure, ...]:
        """Return the figures in their order."""
        return tuple(
            FiledFigure(
                **{key: each[key] for key in (*_OF_FIGURE, "value")},
                verdict=None if each["verdict"] is None else Verdict(each["verdict"]),
            )
            for each in self.document["figures"]
        )

    @cached_property
    def findings(self) -> tuple[Finding, ...]:
        """Return the findings in their order."""
        return tuple(
            Finding(
                check=each["check"],
                verdict=Verdict(each["verdict"]),
                column=each["column"],
                message=_sayable(each["message"], each.get("message_said")),
                n_affected=each["n_affected"],
                columns=tuple(each.get("columns", ())),
                own_remedy=_sayable(each.get("remedy", ""), each.get("remedy_said")),
            )
            for each in self.document["findings"]
        )


def _sayable(words: str, made_of: Any) -> str:
    """Return a filed sentence with what it was made of, where that comes to the very sentence in English."""
    try:
        made = text_of(made_of) if isinstance(made_of, dict) else words
        is_whole = not isinstance(made, Text) or (made.n is None or type(made.n) is int)
    except (ValueError, TypeError, KeyError, IndexError, AttributeError, RecursionError, MemoryError):
        return words
    return made if is_whole and str(made) == words else words


def read_report(source: bytes | Path, *, name: str = "") -> FiledReport:
    """Read a report of ours as JSON.

    Parameters
    ----------
    source
        The file's bytes, or its path.
    name
        File name to show; needed with bytes.

    Raises
    ------
    AuditInputError
        No report of ours, one that was cut short or that lacks a part, or one of a newer form.
    """
    name = name or (source.name if isinstance(source, Path) else "report")
    try:
        data = read_unchanged(source, name=name) if isinstance(source, Path) else source
    except OSError as error:
        cannot = "{file} cannot be read: {reason}."
        raise input_error(cannot, file=name, reason=str(error.strerror)) from None
    if data.startswith(_ZIP):
        raise input_error(
            "{file} is an archive. Unpack it, and give the JSON report that is in it.", file=name
        )
    if len(data) > LARGEST_REPORT:
        most = LARGEST_REPORT >> 20
        raise input_error("{file} is larger than {most} MB, which no report is.", file=name, most=most)
    answer = looked_at(read_for_other, data, name=name)
    digest = hashlib.sha256(data).hexdigest()
    return FiledReport(name=name, sha256=digest, document=answer["report"], changed=tuple(answer["changed"]))


def looked_at(task: Callable[..., Answer], data: bytes, *, name: str) -> Document:
    """Return what a task finds in a file; a large one is looked at in a process of its own."""
    if len(data) <= WORTH_APART:
        return task(pa.py_buffer(data), name=name)[0]
    try:
        return ask_apart(f"{task.__module__}:{task.__name__}", pa.py_buffer(data), {"name": name})[0]
    except EndedError:
        raise refused(len(data), name=name, remedy="Take it again from where it was filed.") from None


def read_for_other(data: pa.Buffer, *, name: str) -> Answer:
    """Return a report that was checked, and which parts of it were changed, for the process that asked."""
    document = _parsed(bytes(data), name)
    for problem in _problems(document, name):
        raise AuditInputError(problem)
    return {"report": document, "changed": changed_parts(document)}, None


def changed_parts(document: Mapping[str, Any]) -> list[str]:
    """Return the parts of a report whose digest no longer fits; none of a form without digests."""
    if document.get("report_format", 1) < 2:
        return []
    told, now = document["digests"], part_digests(document)
    changed = [key for key in dict.fromkeys((*now, *told)) if told.get(key) != now.get(key)]
    return changed or ([] if document["content_digest"] == document_digest(document) else ["content_digest"])


def _parsed(data: bytes, name: str) -> dict[str, Any]:
    def once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        found = dict(pairs)
        if len(found) < len(pairs):
            raise input_error("{file} names a part twice, as no report does.", file=name)
        return found

    try:
        document = parsed_json(data.decode("utf-8-sig"), object_pairs_hook=once, parse_constant=_no_number)
        written = 0
        for piece in json.JSONEncoder(ensure_ascii=False, allow_nan=False, indent=2).iterencode(document):
            written += len(piece.encode())
            if written > 2 * LARGEST_REPORT:  # what is nested deeply grows with the indent of each line
                raise ValueError
    except (ValueError, RecursionError):
        raise input_error(_CUT_SHORT, file=name) from None
    if not isinstance(document, dict) or not document.keys() >= {"tool", "verdict", "findings", "versions"}:
        raise input_error(_NO_REPORT, file=name)
    return document


def _no_number(_: str) -> NoReturn:
    raise ValueError


def _problems(document: Mapping[str, Any], name: str) -> list[Text]:
    """Return the first thing that keeps a report from being read."""
    form = document.get("report_format", 1)
    versions = document["versions"]
    if isinstance(form, int) and form > REPORT_FORMAT:
        version = str(versions.get("anonaudit")) if isinstance(versions, dict) else "–"
        return [text(_NEWER, file=name, version=version, ours=__version__)]
    parts = _PARTS if form == 1 else {**_PARTS, **_PARTS_SINCE_2}
    odd = [part for part, kind in parts.items() if not isinstance(document.get(part), kind)]
    mixed = form == 1 and not _PARTS_SINCE_2.keys().isdisjoint(document)  # its digests would not be asked
    odd += ["report_format"] if mixed or form not in range(1, REPORT_FORMAT + 1) else []
    odd = odd or [part for part, holds in _CHECKS.items() if not holds(document.get(part))]
    return [text(_ODD_PART, file=name, part=part) for part in odd[:1]]


def _are(values: Any, kinds: Mapping[str, type]) -> bool:
    return all(
        isinstance(each, dict) and all(isinstance(each.get(key), kind) for key, kind in kinds.items())
        for each in values
    )


def _judged(values: Any, *, maybe: bool) -> bool:
    known = (*Verdict, *((None,) if maybe else ()))
    return all("verdict" in each and each["verdict"] in known for each in values)


def _number(value: Any) -> bool:
    return value is None or (isinstance(value, int | float) and not isinstance(value, bool))


def _facts_hold(inputs: Any) -> bool:
    return _are(inputs, _FACTS) and all(
        isinstance(each.get("path", ""), str) and _options_hold(each.get("options")) for each in inputs
    )


def _options_hold(options: Any) -> bool:
    return options is None or (
        isinstance(options, dict)
        and options.keys() == _OPTIONS
        and _are_texts(options["missing_spellings"])
        and all(isinstance(options[key], str | None) for key in _OPTIONS - {"missing_spellings"})
        and isinstance(options["header"], str)
    )


def _are_texts(values: Any) -> bool:
    return isinstance(values, list) and all(isinstance(each, str) for each in values)


def _is_time(value: str) -> bool:
    try:
        datetime.fromisoformat(value)
    except ValueError:
        return False
    return True


def _tables_hold(tables: Any) -> bool:
    return _are(tables, _OF_TABLE) and all(
        _are_texts(table["columns"])
        and all(isinstance(row, list) and len(row) == len(table["columns"]) for row in table["rows"])
        and not any(isinstance(cell, list | dict) for row in table["rows"] for cell in row)
        for table in tables
    )


def _figures_hold(figures: Any) -> bool:
    return (
        _are(figures, _OF_FIGURE)
        and _judged(figures, maybe=True)
        and all("value" in each and _number(each["value"]) for each in figures)
    )


def _findings_hold(findings: Any) -> bool:
    return (
        _are(findings, _OF_FINDING)
        and _judged(findings, maybe=False)
        and all(
            isinstance(each.get("column", 0), str | None)
            and _number(each.get("n_affected", ""))
            and _are_texts(each.get("columns", []))
            and isinstance(each.get("remedy", ""), str)
            for each in findings
        )
    )


def _words_hold(arguments: Any) -> bool:
    return all(map(_are_texts, arguments or ()))


_CHECKS = {
    "verdict": lambda value: value in Verdict.__members__,
    "verdicts": lambda value: all(one in (*Verdict,) for one in value.values()),
    "versions": lambda value: all(isinstance(one, str) for one in value.values()),
    "created_at": _is_time,
    "inputs": _facts_hold,
    "figures": _figures_hold,
    "findings": _findings_hold,
    "tables": _tables_hold,
    "limits": _are_texts,
    "arguments": _words_hold,
}
