"""A report as JSON, and the digests by which two are told apart."""

import hashlib
import json
from collections.abc import Iterable, Mapping

from core.files.plain_text import JsonValue, json_value, valid_unicode
from core.languages import ENGLISH
from core.measures import MEASURES
from core.reports.model import Report, ReportSection, figure_text, headings, in_utc, said_rows
from core.result import Figure, Table
from core.verdict import Finding
from core.words import Text, plain_text, speaking

REPORT_FORMAT = 3  # the first said none; both it and the second are read no more
DIGESTS = ("digests", "content_digest")
_NO_CONTENT = ("created_at", *DIGESTS)


def render_json(report: Report) -> bytes:
    """Write the report as JSON in UTF-8: everything but the charts.

    Missing values, NaN and infinities are null; a figure's ``text`` tells "not assessed" from
    "infinite". Shares are in [0, 1]. The same report gives the same bytes. At its end stand the digests of
    each of its parts and of the whole, so that what was changed afterwards is told.
    """
    document = report_document(report)
    return json_bytes(
        {**document, "digests": part_digests(document), "content_digest": document_digest(document)}
    )


def content_digest(report: Report) -> str:
    """Return the SHA-256 over the report's content without its time: equal for equal results."""
    return document_digest(report_document(report))


def document_digest(document: Mapping[str, JsonValue]) -> str:
    """Return the digest of a report as JSON, over all but its time and the digests in it."""
    return _digest({key: value for key, value in document.items() if key not in _NO_CONTENT})


def part_digests(document: Mapping[str, JsonValue]) -> dict[str, JsonValue]:
    """Return the digest of each part of a report as JSON, its time included."""
    return {key: _digest({key: value}) for key, value in document.items() if key not in DIGESTS}


def settings_digest(report: Report) -> str:
    """Return the SHA-256 over the settings: equal where the same was asked."""
    with speaking(ENGLISH):
        return _digest({"settings": json_value(report.settings)})


def report_document(report: Report) -> dict[str, JsonValue]:
    """Return the report as nested dictionaries and lists, ready for JSON, in English.

    Beside the parts that every report has stand the figures of the whole run by their measures, and the rows
    of its tables by the tables' keys; where it is of files, the same of each under ``files``.
    """
    with speaking(ENGLISH):
        of_files = {id(table) for each in report.sections for table in (*each.tables, *each.details)}
        tables = [table for table in report.tables if id(table) not in of_files]
        document: dict[str, JsonValue] = {
            "report_format": REPORT_FORMAT,
            "tool": valid_unicode(report.tool),
            "kind": report.kind,
            "title": valid_unicode(report.title),
            "question": valid_unicode(report.question),
            "verdict": report.verdict.value,
            "overall": report.verdict.value,
            "verdicts": json_value(report.verdicts),
            "is_whole": report.is_whole,
            "headline": valid_unicode(report.headline),
            "headline_said": _said(report.headline),
            "created_at": in_utc(report.created_at).isoformat().replace("+00:00", "Z"),
            "inputs": [json_value(vars(facts)) for facts in report.inputs],
            "settings": json_value(report.asked),
            "settings_said": json_value(report.settings),
            "policy": json_value(report.policy),
            "figures": [_figure(figure) for figure in report.figures],
            "measures": _measures(report.figures),
            "findings": [_finding(finding) for finding in report.findings],
            "tables": [_described(table) for table in tables],
            report.files_are: [_file(each) for each in report.sections],
            "limits": json_value(report.limits),
            "versions": json_value(report.versions),
            "platform": valid_unicode(report.platform),
            "seeds": json_value(report.seeds),
            "command": valid_unicode(report.command),
            "arguments": json_value(report.arguments),
        }
        return {**document, **_values(report.own_figures), **_rows(tables)}


def _file(section: ReportSection) -> dict[str, JsonValue]:
    """Return what a report says of one file of a run."""
    tables = (*section.tables, *section.details)
    document: dict[str, JsonValue] = {
        "file": valid_unicode(section.name),
        "verdict": section.verdict.value,
        "overall": section.verdict.value,
        "verdicts": json_value(section.verdicts),
        "headline": valid_unicode(section.headline),
        "settings": json_value(section.asked),
        "findings": [_finding(finding) for finding in section.findings],
        "tables": [_described(table) for table in tables],
    }
    return {**document, **_values((*section.figures, *section.further)), **_rows(tables)}


def _values(figures: Iterable[Figure]) -> dict[str, JsonValue]:
    """Return the figures that are about the whole, by measure; the first where there are several."""
    found: dict[str, JsonValue] = {}
    for each in figures:
        if not each.of:
            found.setdefault(each.measure, json_value(each.value))
    return found


def _rows(tables: Iterable[Table]) -> dict[str, JsonValue]:
    """Return the rows of tables by the tables' keys, a row as its cells by the columns' keys."""
    with_key: dict[str, JsonValue] = {}
    for table in tables:
        if table.key:
            keys = [column.key for column in table.columns]
            rows = said_rows(table)
            with_key[table.key] = [dict(zip(keys, map(json_value, row), strict=True)) for row in rows]
    return with_key


def _described(table: Table) -> dict[str, JsonValue]:
    """Return what a table is called and how its columns are headed; its rows where nothing else has them."""
    about: dict[str, JsonValue] = {
        "name": valid_unicode(table.called),
        "title": valid_unicode(table.title),
        "note": valid_unicode(table.note),
        "key": table.key,
    }
    if table.key:
        about["columns"] = [
            {"key": each.key, "label": valid_unicode(each.label), "unit": each.unit or ""}
            for each in table.columns
        ]
        marks = table.marks()
        return about | ({"marks": json_value(marks)} if marks else {})
    about["columns"] = [valid_unicode(heading) for heading in headings(table.columns)]
    about["rows"] = [json_value(row) for row in said_rows(table, with_marks=True)]
    return about


def _measures(figures: Iterable[Figure]) -> dict[str, JsonValue]:
    """Return what the figures are: label, unit, definition and source of each measure."""
    known = {each.measure: MEASURES[each.measure] for each in figures}
    return {
        key: {"label": each.label, "unit": each.unit, "definition": each.definition, "source": each.source}
        for key, each in known.items()
    }


def _figure(figure: Figure) -> dict[str, JsonValue]:
    return {
        "measure": figure.measure,
        "of": valid_unicode(figure.of),
        "value": json_value(figure.value),
        "total": figure.total,
        "text": figure_text(figure),
        "threshold": valid_unicode(figure.threshold),
        "verdict": json_value(figure.verdict),
    }


def _finding(finding: Finding) -> dict[str, JsonValue]:
    return {
        "check": valid_unicode(finding.check),
        "verdict": finding.verdict.value,
        "column": json_value(finding.column),
        "message": valid_unicode(finding.message),
        "message_said": _said(finding.message),
        "n_affected": json_value(finding.n_affected),
        "columns": json_value(finding.columns),
        "remedy": valid_unicode(finding.remedy),
        "remedy_said": _said(finding.remedy),
    }


def _said(words: str) -> JsonValue:
    """Return what a sentence was made of, to be said in another language; None of plain words."""
    return json_value(plain_text(words)) if isinstance(words, Text) and words.values else None


def json_bytes(document: Mapping[str, JsonValue]) -> bytes:
    """Return a document as the bytes of its file, which are the same for the same document."""
    return json.dumps(document, ensure_ascii=False, indent=2, allow_nan=False).encode("utf-8") + b"\n"


def _digest(part: Mapping[str, JsonValue]) -> str:
    return hashlib.sha256(json_bytes(part)).hexdigest()
