"""Records behind a disclosure-risk audit: the smallest classes, masked unless revealed."""

import pyarrow as pa

from core.reports.evidence import records_table
from core.result import Col, Table
from core.risk.judging import RiskAudit
from core.risk.measuring import RiskMeasurement
from core.tables import Dataset
from core.words import text


def worst_classes_table(measured: RiskMeasurement, dataset: Dataset, *, reveal: bool = False) -> Table:
    """Return the smallest classes, and of equally small ones those that give most away; shapes for cells."""
    classes = measured.classes
    order = measured.worst_classes
    shown = dataset.table.take(pa.array(measured.first_record_of_class[order]))
    size = Col("size", "Size in records" if measured.persons is None else "Size in persons")
    different = {
        Col(f"distinct_{place}", text("Different values of {column}", column=each.column)): each.distinct_l[
            order
        ]
        for place, each in enumerate(each for each in measured.sensitive if each.classes is classes)
    }
    cells: dict[str, pa.ChunkedArray] = {
        text("{column}", column=name): shown[name] for name in classes.quasi_identifiers
    }
    facts = {size: classes.class_sizes[order]}
    return records_table(
        facts, cells, behind=different, reveal=reveal, name="Evidence", title="Smallest groups"
    )


def evidence_tables(audit: RiskAudit, dataset: Dataset) -> tuple[Table, ...]:
    """Return the smallest classes, masked; nothing where no class is smaller than k."""
    measured = audit.measurement
    if not measured.classes.n_records_below(audit.thresholds.k):
        return ()
    return (worst_classes_table(measured, dataset),)
