"""What a result says of its columns of free text."""

from collections.abc import Iterator, Mapping, Sequence

from core.people.free_text.finding import TextColumn
from core.people.free_text.reading import Reading, cells_to_read, upper_bound
from core.result import Col, Group, Table
from core.words import text

NO_MODEL = "none"

_COLUMNS = (
    Col("column", "Column"),
    Col("n_cells", "Cells"),
    Col("n_cells_naming_people", "Cells that name people"),
    Col("n_cells_with_possible_names", "Cells with words that may be names"),
    Col("n_read", "Cells read"),
    Col("n_found_by_reading", "Of them naming people"),
    Col("upper_bound", "At most so many cells name people", "share"),
    Col("n_to_read", "Cells to read"),
    Col("model", "Model"),
)
_NOTE = "The bound is that of Clopper and Pearson at 95 %, after the cells that a person has read."


def texts_group(
    texts: Sequence[TextColumn], read: Mapping[str, Reading] | None = None, *, file: str = ""
) -> Iterator[Group]:
    """Yield a group for the appendix: a row for each column of free text; none where there is none.

    `file`: whose columns they are, where a report is of several files.
    """
    if texts:
        rows = [_row(each, (read or {}).get(each.column, Reading(0))) for each in texts]
        title = text("Free text of {file}", file=file) if file else "Columns of free text"
        table = Table("texts", title, _COLUMNS, rows, _NOTE)
        yield Group("texts", "Columns of free text", (table,), where="report", is_detail=True)


def _row(found: TextColumn, reading: Reading) -> tuple[object, ...]:
    return (
        found.column,
        found.n_cells,
        found.n_found,
        found.n_perhaps,
        reading.n_read,
        reading.n_found,
        upper_bound(found.n_cells, reading.n_read, reading.n_found),
        cells_to_read(found.n_cells),
        None if found.model == NO_MODEL else found.model,
    )
