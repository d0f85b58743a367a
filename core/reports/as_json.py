"""A report as JSON, and the digests by which two are told apart."""

import hashlib
import json
from collections.abc import Mapping

from core.languages import ENGLISH
from core.measures import MEASURES
from core.plain import JsonValue, json_value, valid_unicode
from core.reports.model import Figure, Report, ReportTable, figure_text, in_utc
from core.verdict import Finding
from core.words import Text, plain_text, speaking

REPORT_FORMAT = 2  # the first said none, and is read no more
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
    """Return the report as nested dictionaries and lists, ready for JSON, in English."""
    with speaking(ENGLISH):
        return {
            "report_format": REPORT_FORMAT,
            "tool": valid_unicode(report.tool),
            "title": valid_unicode(report.title),
            "question": valid_unicode(report.question),
            "verdict": report.verdict.value,
            "verdicts": json_value(report.verdicts),
            "headline": valid_unicode(report.headline),
            "headline_said": _said(report.headline),
            "created_at": in_utc(report.created_at).isoformat().replace("+00:00", "Z"),
            "inputs": [json_value(vars(facts)) for facts in report.inputs],
            "settings": json_value(report.settings),
            "policy": json_value(report.policy),
            "figures": [_figure(figure) for figure in report.figures],
            "findings": [_finding(finding) for finding in report.findings],
            "tables": [_table(table) for table in report.tables],
            "limits": json_value(report.limits),
            "versions": json_value(report.versions),
            "platform": valid_unicode(report.platform),
            "seeds": json_value(report.seeds),
            "command": valid_unicode(report.command),
            "arguments": json_value(report.arguments),
            "result": json_value(report.result),
        }


def _figure(figure: Figure) -> dict[str, JsonValue]:
    measure = MEASURES[figure.measure]
    return {
        "measure": measure.key,
        "of": valid_unicode(figure.of),
        "label": measure.label,
        "value": json_value(figure.value),
        "text": figure_text(figure),
        "unit": measure.unit,
        "threshold": valid_unicode(figure.threshold),
        "verdict": json_value(figure.verdict),
        "definition": measure.definition,
        "source": measure.source,
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


def _table(table: ReportTable) -> dict[str, JsonValue]:
    frame = table.said_with_marks
    return {
        "name": valid_unicode(table.name),
        "title": valid_unicode(table.title),
        "note": valid_unicode(table.note),
        "columns": [valid_unicode(str(name)) for name in frame.columns],
        "rows": [json_value(row) for row in frame.itertuples(index=False, name=None)],
    }


def json_bytes(document: Mapping[str, JsonValue]) -> bytes:
    """Return a document as the bytes of its file, which are the same for the same document."""
    return json.dumps(document, ensure_ascii=False, indent=2, allow_nan=False).encode("utf-8") + b"\n"


def _digest(part: Mapping[str, JsonValue]) -> str:
    return hashlib.sha256(json_bytes(part)).hexdigest()
