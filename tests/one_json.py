"""What ``--json`` prints of a result, and its figures."""

import json
from collections.abc import Mapping
from typing import Any

from core.reports import Report, render_json, report_of
from core.result import Result
from core.tools import Tool
from tests.report_examples import CREATED_AT


def document_of(tool: Tool, result: Result) -> dict[str, Any]:
    """Return what ``--json`` prints of a result."""
    return of_report(report_of(tool, result, inputs=(), created_at=CREATED_AT))


def of_report(report: Report) -> dict[str, Any]:
    """Return a report as JSON."""
    document: dict[str, Any] = json.loads(render_json(report))
    return document


def figures_of(document: Mapping[str, Any], measure: str) -> dict[str, Any]:
    """Return the values of a measure's figures, by what each is of."""
    return {each["of"]: each["value"] for each in document["figures"] if each["measure"] == measure}
