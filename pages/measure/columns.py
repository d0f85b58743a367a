"""Columns: what each column of a table says of people."""

from core.columns.result import columns_report, columns_result
from core.columns.tool import TOOL
from core.roles import suggest_roles
from pages.components.tool_page import ToolPage, show_page

show_page(
    ToolPage(
        tool=TOOL,
        settings=lambda _: None,
        measure=lambda shown: suggest_roles(shown.given["table"].table),
        judge=lambda shown: shown.measured,
        live=lambda shown: shown.judge(None),
        result=lambda shown: columns_result(shown.measured),
        report=lambda shown, created_at: columns_report(shown.given["table"], shown.measured, created_at),
    )
)
