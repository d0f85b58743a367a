"""A report as JSON, and the digests by which two are told apart."""

from __future__ import annotations

import json

from core.languages import ENGLISH
from core.measures import MEASURES
from core.plain import JsonValue, json_value, sha256_of, valid_unicode
from core.reports.model import Figure, Report, ReportTable, figure_text, in_utc
from core.verdict import Finding
from core.words import speaking


def render_json(report: Report) -> bytes:
    """Write the report as JSON in UTF-8: everything but the charts.

    Missing values, NaN and infinities are null; a figure's ``text`` tells "not assessed" from
    "infinite". Shares are in [0, 1]. The same report gives the same bytes.
    """
    with speaking(ENGLISH):
        return _dump(_report_document(report))


def content_digest(report: Report) -> str:
    """Return the SHA-256 over the report's content without its time: equal for equal results."""
    with speaking(ENGLISH):
        document = _report_document(report)
    del document["created_at"]
    return sha256_of(_dump(document).decode())


def settings_digest(report: Report) -> str:
    """Return the SHA-256 over the settings: equal where the same was asked."""
    return sha256_of(_dump({"settings": json_value(report.settings)}).decode())


def _report_document(report: Report) -> dict[str, JsonValue]:
    """Return the report as nested dictionaries and lists, ready for JSON."""
    return {
        "tool": valid_unicode(report.tool),
        "title": valid_unicode(report.title),
        "question": valid_unicode(report.question),
        "verdict": report.verdict.value,
        "verdicts": json_value(report.verdicts),
        "headline": valid_unicode(report.headline),
        "created_at": in_utc(report.created_at).isoformat().replace("+00:00", "Z"),
        "inputs": [json_value(vars(facts)) for facts in report.inputs],
        "settings": json_value(report.settings),
        "figures": [_figure(figure) for figure in report.figures],
        "findings": [_finding(finding) for finding in report.findings],
        "tables": [_table(table) for table in report.tables],
        "limits": json_value(report.limits),
        "versions": json_value(report.versions),
        "seeds": json_value(report.seeds),
        "command": valid_unicode(report.command),
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
        "n_affected": json_value(finding.n_affected),
    }


def _table(table: ReportTable) -> dict[str, JsonValue]:
    frame = table.said_with_marks
    return {
        "name": valid_unicode(table.name),
        "title": valid_unicode(table.title),
        "note": valid_unicode(table.note),
        "columns": [valid_unicode(str(name)) for name in frame.columns],
        "rows": [json_value(row) for row in frame.itertuples(index=False, name=None)],
    }


def _dump(document: dict[str, JsonValue]) -> bytes:
    return json.dumps(document, ensure_ascii=False, indent=2, allow_nan=False).encode("utf-8") + b"\n"
