"""What a person can look at behind a verdict: records behind the rule's checks and behind our findings.

Nothing here is part of a measurement or a message: each function reads the tables again.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np
import pyarrow as pa

from core.coding import BoolArray, distinct_values, joint_codes
from core.comparing.names import columns_alike
from core.people.patterns import CATALOGUE, scan_column
from core.reports.evidence import MOST_RECORDS, RECORD, records_table, small_class_records
from core.result import Col, Table
from core.tables import Dataset
from core.tabular.judging import TabularAudit
from core.tabular.measuring import TabularMeasurement
from core.tabular.rules import ColumnCheck, scan_anonymized
from core.tabular.values import are_date_floors, look_like_pseudonyms
from core.values.cells import cells_equal, shared_codes
from core.words import Text, joined, own, text

ORIGINAL_RECORD = Col("original_record", "Original record")
FOUND = Col("found", "Found", kind="words")


@dataclass(frozen=True, kw_only=True)
class Evidence:
    """Records worth a look."""

    # ``check`` of the published rule, cells left ``unchanged``, ``relinked`` records, or records in
    # ``small_classes``
    kind: Literal["check", "unchanged", "relinked", "small_classes"]
    label: str  # name on screen; may name columns
    columns: tuple[str, ...]  # anonymized columns concerned


def evidence_of(audit: TabularAudit, *, k: int) -> tuple[Evidence, ...]:
    """Return what can be looked at, the published rule's checks first; nothing for a clean file.

    Classes with fewer than `k` records are worth a look.
    """
    return (*_of_checks(audit), *_of_opinion(audit), *_of_classes(audit, k))


def evidence_table(
    evidence: Evidence,
    original: Dataset,
    anonymized: Dataset,
    audit: TabularAudit,
    *,
    k: int,
    reveal: bool = False,
) -> Table:
    """Return the first 100 records behind a piece of evidence, counted from 1.

    `k`: for records in small classes. `reveal`: whether to show values; else their shapes, such as
    ``YYYY-MM-DD``.
    """
    name = evidence.columns[0]
    if evidence.kind == "check":
        return evidence_rows(original, anonymized, audit.measurement, name, reveal=reveal)
    if evidence.kind == "unchanged":
        column = original_of(audit, name)
        return unchanged_records(original, anonymized, column=column, anonymized_column=name, reveal=reveal)
    if evidence.kind == "relinked":
        return relinked_records(original, anonymized, columns=evidence.columns, reveal=reveal)
    return small_class_records(anonymized, quasi_identifiers=evidence.columns, k=k, reveal=reveal)


def evidence_tables(
    audit: TabularAudit, original: Dataset, anonymized: Dataset, *, k: int
) -> tuple[Table, ...]:
    """Return all that can be looked at, masked, a table each."""
    return tuple(
        replace(
            evidence_table(evidence, original, anonymized, audit, k=k),
            name=f"Evidence {number}",
            title=evidence.label,
        )
        for number, evidence in enumerate(evidence_of(audit, k=k), start=1)
    )


def _of_checks(audit: TabularAudit) -> Iterator[Evidence]:
    for check in audit.measurement.checks:
        if check.n_failing and check.anonymized_column is not None:
            name = check.anonymized_column
            yield Evidence(kind="check", label=text("Column check of {column}", column=name), columns=(name,))


def _of_opinion(audit: TabularAudit) -> Iterator[Evidence]:
    opinion, measured = audit.second_opinion, audit.opinion_measurement
    if opinion is None or measured is None:
        return
    if audit.measurement.n_original == audit.measurement.n_anonymized:
        for finding in opinion.findings:
            if finding.check == "unchanged_distinct_column":
                for name in (*finding.columns, *([finding.column] if finding.column else [])):
                    label = text("Unchanged cells of {column}", column=name)
                    yield Evidence(kind="unchanged", label=label, columns=(name,))
    level = measured.relinkage.level(opinion.thresholds.left_unchanged_share)
    if level is None or not level.n_matched:
        return
    columns = level.smallest_set.columns if level.smallest_set else level.columns
    if all(original_of(audit, name) == name for name in columns):
        label = text("Records re-linked by {columns}", columns=", ".join(columns))
        yield Evidence(kind="relinked", label=label, columns=columns)


def _of_classes(audit: TabularAudit, k: int) -> Iterator[Evidence]:
    ours = audit.opinion_measurement.classes.functions if audit.opinion_measurement else ()
    of_pieces = any(one.piece for one in ours)  # of codes, which no column of the table holds alone
    classes = audit.classes if of_pieces else audit.counted_classes
    if classes is not None and classes.n_records_below(k):
        yield Evidence(
            kind="small_classes",
            label=text("Records in groups smaller than {k}", k=k),
            columns=classes.quasi_identifiers,
        )


def original_of(audit: TabularAudit, anonymized_column: str) -> str:
    """Return the original column of an anonymized one; its own name where none is known."""
    compared = audit.opinion_measurement.columns if audit.opinion_measurement else ()
    found = (column.original for column in compared if column.anonymized == anonymized_column)
    return next(found, anonymized_column)


# --- behind the checks of the rule


def evidence_rows(
    original: Dataset,
    anonymized: Dataset,
    measurement: TabularMeasurement,
    column: str,
    *,
    reveal: bool = False,
) -> Table:
    """Return the first records that speak against an anonymized column."""
    check = next((check for check in measurement.checks if check.anonymized_column == column), None)
    if check is None:
        return records_table({RECORD: []}, {}, reveal=reveal)
    cells = anonymized.table[column]
    rows = pa.array(np.flatnonzero(_failing(check, original, cells, measurement))[:MOST_RECORDS])
    shown = cells.take(rows)
    values = {}
    if original.n_records == anonymized.n_records:
        values["Original value"] = original.table[check.column].take(rows)
    values["Anonymized value"] = shown
    facts = {RECORD: rows.to_numpy() + 1}
    found = {FOUND: _found(check, shown, measurement)}
    return records_table(facts, values, behind=found, reveal=reveal)


def _failing(
    check: ColumnCheck, original: Dataset, cells: pa.ChunkedArray, measurement: TabularMeasurement
) -> BoolArray:
    """Return shape (n_records,): which records the check counted as failing."""
    values = distinct_values(cells)
    if check.check == "dropped":
        is_permitted = check.action != "drop" and measurement.log.allow_dx
        return values.in_records(np.full(len(values.values), not is_permitted))
    if check.check == "date_floor":
        decade = check.action == "date_floor_decade"
        return values.in_records(~are_date_floors(values.values, decade=decade))
    if check.check == "pseudonyms":
        unlike = values.in_records(~look_like_pseudonyms(values))
        if original.n_records != len(cells):
            return unlike
        return unlike | cells_equal(original.table[check.column], cells)
    if check.check == "patterns":
        patterns = tuple(CATALOGUE[key] for key in measurement.settings.patterns)
        scanned = scan_anonymized(cells, original.table, action=check.action, patterns=patterns)
        return scanned.residual_records
    return np.zeros(len(cells), dtype=np.bool_)


def _found(check: ColumnCheck, shown: pa.ChunkedArray, measurement: TabularMeasurement) -> list[Text]:
    """Return what speaks against each of the cells."""
    if check.check == "patterns":
        hits = scan_column(shown, tuple(CATALOGUE[key] for key in measurement.settings.patterns))
        labels = [(CATALOGUE[key].label, hits.distinct.in_records(mask)) for key, mask in hits.masks.items()]
        return [joined([label for label, mask in labels if mask[row]], ", ") for row in range(len(shown))]
    words = {
        "dropped": "value remains",
        "date_floor": "not the first day of a decade"
        if check.action == "date_floor_decade"
        else "not the first day of a year",
        "pseudonyms": "unchanged, or not like a pseudonym",
    }
    return [own(words.get(check.check, ""))] * len(shown)


# --- behind findings


def unchanged_records(
    original: Dataset,
    anonymized: Dataset,
    *,
    column: str,
    anonymized_column: str | None = None,
    reveal: bool = True,
) -> Table:
    """Return the first records whose cell equals the original's in the same row."""
    name = anonymized_column or column
    cells, anonymized_cells = _cells(original, anonymized, column), anonymized.table[name]
    equal = np.zeros(0, dtype=bool)
    if len(cells) == len(anonymized_cells):
        equal = cells_equal(cells, anonymized_cells, dates=True)
    rows = np.flatnonzero(equal)[:MOST_RECORDS]
    return records_table(
        {RECORD: rows + 1},
        {
            text("{column} (original)", column=column): cells.take(pa.array(rows)),
            text("{column} (anonymized)", column=name): anonymized_cells.take(pa.array(rows)),
        },
        reveal=reveal,
    )


def _cells(original: Dataset, anonymized: Dataset, column: str) -> pa.ChunkedArray:
    """Return an original column by its own name, or by the one the anonymized table spells otherwise."""
    alike = columns_alike(original.columns, anonymized.columns)
    ours = {theirs: ours for ours, theirs in alike.items()}
    return original.table[ours.get(column, column)]


def relinked_records(
    original: Dataset, anonymized: Dataset, *, columns: Sequence[str], reveal: bool = True
) -> Table:
    """Return the first anonymized records that match exactly one original record, and which."""
    pairs = [
        shared_codes(_cells(original, anonymized, name), anonymized.table[name], dates=True)
        for name in columns
    ]
    records = joint_codes(pairs)
    position = np.zeros(records.n_values, dtype=np.int64)
    position[records.original] = np.arange(len(records.original))
    filled = np.logical_or.reduce([pair.anonymized >= 0 for pair in pairs])
    rows = np.flatnonzero((records.original_counts[records.anonymized] == 1) & filled)[:MOST_RECORDS]
    matched = anonymized.table.select(list(columns)).take(pa.array(rows))
    return records_table(
        {RECORD: rows + 1, ORIGINAL_RECORD: position[records.anonymized[rows]] + 1},
        {text("{column}", column=name): matched[name] for name in columns},
        reveal=reveal,
    )
