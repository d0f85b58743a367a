"""Tables and the report of an audit of counts."""

import math
from collections.abc import Iterator, Sequence
from datetime import datetime

import pandas as pd

from core.counts.document import counts_document
from core.counts.judging import CountsAudit, cell_names
from core.counts.measuring import CountsMeasurement
from core.counts.suppressing import Suppression
from core.reports import InputFacts, Report, ReportTable, current_versions, placed
from core.reports.model import Column
from core.settings_form import option_words, report_lines

TITLE = "Disclosure risk of a table of counts"
QUESTION = (
    "Which counts are small, which suppressed ones follow from the others, and what has to be suppressed?"
)
LIMITS = (
    "Rows are cells of one table; what others publish of the same people is looked at where it is given.",
    "A suppression that holds says that totals do not give counts away, not that people cannot be found.",
    "Rounded or noisy totals do not add up; what they tell is not assessed.",
)


def headline(audit: CountsAudit) -> str:
    """Return the most important reason of the verdict, in a sentence."""
    return audit.findings[0].message


def cells_table(audit: CountsAudit) -> tuple[pd.DataFrame, tuple[Column, ...]]:
    """Return a row per cell that is suppressed or should be: what it can be now, and why it is listed."""
    columns = (
        *(Column(f"cell_{place}", name) for place, name in enumerate(audit.dimensions)),
        Column("count", "Count"),
        Column("why", "Why", kind="words"),
        Column("least", "At least"),
        Column("most", "At most"),
    )
    rows = [
        row
        for each, made in zip(audit.measured, audit.suppressions, strict=True)
        for row in _rows(each, made)
    ]
    return pd.DataFrame(rows, columns=[column.key for column in columns], dtype=object), columns


def _rows(measured: CountsMeasurement, made: Suppression) -> Iterator[Sequence[object]]:
    kinds = (
        ("small count", made.primary),
        ("suppress too, so that totals do not tell", made.secondary),
        ("suppressed", tuple(measured.bounded.bounds)),
    )
    for why, keys in kinds:
        for key in keys:
            count, bounds = measured.cube.cells.get(key, 0), measured.bounded.bounds.get(key)
            least, most = (count, count) if bounds is None else bounds
            yield [*cell_names(measured, key), measured.count, why, _whole(least), _whole(most)]


def _whole(bound: float | None) -> int | None:
    return None if bound is None or math.isinf(bound) else int(bound)


def counts_report(
    audit: CountsAudit, *, inputs: Sequence[InputFacts], created_at: datetime, settings: object
) -> Report:
    """Return the report of a run; its table names categories and bounds, and no count that is not shown."""
    inputs = placed(inputs)
    table, *others = (facts.path for facts in inputs)
    words = [*option_words(settings), *option_words(audit.thresholds)]
    frame, columns = cells_table(audit)
    note = "Small counts, those to suppress with them, and what suppressed counts can be."
    return Report(
        tool="risk",
        title=TITLE,
        question=QUESTION,
        verdict=audit.overall,
        headline=headline(audit),
        inputs=inputs,
        settings=report_lines(settings, audit.thresholds),
        figures=(),
        findings=audit.findings,
        tables=(
            ReportTable(
                "Cells", "Cells to suppress, and what is told of them", frame, note=note, columns=columns
            ),
        ),
        charts=(),
        limits=LIMITS,
        created_at=created_at,
        versions=current_versions(),
        verdicts={},
        result=counts_document(audit),
        arguments=((table, *words, *(["--also", *others] if others else [])),),
    )
