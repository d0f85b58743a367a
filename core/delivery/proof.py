"""How a sceptic finds the people that an audit of several tables found, on their own copies."""

from collections.abc import Iterator, Sequence

from core.delivery import DeliveryAudit, attack_sentence, known_words, named_tables
from core.delivery.measuring import DeliveryMeasurement, TableFacts
from core.releases.result import releases_figures
from core.reports import ReportTable, proof
from core.tables import Dataset
from core.verdict import Verdict
from core.words import counted, own, percent, text


def delivery_proof(audit: DeliveryAudit, datasets: Sequence[Dataset]) -> tuple[ReportTable, ...]:
    """Return the steps that find persons by several tables, and in free text, or what was tried."""
    if audit.overall is not Verdict.FAIL or not proof.is_provable(*datasets):
        return proof.tried_tables(_tried(audit))
    of = named_tables(datasets)
    facts = [each for each in audit.measurement.tables if each.name in of]
    told = _told(audit.measurement, facts, of)
    steps = [*proof.person_steps(told, k=audit.thresholds.k)]
    for each in facts:
        steps += proof.text_steps(of[each.name], each.texts)
    return proof.proof_tables(steps) or proof.tried_tables(_tried(audit))


def _told(
    measured: DeliveryMeasurement, facts: Sequence[TableFacts], of: dict[str, Dataset]
) -> list[proof.Told]:
    """Return the tables whose own column names the person as the table of persons does, letter by letter."""
    direct = [each for each in facts if each.person_column and each.person_column.table == each.name]
    if not direct:
        return []
    first = min(direct, key=lambda each: each.repeats).person_column
    alike = {frozenset((link.one, link.other)) for link in measured.links if not link.is_folded}
    return [
        proof.Told(of[each.name], each.person_column.column, each.quasi_identifiers)
        for each in direct
        if each.person_column
        and each.quasi_identifiers
        and (each.person_column == first or frozenset((each.person_column, first)) in alike)
    ]


def _tried(audit: DeliveryAudit) -> Iterator[proof.Tried]:
    """Yield what was tried to find persons in the tables together, and how far."""
    measured = audit.measurement
    for known in (*measured.known, *filter(None, [measured.everything_known])):
        every = known is measured.everything_known
        yield proof.Tried(
            text("Every released column of one record")
            if every
            else text("Knowing {what}", what=own(known_words(known.n_events))),
            text(
                "{looked} of {persons}",
                looked=known.n_looked_at,
                persons=counted(known.n_persons, "person", "persons"),
            ),
            text("Alone: {share}", share=percent(known.share_below(2))),
        )
    if audit.cheapest is not None:
        yield proof.Tried(
            text("The fewest facts that find persons"),
            text("Single facts and pairs; of larger sets the best few of each size"),
            attack_sentence(audit.cheapest),
        )
    for figure in releases_figures(audit.releases):
        yield proof.figure_tried(figure, text("All records of this release and the earlier ones"))
