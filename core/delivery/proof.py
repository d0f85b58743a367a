"""How a sceptic finds the people that an audit of several tables found, on their own copies."""

from collections.abc import Iterator, Sequence
from itertools import chain

from core.declared import Originals
from core.declared.proof import NOTE, declared_steps
from core.delivery import DeliveryAudit, named_tables
from core.delivery.keys import RECORD
from core.delivery.measuring import DeliveryMeasurement, TableFacts
from core.reports import proof
from core.result import Table
from core.tables import Dataset
from core.verdict import Verdict
from core.words import joined, own


def delivery_proof(
    audit: DeliveryAudit, datasets: Sequence[Dataset], originals: Originals | None = None
) -> tuple[Table, ...]:
    """Return the steps that find persons by several tables, and in free text; and what is not as declared."""
    if audit.overall is not Verdict.FAIL or not proof.is_provable(*datasets):
        return ()
    tables = named_tables(datasets)
    declared = audit.measurement.declared
    if declared is None or originals is None:
        return proof.proof_tables(_steps(audit, tables))
    given = [*originals.tables.values(), *originals.given.values()]
    steps = declared_steps(declared, tables, originals) if proof.is_provable(*given) else ()
    note = joined([own(proof.NOTE), NOTE])
    return proof.proof_tables(chain(steps, _steps(audit, tables)), note=note)


def _own(facts: TableFacts, dataset: Dataset) -> tuple[str, ...]:
    """Return the quasi-identifiers that are columns of the file, and not led to by a key."""
    return tuple(column for column in facts.quasi_identifiers if column in dataset.columns)


def _steps(audit: DeliveryAudit, of: dict[str, Dataset]) -> Iterator[proof.Step]:
    facts = [each for each in audit.measurement.tables if each.name in of]
    for each in facts:
        if each.person_column == (each.name, RECORD) and (columns := _own(each, of[each.name])):
            yield from proof.small_class_steps(of[each.name], columns, k=audit.thresholds.k)
    yield from proof.person_steps(_told(audit.measurement, facts, of), k=audit.thresholds.k)
    for each in facts:
        yield from proof.text_steps(of[each.name], each.texts)


def _told(
    measured: DeliveryMeasurement, facts: Sequence[TableFacts], of: dict[str, Dataset]
) -> list[proof.Told]:
    """Return the tables whose own column names the person as the table of persons does, letter by letter."""
    direct = [
        each
        for each in facts
        if each.person_column
        and each.person_column.table == each.name
        and each.person_column.column in of[each.name].columns
    ]
    if not direct:
        return []
    first = min(direct, key=lambda each: each.repeats).person_column
    alike = {frozenset((link.one, link.other)) for link in measured.links if not link.is_folded}
    return [
        proof.Told(of[each.name], each.person_column.column, _own(each, of[each.name]))
        for each in direct
        if each.person_column
        and _own(each, of[each.name])
        and (each.person_column == first or frozenset((each.person_column, first)) in alike)
    ]
