"""How a sceptic finds the people that a disclosure-risk audit found, and what was tried where none was."""

from collections.abc import Iterator

from core.reports import ReportTable
from core.reports.proof import (
    Step,
    Told,
    Tried,
    is_provable,
    person_steps,
    proof_tables,
    small_class_steps,
    text_steps,
    texts_tried,
    tried_tables,
)
from core.risk import RiskAudit
from core.tables import Dataset
from core.verdict import Verdict
from core.words import counted, listed, text


def risk_proof(audit: RiskAudit, dataset: Dataset) -> tuple[ReportTable, ...]:
    """Return the steps that find records or persons in small classes, or the attacks that were tried."""
    if audit.overall is not Verdict.FAIL:
        return tried_tables(_tried(audit))
    steps = _steps(audit, dataset) if is_provable(dataset) else ()
    return proof_tables(steps) or tried_tables(_tried(audit))


def _steps(audit: RiskAudit, dataset: Dataset) -> Iterator[Step]:
    measured = audit.measurement
    columns = measured.classes.quasi_identifiers
    if columns and (person := measured.settings.person) is not None:
        yield from person_steps([Told(dataset, person, columns)], k=audit.thresholds.k)
    elif columns:
        yield from small_class_steps(dataset, columns, k=audit.thresholds.k)
    yield from text_steps(dataset, measured.texts)


def _tried(audit: RiskAudit) -> Iterator[Tried]:
    measured = audit.measurement
    classes = measured.classes
    if not classes.n_classes:
        return
    yield Tried(
        text("Finding a record by all quasi-identifiers at once"),
        text(
            "{columns}; all {n} record",
            "{columns}; all {n} records",
            n=classes.n_members,
            columns=listed(classes.quasi_identifiers),
        ),
        text("The smallest class has {k}.", k=int(classes.k or 0)),
    )
    for each in measured.sensitive:
        yield Tried(
            text("Learning {column} of everybody in a class", column=f"`{each.column}`"),
            text("{classes}", classes=counted(classes.n_classes, "class", "classes")),
            text("{n} class with one value", "{n} classes with one value", n=int(each.below_l(2)[0])),
        )
    yield texts_tried(measured.texts)
    yield Tried(
        text("Finding records by columns that nobody chose"),
        text("Sets of columns, smallest first, until one singles out over half"),
        text("{n} set found", "{n} sets found", n=len(measured.unchosen.sets)),
    )
