"""What a delivery says: figures of all tables together, the tables, keys between them, and attacks."""

from core.delivery.charts import attacks_drawing, known_drawing, tables_drawing
from core.delivery.document import verdict_sentence
from core.delivery.judging import DeliveryAudit, attack_sentence, known_words
from core.delivery.tool import TOOL
from core.releases.result import releases_figures, releases_limits, releases_tables
from core.result import Col, Figure, Group, Result, Table, verdict_of
from core.settings_form import report_lines
from core.words import counted, listed, own, percent, text

_KNOWN_COLUMNS = (
    Col("known", "Known of a person", kind="words"),
    Col("below", "Among fewer than k", "share"),
    Col("alone", "Alone", "share"),
    Col("random", "Alone by records drawn at random", "share"),
    Col("looked_at", "Persons looked at", "number"),
)
_TABLE_COLUMNS = (
    Col("table", "Table"),
    Col("records", "Records", "records"),
    Col("persons", "Persons", "number"),
    Col("person_column", "Person"),
    Col("quasi_identifiers", "Quasi-identifiers", kind="words"),
    Col("below", "Among fewer than k", "number"),
    Col("smallest", "Smallest group", "number"),
    Col("only_here", "In no other table", "number"),
)
_KEY_COLUMNS = (
    Col("one", "Column"),
    Col("other", "Found in it: column"),
    Col("found", "Values found", "number"),
    Col("values", "Values", "number"),
    Col("share", "Share found", "share"),
    Col("note", "Note", kind="words"),
)
_ATTACK_COLUMNS = (
    Col("facts", "Facts", "number"),
    Col("of_person", "Of the person", kind="words"),
    Col("of_record", "Of one record", kind="words"),
    Col("share", "Persons found", "share"),
)


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
            Group("persons", "What was found", _figures(audit)),
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
            Group(
                "releases",
                "Earlier releases",
                (*releases_figures(audit.releases), *releases_tables(audit.releases)),
                where="report",  # a page shows them with what was given
            ),
        ),
        limits=releases_limits(audit.releases),
        settings=report_lines(measured.settings, audit.thresholds),
        seeds={"seed": measured.settings.seed},
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
        Figure(
            "joined_unique_share",
            everything.share_below(2),
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


def _known_table(audit: DeliveryAudit) -> Table:
    """Return what each knowledge finds, a row each."""
    k = audit.thresholds.k
    rows = [
        (
            known_words(each.n_events),
            each.share_below(k),
            each.share_below(2),
            each.share_found,
            each.n_looked_at,
        )
        for each in audit.measurement.known
    ]
    return Table("known", "What is known of a person, and what it finds", _KNOWN_COLUMNS, rows)


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
    return Table("tables", "Tables", _TABLE_COLUMNS, rows)


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
