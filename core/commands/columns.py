"""``python -m core columns``: what the columns of a table say of people."""

from functools import partial

from core.asked import Asked
from core.columns.result import columns_report, columns_result
from core.commands.audited import Audited
from core.commands.reading import table_reader
from core.roles import suggest_roles


def audit(arguments: Asked) -> Audited:
    """Look at the table."""
    table = table_reader(arguments)(arguments.table)
    found = suggest_roles(table.table)
    return Audited(
        verdict=columns_result(found).verdict,
        report=partial(columns_report, table, found),
        result=partial(columns_result, found),
        tables=("columns",),
    )
