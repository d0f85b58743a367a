"""What the look at columns says: roles with their reasons, and a report of them."""

from collections.abc import Sequence
from datetime import datetime

from core.columns.tool import TOOL
from core.reports import Report, input_facts, report_of
from core.result import Col, Group, Result, Table
from core.roles import Role, RoleSuggestion
from core.tables import Dataset
from core.verdict import Finding, Verdict, worst
from core.words import text

_COLUMNS = (
    Col("column", "Column"),
    Col("role", "Suggested role", kind="words"),
    Col("kind", "Holds", kind="words"),
    Col("reason", "Why", kind="words"),
)


def columns_result(suggestions: Sequence[RoleSuggestion]) -> Result:
    """Return the roles: FAIL where a column is a direct identifier."""
    named = [each for each in suggestions if each.role is Role.DIRECT_IDENTIFIER]
    findings = tuple(
        Finding.of("direct_identifiers", Verdict.FAIL, column=each.column)(
            "{column} tells who a person is.", column=f"`{each.column}`"
        )
        for each in named
    )
    return Result(
        tool=TOOL.key,
        verdict=worst([Verdict.PASS, *(each.verdict for each in findings)]),
        headline=findings[0].message if findings else text("No column tells who a person is."),
        findings=findings,
        groups=(Group("columns", "Columns", (Table("columns", "Columns", _COLUMNS, suggestions),)),),
    )


def columns_report(table: Dataset, suggestions: Sequence[RoleSuggestion], created_at: datetime) -> Report:
    """Return the report of the look at a table."""
    facts = input_facts(table, "table")
    result = columns_result(suggestions)
    return report_of(TOOL, result, inputs=[facts], created_at=created_at, arguments=((facts.path,),))
