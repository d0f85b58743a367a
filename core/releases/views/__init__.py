"""The tables of a release beside earlier ones, for pages and reports."""

from __future__ import annotations

import pandas as pd

from core.releases.judging import ReleasesAudit
from core.reports import ReportTable
from core.reports.model import Column, table_of
from core.words import own

LIMITS = (
    "Only the earlier releases given are compared; what others hold of the same people finds more.",
    "Without a common pseudonym who came and left is read off counts, where coming and leaving cancel.",
)
COLUMNS = (
    Column("release", "Earlier release"),
    Column("table", "Table"),
    Column("counted", "Counted", kind="words"),
    Column("earlier", "In it", "number"),
    Column("both", "In both", "number"),
    Column("came", "Came", "number"),
    Column("came_below", "Of them among fewer than k", "number"),
    Column("came_values", "Of them a value follows", "number"),
    Column("left", "Left", "number"),
    Column("left_below", "Of them among fewer than k (left)", "number"),
    Column("left_values", "Of them a value follows (left)", "number"),
)


def earlier_table(audit: ReleasesAudit) -> pd.DataFrame:
    """Return the earlier tables compared, a row each."""
    k = audit.k
    rows = [
        (
            each.release,
            each.table,
            own("persons") if each.counts_persons else own("records"),
            each.n_earlier,
            each.n_common,
            each.came.n,
            each.came.groups.n_below(k),
            max(each.came.n_given_away.values(), default=None),
            each.left.n,
            each.left.groups.n_below(k),
            max(each.left.n_given_away.values(), default=None),
        )
        for each in audit.measurement.compared
    ]
    return table_of(rows, COLUMNS)


def releases_limits(audit: ReleasesAudit | None) -> tuple[str, ...]:
    """Return what the comparison cannot tell; nothing without earlier releases."""
    return () if audit is None else LIMITS


def releases_tables(audit: ReleasesAudit | None) -> tuple[ReportTable, ...]:
    """Return the table of a report; none without earlier releases."""
    if audit is None:
        return ()
    return (ReportTable("earlier", "Earlier releases", earlier_table(audit), columns=COLUMNS),)
