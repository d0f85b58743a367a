"""A filed report: what it says, and whether it is as it was made; large ones are read in a process apart."""

import hashlib
import json
from collections.abc import Callable, Mapping
from datetime import datetime
from functools import cached_property
from pathlib import Path
from typing import Annotated, Any, NoReturn

import pyarrow as pa
from msgspec import Meta, Struct, ValidationError, convert, field, to_builtins
from msgspec.structs import fields

from core import __version__
from core.files.input_bytes import read_unchanged, unreadable
from core.files.plain_text import Scalar, parsed_json
from core.processes.bounded_process import EndedError, refused, run_apart
from core.processes.bounds import ALLOWED
from core.reports.as_json import REPORT_FORMAT, document_digest, part_digests
from core.reports.carried import carried_in
from core.reports.model import InputFacts
from core.result import Col, Table
from core.verdict import Finding, Verdict
from core.words import Text, input_error, text, text_of

LARGEST_REPORT = 32 << 20  # bytes
WORTH_APART = 4 << 20  # bytes; whatever smaller ones hold takes less than 200 MB
_ZIP = b"PK\x03\x04"
_CUT_SHORT = (
    "{file} is not whole JSON: it was cut short or changed. Take it again from where it was filed; of a "
    "report, give the JSON."
)
_NO_CARRIED = (
    "{file} is a page that holds no report of AnonAudit. Give the report's JSON, or its page as it was "
    "written."
)
_NO_REPORT = "{file} is JSON, but no report of AnonAudit."
_FIRST_FORM = (
    "{file} is a report in the first form, which held no digests and is read no more. Run the audit again "
    "and file its new report."
)
_OLDER = (
    "{file} is a report in an earlier form, which is read no more. Run the audit again and file its new "
    "report."
)
_NEWER = (
    "{file} was written by AnonAudit {version}, in a newer form than version {ours} reads. Read it with that "
    "version."
)
_ODD_PART = "{file}: “{part}” is not what a report holds there; it was changed by hand, or damaged."


class FiledFigure(Struct, frozen=True):
    """A figure as it was filed."""

    measure: str
    of: str
    value: int | float | None
    total: int | None
    text: str
    threshold: str
    verdict: Verdict | None


class _Options(Struct, frozen=True, forbid_unknown_fields=True):
    """How a table was read, as `core.tables.ReadOptions` has it."""

    delimiter: str | None
    encoding: str | None
    sheet: str | None
    header: str
    missing_spellings: list[str]


class _Input(Struct, frozen=True):
    role: str
    name: str
    n_bytes: int
    sha256: str
    reading: str
    path: str = ""
    options: _Options | None = None


class _Finding(Struct, frozen=True):
    check: str
    verdict: Verdict
    column: str | None
    message: str
    n_affected: int | None
    message_said: Any = None
    columns: tuple[str, ...] = ()
    remedy: str = ""
    remedy_said: Any = None

    def found(self) -> Finding:
        """Return the finding as audits have it, to be said in any language."""
        return Finding(
            check=self.check,
            verdict=self.verdict,
            column=self.column,
            message=_sayable(self.message, self.message_said),
            n_affected=self.n_affected,
            columns=self.columns,
            own_remedy=_sayable(self.remedy, self.remedy_said),
        )


class _Measure(Struct, frozen=True):
    label: str
    unit: str
    definition: str
    source: str


class _Column(Struct, frozen=True):
    key: str
    label: str
    unit: str


class _Table(Struct, frozen=True):
    """How a table is called and headed; its rows, where it has no key that they stand under."""

    name: str
    title: str
    note: str
    key: str
    columns: list[_Column | str]
    rows: list[list[Scalar]] = []
    marks: dict[str, list[Verdict | None]] = {}

    def __post_init__(self) -> None:
        is_right = all(isinstance(each, _Column if self.key else str) for each in self.columns)
        keys = {each.key for each in self.columns if isinstance(each, _Column)}
        is_right = is_right and (not keys or len(keys) == len(self.columns))
        if not is_right or any(len(row) != len(self.columns) for row in self.rows):
            raise ValueError

    def rows_in(self, document: Mapping[str, Any]) -> list[list[Scalar]]:
        """Return the rows, wherever they stand in a report or in a file's part of it."""
        if not self.key:
            return self.rows
        keys = [each.key for each in self.columns if isinstance(each, _Column)]
        given = convert(document[self.key], list[dict[str, Scalar]])
        return [[row[key] for key in keys] for row in given]


class _File(Struct, frozen=True):
    """What a report says of one file of a run."""

    file: str
    verdict: Verdict
    overall: Verdict
    verdicts: dict[str, Verdict]
    headline: str
    settings: dict[str, Any]
    findings: list[_Finding]
    tables: list[_Table]


class ReportParts(Struct, frozen=True, kw_only=True, dict=True):
    """What a report holds; beside it, figures by their measures, and rows of tables by the tables' keys."""

    tool: str
    kind: Annotated[str, Meta(description="of input, such as counts; empty for what the tool usually takes")]
    title: str
    question: str
    verdict: Verdict
    overall: Annotated[Verdict, Meta(description="the same as verdict")]
    is_whole: Annotated[bool, Meta(description="false where an input was left out or could not be read")]
    verdicts: Annotated[dict[str, Verdict], Meta(description="those that the verdict is the worst of")]
    _headline: str = field(name="headline")
    _headline_said: Annotated[Any, Meta(description="what the sentence was made of")] = field(
        name="headline_said", default=None
    )
    made_at: datetime = field(name="created_at")
    _inputs: list[_Input] = field(name="inputs")
    asked: Annotated[dict[str, Any], Meta(description="by the names of settings files")] = field(
        name="settings"
    )
    settings: Annotated[dict[str, Any], Meta(description="by their labels, as people read them")] = field(
        name="settings_said"
    )
    policy: dict[str, Any]
    figures: Annotated[tuple[FiledFigure, ...], Meta(description="of the run and of all its files")]
    measures: dict[str, _Measure]
    _findings: list[_Finding] = field(name="findings")
    _tables: list[_Table] = field(name="tables")
    files: Annotated[list[_File], Meta(description="of a run of files")] = []
    pairs: Annotated[list[_File], Meta(description="the same of the VCF verifier")] = []
    limits: tuple[str, ...]
    _versions: dict[str, str] = field(name="versions")
    platform: str
    seeds: dict[str, Any]
    command: Annotated[str, Meta(description="what repeats the audit in the folder of its files")]
    arguments: tuple[tuple[str, ...], ...]
    digests: Annotated[dict[str, Any], Meta(description="SHA-256 of each part")]
    content_digest: Annotated[str, Meta(description="SHA-256 of all but the time and the digests")]
    report_format: int


class FiledReport(ReportParts, frozen=True, kw_only=True, dict=True):
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
    arguments
        The words of each run of the command.
    policy
        What a policy made of the result; empty where none was asked for.
    """

    name: str
    sha256: str
    document: dict[str, Any]
    changed: tuple[str, ...]

    @property
    def version(self) -> str:
        """Return the version of AnonAudit that made it."""
        return self._versions.get("anonaudit", "–")

    @property
    def versions(self) -> Mapping[str, str]:
        """Return the versions of what made it, AnonAudit's among them, and where."""
        return {**self._versions, "platform": self.platform}

    @property
    def headline(self) -> str:
        """Return the sentence that explains the verdict."""
        return _sayable(self._headline, self._headline_said)

    @property
    def created_at(self) -> str:
        """Return when it was made, in UTC, as it was filed."""
        return str(self.document["created_at"])

    @cached_property
    def tables(self) -> tuple[Table, ...]:
        """Return the tables of the run, then those of its files."""
        said = [(self.document, self._tables)]
        for key, files in (("files", self.files), ("pairs", self.pairs)):
            said += [(self.document[key][place], each.tables) for place, each in enumerate(files)]
        return tuple(_as_filed(table, document) for document, tables in said for table in tables)

    @property
    def told_changed(self) -> Text:
        """Say which parts were changed."""
        message = "{file}: changed since it was made, in: {parts}."
        return text(message, file=self.name, parts=", ".join(self.changed))

    @property
    def digest(self) -> str:
        """Return the digest of its content as it is now, its time left out."""
        return document_digest(self.document)

    def label_of(self, figure: FiledFigure) -> str:
        """Return what a figure is called, as it was filed."""
        known = self.measures.get(figure.measure)
        return figure.measure if known is None else known.label

    @cached_property
    def inputs(self) -> tuple[InputFacts, ...]:
        """Return the files that were audited."""
        return tuple(InputFacts(**to_builtins(each)) for each in self._inputs)

    @cached_property
    def findings(self) -> tuple[Finding, ...]:
        """Return the findings in their order."""
        return tuple(each.found() for each in self._findings)


def _as_filed(table: _Table, document: Mapping[str, Any]) -> Table:
    """Return a table as reports have it, headed as it was filed."""
    rows = [[cells, number] for number, cells in enumerate(table.rows_in(document))]
    columns = tuple(_column(place, each, table) for place, each in enumerate(table.columns))
    return Table(table.key, table.title, columns, rows, table.note, name=table.name)


def _column(place: int, filed: _Column | str, table: _Table) -> Col:
    """Return a column as it was filed, which gets its cell and its verdict by the place of both."""
    told = filed if isinstance(filed, _Column) else _Column(str(place), filed, "")
    marks = table.marks.get(told.key)
    return Col(
        told.key,
        told.label,
        told.unit or None,  # type: ignore[arg-type]
        get=lambda row: row[0][place],
        mark=(lambda row: marks[row[1]]) if marks else None,
    )


def _sayable(words: str, made_of: Any) -> str:
    """Return a filed sentence with what it was made of, where that comes to the very sentence in English."""
    try:
        made = text_of(made_of) if isinstance(made_of, dict) else words
        is_whole = not isinstance(made, Text) or (made.n is None or type(made.n) is int)
    except (ValueError, TypeError, KeyError, IndexError, AttributeError, RecursionError, MemoryError):
        return words
    return made if is_whole and str(made) == words else words


def as_json(data: bytes) -> bytes:
    """Return the report as JSON that a page of ours carries; another file as it is."""
    return carried_in(data, most=LARGEST_REPORT) or data


def read_report(source: bytes | Path, *, name: str = "") -> FiledReport:
    """Read a report of ours as JSON, or its page, which holds the same.

    Parameters
    ----------
    source
        The file's bytes, or its path.
    name
        File name to show; needed with bytes.

    Raises
    ------
    AuditInputError
        No report of ours, one that was cut short or that lacks a part, or one of another form.
    """
    name = name or (source.name if isinstance(source, Path) else "report")
    try:
        data = read_unchanged(source, name=name) if isinstance(source, Path) else source
    except OSError as error:
        raise unreadable(error, file=name) from None
    if data.startswith(_ZIP):
        raise input_error(
            "{file} is an archive. Unpack it, and give the JSON report that is in it.", file=name
        )
    if data.startswith((b"<!doctype html", b"<!DOCTYPE html")):
        if (carried := carried_in(data, most=LARGEST_REPORT)) is None:
            raise input_error(_NO_CARRIED, file=name)
        data = carried
    refuse_larger(data, LARGEST_REPORT, name=name)
    document, changed = looked_at(read_whole_report, data, name=name)
    digest = hashlib.sha256(data).hexdigest()
    of_file = {"name": name, "sha256": digest, "document": document, "changed": changed}
    return convert({**document, **of_file}, FiledReport)


def refuse_larger(data: bytes, most: int, *, name: str) -> None:
    """Refuse a file of more bytes than a report has."""
    if len(data) > most:
        too_large = "{file} is larger than {most} MB, which no report is."
        raise input_error(too_large, file=name, most=most >> 20)


def looked_at(task: Callable[[pa.Buffer, str], bytes], data: bytes, *, name: str) -> Any:
    """Return what a task finds in a file, which it says as JSON; of a large one in a process of its own."""
    if len(data) <= WORTH_APART:
        return json.loads(task(pa.py_buffer(data), name))
    try:
        return json.loads(run_apart(task, pa.py_buffer(data), name, bounds=ALLOWED["file"].of(len(data))))
    except EndedError:
        raise refused(len(data), name=name, remedy="Take it again from where it was filed.") from None


def read_whole_report(data: pa.Buffer, name: str) -> bytes:
    """Return a report that was checked, and which parts of it were changed."""
    document = _parsed(bytes(data), name)
    _check(document, name)
    return json.dumps([document, changed_parts(document)]).encode()


def changed_parts(document: Mapping[str, Any]) -> list[str]:
    """Return the parts of a report whose digest no longer fits."""
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


def _check(document: Mapping[str, Any], name: str) -> None:
    """Refuse a report of another form, or one that holds something else than reports do."""
    if document.keys().isdisjoint({"report_format", "digests"}):
        raise input_error(_FIRST_FORM, file=name)
    form, versions = document.get("report_format"), document["versions"]
    if isinstance(form, int) and form > REPORT_FORMAT:
        version = str(versions.get("anonaudit")) if isinstance(versions, dict) else "–"
        raise input_error(_NEWER, file=name, version=version, ours=__version__)
    if type(form) is int and form < REPORT_FORMAT:
        raise input_error(_OLDER, file=name)
    if form != REPORT_FORMAT:
        raise input_error(_ODD_PART, file=name, part="report_format")
    _check_parts(document, name)
    _check_rows(document, name)


def _check_parts(document: Mapping[str, Any], name: str) -> None:
    """Refuse a report of which a part is not what it has to be."""
    for each in fields(ReportParts):
        if each.encode_name not in document and not each.required:
            continue
        try:
            convert(document.get(each.encode_name), each.type)
        except ValidationError:
            raise input_error(_ODD_PART, file=name, part=each.encode_name) from None


def _check_rows(document: Mapping[str, Any], name: str) -> None:
    """Refuse a report in which rows of a table are not what its description says."""
    for part in (document, *document.get("files", ()), *document.get("pairs", ())):
        for table in convert(part["tables"], list[_Table]):
            try:
                table.rows_in(part)
            except (ValidationError, KeyError):
                raise input_error(_ODD_PART, file=name, part=table.key) from None
