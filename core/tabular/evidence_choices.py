"""What a person can look at behind a verdict: records behind the rule's checks and behind our findings."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

import pandas as pd

from core.tables import Dataset
from core.tabular.decision import TabularAudit
from core.tabular.evidence import evidence_rows
from core.tabular.second_opinion import relinked_records, small_class_records, unchanged_records


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

    Parameters
    ----------
    audit
        A judged file.
    k
        Classes with fewer records are worth a look.
    """
    return (*_of_checks(audit), *_of_opinion(audit), *_of_classes(audit, k))


def evidence_table(
    evidence: Evidence,
    original: Dataset,
    anonymized: Dataset,
    audit: TabularAudit,
    *,
    k: int,
    limit: int = 100,
    reveal: bool = False,
) -> pd.DataFrame:
    """Return the first records behind a piece of evidence.

    Parameters
    ----------
    evidence
        One of `evidence_of`.
    original, anonymized, audit
        The tables, and what was found out about them.
    k
        For records in small classes.
    limit
        Largest number of records.
    reveal
        Whether to show values; else their shapes, such as ``YYYY-MM-DD``.

    Returns
    -------
    pd.DataFrame
        Records counted from 1.
    """
    if evidence.kind == "check":
        return evidence_rows(
            original, anonymized, audit.measurement, evidence.columns[0], limit=limit, reveal=reveal
        )
    if evidence.kind == "unchanged":
        name = evidence.columns[0]
        return unchanged_records(
            original,
            anonymized,
            column=_original_of(audit, name),
            anonymized_column=name,
            limit=limit,
            reveal=reveal,
        )
    if evidence.kind == "relinked":
        return relinked_records(original, anonymized, columns=evidence.columns, limit=limit, reveal=reveal)
    return small_class_records(
        anonymized, quasi_identifiers=evidence.columns, k=k, limit=limit, reveal=reveal
    )


def _of_checks(audit: TabularAudit) -> Iterator[Evidence]:
    for check in audit.measurement.checks:
        if check.n_failing and check.anonymized_column is not None:
            name = check.anonymized_column
            yield Evidence(kind="check", label=f"Column check of {name}", columns=(name,))


def _of_opinion(audit: TabularAudit) -> Iterator[Evidence]:
    opinion, measured = audit.second_opinion, audit.opinion_measurement
    if opinion is None or measured is None:
        return
    if audit.measurement.n_original == audit.measurement.n_anonymized:
        for finding in opinion.findings:
            if finding.check == "unchanged_distinct_column":
                for name in (*finding.columns, *([finding.column] if finding.column else [])):
                    yield Evidence(kind="unchanged", label=f"Unchanged cells of {name}", columns=(name,))
    level = measured.relinkage.level(opinion.thresholds.left_unchanged_share)
    if level is None or not level.n_matched:
        return
    columns = level.smallest_set.columns if level.smallest_set else level.columns
    if all(_original_of(audit, name) == name for name in columns):
        yield Evidence(kind="relinked", label=f"Records re-linked by {', '.join(columns)}", columns=columns)


def _of_classes(audit: TabularAudit, k: int) -> Iterator[Evidence]:
    classes = audit.classes
    if classes is not None and classes.n_records_below(k):
        yield Evidence(
            kind="small_classes",
            label=f"Records in classes smaller than {k}",
            columns=classes.quasi_identifiers,
        )


def _original_of(audit: TabularAudit, anonymized_column: str) -> str:
    compared = audit.opinion_measurement.columns if audit.opinion_measurement else ()
    found = (column.original for column in compared if column.anonymized == anonymized_column)
    return next(found, anonymized_column)
