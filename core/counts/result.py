"""What an audit of counts says: the cells that are suppressed or should be, and what is told of them."""

import math
from collections.abc import Iterator

from core.counts.judging import CountsAudit, cell_names
from core.counts.measuring import CountsMeasurement
from core.counts.suppressing import Suppression
from core.counts.tool import TOOL
from core.result import Col, Figure, Group, Result, Table
from core.settings.form import report_lines, settings_document
from core.words import own

_CELLS = (
    Col("count", "Count"),
    Col("why", "Why", kind="words"),
    Col("least", "At least"),
    Col("most", "At most"),
)
_COUNTS = (
    Col("column", "Count"),
    Col("n_cells", "Cells"),
    Col("n_totals", "Totals"),
    Col("n_suppressed", "Suppressed"),
    Col("smallest", "Smallest count shown"),
    Col("totals_add_up", "Totals add up", kind="words"),
    Col("n_primary", "Small counts"),
    Col("n_secondary", "To suppress with them"),
    Col("suppression_holds", "Suppressing them is enough", kind="words"),
)


def counts_result(audit: CountsAudit, settings: object) -> Result:
    """Return all that the audit says; it names categories and bounds, and no count that is not shown."""
    return Result(
        tool=TOOL.key,
        verdict=audit.overall,
        headline=audit.findings[0].message,
        findings=audit.findings,
        groups=(
            Group("cells", "Cells", (_cells_table(audit),)),
            Group("counts", "Counts", tuple(_counted(audit)), where="report", is_detail=True),
        ),
        settings=report_lines(settings, audit.thresholds),
        asked=settings_document(settings, audit.thresholds),
        kind="counts",
    )


def _counted(audit: CountsAudit) -> Iterator[Figure | Table]:
    """Yield how small each column's counts are, which cells few contributors tell, and what was counted."""
    for each in audit.measured:
        if each.cube.inner:
            yield Figure("smallest_cell", _smallest(each), of=each.count)
    if audit.contributions is not None and audit.dominated is not None:
        of, n_cells = audit.contributions.column, audit.contributions.n_cells
        yield Figure("n_cells_by_dominance", int(audit.dominated.by_share.sum()), of=of, total=n_cells)
        yield Figure("n_cells_by_p_percent", int(audit.dominated.by_p.sum()), of=of, total=n_cells)
    if audit.measured:
        rows = [*map(_counts_row, audit.measured, audit.suppressions)]
        yield Table("counts", "Columns of counts", _COUNTS, rows)


def _smallest(measured: CountsMeasurement) -> int | None:
    return min((each for each in measured.cube.shown if each), default=None)


def _counts_row(measured: CountsMeasurement, made: Suppression) -> tuple[object, ...]:
    cube = measured.cube
    return (
        measured.count,
        len(cube.inner),
        len(cube.totals),
        sum(count is None for count in cube.cells.values()),
        _smallest(measured),
        own("yes") if measured.bounded.is_consistent else own("no"),
        len(made.primary),
        len(made.secondary),
        own("yes") if made.holds else own("no"),
    )


def _cells_table(audit: CountsAudit) -> Table:
    """Return a row per cell that is suppressed or should be: what it can be now, and why it is listed."""
    cells = (Col(f"cell_{place}", name) for place, name in enumerate(audit.dimensions))
    measured = zip(audit.measured, audit.suppressions, strict=True)
    return Table(
        "cells",
        "Cells to suppress, and what is told of them",
        (*cells, *_CELLS),
        [row for each, made in measured for row in _rows(each, made)],
        "Small counts, those to suppress with them, and what suppressed counts can be.",
    )


def _rows(measured: CountsMeasurement, made: Suppression) -> Iterator[tuple[object, ...]]:
    kinds = (
        ("small count", made.primary),
        ("suppress too, so that totals do not tell", made.secondary),
        ("suppressed", tuple(measured.bounded.bounds)),
    )
    for why, keys in kinds:
        for key in keys:
            count, bounds = measured.cube.cells.get(key, 0), measured.bounded.bounds.get(key)
            least, most = (count, count) if bounds is None else bounds
            yield (*cell_names(measured, key), measured.count, why, _whole(least), _whole(most))


def _whole(bound: float | None) -> int | None:
    return None if bound is None or math.isinf(bound) else int(bound)
