"""How a sceptic finds the people that a disclosure-risk audit found, and what was tried where none was."""

from collections.abc import Iterator

from core.reports import ReportTable, proof
from core.risk import RiskAudit
from core.tables import Dataset
from core.verdict import Verdict
from core.words import counted, listed, text


def risk_proof(audit: RiskAudit, dataset: Dataset) -> tuple[ReportTable, ...]:
    """Return the steps that find records or persons in small classes, or the attacks that were tried."""
    if audit.overall is not Verdict.FAIL:
        return proof.tried_tables(_tried(audit))
    steps = _steps(audit, dataset) if proof.is_provable(dataset) else ()
    return proof.proof_tables(steps) or proof.tried_tables(_tried(audit))


def _steps(audit: RiskAudit, dataset: Dataset) -> Iterator[proof.Step]:
    measured = audit.measurement
    columns = measured.classes.quasi_identifiers
    if columns and (person := measured.settings.person) is not None:
        yield from proof.person_steps([proof.Told(dataset, person, columns)], k=audit.thresholds.k)
    elif columns:
        yield from proof.small_class_steps(dataset, columns, k=audit.thresholds.k)
    yield from proof.text_steps(dataset, measured.texts)


def _tried(audit: RiskAudit) -> Iterator[proof.Tried]:
    measured = audit.measurement
    classes = measured.classes
    if not classes.n_classes:
        return
    yield proof.Tried(
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
        yield proof.Tried(
            text("Learning {column} of everybody in a class", column=f"`{each.column}`"),
            text("{classes}", classes=counted(classes.n_classes, "class", "classes")),
            text("{n} class with one value", "{n} classes with one value", n=int(each.below_l(2)[0])),
        )
    yield proof.texts_tried(measured.texts)
    yield proof.Tried(
        text("Finding records by columns that nobody chose"),
        text("Sets of columns, smallest first, until one singles out over half"),
        text("{n} set found", "{n} sets found", n=len(measured.unchosen.sets)),
    )
