"""What an audit of counts says: the cells that are suppressed or should be, and what is told of them."""

import math
from collections.abc import Iterator

from core.counts.judging import CountsAudit, cell_names
from core.counts.measuring import CountsMeasurement
from core.counts.suppressing import Suppression
from core.counts.tool import TOOL
from core.result import Col, Group, Result, Table
from core.settings_form import report_lines

_CELLS = (
    Col("count", "Count"),
    Col("why", "Why", kind="words"),
    Col("least", "At least"),
    Col("most", "At most"),
)


def counts_result(audit: CountsAudit, settings: object) -> Result:
    """Return all that the audit says; it names categories and bounds, and no count that is not shown."""
    return Result(
        tool=TOOL.key,
        verdict=audit.overall,
        headline=audit.findings[0].message,
        findings=audit.findings,
        groups=(Group("cells", "Cells", (_cells_table(audit),)),),
        settings=report_lines(settings, audit.thresholds),
    )


def _cells_table(audit: CountsAudit) -> Table:
    """Return a row per cell that is suppressed or should be: what it can be now, and why it is listed."""
    cells = (Col(f"cell_{place}", name) for place, name in enumerate(audit.dimensions))
    measured = zip(audit.measured, audit.suppressions, strict=True)
    return Table(
        "Cells",
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
