"""Holding what was measured of a delivery against thresholds; cheap enough for a slider."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import product

from core.attribute_disclosure import LIMITS
from core.counts import CountThresholds, judge_counts, judge_together
from core.declared import FEWEST_NEAR, Declared, Originals
from core.delivery.attack import FOUND_HALF, Attack
from core.delivery.groups import Groups
from core.delivery.keys import Place, names_persons
from core.delivery.measuring import NUMBERS, DeliveryMeasurement, TableFacts, measure_delivery
from core.delivery.one_value import OneValue
from core.delivery.pseudonyms import KeyFacts
from core.delivery.settings import DeliverySettings, DeliveryThresholds
from core.delivery.told_together import told_together
from core.files.leftovers import judge_leftovers
from core.known import Known
from core.people.free_text import ModelName, Reading, check_reading, text_findings
from core.people.roles import DIGESTS, PERHAPS_NAMES, Role
from core.people.roles.vocabulary import match_name
from core.releases import EarlierTable, Ledger, ReleasesAudit, judge_releases
from core.risk.judging import sensitive_findings
from core.sequences import judge_orders, judge_sequences, judge_span
from core.tables import Dataset
from core.verdict import Finding, Verdict, not_answered, worst, worst_first
from core.words import Text, counted, joined, listed, own, percent, share_of, text

FEW_IN_GROUPS, MANY_IN_GROUPS = 0.05, 0.5  # share of persons found by household: WARN above, FAIL from
_OF_PLACES = frozenset({"phone number", "e-mail address", "postal address"})  # that a ward has too
_MAIN = 0.5  # share of all persons from which a table of one record each is the one of persons
MOST_BY_UNCHOSEN = 0.05  # share of persons found, from which columns nobody chose are a warning


@dataclass(frozen=True, kw_only=True, eq=False)
class DeliveryAudit:
    """A measurement held against thresholds."""

    measurement: DeliveryMeasurement
    thresholds: DeliveryThresholds
    findings: tuple[Finding, ...]  # the worst first
    releases: ReleasesAudit | None = None  # what earlier releases tell beside it
    read: Mapping[str, Reading] = field(default_factory=dict)  # cells of text that a person has read

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
        return _cheapest(self.measurement)


def judge_delivery(
    measurement: DeliveryMeasurement,
    thresholds: DeliveryThresholds | None = None,
    *,
    read: Mapping[str, Reading] | None = None,
) -> DeliveryAudit:
    """Hold a measurement against thresholds; `read` counts cells of text that a person read, by TABLE.COL.

    FAIL: a person is among fewer than k in a table, or in all tables together for who knows the person's
    quasi-identifiers and so many records, or by so many parts of a list, or by being in a table at all; half
    have intervals or households of their own; direct identifiers; pseudonyms that are computed or listed
    beside numbers; tables that their order joins; people named in words; small counts. NOT ASSESSED: no key
    joins tables; text that nobody has read.
    WARN: many persons stand alone with all their records; keys repeat in both tables or match only when
    spelled alike; records name nobody; a table was read by itself; something stands in the order of what it
    hides; persons of other tables are missing from the table of persons.
    """
    thresholds, read = thresholds or DeliveryThresholds(), read or {}
    check_reading(measurement.texts, read)
    releases = None
    if measurement.releases is not None:
        releases = judge_releases(measurement.releases, k=thresholds.k)
    findings = (
        *(() if releases is None else releases.findings),
        *_joined_findings(measurement, thresholds),
        *_apart_findings(measurement, thresholds),
        *_table_findings(measurement, thresholds),
        *told_together(measurement, thresholds.k),
        *_missing_findings(measurement),
        *_time_findings(measurement),
        *map(_household, measurement.groups),
        *_identifier_findings(measurement, thresholds),
        *text_findings(measurement.texts, read),
        *_count_findings(measurement, thresholds),
        *_pseudonym_findings(measurement),
        *_key_findings(measurement),
        *_leftover_findings(measurement),
        *_declared_findings(measurement.declared, thresholds),
        *measurement.codes_missing,
        *measurement.elsewhere,
        *map(not_answered, measurement.unanswered),
    )
    return DeliveryAudit(
        measurement=measurement,
        thresholds=thresholds,
        findings=worst_first(findings),
        releases=releases,
        read=read,
    )


def audit_delivery(
    datasets: Sequence[Dataset],
    settings: DeliverySettings | None = None,
    thresholds: DeliveryThresholds | None = None,
    *,
    earlier: Sequence[EarlierTable | Ledger] = (),
    read: Mapping[str, Reading] | None = None,
    text_model: ModelName = "none",
    originals: Originals | None = None,
) -> DeliveryAudit:
    """Measure and judge the tables of one delivery; see `measure_delivery` and `judge_delivery`."""
    measured = measure_delivery(
        datasets, settings, earlier=earlier, text_model=text_model, originals=originals
    )
    return judge_delivery(measured, thresholds, read=read)


def _leftover_findings(measured: DeliveryMeasurement) -> Iterator[Finding]:
    for name, found in measured.leftovers.items():
        yield from (finding.of_file(name) for finding in judge_leftovers(found))


def _declared_findings(declared: Declared | None, thresholds: DeliveryThresholds) -> Iterator[Finding]:
    """Yield a finding for each line that does not hold or was not judged, and one for the others."""
    if declared is None:
        return
    n_held = 0
    for line in declared.lines:
        if line.verdict is Verdict.PASS:
            n_held += 1
            continue
        made = Finding.of(f"declared_{line.kind}", line.verdict, n_affected=line.n_persons or line.n_records)
        yield (
            made(line.message)
            if not line.line
            else made("{finding} (line {line} of the rules)", finding=line.message, line=line.line)
        )
    for place, n_near in declared.near.items():
        if n_near < max(thresholds.k, FEWEST_NEAR):
            yield Finding.of("declared_near", Verdict.WARN)(
                "{column} is shifted so little that who knows a date finds its person among {n} person.",
                "{column} is shifted so little that who knows a date finds its person among {n} persons.",
                n=n_near,
                column=f"`{place}`",
            )
    if declared.is_proposed:
        yield Finding.of("declared_nothing", Verdict.NOT_ASSESSED)(
            "No rules say what was done: those that are seen are proposed as a file. Confirm it, and give it "
            "as the rules."
        )
    if n_held:
        yield Finding.of("declared_held", Verdict.PASS)(
            "{n} line of the rules holds beside the originals.",
            "{n} lines of the rules hold beside the originals.",
            n=n_held,
        )


def _cheapest(measured: DeliveryMeasurement) -> Attack | None:
    attacks = measured.attacks
    return next(
        (each for each in attacks if each.share_found >= FOUND_HALF), attacks[-1] if attacks else None
    )


def known_words(n_events: int | None) -> Text:
    """Return what an intruder knows, in words."""
    if n_events is None:
        return text("the quasi-identifiers and all records of a person")
    if not n_events:
        return text("the quasi-identifiers of a person")
    return text(
        "the quasi-identifiers and {n} record of a person",
        "the quasi-identifiers and {n} records of a person",
        n=n_events,
    )


def not_counted(known: Known) -> Text:
    """Say that nobody was looked at."""
    return text(
        "What is found by who knows {known} was not counted: there are too many choices of records to count.",
        known=known_words(known.n_events),
    )


def attack_sentence(attack: Attack) -> Text:
    """Say which facts find how many persons."""
    person, record = ([str(place) for place in places] for places in (attack.of_person, attack.of_record))
    message = (
        "Who knows {person} of a person and {record} of one of their records finds {share} of the persons."
        if person and record
        else "Who knows {person} of a person finds {share} of the persons."
        if person
        else "Who knows {record} of one record of a person finds {share} of the persons."
    )
    share = percent(attack.share_found)
    return text(message, person=listed(person), record=listed(record), share=share)


def _joined_findings(measured: DeliveryMeasurement, thresholds: DeliveryThresholds) -> Iterator[Finding]:
    if not measured.known:
        if not measured.unanswered and any(each.counts is None for each in measured.tables):
            yield Finding.of("no_key", Verdict.NOT_ASSESSED)(
                "No column joins the tables, so that nothing was read together; each was looked at by itself."
            )
        return
    attack = _cheapest(measured)
    yield replace(
        _joined_k(measured.known_by(thresholds.known_records), thresholds, n_tables=len(measured.tables)),
        own_remedy=text(
            "Make {columns} coarser, or give the tables pseudonyms of their own.",
            columns=listed([str(place) for place in (*attack.of_person, *attack.of_record)]),
        )
        if attack is not None
        else "",
    )
    yield from _one_values(measured, thresholds.known_records)
    yield from _memberships(measured)
    yield from _limits(measured, thresholds)
    yield from _lists(measured, thresholds)
    yield from _unchosen(measured, thresholds.k)
    if measured.record_tables:
        yield _all_records(measured, thresholds)


def _all_records(measured: DeliveryMeasurement, thresholds: DeliveryThresholds) -> Finding:
    everything = measured.known_by(None)
    below, alone = (everything.share_below(size) or 0.0 for size in (max(thresholds.k, 2), 2))
    verdict = Verdict.WARN if below > thresholds.alone_with_all else Verdict.PASS
    n_alone = round(alone * everything.n_looked_at)
    n_below_k = round(below * everything.n_looked_at)
    found = Finding.of("alone_with_all_records", verdict, n_affected=n_below_k)(
        "{persons} are among fewer than {k} with their quasi-identifiers and all of their records, "
        "{alone} of them alone; {limit} are allowed.",
        persons=share_of(n_below_k, everything.n_looked_at, "persons"),
        k=max(thresholds.k, 2),
        alone=n_alone,
        limit=percent(thresholds.alone_with_all),
    )
    remedy = text(
        "Release fewer records a person in {tables}, or give each table pseudonyms of its own: {n} person is "
        "among fewer than {k}.",
        "Release fewer records a person in {tables}, or give each table pseudonyms of its own: {n} persons "
        "are among fewer than {k}.",
        n=n_below_k,
        k=max(thresholds.k, 2),
        tables=listed([table.name for table in measured.record_tables], at_most=4),
    )
    return replace(found, own_remedy=remedy)


def _joined_k(known: Known, thresholds: DeliveryThresholds, *, n_tables: int) -> Finding:
    if known.n_persons and not known.n_looked_at:
        return Finding.of("joined_k", Verdict.NOT_ASSESSED)(not_counted(known))
    below = known.share_below(thresholds.k) or 0.0
    n_below = round(below * known.n_looked_at)
    verdict = Verdict.FAIL if n_below else Verdict.PASS
    if not n_below and known.is_sample:
        verdict = Verdict.WARN
    persons, words = share_of(n_below, known.n_looked_at, "persons"), known_words(known.n_events)
    sentences = [
        text(
            "Who knows {known} narrows {persons} down to fewer than {k}.",
            persons=persons,
            k=thresholds.k,
            known=words,
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
    short = text(
        "Who knows {known} narrows {persons} in {tables} down to fewer than {k}.",
        persons=persons,
        tables=counted(n_tables, "table"),
        k=thresholds.k,
        known=words,
    )
    return Finding.of("joined_k", verdict, n_affected=n_below)(joined(sentences)).told(short=short)


def _one_values(measured: DeliveryMeasurement, n_known: int) -> Iterator[Finding]:
    """Yield the columns that quasi-identifiers tell: FAIL of sensitive ones, beyond chance."""
    sensitive = {Place(table.name, column) for table in measured.tables for column in table.sensitive}
    for each in measured.one_values:
        is_told = each.place in sensitive and each.beyond_chance
        if (
            isinstance(each.place, str)
            or (each.by_record and not (is_told and n_known))
            or (each.place not in sensitive and (each.says_the_same or not each.beyond_chance))
        ):
            continue
        yield Finding.of(
            "one_value_of_class", Verdict.FAIL if is_told else Verdict.WARN, n_affected=each.n_persons
        )(_one_value(each))


def _one_value(found: OneValue) -> Text:
    n, column, persons = found.n_classes, f"`{found.place}`", counted(found.n_persons, "person")
    if found.by_record:
        return text(
            "All persons with the same quasi-identifiers and one record alike have one value of {column} in "
            "{n} group ({persons}): whoever knows both of somebody knows the value.",
            "All persons with the same quasi-identifiers and one record alike have one value of {column} in "
            "{n} groups ({persons}): whoever knows both of somebody knows the value.",
            n=n,
            column=column,
            persons=persons,
        )
    return text(
        "All persons with the same quasi-identifiers have one value of {column} in {n} group "
        "({persons}): whoever knows that somebody is in it knows the value.",
        "All persons with the same quasi-identifiers have one value of {column} in {n} groups "
        "({persons}): whoever knows that somebody is in one knows the value.",
        n=n,
        column=column,
        persons=persons,
    )


def _memberships(measured: DeliveryMeasurement) -> Iterator[Finding]:
    """Yield the tables in which everybody of some group is, or nobody: FAIL of those named sensitive."""
    for verdict, is_absent in product((Verdict.FAIL, Verdict.WARN), (False, True)):
        found = [
            each
            for each in measured.one_values
            if isinstance(each.place, str)
            and each.is_absent == is_absent
            and _names_something_sensitive(each.place) == (verdict is Verdict.FAIL)
        ]
        if found:
            most = max(found, key=lambda each: each.n_persons)
            made = Finding.of("all_in_table", verdict, n_affected=most.n_persons)
            yield made(_all_in(most, listed([str(each.place) for each in found])))


def _all_in(most: OneValue, tables: Text) -> Text:
    persons, n = counted(most.n_persons, "person"), most.n_classes
    if most.is_absent:
        return text(
            "In {tables} is nobody of {n} group alike by their quasi-identifiers ({persons}), and most "
            "others are: whoever knows these of somebody knows that they are not in the table.",
            "In {tables} is nobody of {n} groups alike by their quasi-identifiers ({persons}), and most "
            "others are: whoever knows these of somebody knows that they are not in the table.",
            n=n,
            tables=tables,
            persons=persons,
        )
    return text(
        "In {tables} are all persons of {n} group alike by their quasi-identifiers ({persons}), "
        "and not everybody is: whoever knows these of somebody knows that they are in the table.",
        "In {tables} are all persons of {n} groups alike by their quasi-identifiers ({persons}), "
        "and not everybody is: whoever knows these of somebody knows that they are in the table.",
        n=n,
        tables=tables,
        persons=persons,
    )


def _limits(measured: DeliveryMeasurement, thresholds: DeliveryThresholds) -> Iterator[Finding]:
    """Yield what classes of persons give away of sensitive columns, where that is asked for.

    Of the classes by one known record too, those that miss what the others meet.
    """
    if all(getattr(thresholds, limit.threshold) is None for limit in LIMITS):
        return
    if not measured.sensitive:
        yield Finding.of("sensitive", Verdict.NOT_ASSESSED)(
            "A limit of sensitive values is asked for, and no column of the persons' tables looks sensitive; "
            "name those that are."
        )
    told: set[tuple[str, str | None]] = set()
    for each in measured.sensitive:
        if each.by_record and not thresholds.known_records:
            continue
        if each.found is None:
            yield Finding.of("sensitive", Verdict.NOT_ASSESSED, column=str(each.place))(
                "What groups of persons give away of {column} was not counted: it has too many different "
                "values, or the persons too many records.",
                column=f"`{each.place}`",
            )
            continue
        for finding in sensitive_findings(each.found, thresholds, "person"):
            missed = finding.verdict is Verdict.FAIL
            if each.by_record and (not missed or (finding.check, finding.column) in told):
                continue
            if missed:
                told.add((finding.check, finding.column))
            yield replace(
                finding,
                message=text("Whoever knows one record too: {said}", said=own(finding.message))
                if each.by_record
                else finding.message,
                own_remedy=_coarser(measured),
            )


def _coarser(measured: DeliveryMeasurement) -> Text:
    """Return which columns to make coarser."""
    columns = [
        str(Place(table.name, column)) for table in measured.tables for column in table.quasi_identifiers
    ]
    return text("Make {columns} coarser.", columns=listed(columns, at_most=3))


def _names_something_sensitive(table: object) -> bool:
    meant = match_name(str(table))
    return meant is not None and meant.rule.role is Role.SENSITIVE_ATTRIBUTE


def _unchosen(measured: DeliveryMeasurement, k: int) -> Iterator[Finding]:
    known = measured.everything_known
    if known is None or not measured.unchosen:
        return
    share, alone = (known.share_below(size) or 0.0 for size in (k, 2))
    verdict = Verdict.WARN if share > MOST_BY_UNCHOSEN else Verdict.PASS
    places = tuple(map(str, measured.unchosen))
    found = Finding.of(
        "unchosen_columns", verdict, n_affected=round(share * known.n_looked_at), columns=places
    )
    yield found(
        "{columns} were taken as known to nobody. Who knows them too, of the person and of one record, "
        "narrows {persons} down to fewer than {k}, {alone} of them to one.",
        columns=listed(places),
        k=k,
        alone=round(alone * known.n_looked_at),
        persons=share_of(round(share * known.n_looked_at), known.n_looked_at, "persons"),
    )


def _lists(measured: DeliveryMeasurement, thresholds: DeliveryThresholds) -> Iterator[Finding]:
    """Yield the anonymity of sets: how many persons are below k by so many parts of their lists."""
    for each in measured.lists:
        n_parts = max(thresholds.known_records, 1)
        known = next(found for found in each.known if found.n_events == n_parts)
        n_below = round((known.share_below(thresholds.k) or 0.0) * known.n_looked_at)
        yield Finding.of("lists", Verdict.FAIL if n_below else Verdict.PASS, n_affected=n_below)(
            "{column} holds lists: {persons} are among fewer than {k} for whoever knows {n} part of them.",
            "{column} holds lists: {persons} are among fewer than {k} for whoever knows {n} parts of them.",
            n=n_parts,
            column=f"`{each.place}`",
            persons=share_of(n_below, known.n_looked_at, "persons"),
            k=thresholds.k,
        )


def _apart_findings(measured: DeliveryMeasurement, thresholds: DeliveryThresholds) -> Iterator[Finding]:
    for same in measured.same_orders:
        yield Finding.of("same_order", Verdict.FAIL, n_affected=same.n_records)(
            "No key joins {first} and {second}, and their order does: place by place they agree in "
            "{columns}, which is no chance.",
            first=f"`{same.first}`",
            second=f"`{same.second}`",
            columns=listed(same.columns),
        )
    for apart in measured.apart:
        tables = listed([each.name for each in apart.tables if each.person_column is not None])
        for finding in _joined_findings(apart, thresholds):
            yield replace(
                finding,
                message=text(
                    "{tables}, joined to each other alone: {sentence}",
                    tables=tables,
                    sentence=own(finding.message),
                ),
                short="",
            )
        yield from map(_household, apart.groups)
        yield from _pseudonym_findings(apart)


def _time_findings(measured: DeliveryMeasurement) -> Iterator[Finding]:
    for table in measured.tables:
        prefix = f"{table.name}."
        yield from (judge_sequences(each, prefix) for each in table.time.sequences)
        yield from (judge_span(each, prefix) for each in table.time.spans)
    yield from judge_orders(
        [(f"{table.name}.", each) for table in measured.tables for each in table.time.orders]
    )


def _household(found: Groups) -> Finding:
    share = found.share_alone
    verdict = Verdict.FAIL if share >= MANY_IN_GROUPS else Verdict.WARN
    n_alone = round(share * found.n_persons)
    return Finding.of("households", Verdict.PASS if share <= FEW_IN_GROUPS else verdict, n_affected=n_alone)(
        "{column} puts persons together: {persons} are in a group whose members, by their own "
        "quasi-identifiers, no other group has. Who knows a household finds each of them.",
        column=f"`{found.place}`",
        persons=share_of(n_alone, found.n_persons, "persons"),
    )


def _table_findings(measured: DeliveryMeasurement, thresholds: DeliveryThresholds) -> Iterator[Finding]:
    for table in measured.tables:
        if table.person_column is None:
            is_told = table.counts is not None or _in_same_order(measured, table)
            if measured.n_persons is not None and not is_told:
                yield _by_itself(table)
            continue
        if table.quasi_identifiers:
            yield _table_k(table, thresholds.k)
        if 0 < table.n_persons < thresholds.k:
            yield Finding.of("few_in_table", Verdict.FAIL, n_affected=table.n_persons)(
                "{table} is of {n} person: who knows that somebody is in it finds them.",
                "{table} is of {n} persons: who knows that somebody is in it finds them among those.",
                table=f"`{table.name}`",
            )
        if table.n_only_here:
            yield Finding.of("in_one_table_only", Verdict.PASS, n_affected=table.n_only_here)(
                "{table}: {persons} are in no other table.",
                table=f"`{table.name}`",
                persons=share_of(table.n_only_here, table.n_persons, "persons"),
            )


def _missing_findings(measured: DeliveryMeasurement) -> Iterator[Finding]:
    """Yield what is about nobody, and who is in some tables and not in the one of persons."""
    n_all = measured.n_persons or 0
    nobodies = [table for table in measured.tables if table.n_nobody and table.person_column is not None]
    if nobodies:
        n_nobody = sum(table.n_nobody for table in nobodies)
        yield Finding.of("records_of_nobody", Verdict.WARN, n_affected=n_nobody)(
            "{tables}: {records} name nobody; they were left out.",
            tables=listed([table.name for table in nobodies]),
            records=share_of(n_nobody, sum(table.n_records for table in nobodies), "records"),
        )
    main = max(
        (each for each in measured.tables if not each.repeats and each.n_persons >= _MAIN * n_all),
        key=lambda each: (names_persons(Place(each.name, "id")), len(each.quasi_identifiers), each.n_persons),
        default=None,
    )
    if n_all and main is not None and main.n_elsewhere:
        yield Finding.of("missing_persons", Verdict.WARN, n_affected=main.n_elsewhere)(
            "{persons} are in other tables and not in {table}: were they taken out there, and forgotten "
            "in the others?",
            persons=share_of(main.n_elsewhere, n_all, "persons"),
            table=f"`{main.name}`",
        )


def _in_same_order(measured: DeliveryMeasurement, table: TableFacts) -> bool:
    return any(table.name in (same.first, same.second) for same in measured.same_orders)


def _table_k(table: TableFacts, k: int) -> Finding:
    n_below = table.n_below(k)
    verdict = Verdict.FAIL if n_below else Verdict.PASS
    places = tuple(str(Place(table.name, column)) for column in table.quasi_identifiers)
    return Finding.of("table_k", verdict, n_affected=n_below, columns=places)(
        "{table} alone: {persons} are among fewer than {k} by {columns}.",
        table=f"`{table.name}`",
        persons=share_of(n_below, table.n_persons, "persons"),
        k=k,
        columns=listed(table.quasi_identifiers),
    ).told(
        step=text(
            "Make {columns} coarser, or leave some out: by {table} alone, {n} person is among fewer than "
            "{k}.",
            "Make {columns} coarser, or leave some out: by {table} alone, {n} persons are among fewer than "
            "{k}.",
            n=n_below,
            columns=listed(places, at_most=3),
            table=f"`{table.name}`",
            k=k,
        )
    )


def _by_itself(table: TableFacts) -> Finding:
    if table.read_by:
        return Finding.of("lookup_table", Verdict.PASS)(
            "{table} was read as columns of the tables that refer to it, by {columns}.",
            table=f"`{table.name}`",
            columns=listed([str(place) for place in table.read_by]),
        )
    names_people = any(each.kind == "patient or person number" for each in table.suggestions)
    return Finding.of(
        "not_joined", Verdict.WARN if table.quasi_identifiers or names_people else Verdict.PASS
    )("{table}: no key joins it to persons; nothing in it was read with the others.", table=f"`{table.name}`")


def _count_findings(measured: DeliveryMeasurement, thresholds: DeliveryThresholds) -> Iterator[Finding]:
    """Yield what tables of counts give away, what to suppress in them aside."""
    for table in measured.tables:
        if table.counts is not None:
            judged = judge_counts(table.counts, CountThresholds(least=max(thresholds.k, 2)))
            yield from (each for each in judged.findings if each.check != "suppression")
    yield from judge_together(measured.counts_together, max(thresholds.k, 2))


def _identifier_findings(measured: DeliveryMeasurement, thresholds: DeliveryThresholds) -> Iterator[Finding]:
    """Yield the columns that look like direct identifiers, but those that serve as pseudonyms."""
    of_places: list[Place] = []
    alike: dict[tuple[str, Verdict], list[Place]] = {}
    for table in measured.tables:
        texts = {each.column for each in table.texts if each.is_text}
        for suggestion in table.suggestions:
            place = Place(table.name, suggestion.column)
            is_key = suggestion.column in table.key_columns or suggestion.column in texts
            if suggestion.role is not Role.DIRECT_IDENTIFIER or suggestion.kind in NUMBERS or is_key:
                continue
            if table.n_sharing >= thresholds.k and str(suggestion.kind) in _OF_PLACES:
                of_places.append(place)
                continue
            sure = suggestion.from_values and suggestion.kind not in (PERHAPS_NAMES, DIGESTS)
            verdict = Verdict.FAIL if sure else Verdict.WARN
            alike.setdefault((suggestion.kind, verdict), []).append(place)
        for suggestion in table.listed:
            named = suggestion.kind == "patient or person number"
            yield Finding.of("listed_beside_key", Verdict.FAIL if named else Verdict.WARN)(
                "{column} names each person of the table once, beside the key {key}: whoever has that "
                "number elsewhere has the person."
                if suggestion.n_distinct >= table.n_persons
                else "{column} names {persons} of the table once each, beside the key {key}: whoever has "
                "that number elsewhere has the person.",
                column=f"`{Place(table.name, suggestion.column)}`",
                key=f"`{table.person_column}`",
                persons=share_of(suggestion.n_distinct, table.n_persons, "persons"),
            )
    yield from (_looks_like_identifier(places, *found) for found, places in alike.items())
    if of_places:
        yield Finding.of("looks_like_identifier", Verdict.WARN)(
            "{columns} hold telephones or addresses, it seems of places that many persons share: see that "
            "they are nobody's own.",
            columns=listed([str(place) for place in of_places]),
        )


def _looks_like_identifier(places: Sequence[Place], kind: str, verdict: Verdict) -> Finding:
    names = tuple(place.column for place in places)
    column, columns = (names[0], ()) if len(names) == 1 else (None, names)
    return Finding.of("looks_like_identifier", verdict, column=column, columns=columns)(
        "{columns} looks like a direct identifier ({kind}).",
        "{columns} look like direct identifiers ({kind}).",
        n=len(places),
        columns=listed([str(place) for place in places]),
        kind=own(kind),
    )


def _pseudonym_findings(measured: DeliveryMeasurement) -> Iterator[Finding]:
    for fact in measured.keys:
        if fact.identifier is not None:
            yield _looks_like_identifier([fact.place], fact.identifier.kind, Verdict.FAIL)
        if fact.algorithm:
            yield _computed(fact)
        if fact.is_readable:
            yield Finding.of("key_computed", Verdict.FAIL)(
                "The values of {column} are text, written as Base64 or hexadecimal digits: anybody reads it.",
                column=f"`{fact.place}`",
            )
    if words := [fact.place for fact in measured.keys if fact.are_words]:
        yield Finding.of("key_of_words", Verdict.WARN, columns=tuple(map(str, words)))(
            "The values of {columns} are words, or made of words, and no codes: see that they are nobody's "
            "names.",
            columns=listed([str(place) for place in words]),
        )
    dated = [fact.place for fact in measured.keys if fact.holds_dates]
    if dated:
        yield Finding.of("key_holds_dates", Verdict.WARN)(
            "The values of {columns} hold what reads as a date, a year or the time when they were made: "
            "pseudonyms, numbers and names of files should tell nothing.",
            columns=listed([str(place) for place in dated]),
        )


def _computed(fact: KeyFacts) -> Finding:
    found = Finding.of("key_computed", Verdict.FAIL)
    n_found = round(fact.share_computed * fact.n_looked_at)
    values = share_of(n_found, fact.n_looked_at, "values")
    if fact.computed_from is None:
        return found(
            text(
                "{column}: {values} looked at are the {algorithm} of whole numbers counted off, or "
                "of days, which anybody can compute.",
                column=f"`{fact.place}`",
                values=values,
                algorithm=fact.algorithm.upper(),
            )
        )
    return found(
        text(
            "{column}: {values} looked at are the {algorithm} of a value of {source}, which anybody can "
            "compute.",
            column=f"`{fact.place}`",
            values=values,
            algorithm=fact.algorithm.upper(),
            source=f"`{fact.computed_from}`",
        )
    )


def _key_findings(measured: DeliveryMeasurement) -> Iterator[Finding]:
    for first, second in measured.same_files:
        yield Finding.of("same_file", Verdict.WARN)(
            "{second} is the same file as {first} and was passed over.",
            first=f"`{first}`",
            second=f"`{second}`",
        )
    for link in measured.links:
        if link.is_many_to_many and link.is_given:
            yield Finding.of("many_to_many", Verdict.WARN)(
                "{one} and {other} both repeat values: they say who is meant, and join no record to one "
                "record.",
                one=f"`{link.one}`",
                other=f"`{link.other}`",
            )
        n_orphans = link.n_values - link.n_found
        if n_orphans:
            yield Finding.of("orphan_keys", Verdict.PASS, n_affected=n_orphans)(
                "{orphans} of {other} are not in {one}.",
                orphans=share_of(n_orphans, link.n_values, "values"),
                other=f"`{link.other}`",
                one=f"`{link.one}`",
            )
    folded = [link for link in measured.links if link.is_folded]
    if folded:
        yield Finding.of("key_spelled_otherwise", Verdict.WARN)(
            "{keys} match only without leading zeros, prefixes, endings, decimals, spaces, hyphens and case; "
            "they were joined so.",
            keys=listed([f"{link.one}={link.other}" for link in folded]),
        )
