"""How a sceptic finds the people that a disclosure-risk audit found."""

from collections.abc import Iterator

from core.reports import proof
from core.result import Table
from core.risk import RiskAudit
from core.tables import Dataset
from core.verdict import Verdict


def risk_proof(audit: RiskAudit, dataset: Dataset) -> tuple[Table, ...]:
    """Return the steps that find records or persons in small classes, and free text that names them."""
    is_shown = audit.overall is Verdict.FAIL and proof.is_provable(dataset)
    return proof.proof_tables(_steps(audit, dataset)) if is_shown else ()


def _steps(audit: RiskAudit, dataset: Dataset) -> Iterator[proof.Step]:
    measured = audit.measurement
    columns = measured.classes.quasi_identifiers
    if columns and (person := measured.settings.person) is not None:
        yield from proof.person_steps([proof.Told(dataset, person, columns)], k=audit.thresholds.k)
    elif columns:
        yield from proof.small_class_steps(
            dataset, columns, k=audit.thresholds.k, with_blanks=measured.settings.missing == "value"
        )
    yield from proof.text_steps(dataset, measured.texts)
