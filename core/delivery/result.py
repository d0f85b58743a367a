"""What a delivery says: figures of all tables together, the tables, keys between them, and attacks."""

from collections.abc import Iterator
from operator import attrgetter

from core.delivery.charts import attacks_drawing, known_drawing, tables_drawing
from core.delivery.judging import DeliveryAudit, attack_sentence, known_words
from core.delivery.measuring import DeliveryMeasurement
from core.delivery.tool import TOOL
from core.known import Known
from core.people.free_text.result import texts_group
from core.releases.result import releases_groups, releases_limits
from core.result import Col, Figure, Group, Result, Table, verdict_of
from core.risk.result import limits_asked
from core.settings.form import report_lines, settings_document
from core.verdict import Verdict, worst
from core.words import Text, counted, listed, own, percent, text

_FOUND_COLUMNS = (
    Col("n_records_known", "Records"),
    Col("share_below_k", "Among fewer than k", "share"),
    Col("low", "From", "share"),
    Col("high", "To", "share"),
    Col("share_unique", "Alone", "share"),
    Col("share_found_by_random_records", "Alone by records drawn at random", "share"),
    Col("smallest_class", "Smallest group", "number"),
    Col("n_persons_looked_at", "Persons looked at", "number"),
)
_KNOWN_COLUMNS = (Col("known", "Known of a person", kind="words"), *_FOUND_COLUMNS)
_TABLE_COLUMNS = (
    Col("table", "Table"),
    Col("n_records", "Records", "records"),
    Col("n_persons", "Persons", "number"),
    Col("person_column", "Person"),
    Col("quasi_identifiers", "Quasi-identifiers", kind="words"),
    Col("n_persons_below_k", "Among fewer than k", "number"),
    Col("smallest_class", "Smallest group", "number"),
    Col("n_persons_only_here", "In no other table", "number"),
)
_KEY_COLUMNS = (
    Col("one", "Column"),
    Col("other", "Found in it: column"),
    Col("n_found", "Values found", "number"),
    Col("n_values", "Values", "number"),
    Col("share_found", "Share found", "share"),
    Col("note", "Note", kind="words"),
)
_ATTACK_COLUMNS = (
    Col("n_facts", "Facts", "number"),
    Col("of_person", "Of the person", kind="words"),
    Col("of_record", "Of one record", kind="words"),
    Col("share_found", "Persons found", "share"),
)
_DECLARED_KINDS = {
    "rows": text("records"),
    "tables": text("tables"),
    "undeclared": text("not declared"),
    "replaced": text("identifiers replaced"),
    "drawn": text("pseudonyms drawn"),
    "shifted": text("dates shifted"),
    "emptied": text("emptied"),
    "grouped": text("grouped"),
    "returned": text("given back"),
    "kept": text("kept"),
    "removed": text("records removed"),
    "refers": text("references"),
}
_DECLARED_COLUMNS = (
    Col("kind", "Declared", kind="words", get=lambda each: _DECLARED_KINDS[each.kind]),
    Col("of", "Column or table"),
    Col(
        "verdict", "Verdict", kind="words", get=lambda each: each.verdict.word, mark=lambda each: each.verdict
    ),
    Col("message", "What was found", kind="words"),
    Col("n_persons", "Persons", "number"),
    Col("n_records", "Records", "records"),
    Col("n_looked_at", "Records looked at", "records"),
    Col("line", "Line of the rules", "number", get=lambda each: each.line or None),
)
_SAMPLE_NOTE = "From and to: the 95 % interval where not everybody was looked at."


def delivery_result(audit: DeliveryAudit) -> Result:
    """Return all that the audit says; aggregates only."""
    measured = audit.measurement
    known = (known_drawing(audit),) if measured.known else ()
    attacks = (attacks_drawing(audit),) if measured.attacks else ()
    return Result(
        tool=TOOL.key,
        verdict=audit.overall,
        headline=verdict_sentence(audit),
        findings=audit.findings,
        groups=(
            Group("picture", "Tables", (tables_drawing(audit), *known)),
            Group("persons", "What was found", (*_figures(audit), *_of_sensitive(audit))),
            Group("tables", "Tables", (_tables_table(audit),)),
            Group("keys", "Keys", (_keys_table(audit),), where="both" if measured.links else "page"),
            Group(
                "known", "Known records", (_known_table(audit),), where="both" if measured.known else "page"
            ),
            Group(
                "attacks",
                "Cheapest attacks",
                (*attacks, _attacks_table(audit)),
                where="both" if measured.attacks else "page",
            ),
            *_declared_group(audit),
            *releases_groups(audit.releases),
            Group("further", "Persons", (Figure("n_persons", measured.n_persons),), where="report"),
            Group("groups", "Smallest groups", tuple(_groups(audit)), where="report", is_detail=True),
            *texts_group(measured.texts, audit.read),
        ),
        limits=releases_limits(audit.releases),
        settings=report_lines(measured.settings, audit.thresholds),
        asked=settings_document(measured.settings, audit.thresholds),
        is_whole=not measured.unanswered,
        seeds={"seed": measured.settings.seed},
    )


def verdict_sentence(audit: DeliveryAudit) -> Text:
    """Say the gravest finding; of none, how many persons all tables together find."""
    if not audit.findings:
        return text("No key joins the tables: what they tell together is not known.")
    gravest = audit.findings[0]
    if gravest.verdict is Verdict.PASS:
        gravest = next((each for each in audit.findings if each.check == "joined_k"), gravest)
    return own(gravest.gist)


def roles_sentence(measured: DeliveryMeasurement) -> Text:
    """Return in one line who a person is, what others may know of them, and what nobody is to learn."""
    tables = measured.tables
    known, hidden = (
        [f"{table.name}.{column}" for table in tables for column in columns(table)]
        for columns in (attrgetter("quasi_identifiers"), attrgetter("sensitive"))
    )
    persons = [str(table.person_column) for table in tables if table.person_column is not None]
    message = "Persons: {person}; others may know {known}; nobody is to learn {hidden}."
    return text(
        message if hidden else "Persons: {person}; others may know {known}.",
        person=listed(persons[:1]) if persons else own("none"),
        known=listed(known, at_most=6) if known else own("nothing"),
        hidden=listed(hidden, at_most=3),
    )


def _figures(audit: DeliveryAudit) -> tuple[Figure, ...]:
    """Return the figures of all tables together; none where nobody can be told."""
    judged, measured = audit.judged, audit.measurement
    if judged is None:
        return ()
    everything = measured.known_by(None)
    found = [
        Figure(
            "joined_below_k_share",
            judged.share_below(audit.thresholds.k),
            total=judged.n_looked_at,
            threshold="none allowed",
            verdict=verdict_of(audit.findings, "joined_k"),
            of=known_words(judged.n_events),
        ),
        Figure("joined_unique_share", everything.share_below(2), total=everything.n_looked_at)
        if measured.record_tables
        else None,
        Figure(
            "all_records_below_k_share",
            everything.share_below(max(audit.thresholds.k, 2)),
            total=everything.n_looked_at,
            threshold=text("at most {share}", share=percent(audit.thresholds.alone_with_all)),
            verdict=verdict_of(audit.findings, "alone_with_all_records"),
        )
        if measured.record_tables
        else None,
        Figure("random_found_share", judged.share_found, of=known_words(judged.n_events)),
        None
        if audit.cheapest is None
        else Figure("attack_share", audit.cheapest.share_found, of=counted(audit.cheapest.n_facts, "fact")),
    ]
    return tuple(figure for figure in found if figure is not None)


def _of_sensitive(audit: DeliveryAudit) -> Iterator[Figure]:
    """Yield what classes give away of each sensitive column, the figures of which something is asked."""
    by_record = any(each.by_record for each in audit.measurement.sensitive) and audit.thresholds.known_records
    for key, asked in limits_asked(audit.thresholds).items():
        for each in audit.measurement.sensitive:
            if each.found is not None and each.by_record == bool(by_record):
                column = str(each.place)
                said = [one for one in audit.findings if (one.check, one.column) == (key, column)]
                verdict = worst(one.verdict for one in said)
                yield Figure(key, each.found.figures[key], asked, verdict, of=column)


def _groups(audit: DeliveryAudit) -> Iterator[Figure | Table]:
    """Yield the smallest groups by all that may be known, and who is alone; what records alone find."""
    measured, most = audit.measurement, audit.thresholds.known_records
    may_be_known = [each for each in measured.known if each.n_events is not None and each.n_events <= most]
    for each in may_be_known:
        smallest = int(each.smallest.min()) if each.n_looked_at else None
        yield Figure("smallest_known_class", smallest, of=known_words(each.n_events))
    for table in measured.tables:
        if table.quasi_identifiers:
            smallest = int(table.smallest.min()) if len(table.smallest) else None
            yield Figure("smallest_table_class", smallest, of=table.name)
    for each in may_be_known:
        share, total = each.share_below(2), each.n_looked_at
        yield Figure("alone_share", share, of=known_words(each.n_events), total=total)
    if (found := measured.everything_known) is not None:
        yield Figure("all_columns_found_share", found.share_below(2), total=found.n_looked_at)
    if measured.records_alone:
        rows = [_found_by(each, audit.thresholds.k) for each in measured.records_alone]
        title = "What records alone find, without the persons' own columns"
        yield Table("records_alone", title, _FOUND_COLUMNS, rows, _SAMPLE_NOTE)


def _declared_group(audit: DeliveryAudit) -> Iterator[Group]:
    """Yield what each rule says beside the originals, where they were given."""
    declared = audit.measurement.declared
    if declared is None:
        return
    rows = sorted(declared.lines, key=lambda each: -each.verdict.severity)
    note = (
        "The rules are proposed from what is seen; nobody declared them."
        if declared.is_proposed
        else "Persons and records: those that are not as declared."
    )
    table = Table("declared", "Declared against done", _DECLARED_COLUMNS, rows, note)
    yield Group("declared", "Declared", (table,))


def _known_table(audit: DeliveryAudit) -> Table:
    """Return what each knowledge finds, a row each."""
    k, known = audit.thresholds.k, audit.measurement.known
    rows = [(known_words(each.n_events), *_found_by(each, k)) for each in known]
    note = _SAMPLE_NOTE if any(each.is_sample for each in known) else ""
    return Table("known", "What is known of a person, and what it finds", _KNOWN_COLUMNS, rows, note)


def _found_by(known: Known, k: int) -> tuple[object, ...]:
    """Return what so many records find, with the interval where they are of a sample."""
    interval = known.interval_below(k) if known.is_sample else None
    return (
        known.n_events,
        known.share_below(k),
        *(interval or (None, None)),
        known.share_below(2),
        known.share_found,
        int(known.smallest.min()) if known.n_looked_at else None,
        known.n_looked_at,
    )


def _tables_table(audit: DeliveryAudit) -> Table:
    """Return the tables, a row each."""
    k = audit.thresholds.k
    rows = [
        (
            table.name,
            table.n_records,
            table.n_persons if table.person_column is not None else None,
            None if table.person_column is None else str(table.person_column),
            listed(table.quasi_identifiers) if table.quasi_identifiers else own("none"),
            table.n_below(k) if table.person_column is not None else None,
            int(table.smallest.min()) if len(table.smallest) else None,
            table.n_only_here if table.person_column is not None else None,
        )
        for table in audit.measurement.tables
    ]
    return Table("released_tables", "Tables", _TABLE_COLUMNS, rows)


def _keys_table(audit: DeliveryAudit) -> Table:
    """Return the keys between tables, a row each."""
    rows = [
        (
            str(link.one),
            str(link.other),
            link.n_found,
            link.n_values,
            link.share_found,
            own("spelled otherwise") if link.is_folded else own("named by you") if link.is_given else own(""),
        )
        for link in audit.measurement.links
    ]
    return Table("keys", "Keys between tables", _KEY_COLUMNS, rows)


def _attacks_table(audit: DeliveryAudit) -> Table:
    """Return the facts that find most by their number, and all smallest sets found that find half."""
    measured = audit.measurement
    half = [each for each in measured.finding_half if each not in measured.attacks]
    rows = [
        (
            attack.n_facts,
            listed([str(place) for place in attack.of_person]) if attack.of_person else own("none"),
            listed([str(place) for place in attack.of_record]) if attack.of_record else own("none"),
            attack.share_found,
        )
        for attack in sorted((*measured.attacks, *half), key=lambda each: (each.n_facts, -each.share_found))
    ]
    note = "" if audit.cheapest is None else attack_sentence(audit.cheapest)
    return Table("attacks", "The cheapest attacks", _ATTACK_COLUMNS, rows, note)
