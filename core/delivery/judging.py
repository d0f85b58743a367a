"""Holding what was measured of a delivery against thresholds; cheap enough for a slider."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from core.delivery.attack import Attack
from core.delivery.keys import Place
from core.delivery.known import Known
from core.delivery.measuring import NUMBERS, DeliveryMeasurement, TableFacts, measure_delivery
from core.delivery.order import Sequences
from core.delivery.settings import DeliverySettings, DeliveryThresholds
from core.roles import Role
from core.tables import Dataset
from core.verdict import Finding, Verdict, worst, worst_first
from core.words import Text, counted, joined, listed, own, percent, share_of, text

FOUND_HALF = 0.5
# Share of persons with intervals of their own: up to the first PASS, from the second FAIL.
FEW_BY_INTERVALS, MANY_BY_INTERVALS = 0.05, 0.5
MOST_BY_UNCHOSEN = 0.05  # share of persons found, from which columns nobody chose are a warning


@dataclass(frozen=True, kw_only=True, eq=False)
class DeliveryAudit:
    """A measurement held against thresholds."""

    measurement: DeliveryMeasurement
    thresholds: DeliveryThresholds
    findings: tuple[Finding, ...]  # the worst first

    @property
    def overall(self) -> Verdict:
        """Return the worst of the findings' verdicts."""
        return worst(finding.verdict for finding in self.findings)

    @property
    def judged(self) -> Known | None:
        """Return what the known records that the thresholds name find; None where nobody can be told."""
        measured = self.measurement
        return measured.known_by(self.thresholds.known_records) if measured.known else None

    @property
    def cheapest(self) -> Attack | None:
        """Return the fewest facts that find half of the persons, else those that find most."""
        attacks = self.measurement.attacks
        return next(
            (each for each in attacks if each.share_found >= FOUND_HALF), attacks[-1] if attacks else None
        )


def judge_delivery(
    measurement: DeliveryMeasurement, thresholds: DeliveryThresholds | None = None
) -> DeliveryAudit:
    """Hold a measurement against thresholds.

    FAIL: a person is among fewer than k in a table, or in all tables together for who knows the person's
    quasi-identifiers and so many records; half have intervals of their own; direct identifiers. NOT ASSESSED:
    no key joins tables.
    WARN: many persons stand alone with all their records; keys repeat in both tables or match only when
    spelled alike; records name nobody; a table was read by itself.
    """
    thresholds = thresholds or DeliveryThresholds()
    findings = (
        *_joined_findings(measurement, thresholds),
        *_table_findings(measurement, thresholds),
        *map(_intervals, measurement.sequences),
        *_identifier_findings(measurement),
        *_key_findings(measurement),
    )
    return DeliveryAudit(measurement=measurement, thresholds=thresholds, findings=worst_first(findings))


def audit_delivery(
    datasets: Sequence[Dataset],
    settings: DeliverySettings | None = None,
    thresholds: DeliveryThresholds | None = None,
) -> DeliveryAudit:
    """Measure and judge the tables of one delivery; see `measure_delivery` and `judge_delivery`."""
    return judge_delivery(measure_delivery(datasets, settings), thresholds)


def known_words(n_events: int | None) -> Text:
    """Return what an intruder knows, in words."""
    if n_events is None:
        return text("their quasi-identifiers and all of their records")
    if not n_events:
        return text("their quasi-identifiers")
    return text(
        "their quasi-identifiers and {n} of their records",
        "their quasi-identifiers and {n} of their records",
        n=n_events,
    )


def attack_sentence(attack: Attack) -> Text:
    """Say which facts find how many persons."""
    facts = [
        *(text("{column} of the person", column=f"`{place}`") for place in attack.of_person),
        *(text("{column} of one record", column=f"`{place}`") for place in attack.of_record),
    ]
    return text(
        "Who knows {facts} finds {share} of the persons.",
        facts=joined(facts, ", "),
        share=percent(attack.share_found),
    )


def _joined_findings(measured: DeliveryMeasurement, thresholds: DeliveryThresholds) -> Iterator[Finding]:
    if not measured.known:
        yield Finding.of("no_key", Verdict.NOT_ASSESSED)(
            "No column joins the tables, so that nothing was read together; each was looked at by itself."
        )
        return
    yield _joined_k(measured.known_by(thresholds.known_records), thresholds)
    yield from _unchosen(measured)
    everything = measured.known_by(None)
    alone = everything.share_below(2) or 0.0
    if not measured.record_tables:
        return
    verdict = Verdict.WARN if alone > thresholds.alone_with_all else Verdict.PASS
    n_alone = round(alone * everything.n_looked_at)
    yield Finding.of("alone_with_all_records", verdict, n_affected=n_alone)(
        text(
            "{persons} are alone with their quasi-identifiers and all of their records; {limit} are allowed.",
            persons=share_of(n_alone, everything.n_looked_at, "persons"),
            limit=percent(thresholds.alone_with_all),
        )
    )


def _joined_k(known: Known, thresholds: DeliveryThresholds) -> Finding:
    below = known.share_below(thresholds.k) or 0.0
    n_below = round(below * known.n_looked_at)
    verdict = Verdict.FAIL if n_below else Verdict.PASS
    if not n_below and known.is_sample:
        verdict = Verdict.WARN
    sentences = [
        text(
            "{persons} are among fewer than {k} for whoever knows {known}.",
            persons=share_of(n_below, known.n_looked_at, "persons"),
            k=thresholds.k,
            known=known_words(known.n_events),
        )
    ]
    if interval := known.interval_below(thresholds.k) if known.is_sample else None:
        sentences.append(
            text(
                "That is a sample of {persons}: of all, {least} to {most} (95 % interval).",
                persons=counted(known.n_persons, "person"),
                least=percent(interval[0]),
                most=percent(interval[1]),
            )
        )
    return Finding.of("joined_k", verdict, n_affected=n_below)(joined(sentences))


def _unchosen(measured: DeliveryMeasurement) -> Iterator[Finding]:
    known = measured.everything_known
    if known is None or not measured.unchosen:
        return
    share = known.share_below(2) or 0.0
    verdict = Verdict.WARN if share > MOST_BY_UNCHOSEN else Verdict.PASS
    yield Finding.of("unchosen_columns", verdict, n_affected=round(share * known.n_looked_at))(
        text(
            "{columns} were taken as known to nobody. Who knows them too, of the person and of one record, "
            "finds {persons}.",
            columns=listed([str(place) for place in measured.unchosen]),
            persons=share_of(round(share * known.n_looked_at), known.n_looked_at, "persons"),
        )
    )


def _intervals(found: Sequences) -> Finding:
    share = found.share_alone
    verdict = Verdict.FAIL if share >= MANY_BY_INTERVALS else Verdict.WARN
    n_alone = round(share * found.n_persons)
    return Finding.of(
        "intervals", Verdict.PASS if share <= FEW_BY_INTERVALS else verdict, n_affected=n_alone
    )(
        text(
            "{column}: of those with two records or more, {persons} have intervals between their records "
            "that nobody else has, and {number} a number of records that nobody else has. Shifting dates "
            "changes neither.",
            column=f"`{found.place}`",
            persons=share_of(n_alone, found.n_persons, "persons"),
            number=round(found.share_alone_by_number * found.n_persons),
        )
    )


def _table_findings(measured: DeliveryMeasurement, thresholds: DeliveryThresholds) -> Iterator[Finding]:
    for table in measured.tables:
        if table.person_column is None:
            if measured.n_persons is not None:
                yield _by_itself(table)
            continue
        if table.quasi_identifiers:
            yield _table_k(table, thresholds.k)
        if table.n_nobody:
            yield Finding.of("records_of_nobody", Verdict.WARN, n_affected=table.n_nobody)(
                text(
                    "{table}: {records} name nobody; they were left out.",
                    table=f"`{table.name}`",
                    records=share_of(table.n_nobody, table.n_records, "records"),
                )
            )
        if table.n_only_here:
            yield Finding.of("in_one_table_only", Verdict.PASS, n_affected=table.n_only_here)(
                text(
                    "{table}: {persons} are in no other table.",
                    table=f"`{table.name}`",
                    persons=share_of(table.n_only_here, table.n_persons, "persons"),
                )
            )


def _table_k(table: TableFacts, k: int) -> Finding:
    n_below = table.n_below(k)
    return Finding.of("table_k", Verdict.FAIL if n_below else Verdict.PASS, n_affected=n_below)(
        text(
            "{table} alone: {persons} are among fewer than {k} by {columns}.",
            table=f"`{table.name}`",
            persons=share_of(n_below, table.n_persons, "persons"),
            k=k,
            columns=listed(table.quasi_identifiers),
        )
    )


def _by_itself(table: TableFacts) -> Finding:
    return Finding.of("not_joined", Verdict.WARN if table.quasi_identifiers else Verdict.PASS)(
        text(
            "{table}: no key joins it to persons; nothing in it was read with the others.",
            table=f"`{table.name}`",
        )
    )


def _identifier_findings(measured: DeliveryMeasurement) -> Iterator[Finding]:
    for table in measured.tables:
        for suggestion in table.suggestions:
            if suggestion.role is not Role.DIRECT_IDENTIFIER or suggestion.kind in NUMBERS:
                continue
            verdict = Verdict.FAIL if suggestion.from_values else Verdict.WARN
            yield Finding.of("looks_like_identifier", verdict, column=suggestion.column)(
                text(
                    "{column} looks like a direct identifier ({kind}).",
                    column=f"`{Place(table.name, suggestion.column)}`",
                    kind=own(suggestion.kind),
                )
            )


def _key_findings(measured: DeliveryMeasurement) -> Iterator[Finding]:
    for first, second in measured.same_files:
        yield Finding.of("same_file", Verdict.WARN)(
            text(
                "{second} is the same file as {first} and was passed over.",
                first=f"`{first}`",
                second=f"`{second}`",
            )
        )
    for link in measured.links:
        if link.is_many_to_many and link.is_given:
            yield Finding.of("many_to_many", Verdict.WARN)(
                text(
                    "{one} and {other} both repeat values: they say who is meant, and join no record to one "
                    "record.",
                    one=f"`{link.one}`",
                    other=f"`{link.other}`",
                )
            )
        if link.is_folded:
            yield Finding.of("key_spelled_otherwise", Verdict.WARN)(
                text(
                    "{one} and {other} match only without leading zeros, spaces, hyphens and case; they were "
                    "joined so.",
                    one=f"`{link.one}`",
                    other=f"`{link.other}`",
                )
            )
        n_orphans = link.n_values - link.n_found
        if n_orphans:
            yield Finding.of("orphan_keys", Verdict.PASS, n_affected=n_orphans)(
                text(
                    "{orphans} of {other} are not in {one}.",
                    orphans=share_of(n_orphans, link.n_values, "values"),
                    other=f"`{link.other}`",
                    one=f"`{link.one}`",
                )
            )
