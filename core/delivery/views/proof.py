"""How a sceptic finds the people that an audit of several tables found, on their own copies."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from core.delivery import DeliveryAudit, attack_sentence, known_words
from core.delivery.measuring import DeliveryMeasurement, TableFacts
from core.releases.views import releases_figures
from core.reports import ReportTable
from core.reports.proof import (
    Step,
    Tried,
    figure_tried,
    is_provable,
    literal,
    plain_cells,
    proof_tables,
    python_command,
    reading_code,
    text_steps,
    tried_tables,
)
from core.tables import Dataset
from core.verdict import Verdict
from core.words import counted, listed, own, percent, text

MOST_RECORDS = 200_000  # of all tables together that steps are worked out for


class _Told(NamedTuple):
    """A table that names persons as the others do."""

    dataset: Dataset
    person: str
    columns: tuple[str, ...]

    @property
    def code(self) -> str:
        """Return the columns as a command names them, the person first."""
        return literal([self.person, *self.columns])


def delivery_proof(audit: DeliveryAudit, datasets: Sequence[Dataset]) -> tuple[ReportTable, ...]:
    """Return the steps that find persons by several tables, and in free text, or what was tried."""
    if audit.overall is not Verdict.FAIL or not is_provable(*datasets):
        return tried_tables(_tried(audit))
    of = {name: each for each in datasets for name in (each.name.rpartition(".")[0], each.name)}
    facts = [each for each in audit.measurement.tables if each.name in of]
    told = _told(audit.measurement, facts, of)
    steps = [*_joined_steps(told, k=audit.thresholds.k)]
    for each in facts:
        steps += text_steps(of[each.name], each.texts)
    return proof_tables(steps) or tried_tables(_tried(audit))


def _told(measured: DeliveryMeasurement, facts: Sequence[TableFacts], of: dict[str, Dataset]) -> list[_Told]:
    """Return the tables whose own column names the person as the table of persons does, letter by letter."""
    own = [each for each in facts if each.person_column and each.person_column.table == each.name]
    if not own:
        return []
    first = min(own, key=lambda each: each.repeats).person_column
    alike = {frozenset((link.one, link.other)) for link in measured.links if not link.is_folded}
    return [
        _Told(of[each.name], each.person_column.column, each.quasi_identifiers)
        for each in own
        if each.person_column
        and each.quasi_identifiers
        and (each.person_column == first or frozenset((each.person_column, first)) in alike)
    ]


def _joined_steps(told: Sequence[_Told], *, k: int) -> Iterator[Step]:
    """Yield how many persons share all that tables say of them with fewer than `k`."""
    if not told or sum(each.dataset.n_records for each in told) > MOST_RECORDS:
        return
    known: dict[str, list[tuple[str, ...]]] = defaultdict(list)
    for number, each in enumerate(told):
        (persons,) = plain_cells(each.dataset, [each.person], trimmed=True)
        columns = [column.to_pylist() for column in plain_cells(each.dataset, each.columns)]
        for person, *cells in zip(persons.to_pylist(), *columns, strict=True):
            if person:
                known[person].append((str(number), *cells))
    sizes = Counter(tuple(sorted(records)) for records in known.values()).values()
    small, alone = sum(size for size in sizes if size < k), sum(size == 1 for size in sizes)
    if not small:
        return
    tables = ", ".join(f"(t{number}, {each.code})" for number, each in enumerate(told))
    yield Step(
        text(
            "{found} of {n} person shares all that {columns} say together with fewer than {k}, itself "
            "included; {alone} is alone.",
            "{found} of {n} persons share all that {columns} say together with fewer than {k}, themselves "
            "included; {alone} are alone.",
            n=len(known),
            found=small,
            columns=listed([f"{each.dataset.name}: {column}" for each in told for column in each.columns]),
            k=k,
            alone=alone,
        ),
        python_command(
            *(reading_code(f"t{number}", each.dataset) for number, each in enumerate(told)),
            "import collections",
            "d = collections.defaultdict(list)",
            "[d[r[0].strip()].append((str(i), *r[1:])) "
            f"for i, (t, c) in enumerate([{tables}]) "
            "for r in t[c].itertuples(index=False) if r[0].strip()]",
            "n = collections.Counter(tuple(sorted(v)) for v in d.values()).values()",
            f'print(sum(m for m in n if m < {k}), "of", len(d), "-", sum(m == 1 for m in n), "alone")',
        ),
        f"{small} of {len(known)} - {alone} alone",
    )


def _tried(audit: DeliveryAudit) -> Iterator[Tried]:
    """Yield what was tried to find persons in the tables together, and how far."""
    measured = audit.measurement
    for known in (*measured.known, *filter(None, [measured.everything_known])):
        every = known is measured.everything_known
        yield Tried(
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
        yield Tried(
            text("The fewest facts that find persons"),
            text("Single facts and pairs; of larger sets the best few of each size"),
            attack_sentence(audit.cheapest),
        )
    for figure in releases_figures(audit.releases):
        yield figure_tried(figure, text("All records of this release and the earlier ones"))
