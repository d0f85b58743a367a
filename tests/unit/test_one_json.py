"""In the one JSON every part, figure and table has a name of its own, whatever the tool."""

import re
from collections.abc import Iterator

import pytest

from core.delivery import audit_delivery
from core.delivery.report import delivery_report
from core.measures import MEASURES
from core.reports import Report
from core.reports.as_json import report_document
from core.tables import read_dataset
from tests import report_examples as examples
from tests.tool_reports import demo_files, report_of

TOOLS = ("tabular", "vcf", "leakage", "risk", "dataset", "events", "diversity")
OF_A_RUN = {"errors", "evidence", "seconds", "stability", "singling_out", "release"}  # added by commands
PARTS = {*report_document(examples.report(figures=(), tables=(), sections=()))} | OF_A_RUN
OF_A_FILE = {
    "file",
    "verdict",
    "overall",
    "verdicts",
    "headline",
    "settings",
    "findings",
    "tables",
    "seconds",
}


def made(tool: str) -> Report:
    if tool != "dataset":
        return report_of(tool)
    tables = [read_dataset(data, name=name) for name, data in demo_files(tool).items()]
    return delivery_report(audit_delivery(tables), inputs=[], created_at=examples.CREATED_AT)


def names_of(report: Report) -> Iterator[tuple[set[str], list[str]]]:
    """Yield the parts that a report, and each file's part of it, has anyway, and the keys of its tables."""
    of_files = {id(table) for each in report.sections for table in (*each.tables, *each.details)}
    own = [table.key for table in report.tables if table.key and id(table) not in of_files]
    yield PARTS | {report.files_are}, own
    for each in report.sections:
        yield OF_A_FILE, [table.key for table in (*each.tables, *each.details) if table.key]


@pytest.mark.one_of(2)
@pytest.mark.parametrize("tool", TOOLS)
def test_json__every_table_has_a_name_that_nothing_else_has(tool: str) -> None:
    for parts, keys in names_of(made(tool)):
        assert [key for key in keys if not re.fullmatch(r"[a-z][a-z0-9_]*", key)] == []
        assert sorted({*keys} & (parts | {*MEASURES})) == []
        assert len(keys) == len({*keys})


def test_measures__are_called_like_no_part_of_a_report() -> None:
    assert sorted({*MEASURES} & (PARTS | OF_A_FILE)) == []
